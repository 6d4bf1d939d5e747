/* A library whose constructor calls setenv(3), which moves the environment; loaded with LD_PRELOAD, as libfaketime is. */
#include <stdlib.h>

__attribute__((constructor)) static void begin(void) {
  char name[] = "SET_BY_A_LIBRARY_0";
  for (char number = '0'; number <= '9'; number++) {
    name[sizeof name - 2] = number;
    setenv(name, "1", 1);
  }
}
