/* Inventories: foreign and freed pointers, another thread, a child after a fork. Their refusals are in storeroom.c
   and loans.c. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "misuse.h"

static const char nobody[] = "00000000-0000-7000-8000-000000000000";

/* Whether a list, a change and an undo return this error. */
static int fails(struct tappet_inventory *inventory, int error) {
  return tappet_inventory_list(inventory, NULL, NULL, NULL) == error &&
         tappet_inventory_list_loans(inventory, NULL, NULL, NULL) == error &&
         tappet_inventory_lend(inventory, nobody, "Ann", 0, NULL, "Ann", NULL) == error &&
         tappet_inventory_undo_change(inventory, 1, "Ann") == error;
}

static void *list(void *inventory) { return fails(inventory, TAPPET_ERROR_THREAD) ? inventory : NULL; }

/* Has another thread call while this one is inside a call. Its context is the inventory. */
static void call_elsewhere(void *context, const struct tappet_inventory_entry *entry) {
  pthread_t thread;
  void *result = NULL;
  CHECK(entry->kind == TAPPET_INVENTORY_KIND_BUILDING);
  CHECK(pthread_create(&thread, NULL, list, context) == 0);
  CHECK(pthread_join(thread, &result) == 0 && result == context);
}

/* In a child: the parent's inventory is out of reach, one of its own is not. */
static int use_in_child(struct tappet_inventory *inventory, const char *path) {
  struct tappet_inventory *own = NULL;
  if (!fails(inventory, TAPPET_ERROR_FORK)) return 1;
  tappet_inventory_free(inventory);
  if (!fails(inventory, TAPPET_ERROR_OBJECT)) return 2;
  if (tappet_inventory_new(&own) != 0 || tappet_inventory_open(own, path) != TAPPET_ERROR_STORE) return 3;
  tappet_inventory_free(own);
  return 0;
}

void inventories(void) {
  char path[512], absent[600];
  struct tappet_inventory *inventory = NULL;
  struct tappet_broker *broker = NULL;
  struct tappet_inventory_values values = {.size = sizeof values, .name = "House"};
  snprintf(path, sizeof path, "%s.inventory", folder);
  snprintf(absent, sizeof absent, "%s/inventory.db/none", path);
  CHECK(tappet_inventory_new(&inventory) == 0 && tappet_broker_new(&broker) == 0);
  CHECK(tappet_inventory_open((struct tappet_inventory *)(void *)broker, path) == TAPPET_ERROR_OBJECT);
  CHECK(fails((struct tappet_inventory *)(void *)broker, TAPPET_ERROR_OBJECT));
  CHECK(tappet_inventory_open(inventory, absent) == TAPPET_ERROR_STORE);
  CHECK(tappet_inventory_open(inventory, path) == 0);
  CHECK(tappet_inventory_add(inventory, TAPPET_INVENTORY_KIND_BUILDING, NULL, &values, "Ann", NULL) == 0);
  CHECK(tappet_inventory_list(inventory, NULL, call_elsewhere, inventory) == 1);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) leave(use_in_child(inventory, absent));
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(tappet_inventory_list(inventory, NULL, NULL, NULL) == 1);
  tappet_inventory_free(inventory);
  tappet_inventory_free(inventory);
  CHECK(fails(inventory, TAPPET_ERROR_OBJECT));
  tappet_broker_free(broker);
}
