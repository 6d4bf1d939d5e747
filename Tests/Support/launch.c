/* What a command of a test finds first in its PATH, under the name of each tool and of each helper in Tests/Fixtures/bin
 * that is written in Python. `Tests/run` builds it.
 *
 * A tool is started with a stack of 256 KiB: what a peer may repeat without end must be a loop there, never a call. The
 * limit is set here, for the tool alone, because it also bounds the arguments of whatever a shell starts.
 *
 * A helper is not started: a server that has Python and its modules in memory already (forker) forks for it. The process
 * here passes on its arguments, its files and what else a child inherits, and waits. If there is no such server, or if a
 * child of it would be another one, the helper is started as usual.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

enum { STACK = 256 << 10, LIMITS = 16, FILES = 4, SIGNALS = 32 };

static volatile sig_atomic_t child;

static void pass_on(int number) {
  if (child > 0) kill(child, number);
}

static void put(int server, const void *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(server, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(1);
    bytes = (const char *)bytes + sent;
    count -= (size_t)sent;
  }
}

/* The server of this run, or -1. */
static int server_of_run(void) {
  const char *path = getenv("FEEDUTILS_FORKER");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path == NULL || strlen(path) >= sizeof address.sun_path || getenv("LD_PRELOAD") != NULL) return -1;
  strcpy(address.sun_path, path);
  for (int file = 0; file < 3; file++)
    if (fcntl(file, F_GETFD) < 0 || isatty(file)) return -1;
  int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server < 0) return -1;
  struct ucred other;
  socklen_t size = sizeof other;
  if (connect(server, (struct sockaddr *)&address, sizeof address) < 0 ||
      getsockopt(server, SOL_SOCKET, SO_PEERCRED, &other, &size) < 0 || other.uid != geteuid()) {
    close(server);
    return -1;
  }
  return server;
}

static void pass_files(int server, const int files[FILES]) {
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(FILES * sizeof(int))];
  } control;
  char byte = 0;
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  control.head.cmsg_level = SOL_SOCKET;
  control.head.cmsg_type = SCM_RIGHTS;
  control.head.cmsg_len = CMSG_LEN(FILES * sizeof(int));
  memcpy(CMSG_DATA(&control.head), files, FILES * sizeof(int));
  if (sendmsg(server, &message, MSG_NOSIGNAL) != 1) _exit(1);
}

static size_t put_texts(int server, char *const *texts, uint32_t *lengths) {
  size_t count = 0;
  for (; texts[count] != NULL; count++)
    if (server >= 0)
      put(server, texts[count], lengths[count]);
    else if (lengths != NULL)
      lengths[count] = (uint32_t)strlen(texts[count]);
  return count;
}

/* Has the server run the helper. Does not return. */
static void fork_for(int server, const char *name, char *const *arguments) {
  int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) _exit(1);
  uint32_t head[5] = {(uint32_t)getpgrp(), 0, (uint32_t)strlen(name), 0, 0};
  head[1] = (uint32_t)umask(0);
  umask((mode_t)head[1]);
  head[3] = (uint32_t)put_texts(-1, arguments, NULL);
  head[4] = (uint32_t)put_texts(-1, environ, NULL);
  uint32_t *lengths = calloc(head[3] + head[4] + 1, sizeof *lengths);
  if (lengths == NULL) _exit(1);
  put_texts(-1, arguments, lengths);
  put_texts(-1, environ, lengths + head[3]);
  struct rlimit limits[LIMITS];
  for (int i = 0; i < LIMITS; i++) getrlimit(i, &limits[i]);
  unsigned char ignored[SIGNALS] = {0};
  for (int i = 1; i < SIGNALS; i++) {
    struct sigaction action;
    ignored[i] = sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
  }
  static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
    if (!ignored[passed[i]]) sigaction(passed[i], &(struct sigaction){.sa_handler = pass_on}, NULL);

  pass_files(server, (int[FILES]){0, 1, 2, folder});
  put(server, head, sizeof head);
  put(server, limits, sizeof limits);
  put(server, ignored, sizeof ignored);
  put(server, lengths, (head[3] + head[4]) * sizeof *lengths);
  put(server, name, head[2]);
  put_texts(server, arguments, lengths);
  put_texts(server, environ, lengths + head[3]);
  /* Whoever reads the output must see its end when the helper has ended. */
  for (int file = 0; file < 3; file++) close(file);

  int32_t words[2];
  for (int i = 0; i < 2; i++) {
    ssize_t count;
    while ((count = recv(server, &words[i], sizeof words[i], MSG_WAITALL)) < 0 && errno == EINTR) {}
    if (count != sizeof words[i]) _exit(137);
    if (i == 0) child = words[0];
  }
  if (words[1] >= 0) _exit(words[1]);
  signal(-words[1], SIG_DFL);
  raise(-words[1]);
  _exit(128 - words[1]);
}

int main(int count, char **arguments) {
  (void)count;
  const char *name = strrchr(arguments[0], '/');
  name = name == NULL ? arguments[0] : name + 1;
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", TOOLS, name);
  if (access(path, X_OK) == 0) {
    struct rlimit limit;
    getrlimit(RLIMIT_STACK, &limit);
    if (limit.rlim_cur > STACK) limit.rlim_cur = STACK;
    setrlimit(RLIMIT_STACK, &limit);
  } else {
    snprintf(path, sizeof path, "%s/%s", HELPERS, name);
    int server = server_of_run();
    if (server >= 0) fork_for(server, name, arguments + 1);
  }
  execv(path, arguments);
  perror(path);
  return 127;
}
