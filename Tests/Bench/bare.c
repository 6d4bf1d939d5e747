// The least that a server of an event stream can do: each event that comes on standard input is written to each client
// by one write. Prints its port. Ends if a client does not take an event at once.
// usage: bare
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char HEAD[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n\n";

int main(void) {
  static int clients[100000];
  static char bytes[1 << 16];
  int count = 0;
  size_t size = 0;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof here;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (void *)&here, sizeof here) || listen(listener, 4096)) err(2, "listen");
  getsockname(listener, (void *)&here, &length);
  printf("%d\n", ntohs(here.sin_port));
  fflush(stdout);
  for (;;) {
    struct pollfd waiting[] = {{0, POLLIN, 0}, {listener, POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) err(2, "poll");
    if (waiting[1].revents) {
      int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
      if (client < 0) err(2, "accept");
      struct pollfd request = {client, POLLIN, 0};
      poll(&request, 1, -1);
      if (read(client, bytes, sizeof bytes) <= 0 || write(client, HEAD, sizeof HEAD - 1) < 0) err(2, "client");
      clients[count++] = client;
    }
    if (!waiting[0].revents) continue;
    ssize_t more = read(0, bytes + size, sizeof bytes - size);
    if (more <= 0) return 0;
    size += more;
    if (memcmp(bytes + size - 2, "\n\n", 2)) continue;
    for (int number = 0; number < count; number++)
      if (write(clients[number], bytes, size) != (ssize_t)size) err(2, "a client is too slow");
    size = 0;
  }
}
