// Declarations for Linux that the modules of its C libraries leave out. On other systems this is empty, and no file
// imports it.
#ifdef __linux__
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Glibc has them in an enumeration, and Musl as macros.
static const uint32_t feed_epoll_in = EPOLLIN;
static const uint32_t feed_epoll_out = EPOLLOUT;
static const uint32_t feed_epoll_broken = EPOLLERR | EPOLLHUP;

// memfd_create(2) with MFD_CLOEXEC; the C libraries declare it only for programs that define _GNU_SOURCE.
static inline int feed_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1U); }

// prctl(2) takes any number of arguments, which Swift does not import.
static inline int feed_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL); }
#endif
