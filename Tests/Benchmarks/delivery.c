/* Measures how many presses a second a kiosk accepts, each of them on the disk: one after the other, or many at once.
   Nobody listens at its broker's port. Usage: delivery CONFIGURATION COUNT ATONCE; prints the rate. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <tappet.h>
#include <time.h>

static long accepted, refused;

static void note(void *context, const struct tappet_kiosk_event *event) {
  (void)context;
  accepted += event->type == TAPPET_KIOSK_EVENT_ACCEPTED;
  if (event->type == TAPPET_KIOSK_EVENT_REFUSED && refused++ == 0) fprintf(stderr, "delivery: %s\n", event->sentence);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Presses until `wanted` are accepted, with at most `at_once` unanswered. */
static int press(struct tappet_kiosk *kiosk, long wanted, long at_once) {
  struct pollfd entry = {.fd = tappet_kiosk_fd(kiosk), .events = POLLIN};
  accepted = 0;
  for (long pressed = 0; accepted < wanted;) {
    for (; pressed < wanted && pressed - accepted < at_once; pressed++)
      if (tappet_kiosk_press(kiosk, "light") < 0) return -1;
    if (poll(&entry, 1, 10000) != 1 || tappet_kiosk_dispatch(kiosk) != 1 || refused > 0) return -1;
  }
  return 0;
}

int main(int count, char **words) {
  struct tappet_kiosk *kiosk = NULL;
  if (count != 4 || tappet_kiosk_new(&kiosk) < 0 || tappet_kiosk_load(kiosk, words[1]) < 0) return EXIT_FAILURE;
  tappet_kiosk_set_event_callback(kiosk, note, NULL);
  const long wanted = atol(words[2]), at_once = atol(words[3]);
  if (tappet_kiosk_start(kiosk) < 0 || press(kiosk, 50, 1) < 0) return EXIT_FAILURE;
  const double start = now();
  if (press(kiosk, wanted, at_once) < 0) return EXIT_FAILURE;
  printf("%.0f\n", (double)wanted / (now() - start));
  tappet_kiosk_free(kiosk);
  return EXIT_SUCCESS;
}
