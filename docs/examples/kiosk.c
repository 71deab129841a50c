/* A tap-to-publish kiosk: a tag that was signed with the key opens the garage, over mutual TLS.
   Usage: kiosk URL PKI-FOLDER READER STATE-FOLDER KEY (64 digits).  Ends after a refused tap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>

static void on_event(void *context,
                     const struct tappet_kiosk_event *event) {
  if (event->type == TAPPET_KIOSK_EVENT_LIGHT)
    printf("light %s\n", event->name);
  if (event->type == TAPPET_KIOSK_EVENT_DELIVERED)
    printf("delivered %s\n", event->action);
  if (event->type == TAPPET_KIOSK_EVENT_REFUSED) {
    printf("refused: %s\n", event->sentence);
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

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  char ca[512], cert[512], own_key[512];
  snprintf(ca, sizeof ca, "%s/ca.pem", argv[2]);
  snprintf(cert, sizeof cert, "%s/client.pem", argv[2]);
  snprintf(own_key, sizeof own_key, "%s/client.key", argv[2]);
  struct tappet_broker_options broker = {
      .size = sizeof broker, .url = argv[1], .client_id = "c-kiosk",
      .ca_file = ca, .certificate_file = cert,
      .private_key_file = own_key};
  struct tappet_kiosk_action garage = {
      .size = sizeof garage, .name = "garage",
      .topic = "home/garage/set", .message = "open"};
  uint8_t key[TAPPET_KEY_SIZE];
  if (tappet_hex_decode(argv[5], strlen(argv[5]), key, sizeof key) !=
      TAPPET_KEY_SIZE)
    return 2;
  struct tappet_kiosk *kiosk = NULL;
  if (tappet_kiosk_new(&kiosk) < 0) return EXIT_FAILURE;
  check(kiosk, tappet_kiosk_set_broker(kiosk, &broker));
  check(kiosk, tappet_kiosk_set_reader_device(kiosk, argv[3]));
  check(kiosk, tappet_kiosk_set_state_folder(kiosk, argv[4]));
  check(kiosk, tappet_kiosk_add_action(kiosk, &garage));
  check(kiosk, tappet_kiosk_add_secret(kiosk, "garage", key));
  check(kiosk, tappet_kiosk_set_event_callback(kiosk, on_event, kiosk));
  check(kiosk, tappet_kiosk_run(kiosk));
  struct tappet_kiosk_counters counters = {.size = sizeof counters};
  check(kiosk, tappet_kiosk_get_counters(kiosk, &counters));
  printf("counters accepted=%d delivered=%d refused=%d\n",
         (int)counters.accepted, (int)counters.delivered,
         (int)counters.refused);
  tappet_kiosk_free(kiosk);
}
