/* A kiosk at the shelf of a store room: each tap of a box, a spot or an item is an event; the inventory has the rest.
   Usage: shelf CONFIG STATE-FOLDER.  Ends after the refused tap of a tag that stands for nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <tappet.h>

static struct tappet_kiosk *kiosk;
static struct tappet_inventory *inventory;

static void touched(const struct tappet_kiosk_event *event) {
  struct tappet_inventory_entry entry = {.size = sizeof entry};
  if (event->thing == NULL || tappet_inventory_get(inventory, event->thing, &entry) != 1) exit(EXIT_FAILURE);
  printf("%s by %d of %d bytes: %s in %s with %s\n", event->name, (int)event->trigger, (int)event->uid_size, entry.name,
         entry.location, entry.holder == NULL ? "nobody" : entry.holder);
}

static void on_event(void *context, const struct tappet_kiosk_event *event) {
  (void)context;
  switch (event->type) {
    case TAPPET_KIOSK_EVENT_READER_READY: printf("ready\n"); break;
    case TAPPET_KIOSK_EVENT_INVENTORY: touched(event); break;
    case TAPPET_KIOSK_EVENT_REFUSED:
      printf("refused: %s\n", event->code);
      tappet_kiosk_stop(kiosk);
      break;
    default: break;
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 3 || tappet_kiosk_new(&kiosk) < 0 || tappet_inventory_new(&inventory) < 0) return 2;
  if (tappet_inventory_open(inventory, argv[2]) < 0 || tappet_kiosk_load(kiosk, argv[1]) < 0 ||
      tappet_kiosk_set_event_callback(kiosk, on_event, NULL) < 0 || tappet_kiosk_run(kiosk) < 0) {
    struct tappet_failure failure = {.size = sizeof failure};
    tappet_kiosk_last_error(kiosk, &failure);
    fprintf(stderr, "%s\n", failure.sentence);
    return EXIT_FAILURE;
  }
  tappet_kiosk_free(kiosk);
  tappet_inventory_free(inventory);
  return EXIT_SUCCESS;
}
