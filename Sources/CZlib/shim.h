/* zlib for Swift: its functions of interest that are macros. Everything else is used as zlib.h declares it. */
#include <zlib.h>

static inline int feed_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }

/* With the level, memory and strategy that zlib chooses itself. */
static inline int feed_deflate_init(z_stream *stream, int window_bits) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}
