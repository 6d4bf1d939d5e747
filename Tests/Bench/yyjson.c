// yyjson as a filter: reads FILE, applies PATCH if there is one, and writes the result.
// usage: yyjson FILE [PATCH]
#include <stdio.h>
#include <yyjson.h>

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  yyjson_doc *document = yyjson_read_file(argv[1], 0, NULL, NULL);
  if (!document) return 2;
  size_t count = 0;
  char *text = NULL;
  if (argc == 2) {
    text = yyjson_write(document, 0, &count);
  } else {
    yyjson_doc *patch = yyjson_read_file(argv[2], 0, NULL, NULL);
    if (!patch) return 2;
    yyjson_mut_doc *copy = yyjson_doc_mut_copy(document, NULL);
    yyjson_mut_doc *operations = yyjson_doc_mut_copy(patch, NULL);
    yyjson_mut_val *result =
        yyjson_mut_patch(copy, yyjson_mut_doc_get_root(copy), yyjson_mut_doc_get_root(operations), NULL);
    if (!result) return 1;
    yyjson_mut_doc_set_root(copy, result);
    text = yyjson_mut_write(copy, 0, &count);
  }
  return text && fwrite(text, 1, count, stdout) == count && fflush(stdout) == 0 ? 0 : 2;
}
