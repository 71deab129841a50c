/* An inventory from the first building to the last undo, each mistake with its sentence, and 50 threads that write at
   once.   Usage: storeroom STATE-FOLDER.  Leaves "House" and "Barn" with a box of screws, and a building per thread. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>
#include <time.h>

#include "check.h"

enum { THREADS = 50 };
int passed, failed;
static const char *folder;
static const char nobody[] = "00000000-0000-7000-8000-000000000000";
static struct tappet_inventory *inventory;

static struct tappet_inventory_entry entry_of(void) {
  struct tappet_inventory_entry entry = {.size = sizeof entry};
  return entry;
}

static struct tappet_inventory_values named(const char *name) {
  struct tappet_inventory_values values = {.size = sizeof values, .name = name};
  return values;
}

/* Whether the last failure's sentence has this text. */
static int says(const char *text) {
  struct tappet_failure failure = {.size = sizeof failure};
  if (tappet_inventory_last_error(inventory, &failure) != 0 || strstr(failure.sentence, text) != NULL) return 1;
  fprintf(stderr, "it says: %s\n", failure.sentence);
  return 0;
}

static struct tappet_inventory_entry added(
    enum tappet_inventory_kind kind, const char *container, struct tappet_inventory_values values) {
  struct tappet_inventory_entry entry = entry_of();
  CHECK(tappet_inventory_add(inventory, kind, container, &values, "Ann", &entry) == 0);
  return entry;
}

/* Names of a list, each followed by a space. */
static void collect(void *context, const struct tappet_inventory_entry *entry) {
  CHECK(entry->size == sizeof *entry && strlen(entry->id) == 36);
  strcat(strcat(context, entry->name), " ");
}

/* Renames each thing of the list and asks for another list, both within the callback. */
static void rename_all(void *context, const struct tappet_inventory_entry *entry) {
  char name[64];
  snprintf(name, sizeof name, "%s!", entry->name);
  struct tappet_inventory_values values = named(name);
  CHECK(tappet_inventory_edit(inventory, entry->id, &values, "Ann", NULL) == 0);
  CHECK(tappet_inventory_list(inventory, entry->container_id, NULL, NULL) == 2);
  ++*(int *)context;
}

static void free_all(void *context, const struct tappet_inventory_entry *entry) {
  (void)entry;
  tappet_inventory_free(inventory);
  ++*(int *)context;
}

static struct tappet_inventory_entry house, cellar, shelf, screws, bolts, barn, loft, rack;

static void fill(void) {
  house = added(TAPPET_INVENTORY_KIND_BUILDING, NULL, named("  House "));
  CHECK(strcmp(house.name, "House") == 0 && house.container_id[0] == '\0' && house.location[0] == '\0');
  cellar = added(TAPPET_INVENTORY_KIND_ROOM, house.id, named("Cellar"));
  shelf = added(TAPPET_INVENTORY_KIND_SPOT, cellar.id, named("Shelf"));
  struct tappet_inventory_values values = named("Screws");
  values.code = "K-17";
  screws = added(TAPPET_INVENTORY_KIND_BOX, shelf.id, values);
  CHECK(strcmp(screws.location, "House → Cellar → Shelf") == 0 && strcmp(screws.container_id, shelf.id) == 0);
  CHECK(strcmp(screws.code, "K-17") == 0 && screws.notes == NULL && screws.minimum == -1);
  int64_t quantity = 40, minimum = 50;
  values = named("Größe M4");
  values.notes = "steel, A2";
  values.quantity = &quantity;
  values.minimum = &minimum;
  bolts = added(TAPPET_INVENTORY_KIND_ITEM, screws.id, values);
  CHECK(bolts.kind == TAPPET_INVENTORY_KIND_ITEM && bolts.quantity == 40 && bolts.minimum == 50 && bolts.is_low);
  CHECK(strcmp(bolts.location, "House → Cellar → Shelf → Screws") == 0 && strcmp(bolts.notes, "steel, A2") == 0);
  CHECK(bolts.code == NULL && bolts.photo == NULL && bolts.created_unix_milliseconds > 1600000000000);
  CHECK(added(TAPPET_INVENTORY_KIND_ITEM, screws.id, named("M5")).quantity == 1);
  barn = added(TAPPET_INVENTORY_KIND_BUILDING, NULL, named("Barn"));
  loft = added(TAPPET_INVENTORY_KIND_ROOM, barn.id, named("Loft"));
  rack = added(TAPPET_INVENTORY_KIND_SPOT, loft.id, named("Rack"));
  struct tappet_inventory_entry ropes = added(TAPPET_INVENTORY_KIND_BOX, rack.id, named("Ropes"));
  CHECK(strncmp(ropes.code, "B-", 2) == 0 && strlen(ropes.code) == 12);
}

