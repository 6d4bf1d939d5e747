/* Keeps a journal of what a program writes, syncs, names and prints; loaded with LD_PRELOAD.
 *
 * Tests/Faults/disk.py reads it and makes of it the disks that a power cut could leave. Each record is a line, and the
 * bytes it announces. Files are known by device and inode, since a name can be another's by the time of the write:
 *
 *   C DEV:INO PATH      a new file        O DEV:INO PATH   one that was emptied (O_TRUNC)
 *   W DEV:INO OFF LEN   bytes             T DEV:INO SIZE   ftruncate
 *   S DEV:INO           synced            D PATH           a folder was synced
 *   R FROM<TAB>TO       rename            L FROM<TAB>TO    link
 *   U PATH              unlink            M PATH           mkdir
 *   P LEN               bytes written to standard output
 *
 * A record is written after the call, and only if it succeeded: one thread, so the order is that of the calls. The
 * calls go to the kernel directly; that is why 64-bit and fortified names are one line each. */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int journal = -1;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("JOURNAL");
  if (path == NULL) return;
  int low = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  journal = fcntl(low, F_DUPFD_CLOEXEC, 200);
  syscall(SYS_close, low);
}

static void note(const char *head, const void *bytes, size_t count) {
  if (journal < 0) return;
  int kept = errno;
  struct iovec parts[] = {{(void *)head, strlen(head)}, {(void *)bytes, count}};
  syscall(SYS_writev, journal, parts, count ? 2 : 1);
  errno = kept;
}

/* The absolute name: the reader of the journal takes the dots out. */
static const char *absolute(int folder, const char *path, char room[8192]) {
  if (path[0] == '/') return path;
  char link[64];
  snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
  ssize_t count = readlink(link, room, 4096);
  if (count < 0) return path;
  snprintf(room + count, 8192 - count, "/%s", path);
  return room;
}

static void note_name(char kind, int folder, const char *path) {
  char room[8192], head[8300];
  snprintf(head, sizeof head, "%c %s\n", kind, absolute(folder, path, room));
  note(head, NULL, 0);
}

static void note_names(char kind, int a, const char *from, int b, const char *to) {
  char one[8192], two[8192], head[16500];
  snprintf(head, sizeof head, "%c %s\t%s\n", kind, absolute(a, from, one), absolute(b, to, two));
  note(head, NULL, 0);
}

static int is_file(int number, struct stat *status) { return fstat(number, status) == 0 && S_ISREG(status->st_mode); }

static void note_bytes(int number, off_t offset, const void *bytes, ssize_t count) {
  struct stat status;
  char head[128];
  if (count <= 0) return;
  if (number == 1) snprintf(head, sizeof head, "P %zd\n", count);
  else if (is_file(number, &status))
    snprintf(head, sizeof head, "W %lu:%lu %ld %zd\n", status.st_dev, status.st_ino, (long)offset, count);
  else return;
  note(head, bytes, count);
}

/* Opening. */

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  struct stat status;
  int is_new = (flags & O_CREAT) && fstatat(folder, path, &status, 0) != 0;
  int number = syscall(SYS_openat, folder, path, flags, mode);
  if (number >= 0 && (is_new || (flags & O_TRUNC)) && is_file(number, &status)) {
    char room[8192], head[8400];
    snprintf(head, sizeof head, "%c %lu:%lu %s\n", is_new ? 'C' : 'O', status.st_dev, status.st_ino,
             absolute(folder, path, room));
    note(head, NULL, 0);
  }
  return number;
}

#define MODE(last) \
  mode_t mode = 0; \
  va_list more; \
  va_start(more, last); \
  if (flags & (O_CREAT | __O_TMPFILE)) mode = va_arg(more, mode_t); \
  va_end(more)

int open(const char *path, int flags, ...) { MODE(flags); return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags); return open_at(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags); return open_at(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags); return open_at(at, path, flags, mode); }
int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __openat_2(int at, const char *path, int flags) { return open_at(at, path, flags, 0); }
int __openat64_2(int at, const char *path, int flags) { return open_at(at, path, flags, 0); }
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/* Writing. */

ssize_t write(int number, const void *bytes, size_t count) {
  struct stat status;
  off_t offset = 0;
  if (number != 1 && is_file(number, &status))
    offset = fcntl(number, F_GETFL) & O_APPEND ? status.st_size : syscall(SYS_lseek, number, 0, SEEK_CUR);
  ssize_t done = syscall(SYS_write, number, bytes, count);
  note_bytes(number, offset, bytes, done);
  return done;
}

ssize_t pwrite(int number, const void *bytes, size_t count, off_t offset) {
  ssize_t done = syscall(SYS_pwrite64, number, bytes, count, offset);
  note_bytes(number, offset, bytes, done);
  return done;
}
ssize_t pwrite64(int number, const void *bytes, size_t count, off64_t offset) { return pwrite(number, bytes, count, offset); }

/* Parts are written one by one: fewer bytes than asked for is an answer that callers must expect. */
ssize_t writev(int number, const struct iovec *parts, int count) {
  return count == 0 ? 0 : write(number, parts[0].iov_base, parts[0].iov_len);
}
ssize_t pwritev(int number, const struct iovec *parts, int count, off_t offset) {
  return count == 0 ? 0 : pwrite(number, parts[0].iov_base, parts[0].iov_len, offset);
}
ssize_t pwritev64(int number, const struct iovec *parts, int count, off64_t offset) {
  return pwritev(number, parts, count, offset);
}

int ftruncate(int number, off_t size) {
  struct stat status;
  char head[128];
  int answer = syscall(SYS_ftruncate, number, size);
  if (answer == 0 && is_file(number, &status)) {
    snprintf(head, sizeof head, "T %lu:%lu %ld\n", status.st_dev, status.st_ino, (long)size);
    note(head, NULL, 0);
  }
  return answer;
}
int ftruncate64(int number, off64_t size) { return ftruncate(number, size); }

/* Syncing. */

static int synced(int number, int answer) {
  struct stat status;
  char head[128];
  if (answer != 0) return answer;
  if (is_file(number, &status)) {
    snprintf(head, sizeof head, "S %lu:%lu\n", status.st_dev, status.st_ino);
    note(head, NULL, 0);
  } else {
    note_name('D', number, ".");
  }
  return answer;
}

int fsync(int number) { return synced(number, syscall(SYS_fsync, number)); }
int fdatasync(int number) { return synced(number, syscall(SYS_fdatasync, number)); }

/* Names. */

int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  int answer = syscall(SYS_renameat2, a, from, b, to, flags);
  if (answer == 0) note_names('R', a, from, b, to);
  return answer;
}
int renameat(int a, const char *from, int b, const char *to) { return renameat2(a, from, b, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int a, const char *from, int b, const char *to, int flags) {
  int answer = syscall(SYS_linkat, a, from, b, to, flags);
  if (answer == 0) note_names('L', a, from, b, to);
  return answer;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int at, const char *path, int flags) {
  int answer = syscall(SYS_unlinkat, at, path, flags);
  if (answer == 0) note_name('U', at, path);
  return answer;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int mkdir(const char *path, mode_t mode) {
  int answer = syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (answer == 0) note_name('M', AT_FDCWD, path);
  return answer;
}
