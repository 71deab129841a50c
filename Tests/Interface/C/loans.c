/* Loans, reservations, barcodes and the list of changes of an inventory, each mistake with its sentence, and threads
   that borrow at once.   Usage: loans STATE-FOLDER.  Leaves a drill that Ann has, and screws of which Ben has five. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>

#include "check.h"

enum { THREADS = 20 };
int passed, failed;
static const char *folder;
static const char nobody[] = "00000000-0000-7000-8000-000000000000";
static struct tappet_inventory *inventory;
static struct tappet_inventory_entry house, box, drill, screws;

static struct tappet_inventory_entry entry_of(void) {
  struct tappet_inventory_entry entry = {.size = sizeof entry};
  return entry;
}

/* Whether the call was refused with a sentence that has this text. */
static int refused(int result, const char *text) {
  struct tappet_failure failure = {.size = sizeof failure};
  if (result != TAPPET_ERROR_ARGUMENT) {
    fprintf(stderr, "it returns %d\n", result);
    return 0;
  }
  if (tappet_inventory_last_error(inventory, &failure) == 0 && strstr(failure.sentence, text) != NULL) return 1;
  fprintf(stderr, "it says: %s\n", failure.sentence);
  return 0;
}

static struct tappet_inventory_entry added(
    enum tappet_inventory_kind kind, const char *container, const char *name, int64_t quantity) {
  struct tappet_inventory_values values = {.size = sizeof values, .name = name};
  struct tappet_inventory_entry entry = entry_of();
  if (kind == TAPPET_INVENTORY_KIND_ITEM) values.quantity = &quantity;
  if (kind == TAPPET_INVENTORY_KIND_BOX) values.code = "B-17";
  CHECK(tappet_inventory_add(inventory, kind, container, &values, "Eve", &entry) == 0);
  return entry;
}

static void fill(void) {
  house = added(TAPPET_INVENTORY_KIND_BUILDING, NULL, "House", 0);
  struct tappet_inventory_entry room = added(TAPPET_INVENTORY_KIND_ROOM, house.id, "Cellar", 0);
  struct tappet_inventory_entry spot = added(TAPPET_INVENTORY_KIND_SPOT, room.id, "Shelf", 0);
  box = added(TAPPET_INVENTORY_KIND_BOX, spot.id, "Tools", 0);
  drill = added(TAPPET_INVENTORY_KIND_ITEM, box.id, "Drill", 1);
  screws = added(TAPPET_INVENTORY_KIND_ITEM, box.id, "M4", 20);
}

/* Lists, each as a line of text. */

static void add_loan(void *context, const struct tappet_inventory_loan *loan) {
  char line[128];
  CHECK(loan->size == sizeof *loan && strlen(loan->id) == 36 && loan->since_unix_milliseconds > 1600000000000);
  snprintf(line, sizeof line, "%d %s %s %d %s%s\n", (int)loan->kind, loan->name, loan->person, (int)loan->quantity,
           loan->due_day == NULL ? "-" : loan->due_day, loan->is_overdue ? " overdue" : "");
  strcat(context, line);
}

static void add_reservation(void *context, const struct tappet_inventory_reservation *reservation) {
  char line[128];
  CHECK(reservation->size == sizeof *reservation && strlen(reservation->id) == 36);
  snprintf(line, sizeof line, "%s %s %d %s %s\n", reservation->name, reservation->person, (int)reservation->quantity,
           reservation->first_day, reservation->last_day);
  strcat(context, line);
}

static void add_barcode(void *context, const char *barcode) { strcat(strcat(context, barcode), "\n"); }

/* The changes of a list. */
struct history {
  struct tappet_inventory_change changes[64];
  char verbs[64][16];
  int count;
};

static void add_change(void *context, const struct tappet_inventory_change *change) {
  struct history *history = context;
  CHECK(change->size == sizeof *change && change->unix_milliseconds > 1600000000000 && change->by[0] != '\0');
  snprintf(history->verbs[history->count], 16, "%s", change->verb);
  history->changes[history->count++] = *change;
}

