// expat's bare parse: is FILE well-formed? No handler is called, and the buffer is like ours.
// usage: expat FILE
#include <expat.h>
#include <fcntl.h>
#include <unistd.h>

enum { SIZE = 64 << 10 };

int main(int argc, char **argv) {
  int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  XML_Parser parser = XML_ParserCreate(NULL);
  if (file < 0 || !parser) return 2;
  ssize_t count;
  do {
    void *buffer = XML_GetBuffer(parser, SIZE);
    if (!buffer || (count = read(file, buffer, SIZE)) < 0) return 2;
    if (XML_ParseBuffer(parser, (int)count, count == 0) == XML_STATUS_ERROR) return 1;
  } while (count > 0);
  return 0;
}
