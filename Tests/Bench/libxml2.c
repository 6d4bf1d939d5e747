// libxml2's SAX parse: is FILE well-formed? No handler does anything. Sizes and depths have no limit.
// usage: libxml2 FILE
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <string.h>

static void quiet(void *context, const char *format, ...) {}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof handler);
  handler.initialized = XML_SAX2_MAGIC;
  xmlSetGenericErrorFunc(NULL, quiet);
  xmlParserCtxtPtr parser = xmlCreateFileParserCtxt(argv[1]);
  if (!parser) return 2;
  if (parser->sax != (xmlSAXHandlerPtr)&xmlDefaultSAXHandler) xmlFree(parser->sax);
  parser->sax = &handler;
  xmlCtxtUseOptions(parser, XML_PARSE_HUGE | XML_PARSE_NONET);
  xmlParseDocument(parser);
  if (!parser->wellFormed && parser->lastError.message)
    fprintf(stderr, "%s:%d: %s", argv[1], parser->lastError.line, parser->lastError.message);
  return parser->wellFormed ? 0 : 1;
}