static int is_loans(const char *id, const char *wanted) {
  char text[1024] = "";
  int count = tappet_inventory_list_loans(inventory, id, add_loan, text);
  if (strcmp(text, wanted) == 0 && count == tappet_inventory_list_loans(inventory, id, NULL, NULL)) return 1;
  fprintf(stderr, "%d loans:\n%s", count, text);
  return 0;
}

static int is_holder(const char *id, const char *wanted) {
  struct tappet_inventory_entry entry = entry_of();
  if (tappet_inventory_get(inventory, id, &entry) != 1) return 0;
  return wanted == NULL ? entry.holder == NULL : entry.holder != NULL && strcmp(entry.holder, wanted) == 0;
}

static void lend(void) {
  struct tappet_inventory_entry entry = entry_of();
  CHECK(tappet_inventory_lend(inventory, drill.id, " Ann ", 0, "2020-02-29", "Eve", &entry) == 0);
  CHECK(strcmp(entry.holder, "Ann") == 0 && strcmp(entry.location, "House \xe2\x86\x92 Cellar \xe2\x86\x92 Shelf "
                                                                   "\xe2\x86\x92 Tools") == 0);
  CHECK(tappet_inventory_lend(inventory, screws.id, "Ann", 5, NULL, "Eve", NULL) == 0);
  CHECK(tappet_inventory_lend(inventory, screws.id, "Ben", 10, "2126-12-24", "Eve", NULL) == 0);
  CHECK(tappet_inventory_lend(inventory, box.id, "Cy", 0, NULL, "Eve", &entry) == 0 && strcmp(entry.holder, "Cy") == 0);
  CHECK(is_holder(house.id, NULL) && is_holder(screws.id, "Ann, Ben"));
  CHECK(is_loans(drill.id, "5 Drill Ann 0 2020-02-29 overdue\n") && is_loans(house.id, ""));
  CHECK(tappet_inventory_list_loans(inventory, NULL, NULL, NULL) == 4);
  CHECK(tappet_inventory_return(inventory, box.id, NULL, 0, "Eve", &entry) == 0 && entry.holder == NULL);
  CHECK(tappet_inventory_return(inventory, screws.id, "Ben", 5, "Eve", NULL) == 0);
  CHECK(tappet_inventory_return(inventory, screws.id, "Ann", 0, "Eve", &entry) == 0);
  CHECK(strcmp(entry.holder, "Ben") == 0);
  CHECK(is_loans(NULL, "5 Drill Ann 0 2020-02-29 overdue\n5 M4 Ben 5 2126-12-24\n"));
  CHECK(tappet_inventory_adjust(inventory, screws.id, 3, "Eve", &entry) == 0 && entry.quantity == 23);
  CHECK(tappet_inventory_adjust(inventory, screws.id, -3, "Eve", &entry) == 0 && entry.quantity == 20);
}

