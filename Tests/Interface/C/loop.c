/* The reader and the broker in one epoll loop, without a kiosk: what a tag says is published, and comes back by a
   subscription.   Usage: loop URL PKI-FOLDER READER.  Ends when the message of a tap came back and the tag left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <tappet.h>

static struct tappet_broker *broker;
static struct tappet_reader *reader;
static const char *device;
static int has_returned, has_left, is_disconnected;

static void die(const char *sentence) {
  fprintf(stderr, "%s\n", sentence);
  exit(EXIT_FAILURE);
}

static void check(int result) {
  if (result < 0) die(tappet_strerror(result));
}

static void published(void *context, int result) {
  printf("published %s: %s\n", (const char *)context,
         result < 0 ? tappet_strerror(result) : "acknowledged");
}

static void subscribed(void *context, int result) {
  (void)context;
  check(result);
  printf("subscribed with QoS %d\n", result);
  check(tappet_reader_open(reader, device));
}

static void broker_told(void *context,
                        const struct tappet_broker_event *event) {
  (void)context;
  switch (event->type) {
  case TAPPET_BROKER_EVENT_CONNECTED:
    check(tappet_broker_subscribe(broker, "tags/+", 1, subscribed,
                                  NULL));
    break;
  case TAPPET_BROKER_EVENT_MESSAGE:
    printf("received %s: %.*s\n", event->topic, (int)event->payload_size,
           (const char *)event->payload);
    has_returned = 1;
    break;
  case TAPPET_BROKER_EVENT_DISCONNECTED: is_disconnected = 1; break;
  default: die(event->text);
  }
}

static void reader_told(void *context,
                        const struct tappet_reader_event *event) {
  static char topic[64];
  (void)context;
  switch (event->type) {
  case TAPPET_READER_EVENT_READY: printf("ready\n"); break;
  case TAPPET_READER_EVENT_TAG_READ:
    if (event->url == NULL) die(event->text);
    memcpy(topic, "tags/", 5);
    check(tappet_hex_encode(event->uid, event->uid_size, topic + 5,
                            sizeof topic - 5));
    check(tappet_broker_publish(broker, topic,
                                (const uint8_t *)event->url,
                                event->url_size, 0, published, topic));
    break;
  case TAPPET_READER_EVENT_TAG_LEFT: has_left = 1; break;
  case TAPPET_READER_EVENT_TAG_FAULTED:
  case TAPPET_READER_EVENT_LOST: die(event->text); break;
  }
}

int main(int count, char **words) {
  if (count != 4) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  char ca[512], certificate[512], private_key[512];
  snprintf(ca, sizeof ca, "%s/ca.pem", words[2]);
  snprintf(certificate, sizeof certificate, "%s/client.pem", words[2]);
  snprintf(private_key, sizeof private_key, "%s/client.key", words[2]);
  struct tappet_broker_options options = {
      .size = sizeof options, .url = words[1], .client_id = "c-loop",
      .ca_file = ca, .certificate_file = certificate,
      .private_key_file = private_key, .protocol = 5};
  device = words[3];
  check(tappet_broker_new(&broker));
  check(tappet_reader_new(&reader));
  check(tappet_broker_set_event_callback(broker, broker_told, NULL));
  check(tappet_reader_set_event_callback(reader, reader_told, NULL));
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
    if (has_returned && has_left) {
      check(tappet_broker_disconnect(broker));
      has_returned = 0;
    }
  }
  tappet_reader_free(reader);
  tappet_broker_free(broker);
  printf("disconnected\n");
}
