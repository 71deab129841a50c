/* The inventory's calls, timed within one process. Prints one "NAME MILLISECONDS" for each measurement.
   Usage: inventory STATE-FOLDER changes   10,000 buildings, a fetch of 500, 100 cascades of 1,000 (codes C-0 to C-99)
          inventory STATE-FOLDER finds CODE TEXT   the box with the code, and the newest 50 of the text */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>
#include <time.h>

enum { BUILDINGS = 10000, ROOMS = 500, CASCADES = 100, ASKS = 99 };
static struct tappet_inventory *inventory;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void require(int is_good, const char *what) {
  if (is_good) return;
  struct tappet_failure failure = {.size = sizeof failure};
  tappet_inventory_last_error(inventory, &failure);
  fprintf(stderr, "%s: %s\n", what, failure.sentence);
  exit(EXIT_FAILURE);
}

static void add(enum tappet_inventory_kind kind, const char *container, const char *name,
                struct tappet_inventory_entry *entry) {
  struct tappet_inventory_values values = {.size = sizeof values, .name = name};
  entry->size = sizeof *entry;
  require(tappet_inventory_add(inventory, kind, container, &values, "bench", entry) == 0, name);
}

static int by_value(const void *first, const void *second) {
  double difference = *(const double *)first - *(const double *)second;
  return (difference > 0) - (difference < 0);
}

/* Prints the median time of calls, each of which returns `count`. */
static void measure(const char *name, int (*call)(const char *), const char *argument, int count) {
  double took[ASKS];
  for (int i = 0; i < ASKS; i++) {
    double begin = now();
    require(call(argument) == count, name);
    took[i] = now() - begin;
  }
  qsort(took, ASKS, sizeof *took, by_value);
  printf("%s %.3f\n", name, took[ASKS / 2]);
}

static void each(void *context, const struct tappet_inventory_entry *entry) {
  *(size_t *)context += strlen(entry->name);
}

static int fetch(const char *id) {
  size_t size = 0;
  return tappet_inventory_list(inventory, id, each, &size);
}

static int look_up(const char *code) {
  struct tappet_inventory_entry entry = {.size = sizeof entry};
  return tappet_inventory_get_by_code(inventory, code, &entry);
}

static int search(const char *text) {
  size_t size = 0;
  return tappet_inventory_find(inventory, text, 50, each, &size);
}

static void change(void) {
  struct tappet_inventory_entry entry;
  char name[32];
  double begin = now();
  for (int i = 0; i < BUILDINGS; i++) {
    snprintf(name, sizeof name, "Building %d", i);
    add(TAPPET_INVENTORY_KIND_BUILDING, NULL, name, &entry);
  }
  printf("buildings %.3f\n", now() - begin);
  char id[TAPPET_INVENTORY_ID_SIZE];
  memcpy(id, entry.id, sizeof id);
  for (int i = 0; i < ROOMS; i++) {
    snprintf(name, sizeof name, "Room %d", i);
    add(TAPPET_INVENTORY_KIND_ROOM, id, name, &entry);
  }
  measure("fetch", fetch, id, ROOMS);
  begin = now();
  for (int i = 0; i < CASCADES; i++) {
    snprintf(name, sizeof name, "C-%d", i);
    entry.size = sizeof entry;
    require(tappet_inventory_get_by_code(inventory, name, &entry) == 1, name);
    memcpy(id, entry.id, sizeof id);
    require(tappet_inventory_remove(inventory, id, "bench") == 0, name);
  }
  printf("cascades %.3f\n", now() - begin);
}

int main(int argc, char **argv) {
  if (argc < 3 || tappet_inventory_new(&inventory) != 0) return 2;
  require(tappet_inventory_open(inventory, argv[1]) == 0, argv[1]);
  if (strcmp(argv[2], "changes") == 0) {
    change();
  } else if (argc == 5) {
    measure("code", look_up, argv[3], 1);
    measure("text", search, argv[4], 50);
  }
  tappet_inventory_free(inventory);
  return EXIT_SUCCESS;
}