static void refuse_loans(void) {
  struct tappet_inventory_entry entry = entry_of(), kept = entry;
  CHECK(refused(tappet_inventory_lend(inventory, house.id, "Ann", 0, NULL, "Eve", &entry), "only an item or a box"));
  CHECK(refused(tappet_inventory_lend(inventory, nobody, "Ann", 0, NULL, "Eve", &entry), "no entry with id"));
  CHECK(refused(tappet_inventory_lend(inventory, drill.id, "", 0, NULL, "Eve", &entry), "person's name"));
  CHECK(refused(tappet_inventory_lend(inventory, drill.id, "a\nb", 0, NULL, "Eve", &entry), "person's name"));
  CHECK(refused(tappet_inventory_lend(inventory, drill.id, "\xff", 0, NULL, "Eve", &entry), "UTF-8"));
  CHECK(refused(tappet_inventory_lend(inventory, drill.id, "Ann", 0, "2020-02-29", "Eve", &entry), "nothing was"));
  for (int index = 0; index < 5; index++) {
    const char *days[] = {"", "24.12.26", "2026-02-30", "12/24/2026", "9999999-12-24"};
    CHECK(refused(tappet_inventory_lend(inventory, drill.id, "Ann", 0, days[index], "Eve", &entry), "2026-12-24"));
  }
  const int64_t quantities[] = {-1, INT64_MIN, INT64_MAX, 1000000001};
  for (int index = 0; index < 4; index++) {
    int64_t quantity = quantities[index];
    CHECK(refused(tappet_inventory_lend(inventory, screws.id, "Ben", quantity, NULL, "Eve", &entry), "not a quantity"));
    CHECK(tappet_inventory_return(inventory, screws.id, "Ben", quantity, "Eve", &entry) == TAPPET_ERROR_ARGUMENT);
    CHECK(tappet_inventory_reserve(inventory, screws.id, "Ben", quantity, "2126-01-01", "2126-01-01", "Eve") ==
          TAPPET_ERROR_ARGUMENT);
    if (index > 0) CHECK(refused(tappet_inventory_adjust(inventory, screws.id, quantity, "Eve", &entry), "not a quan"));
  }
  CHECK(refused(tappet_inventory_lend(inventory, screws.id, "Ann", 16, NULL, "Eve", &entry), "only 15 of 'M4'"));
  CHECK(refused(tappet_inventory_lend(inventory, screws.id, "Ann", 0, NULL, "Eve", &entry), "checked out to Ben"));
  CHECK(refused(tappet_inventory_adjust(inventory, screws.id, -16, "Eve", &entry), "only 15 of 'M4'"));
  CHECK(refused(tappet_inventory_adjust(inventory, screws.id, 0, "Eve", &entry), "nothing was changed"));
  CHECK(refused(tappet_inventory_adjust(inventory, box.id, 1, "Eve", &entry), "only an item"));
  CHECK(refused(tappet_inventory_return(inventory, screws.id, "Ben", 6, "Eve", &entry), "Ben has only 5"));
  CHECK(refused(tappet_inventory_return(inventory, screws.id, "Ann", 0, "Eve", &entry), "nothing was changed"));
  CHECK(refused(tappet_inventory_return(inventory, house.id, NULL, 0, "Eve", &entry), "only an item or a box"));
  CHECK(memcmp(&entry, &kept, sizeof entry) == 0);
  entry.size--;
  CHECK(refused(tappet_inventory_lend(inventory, drill.id, "Ann", 0, NULL, "Eve", &entry), "size is not set"));
  CHECK(refused(tappet_inventory_return(inventory, drill.id, NULL, 0, "Eve", &entry), "size is not set"));
  CHECK(refused(tappet_inventory_list_loans(inventory, nobody, NULL, NULL), "no entry with id"));
  CHECK(tappet_inventory_lend(inventory, screws.id, "Ann", 1, NULL, "Eve", NULL) == 0);
  CHECK(refused(tappet_inventory_return(inventory, screws.id, NULL, 0, "Eve", NULL), "specify one of them"));
  CHECK(tappet_inventory_return(inventory, screws.id, "Ann", 0, "Eve", NULL) == 0);
}

