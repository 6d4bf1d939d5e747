/// The characters of a method, a field name or any other token of HTTP (RFC 9110 §5.6.2).
public func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
