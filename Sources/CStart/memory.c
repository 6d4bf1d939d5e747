/*
 * When memory runs out, the Swift runtime aborts with a stack trace. On Linux the tools are linked with --wrap=malloc.
 * So Swift's requests go through here, and a failure ends with a message and status 2 instead. Shared libraries call
 * malloc themselves, and handle its failure. In a static executable, all requests go through here.
 */
#include "include/start.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

static void say(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

void *__wrap_malloc(size_t size) {
  void *room = __real_malloc(size);
  if (room == NULL && size > 0) {
    const char *path = feed_argument_count() > 0 ? feed_argument(0) : "feedutils";
    const char *slash = strrchr(path, '/');
    say(slash == NULL ? path : slash + 1);
    say(": out of memory\n");
    _exit(2);
  }
  return room;
}

#endif