static void reserve(void) {
  char text[1024] = "";
  const char *id = drill.id;
  CHECK(tappet_inventory_reserve(inventory, id, "Ben", 0, "2126-12-24", "2126-12-26", "Eve") == 0);
  CHECK(tappet_inventory_reserve(inventory, screws.id, "Cy", 8, "2126-12-01", "2126-12-02", "Eve") == 0);
  CHECK(tappet_inventory_list_reservations(inventory, NULL, add_reservation, text) == 2);
  CHECK(strcmp(text, "M4 Cy 8 2126-12-01 2126-12-02\nDrill Ben 0 2126-12-24 2126-12-26\n") == 0);
  CHECK(tappet_inventory_list_reservations(inventory, id, NULL, NULL) == 1);
  CHECK(tappet_inventory_list_reservations(inventory, box.id, NULL, NULL) == 0);
  CHECK(refused(tappet_inventory_reserve(inventory, id, "Cy", 0, "2126-12-26", "2126-12-27", "Eve"), "by Ben"));
  CHECK(refused(tappet_inventory_lend(inventory, id, "Cy", 0, "2126-12-25", "Eve", NULL), "reserved by Ben"));
  CHECK(refused(tappet_inventory_reserve(inventory, id, "Cy", 0, "2127-01-02", "2127-01-01", "Eve"), "cannot end"));
  CHECK(refused(tappet_inventory_reserve(inventory, id, "Cy", 0, "soon", "2127-01-01", "Eve"), "2026-12-24"));
  CHECK(refused(tappet_inventory_reserve(inventory, id, " ", 0, "2127-01-01", "2127-01-01", "Eve"), "be empty"));
  CHECK(refused(tappet_inventory_reserve(inventory, box.id, "Cy", 0, "2127-01-01", "2127-01-01", "Eve"), "only an"));
  CHECK(refused(tappet_inventory_unreserve(inventory, id, NULL, "2126-12-25", "Eve"), "nothing was changed"));
  CHECK(refused(tappet_inventory_unreserve(inventory, box.id, NULL, "2126-12-24", "Eve"), "only an item"));
  CHECK(refused(tappet_inventory_unreserve(inventory, id, "Cy", "2126-12-24", "Eve"), "nothing was changed"));
  CHECK(tappet_inventory_unreserve(inventory, id, "Ben", "2126-12-24", "Eve") == 0);
  CHECK(tappet_inventory_unreserve(inventory, screws.id, NULL, "2126-12-01", "Eve") == 0);
  CHECK(tappet_inventory_list_reservations(inventory, NULL, NULL, NULL) == 0);
}

static void barcodes(void) {
  char text[256] = "";
  struct tappet_inventory_entry entry = entry_of();
  CHECK(tappet_inventory_add_barcode(inventory, screws.id, "4006381333931", "Eve") == 0);
  CHECK(tappet_inventory_add_barcode(inventory, screws.id, "INV-17", "Eve") == 0);
  CHECK(tappet_inventory_add_barcode(inventory, screws.id, "INV-17", "Eve") == 0);
  CHECK(tappet_inventory_list_barcodes(inventory, screws.id, add_barcode, text) == 2);
  CHECK(strcmp(text, "4006381333931\nINV-17\n") == 0);
  CHECK(refused(tappet_inventory_add_barcode(inventory, drill.id, "INV-17", "Eve"), "'M4' already has the code"));
  CHECK(refused(tappet_inventory_add_barcode(inventory, drill.id, "B-17", "Eve"), "'Tools' already has the code"));
  CHECK(refused(tappet_inventory_add_barcode(inventory, drill.id, "a b", "Eve"), "is not a barcode"));
  CHECK(refused(tappet_inventory_add_barcode(inventory, drill.id, "", "Eve"), "is not a barcode"));
  CHECK(refused(tappet_inventory_remove_barcode(inventory, drill.id, "INV-17", "Eve"), "nothing was changed"));
  CHECK(refused(tappet_inventory_list_barcodes(inventory, "drill", NULL, NULL), "five groups"));
  CHECK(tappet_inventory_remove_barcode(inventory, screws.id, "INV-17", "Eve") == 0);
  CHECK(tappet_inventory_list_barcodes(inventory, screws.id, NULL, NULL) == 1);
  /* By a barcode, a code, an id, a name and a path; in any kind or in one. */
  const char *texts[] = {"4006381333931", screws.id, "M4", "Tools / M4", "House / Cellar / Shelf / Tools / M4"};
  for (int index = 0; index < 5; index++) {
    CHECK(tappet_inventory_resolve(inventory, TAPPET_INVENTORY_KIND_ITEM, texts[index], &entry) == 1);
    CHECK(strcmp(entry.id, screws.id) == 0);
    if (index < 3) CHECK(tappet_inventory_resolve(inventory, TAPPET_INVENTORY_KIND_ANY, texts[index], &entry) == 1);
  }
  CHECK(tappet_inventory_resolve(inventory, TAPPET_INVENTORY_KIND_ANY, "B-17", &entry) == 1);
  CHECK(entry.kind == TAPPET_INVENTORY_KIND_BOX);
  CHECK(tappet_inventory_resolve(inventory, TAPPET_INVENTORY_KIND_ITEM, "B-17", &entry) == 0);
  CHECK(tappet_inventory_resolve(inventory, TAPPET_INVENTORY_KIND_BOX, "none", &entry) == 0);
  CHECK(tappet_inventory_resolve(inventory, TAPPET_INVENTORY_KIND_ANY, "", &entry) == 0);
  CHECK(refused(tappet_inventory_resolve(inventory, (enum tappet_inventory_kind)6, "M4", &entry), "unknown kind"));
  added(TAPPET_INVENTORY_KIND_ITEM, box.id, "M4", 1);
  CHECK(refused(tappet_inventory_resolve(inventory, TAPPET_INVENTORY_KIND_ITEM, "M4", &entry), "2 items match"));
  CHECK(tappet_inventory_undo(inventory, "Eve") == 1);
}

