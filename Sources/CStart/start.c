/*
 * This runs before the constructors of the Swift runtime, for two reasons.
 *
 * Arguments. On Linux the runtime searches for argc and argv: in /proc/self/maps, and just before `environ`. Without
 * /proc, or if a library that was loaded earlier called setenv(3), it finds nothing and reports no arguments at all.
 * The C library passes them to every constructor.
 *
 * Crashes. At every start the runtime looks for a program `swift-backtrace` that would print a stack trace: beside
 * argv[0], and so in the current folder. On a terminal it runs that program if the tool crashes. A program in the
 * current folder must never be run. Only a given path keeps the runtime from looking; `enable=no` alone does not.
 */
#include "include/start.h"

#include <stdlib.h>
#include <string.h>

static int argument_count = -1;
static char **arguments;

static const char variable[] = "SWIFT_BACKTRACE";
static char *previous;
static int is_set;

static void start(int count, char **values) {
  argument_count = count;
  arguments = values;

  const char *value = getenv(variable);
  /* A user who names a program has chosen it, and the runtime looks for no other. */
  if (value != NULL && strstr(value, "swift-backtrace=") != NULL) return;
  previous = value == NULL ? NULL : strdup(value);
  is_set = setenv(variable, "enable=no,swift-backtrace=/dev/null", 1) == 0;
}

#if defined(__APPLE__)
__attribute__((constructor)) static void constructor(int count, char **values) { start(count, values); }
#elif defined(__GLIBC__)
/* 101 is the first priority that is not reserved; the runtime's constructors have no priority, and run later. */
__attribute__((constructor(101))) static void constructor(int count, char **values) { start(count, values); }
#else
/* musl passes nothing to constructors; there we rely on the runtime. */
__attribute__((constructor(101))) static void constructor(void) { start(-1, NULL); }
#endif

int feed_argument_count(void) { return argument_count; }

const char *feed_argument(int index) { return arguments[index]; }

void feed_restore_environment(void) {
  if (!is_set) return;
  is_set = 0;
  if (previous == NULL) {
    unsetenv(variable);
  } else {
    setenv(variable, previous, 1);
    free(previous);
  }
}
