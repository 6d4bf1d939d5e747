// Clients of an event stream that only count bytes.
// usage: crowd ADDRESS PORT COUNT PATH [FIELD]   ADDRESS: where they come from, of 127/8. FIELD: one more of the request.
// Prints `ready` when each has got the head of its response. Then, for each line `N` of standard input, it prints the time
// of the monotonic clock in seconds at which the last client had got N more bytes. `0` forgets what has come.
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 1024 };

static struct client {
  int socket;
  long received;
} *clients;
static long count, wanted, done;
static char bytes[1 << 16];

static int connected(const char *from, int port, const char *request) {
  struct sockaddr_in here = {.sin_family = AF_INET}, there = here;
  inet_pton(AF_INET, from, &here.sin_addr);
  inet_pton(AF_INET, "127.0.0.1", &there.sin_addr);
  there.sin_port = htons(port);
  int client = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  if (client < 0) err(2, "socket");
  // The port is chosen at the connection, so that other servers' clients can have the same one.
  setsockopt(client, IPPROTO_IP, 24 /* IP_BIND_ADDRESS_NO_PORT */, &yes, sizeof yes);
  if (bind(client, (void *)&here, sizeof here) || connect(client, (void *)&there, sizeof there)) err(2, "%s", from);
  if (send(client, request, strlen(request), 0) < 0) err(2, "send");
  return client;
}

static void read_head(int client) {
  size_t size = 0;
  do {
    ssize_t more = recv(client, bytes + size, sizeof bytes - 1 - size, 0);
    if (more <= 0) err(2, "no head of an answer");
    bytes[size += more] = 0;
  } while (!strstr(bytes, "\r\n\r\n"));
  if (!strstr(bytes, " 200 ")) errx(2, "%.*s", (int)strcspn(bytes, "\r"), bytes);
}

static void receive(struct client *client) {
  ssize_t more;
  while ((more = recv(client->socket, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
    client->received += more;
    if (wanted && client->received > wanted) errx(1, "a client has got %ld bytes of %ld", client->received, wanted);
    if (wanted && client->received == wanted) done++;
  }
  if (more == 0 || errno != EAGAIN) errx(1, "a client was dropped");
}

static void start_round(void) {
  char line[32];
  ssize_t size = read(0, line, sizeof line - 1);
  if (size <= 0) exit(0);
  line[size] = 0;
  wanted = atol(line);
  done = 0;
  for (long number = 0; number < count; number++) {
    struct client *client = clients + number;
    if (!wanted) client->received = 0;
    if (client->received > wanted) errx(1, "a client has got %ld bytes of %ld", client->received, wanted);
    if (client->received == wanted) done++;
  }
}

int main(int argc, char **argv) {
  if (argc < 5) errx(2, "usage: crowd ADDRESS PORT COUNT PATH [FIELD]");
  int port = atoi(argv[2]), poll = epoll_create1(0);
  count = atol(argv[3]);
  clients = calloc(count, sizeof *clients);
  char request[1000];
  snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n%s%s\r\n", argv[4],
           argc > 5 ? argv[5] : "", argc > 5 ? "\r\n" : "");
  for (long number = 0; number < count; number++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = clients + number};
    clients[number].socket = connected(argv[1], port, request);
    read_head(clients[number].socket);
    if (epoll_ctl(poll, EPOLL_CTL_ADD, clients[number].socket, &event)) err(2, "epoll");
  }
  struct epoll_event commands = {.events = EPOLLIN};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, 0, &commands)) err(2, "epoll");
  puts("ready");
  for (;;) {
    fflush(stdout);
    struct epoll_event events[BATCH];
    int number = epoll_wait(poll, events, BATCH, -1);
    for (int each = 0; each < number; each++) {
      if (events[each].data.ptr)
        receive(events[each].data.ptr);
      else
        start_round();
    }
    if (done < count) continue;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
    for (long each = 0; each < count; each++) clients[each].received = 0;
    done = wanted = 0;
  }
}
