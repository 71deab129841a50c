/* A reader and a broker in one epoll loop, without a kiosk: publishes the URL of a tag, and receives it again through
   a subscription.   Usage: loop URL PKI-FOLDER READER.  Ends when a message has come back and the tag is gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <tappet.h>

static struct tappet_broker *broker;
static struct tappet_reader *reader;
static const char *device;
static int has_come_back, has_left, is_disconnected;

static void die(const char *sentence) {
  fprintf(stderr, "%s\n", sentence);
  exit(EXIT_FAILURE);
}

static void check(int result) {
  if (result < 0) die(tappet_strerror(result));
}

static void on_published(void *context, int result) {
  printf("published %s: %s\n", (const char *)context,
         result < 0 ? tappet_strerror(result) : "acknowledged");
}

static void on_subscribed(void *context, int result) {
  (void)context;
  check(result);
  printf("subscribed with QoS %d\n", result);
  check(tappet_reader_open(reader, device));
}

static void on_broker_event(void *context,
                            const struct tappet_broker_event *event) {
  (void)context;
  switch (event->type) {
  case TAPPET_BROKER_EVENT_CONNECTED:
    check(tappet_broker_subscribe(broker, "tags/+", 1, on_subscribed,
                                  NULL));
    break;
  case TAPPET_BROKER_EVENT_MESSAGE:
    printf("received %s: %.*s\n", event->topic, (int)event->payload_size,
           (const char *)event->payload);
    has_come_back = 1;
    break;
  case TAPPET_BROKER_EVENT_DISCONNECTED: is_disconnected = 1; break;
  default: die(event->sentence);
  }
}

static void on_reader_event(void *context,
                            const struct tappet_reader_event *event) {
  static char topic[64];
  (void)context;
  switch (event->type) {
  case TAPPET_READER_EVENT_READY: printf("ready\n"); break;
  case TAPPET_READER_EVENT_TAG_READ:
    if (event->url == NULL) die(event->sentence);
    memcpy(topic, "tags/", 5);
    check(tappet_hex_encode(event->uid, event->uid_size, topic + 5,
                            sizeof topic - 5));
    check(tappet_broker_publish(broker, topic,
                                (const uint8_t *)event->url,
                                event->url_size, 1, false, on_published,
                                topic));
    break;
  case TAPPET_READER_EVENT_TAG_LEFT: has_left = 1; break;
  case TAPPET_READER_EVENT_TAG_FAULTED:
  case TAPPET_READER_EVENT_LOST: die(event->sentence); break;
  default: break;
  }
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  char ca[512], certificate[512], private_key[512];
  snprintf(ca, sizeof ca, "%s/ca.pem", argv[2]);
  snprintf(certificate, sizeof certificate, "%s/client.pem", argv[2]);
  snprintf(private_key, sizeof private_key, "%s/client.key", argv[2]);
  struct tappet_broker_options options = {
      .size = sizeof options, .url = argv[1], .client_id = "c-loop",
      .ca_file = ca, .certificate_file = certificate,
      .private_key_file = private_key,
      .protocol = TAPPET_BROKER_PROTOCOL_MQTT_5};
  device = argv[3];
  check(tappet_broker_new(&broker));
  check(tappet_reader_new(&reader));
  check(tappet_broker_set_event_callback(broker, on_broker_event, NULL));
  check(tappet_reader_set_event_callback(reader, on_reader_event, NULL));
  check(tappet_broker_connect(broker, &options));

  int loop = epoll_create1(0);
  struct epoll_event of_broker = {.events = EPOLLIN, .data.ptr = broker};
  struct epoll_event of_reader = {.events = EPOLLIN, .data.ptr = reader};
  epoll_ctl(loop, EPOLL_CTL_ADD, tappet_broker_fd(broker), &of_broker);
  epoll_ctl(loop, EPOLL_CTL_ADD, tappet_reader_fd(reader), &of_reader);
  while (!is_disconnected) {
    struct epoll_event event;
    if (epoll_wait(loop, &event, 1, 30000) != 1)
      die("nothing happened for 30 s");
    check(event.data.ptr == broker ? tappet_broker_dispatch(broker)
                                   : tappet_reader_dispatch(reader));
    if (has_come_back && has_left) {
      check(tappet_broker_disconnect(broker));
      has_come_back = 0;
    }
  }
  tappet_reader_free(reader);
  tappet_broker_free(broker);
  printf("disconnected\n");
}
