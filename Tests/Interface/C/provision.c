/* A kiosk that is set up by a text alone, and makes its own tag: the blank one on the reader is written, and the next
   tap of it is delivered.   Usage: provision URL PKI-FOLDER READER FOLDER.  Ends after the tap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>

static void on_event(void *context, const struct tappet_kiosk_event *event) {
  if (event->type == TAPPET_KIOSK_EVENT_READER_READY) {
    /* Of two requests, the second is refused: there is one reader. */
    printf("ready %d %d\n", tappet_kiosk_write_tag(context, "garage", "C, by a call"),
           tappet_kiosk_write_tag(context, "garage", NULL));
  }
  if (event->type == TAPPET_KIOSK_EVENT_TAG_NOT_WRITTEN) printf("not written: %s\n", event->sentence);
  if (event->type == TAPPET_KIOSK_EVENT_TAG_WRITTEN)
    printf("written %s, %d bytes of uid, secret %s\n", event->action, (int)event->uid_size, event->id);
  if (event->type == TAPPET_KIOSK_EVENT_DELIVERED) {
    printf("delivered %s\n", event->action);
    tappet_kiosk_stop(context);
  }
  fflush(stdout);
}

static void check(struct tappet_kiosk *kiosk, int result) {
  if (result >= 0) return;
  struct tappet_failure failure = {.size = sizeof failure};
  tappet_kiosk_last_error(kiosk, &failure);
  fprintf(stderr, "%s: %s\n", tappet_strerror(result), failure.sentence);
  exit(EXIT_FAILURE);
}

/* The reader is the only one of libnfc's list, because LIBNFC_DEVICE names it. */
static void list(void) {
  static char devices[TAPPET_READER_LIST_SIZE];
  const int size = tappet_reader_list(devices, sizeof devices);
  printf("%d readers: %s", size < 0 ? size : (int)strlen(devices) == size, devices);
  printf("without room %d\n", tappet_reader_list(devices, 3));
}

int main(int argc, char **argv) {
  static const char form[] =
      "broker: {url: '%s', client_id: c-provision, ca: '%s/ca.pem', certificate: '%s/client.pem',\n"
      "  private_key: '%s/client.key'}\n"
      "state: provision.state\nclock: trust\nreader: {device: '%s'}\n"
      "actions: [{name: garage, topic: home/provision, message: open, cooldown: 0 s}]\n";
  if (argc != 5) return 2;
  setenv("LIBNFC_DEVICE", argv[3], 1);
  list();
  char text[2048];
  const int size = snprintf(text, sizeof text, form, argv[1], argv[2], argv[2], argv[2], argv[3]);
  struct tappet_kiosk *kiosk = NULL;
  if (tappet_kiosk_new(&kiosk) < 0) return EXIT_FAILURE;
  printf("write before the start %d\n", tappet_kiosk_write_tag(kiosk, NULL, NULL));
  printf("mistakes %d\n", tappet_kiosk_load_text(kiosk, "actions: {", 10, argv[4]));
  check(kiosk, tappet_kiosk_load_text(kiosk, text, (size_t)size, argv[4]));
  check(kiosk, tappet_kiosk_set_event_callback(kiosk, on_event, kiosk));
  check(kiosk, tappet_kiosk_run(kiosk));
  tappet_kiosk_free(kiosk);
  return EXIT_SUCCESS;
}
