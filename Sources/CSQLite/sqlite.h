// The system's SQLite.

#include <sqlite3.h>

// SQLite takes a lock for each piece of memory to count it, for statistics that nobody reads. Call this before anything
// else. Swift cannot call a function with a variable number of arguments.
static inline int sqlite3_config_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