static void ask(void) {
  char names[256] = "";
  struct tappet_inventory_entry entry = entry_of();
  CHECK(tappet_inventory_get_by_code(inventory, "K-17", &entry) == 1 && strcmp(entry.id, screws.id) == 0);
  CHECK(tappet_inventory_get_by_code(inventory, "k-17", &entry) == 0);
  CHECK(tappet_inventory_get(inventory, bolts.id, &entry) == 1 && strcmp(entry.name, "Größe M4") == 0);
  CHECK(tappet_inventory_get(inventory, nobody, &entry) == 0);
  CHECK(tappet_inventory_find(inventory, "grosse", 10, collect, names) == 1 && strcmp(names, "Größe M4 ") == 0);
  CHECK(tappet_inventory_find(inventory, "k-1", SIZE_MAX, NULL, NULL) == 1);
  CHECK(tappet_inventory_find(inventory, "m", 1, NULL, NULL) == 1);
  CHECK(tappet_inventory_find(inventory, "m", 0, NULL, NULL) == 0);
  CHECK(tappet_inventory_find(inventory, "nothing", 10, NULL, NULL) == 0);
  names[0] = '\0';
  CHECK(tappet_inventory_list(inventory, NULL, collect, names) == 2 && strcmp(names, "House Barn ") == 0);
  names[0] = '\0';
  CHECK(tappet_inventory_list(inventory, screws.id, collect, names) == 2 && strcmp(names, "Größe M4 M5 ") == 0);
  CHECK(tappet_inventory_list(inventory, bolts.id, NULL, NULL) == 0);
  names[0] = '\0';
  CHECK(tappet_inventory_list_low(inventory, collect, names) == 1 && strcmp(names, "Größe M4 ") == 0);
}

static void change(void) {
  struct tappet_inventory_entry entry = entry_of();
  CHECK(tappet_inventory_move(inventory, screws.id, rack.id, "Ben", &entry) == 0);
  CHECK(strcmp(entry.location, "Barn → Loft → Rack") == 0);
  CHECK(tappet_inventory_get(inventory, bolts.id, &entry) == 1);
  CHECK(strcmp(entry.location, "Barn → Loft → Rack → Screws") == 0);
  CHECK(tappet_inventory_undo(inventory, "Ann") == 1);
  CHECK(tappet_inventory_get(inventory, screws.id, &entry) == 1);
  CHECK(strcmp(entry.location, "House → Cellar → Shelf") == 0);
  int64_t quantity = 80, none = -1;
  struct tappet_inventory_values values = {.size = sizeof values, .quantity = &quantity};
  CHECK(tappet_inventory_edit(inventory, bolts.id, &values, "Ann", &entry) == 0);
  CHECK(entry.quantity == 80 && entry.minimum == 50 && !entry.is_low && strcmp(entry.notes, "steel, A2") == 0);
  values.minimum = &none;
  values.quantity = NULL;
  CHECK(tappet_inventory_edit(inventory, bolts.id, &values, "Ann", &entry) == 0 && entry.minimum == -1);
  CHECK(tappet_inventory_remove(inventory, house.id, "Ann") == 0);
  CHECK(tappet_inventory_get(inventory, bolts.id, &entry) == 0);
  CHECK(tappet_inventory_list(inventory, NULL, NULL, NULL) == 1);
  CHECK(tappet_inventory_undo(inventory, "Ann") == 1);
  CHECK(tappet_inventory_get(inventory, bolts.id, &entry) == 1 && entry.quantity == 80 && entry.minimum == -1);
  int calls = 0;
  CHECK(tappet_inventory_list(inventory, screws.id, rename_all, &calls) == 2 && calls == 2);
  CHECK(tappet_inventory_get(inventory, bolts.id, &entry) == 1 && strcmp(entry.name, "Größe M4!") == 0);
  while (calls-- > 0) CHECK(tappet_inventory_undo(inventory, "Ann") == 1);
}

static int refused(enum tappet_inventory_kind kind, const char *container, struct tappet_inventory_values values) {
  struct tappet_inventory_entry entry = entry_of(), kept = entry;
  int result = tappet_inventory_add(inventory, kind, container, &values, "Ann", &entry);
  return result == TAPPET_ERROR_ARGUMENT && memcmp(&entry, &kept, sizeof entry) == 0;
}

