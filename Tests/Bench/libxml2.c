// libxml2's SAX parse: is FILE well-formed? No handler is called.
// usage: libxml2 FILE
#include <libxml/parser.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  return xmlSAXUserParseFile(&handler, NULL, argv[1]) ? 1 : 0;
}
