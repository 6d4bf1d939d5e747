/// The encoding of the text that the tokenizer reads.
enum XMLEncoding {
  case utf8
}