static void history(void) {
  struct history history = {.count = 0};
  CHECK(tappet_inventory_lend(inventory, box.id, "Cy", 0, NULL, "Ann", NULL) == 0);
  CHECK(tappet_inventory_adjust(inventory, screws.id, 1, "Ben", NULL) == 0);
  int count = tappet_inventory_list_changes(inventory, add_change, &history);
  CHECK(count == history.count && count == tappet_inventory_list_changes(inventory, NULL, NULL) && count > 10);
  CHECK(strcmp(history.verbs[0], "edited") == 0 && strcmp(history.verbs[1], "lent") == 0);
  CHECK(history.changes[0].kind == TAPPET_INVENTORY_KIND_ITEM && history.changes[1].entry_count == 1);
  CHECK(!history.changes[1].is_undone && history.changes[2].is_undone);
  int64_t lent = history.changes[1].number, screwed = history.changes[0].number;
  CHECK(lent < screwed);
  /* Not the last change, and another person's; and none twice. */
  CHECK(tappet_inventory_undo_change(inventory, lent, "Eve") == 1 && is_holder(box.id, NULL));
  CHECK(tappet_inventory_undo_change(inventory, lent, "Eve") == 0);
  CHECK(tappet_inventory_undo_change(inventory, 0, "Eve") == 0);
  CHECK(tappet_inventory_undo_change(inventory, INT64_MIN, "Eve") == 0);
  CHECK(tappet_inventory_undo_change(inventory, INT64_MAX, "Eve") == 0);
  CHECK(tappet_inventory_redo(inventory, "Ben") == 0);
  CHECK(tappet_inventory_redo(inventory, "Eve") == 1 && is_holder(box.id, "Cy"));
  CHECK(tappet_inventory_undo_change(inventory, lent, "Eve") == 1 && tappet_inventory_redo(inventory, "Eve") == 1);
  /* A change that a later one builds on. */
  CHECK(tappet_inventory_adjust(inventory, screws.id, 1, "Ann", NULL) == 0);
  CHECK(refused(tappet_inventory_undo_change(inventory, screwed, "Eve"), "is newer and affects the same entries"));
  CHECK(refused(tappet_inventory_undo_change(inventory, screwed, ""), "1 to 128"));
  CHECK(tappet_inventory_undo(inventory, "Eve") == 1 && tappet_inventory_undo_change(inventory, screwed, "Eve") == 1);
  CHECK(tappet_inventory_undo_change(inventory, lent, "Eve") == 1);
}

