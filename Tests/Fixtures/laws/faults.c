/* Makes read(2) and write(2) behave as badly as the standard allows; loaded with LD_PRELOAD.
 *
 * FAULTS is a list of words: `short` (one byte at a time), `eintr` (every second call is interrupted first),
 * `enospc=N` (the disk is full after N bytes). Only descriptors 0 and 1 are touched. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wants(const char *word) {
  const char *faults = getenv("FAULTS");
  return faults != NULL && strstr(faults, word) != NULL;
}

static int interrupts(void) {
  static int calls;
  if (!wants("eintr") || calls++ % 2 != 0) return 0;
  errno = EINTR;
  return 1;
}

ssize_t read(int number, void *buffer, size_t count) {
  ssize_t (*next)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  if (number != 0) return next(number, buffer, count);
  if (interrupts()) return -1;
  return next(number, buffer, wants("short") && count > 1 ? 1 : count);
}

ssize_t write(int number, const void *buffer, size_t count) {
  static size_t written;
  ssize_t (*next)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  if (number != 1) return next(number, buffer, count);
  if (interrupts()) return -1;
  if (wants("enospc=")) {
    size_t room = strtoul(strstr(getenv("FAULTS"), "enospc=") + 7, NULL, 10);
    if (written >= room) {
      errno = ENOSPC;
      return -1;
    }
    if (count > room - written) count = room - written;
  }
  if (wants("short") && count > 1) count = 1;
  ssize_t done = next(number, buffer, count);
  if (done > 0) written += done;
  return done;
}
