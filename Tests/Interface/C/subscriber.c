/* Subscribes to a filter and prints the topic of each message, until the connection ends.
   Usage: subscriber URL FILTER */
#include <stdio.h>
#include <stdlib.h>
#include <tappet.h>

static const char *filter;

static void check(int result) {
  if (result >= 0) return;
  fprintf(stderr, "%s\n", tappet_strerror(result));
  exit(EXIT_FAILURE);
}

static void on_subscribed(void *context, int result) {
  (void)context;
  check(result);
  printf("subscribed\n");
}

static void on_event(void *context, const struct tappet_broker_event *event) {
  switch (event->type) {
  case TAPPET_BROKER_EVENT_CONNECTED: check(tappet_broker_subscribe(context, filter, 0, on_subscribed, NULL)); break;
  case TAPPET_BROKER_EVENT_MESSAGE: printf("%s\n", event->topic); break;
  default: fprintf(stderr, "%s\n", event->sentence); exit(EXIT_FAILURE);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  filter = argv[2];
  struct tappet_broker *broker;
  struct tappet_broker_options options = {.size = sizeof options, .url = argv[1], .client_id = "subscriber"};
  check(tappet_broker_new(&broker));
  check(tappet_broker_set_event_callback(broker, on_event, broker));
  check(tappet_broker_connect(broker, &options));
  for (;;) {
    check(tappet_broker_wait(broker, -1));
    check(tappet_broker_dispatch(broker));
  }
}
