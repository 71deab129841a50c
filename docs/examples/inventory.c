/* Prints where the things are that have the words of a text, or whose code it is.

   Usage: inventory STATE-FOLDER TEXT, for example: inventory /var/lib/tappet 'm4 steel' */
#include <stdio.h>
#include <stdlib.h>
#include <tappet.h>

static void print(void *context,
                  const struct tappet_inventory_entry *entry) {
  (void)context;
  printf("%s, in: %s\n", entry->name, entry->location);
}

static int fail(const struct tappet_inventory *inventory) {
  struct tappet_failure failure = {.size = sizeof failure};
  if (tappet_inventory_last_error(inventory, &failure) == 0)
    fprintf(stderr, "%s\n", failure.sentence);
  return EXIT_FAILURE;
}

int main(int count, char **words) {
  struct tappet_inventory *inventory;
  struct tappet_inventory_entry box = {.size = sizeof box};
  if (count != 3) return 2;
  if (tappet_inventory_new(&inventory) != 0) return EXIT_FAILURE;
  if (tappet_inventory_open(inventory, words[1]) != 0)
    return fail(inventory);
  int found = tappet_inventory_get_by_code(inventory, words[2], &box);
  if (found == 1) {
    print(NULL, &box);
    found = tappet_inventory_list(inventory, box.id, print, NULL);
  } else if (found == 0) {
    found = tappet_inventory_find(inventory, words[2], 50, print, NULL);
  }
  if (found < 0) return fail(inventory);
  tappet_inventory_free(inventory);
  return EXIT_SUCCESS;
}
