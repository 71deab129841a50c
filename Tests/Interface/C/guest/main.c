/* A library is a guest in its process: it keeps the process's own signal handlers, lets children compute, and returns
   error codes where memory is short.   Usage: guest URL PKI-FOLDER.  Needs the broker at URL. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "guest.h"

int passed, failed;
static const char *url;
static char ca[512], certificate[512], private_key[512];

struct tappet_broker_options options(void) {
  struct tappet_broker_options options = {.size = sizeof options, .url = url, .client_id = "guest", .ca_file = ca,
                                          .certificate_file = certificate, .private_key_file = private_key};
  return options;
}

struct link link_to(const struct tappet_broker_options *options) {
  struct link link = {.broker = NULL};
  CHECK(tappet_broker_new(&link.broker) == 0 && tappet_broker_connect(link.broker, options) == 0);
  return link;
}

void note_event(void *context, const struct tappet_broker_event *event) {
  struct link *link = context;
  link->event = (int)event->type;
  link->lost_count += event->lost_count;
}

void note_result(void *context, int result) {
  struct link *link = context;
  link->results++;
  link->result = result;
}

int reaches(struct link *link, const int *number, int value) {
  const time_t end = time(NULL) + 20;
  tappet_broker_set_event_callback(link->broker, note_event, link);
  while (*number != value && time(NULL) < end) {
    struct pollfd ready = {.fd = tappet_broker_fd(link->broker), .events = POLLIN};
    poll(&ready, 1, 1000);
    if (tappet_broker_dispatch(link->broker) < 0) return 0;
  }
  return *number == value;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  url = argv[1];
  snprintf(ca, sizeof ca, "%s/ca.pem", argv[2]);
  snprintf(certificate, sizeof certificate, "%s/client.pem", argv[2]);
  snprintf(private_key, sizeof private_key, "%s/client.key", argv[2]);
  requests();
  reasons();
  ends();
  properties();
  subscriptions();
  reports();
  signals();
  forks();
  memory();
  printf("guest: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
