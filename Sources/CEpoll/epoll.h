// epoll(7), which the Glibc module leaves out. Elsewhere there is nothing to include, and nobody imports it.
#ifdef __linux__
#include <sys/epoll.h>
#endif