static void mistakes(void) {
  struct tappet_inventory_entry entry = entry_of();
  struct tappet_inventory_values values = named("x");
  int64_t number = -2;
  CHECK(refused(TAPPET_INVENTORY_KIND_BOX, shelf.id, named(" ")) && says("Box label cannot be empty"));
  CHECK(refused(TAPPET_INVENTORY_KIND_ROOM, house.id, named(NULL)) && says("Room name cannot be empty"));
  CHECK(refused(TAPPET_INVENTORY_KIND_ROOM, house.id, named("a\nb")) && says("U+000A"));
  CHECK(refused(TAPPET_INVENTORY_KIND_ROOM, house.id, named("\xff")) && says("UTF-8"));
  CHECK(refused(TAPPET_INVENTORY_KIND_ROOM, nobody, values) && says("the inventory has no entry with id 0000"));
  CHECK(refused(TAPPET_INVENTORY_KIND_ROOM, "cellar", values) && says("five groups"));
  CHECK(refused(TAPPET_INVENTORY_KIND_ROOM, shelf.id, values) && says("a room must be in a building"));
  CHECK(refused(TAPPET_INVENTORY_KIND_ROOM, NULL, values) && says("a room must be in a building"));
  CHECK(refused((enum tappet_inventory_kind)0, NULL, values) && says("unknown kind"));
  CHECK(refused((enum tappet_inventory_kind)6, NULL, values) && says("unknown kind"));
  values.code = "K-17";
  CHECK(refused(TAPPET_INVENTORY_KIND_BOX, rack.id, values));
  CHECK(says("another box has the QR code K-17: House → Cellar → Shelf → Screws"));
  CHECK(refused(TAPPET_INVENTORY_KIND_BUILDING, NULL, values) && says("only a box can have a QR code"));
  values.code = NULL;
  values.quantity = &number;
  CHECK(refused(TAPPET_INVENTORY_KIND_ITEM, screws.id, values) && says("-2 is not a quantity"));
  CHECK(refused(TAPPET_INVENTORY_KIND_BOX, shelf.id, values) && says("only an item"));
  values.size--;
  CHECK(refused(TAPPET_INVENTORY_KIND_ITEM, screws.id, values) && says("size is not set"));
  values = named("Screws");
  CHECK(tappet_inventory_edit(inventory, screws.id, &values, "Ann", NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(says("nothing was changed"));
  CHECK(tappet_inventory_edit(inventory, screws.id, &values, "", NULL) == TAPPET_ERROR_ARGUMENT && says("1 to 128"));
  CHECK(tappet_inventory_move(inventory, screws.id, house.id, "Ann", NULL) == TAPPET_ERROR_ARGUMENT);
  CHECK(says("a box must be in a spot, not in a building"));
  CHECK(tappet_inventory_move(inventory, nobody, house.id, "Ann", NULL) == TAPPET_ERROR_ARGUMENT && says("no entry"));
  CHECK(tappet_inventory_remove(inventory, nobody, "Ann") == TAPPET_ERROR_ARGUMENT && says("no entry with id"));
  CHECK(tappet_inventory_list(inventory, nobody, NULL, NULL) == TAPPET_ERROR_ARGUMENT && says("no entry with id"));
  entry.size--;
  CHECK(tappet_inventory_get(inventory, screws.id, &entry) == TAPPET_ERROR_ARGUMENT && says("size is not set"));
  CHECK(tappet_inventory_open(inventory, folder) == TAPPET_ERROR_STATE && says("already open"));
}

static void *write_one(void *failures) {
  struct tappet_inventory *own = NULL;
  struct tappet_inventory_values values = named("thread");
  if (tappet_inventory_new(&own) != 0 || tappet_inventory_open(own, folder) != 0 ||
      tappet_inventory_add(own, TAPPET_INVENTORY_KIND_BUILDING, NULL, &values, "Ann", NULL) != 0)
    ++*(int *)failures;
  tappet_inventory_free(own);
  return NULL;
}

static void write_at_once(void) {
  pthread_t threads[THREADS];
  int failures[THREADS] = {0}, sum = 0;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int index = 0; index < THREADS; index++) pthread_create(&threads[index], NULL, write_one, &failures[index]);
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  for (int index = 0; index < THREADS; index++) sum += failures[index];
  CHECK(sum == 0);
  CHECK(tappet_inventory_list(inventory, NULL, NULL, NULL) == 2 + THREADS);
  double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  printf("%d threads open it and add a building each in %.2f s\n", THREADS, seconds);
}

/* The calls of an object that is not open, then not there. */
static void closed(void) {
  struct tappet_inventory_entry entry = entry_of();
  CHECK(tappet_inventory_get(inventory, nobody, &entry) == TAPPET_ERROR_STATE && says("not open"));
  CHECK(tappet_inventory_open(inventory, "/proc/none/such") == TAPPET_ERROR_STORE && says("/proc/none/such"));
  CHECK(tappet_inventory_open(inventory, "") == TAPPET_ERROR_ARGUMENT);
  CHECK(tappet_inventory_undo(inventory, "Ann") == TAPPET_ERROR_STATE);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  CHECK(tappet_inventory_new(&inventory) == 0);
  closed();
  CHECK(tappet_inventory_open(inventory, folder) == 0);
  CHECK(tappet_inventory_undo(inventory, "Ann") == 0);
  fill();
  ask();
  change();
  mistakes();
  write_at_once();
  int calls = 0;
  CHECK(tappet_inventory_list(inventory, NULL, free_all, &calls) == 2 + THREADS && calls == 1);
  CHECK(tappet_inventory_list(inventory, NULL, NULL, NULL) == TAPPET_ERROR_OBJECT);
  printf("storeroom: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
