/* The program's own SIGPIPE: it stays as it is, and no connection causes one. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest.h"

enum { ROUNDS = 20 };
static volatile sig_atomic_t pipes;

static void count_pipe(int number) {
  (void)number;
  pipes++;
}

/* A broker that accepts each connection, and closes it before the client has said a word. */
static void *accept_and_close(void *listener) {
  for (int round = 0; round < ROUNDS; round++) {
    char packet[512];
    const int client = accept(*(int *)listener, NULL, NULL);
    if (recv(client, packet, sizeof packet, 0) > 0) send(client, "\x20\x02\0\0", 4, MSG_NOSIGNAL);
    close(client);
  }
  return NULL;
}

/* Connects to it again and again; the library writes its status to the closed socket each time. */
static void lose_connections(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 4) == 0);
  CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
  char url[64];
  snprintf(url, sizeof url, "mqtt://127.0.0.1:%d", ntohs(address.sin_port));
  struct tappet_broker_options plain = {.size = sizeof plain, .url = url, .client_id = "pipes", .announces_status = 1};
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, accept_and_close, &listener) == 0);
  for (int round = 0; round < ROUNDS; round++) {
    struct link link = link_to(&plain);
    CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_LOST));
    tappet_broker_free(link.broker);
  }
  CHECK(pthread_join(thread, NULL) == 0);
  close(listener);
}

void signals(void) {
  struct sigaction own, found;
  memset(&own, 0, sizeof own);
  own.sa_handler = count_pipe;
  CHECK(sigaction(SIGPIPE, &own, NULL) == 0);
  struct tappet_broker_options wanted = options();
  struct link link = link_to(&wanted);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
  tappet_broker_free(link.broker);
  lose_connections();
  CHECK(sigaction(SIGPIPE, NULL, &found) == 0 && found.sa_handler == count_pipe && pipes == 0);
  CHECK(raise(SIGPIPE) == 0 && pipes == 1);
}