/* Borrows a screw with an inventory of its own. */
static void *borrow(void *failures) {
  struct tappet_inventory *own = NULL;
  char name[32];
  snprintf(name, sizeof name, "P%p", failures);
  if (tappet_inventory_new(&own) != 0 || tappet_inventory_open(own, folder) != 0 ||
      tappet_inventory_lend(own, screws.id, name, 1, NULL, name, NULL) != 0)
    ++*(int *)failures;
  tappet_inventory_free(own);
  return NULL;
}

/* Fifteen of twenty threads get one of fifteen screws. */
static void borrow_at_once(void) {
  pthread_t threads[THREADS];
  int failures[THREADS] = {0}, sum = 0;
  for (int index = 0; index < THREADS; index++) pthread_create(&threads[index], NULL, borrow, &failures[index]);
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  for (int index = 0; index < THREADS; index++) sum += failures[index];
  CHECK(sum == 5);
  CHECK(tappet_inventory_list_loans(inventory, screws.id, NULL, NULL) == 16);
  struct tappet_inventory_entry entry = entry_of();
  CHECK(tappet_inventory_get(inventory, screws.id, &entry) == 1 && strstr(entry.holder, " and 8 more") != NULL);
  for (int index = 0; index < THREADS - 5; index++) CHECK(tappet_inventory_undo(inventory, "Eve") == 1);
  CHECK(is_holder(screws.id, "Ben"));
}

/* The calls of an object that is not open, then not there. */
static void call_all(int wanted) {
  struct tappet_inventory_entry entry = entry_of();
  CHECK(tappet_inventory_lend(inventory, nobody, "Ann", 0, NULL, "Eve", NULL) == wanted);
  CHECK(tappet_inventory_return(inventory, nobody, NULL, 0, "Eve", NULL) == wanted);
  CHECK(tappet_inventory_reserve(inventory, nobody, "Ann", 0, "2126-01-01", "2126-01-01", "Eve") == wanted);
  CHECK(tappet_inventory_unreserve(inventory, nobody, NULL, "2126-01-01", "Eve") == wanted);
  CHECK(tappet_inventory_adjust(inventory, nobody, 1, "Eve", NULL) == wanted);
  CHECK(tappet_inventory_add_barcode(inventory, nobody, "1", "Eve") == wanted);
  CHECK(tappet_inventory_remove_barcode(inventory, nobody, "1", "Eve") == wanted);
  CHECK(tappet_inventory_resolve(inventory, TAPPET_INVENTORY_KIND_ANY, "1", &entry) == wanted);
  CHECK(tappet_inventory_list_loans(inventory, NULL, NULL, NULL) == wanted);
  CHECK(tappet_inventory_list_reservations(inventory, NULL, NULL, NULL) == wanted);
  CHECK(tappet_inventory_list_barcodes(inventory, nobody, NULL, NULL) == wanted);
  CHECK(tappet_inventory_list_changes(inventory, NULL, NULL) == wanted);
  CHECK(tappet_inventory_undo_change(inventory, 1, "Eve") == wanted);
  CHECK(tappet_inventory_redo(inventory, "Eve") == wanted);
}

static void free_all(void *context, const struct tappet_inventory_loan *loan) {
  (void)loan;
  tappet_inventory_free(inventory);
  ++*(int *)context;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  CHECK(tappet_inventory_new(&inventory) == 0);
  call_all(TAPPET_ERROR_STATE);
  CHECK(tappet_inventory_open(inventory, folder) == 0);
  fill();
  lend();
  refuse_loans();
  reserve();
  barcodes();
  history();
  borrow_at_once();
  int calls = 0;
  CHECK(tappet_inventory_list_loans(inventory, NULL, free_all, &calls) == 2 && calls == 1);
  call_all(TAPPET_ERROR_OBJECT);
  printf("loans: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
