/* A program with an event loop of its own, which once does something else for 6 s instead of dispatching its kiosk.
   Usage: sleeper CONFIG.  Ends after the first delivery. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <tappet.h>

static int is_ready, is_over;

static void on_event(void *context, const struct tappet_kiosk_event *event) {
  switch (event->type) {
    case TAPPET_KIOSK_EVENT_READER_READY: is_ready = 1; break;
    case TAPPET_KIOSK_EVENT_READER_LOST: printf("reader lost: %s\n", event->sentence); break;
    case TAPPET_KIOSK_EVENT_REFUSED:
      printf("refused %s by %d\n", event->code, event->trigger);
      is_over += event->trigger == TAPPET_KIOSK_TRIGGER_BUTTON;
      break;
    case TAPPET_KIOSK_EVENT_ACCEPTED: printf("accepted %s\n", event->action); break;
    case TAPPET_KIOSK_EVENT_DELIVERED:
      printf("delivered %s\n", event->action);
      tappet_kiosk_stop(context);
      break;
    default: break;
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  struct tappet_kiosk *kiosk = NULL;
  if (tappet_kiosk_new(&kiosk) < 0) return EXIT_FAILURE;
  int result = tappet_kiosk_load(kiosk, argv[1]);
  if (result == 0) result = tappet_kiosk_set_event_callback(kiosk, on_event, kiosk);
  if (result == 0) result = tappet_kiosk_start(kiosk);
  int has_slept = 0, says_awake = 0;
  while (result == 0 && (result = tappet_kiosk_dispatch(kiosk)) == 1) {
    if (is_ready && !has_slept) {
      printf("asleep\n");
      fflush(stdout);
      sleep(6);
      has_slept = 1;
    }
    if (is_over && !says_awake) {
      printf("awake\n");
      fflush(stdout);
      says_awake = 1;
    }
    tappet_kiosk_wait(kiosk, 100);
    result = 0;
  }
  if (result < 0) {
    struct tappet_failure failure = {.size = sizeof failure};
    tappet_kiosk_last_error(kiosk, &failure);
    fprintf(stderr, "%s\n", failure.sentence);
  }
  tappet_kiosk_free(kiosk);
  return result == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
