/* zlib for Swift: its one function of interest that is a macro. Everything else is used as zlib.h declares it. */
#include <zlib.h>

static inline int feed_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }
