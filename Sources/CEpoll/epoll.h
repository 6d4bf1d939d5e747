// epoll(7), which the modules of the C libraries leave out. Elsewhere there is nothing to include, and nobody imports it.
#ifdef __linux__
#include <stdint.h>
#include <sys/epoll.h>

// Glibc has them in an enumeration, and Musl as macros.
static const uint32_t feed_epoll_in = EPOLLIN;
static const uint32_t feed_epoll_out = EPOLLOUT;
static const uint32_t feed_epoll_broken = EPOLLERR | EPOLLHUP;
#endif
