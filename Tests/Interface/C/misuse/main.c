/* Mistakes that a caller can make with the objects of tappet.h, each with the error code that it must get: the wrong
   order, freed and foreign pointers, a callback that frees, another thread, a child after fork, closed standard
   descriptors, a missing tappet-reader.   Usage: misuse STATE-FOLDER [traced].  Needs neither a broker nor a reader. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "misuse.h"

int passed, failed;
const uint8_t key[TAPPET_KEY_SIZE] = {7};
const char *folder, *program;
int is_traced;

struct tappet_broker_options nowhere(void) {
  struct tappet_broker_options options = {.size = sizeof options, .url = "mqtt://127.0.0.1:1", .client_id = "misuse"};
  return options;
}

struct tappet_kiosk_action action(const char *name, int64_t index) {
  struct tappet_kiosk_action action = {
      .size = sizeof action, .name = name, .index = index, .topic = "t", .message = "m"};
  return action;
}

struct tappet_kiosk *kiosk_new(void) {
  struct tappet_kiosk *kiosk = NULL;
  CHECK(tappet_kiosk_new(&kiosk) == 0);
  struct tappet_broker_options options = nowhere();
  struct tappet_kiosk_action one = action("one", 0);
  CHECK(tappet_kiosk_set_broker(kiosk, &options) == 0);
  CHECK(tappet_kiosk_add_action(kiosk, &one) == 0);
  CHECK(tappet_kiosk_set_state_folder(kiosk, folder) == 0);
  CHECK(tappet_kiosk_set_clock_trusted(kiosk, 1) == 0);
  return kiosk;
}

const char *sentence(const struct tappet_kiosk *kiosk) {
  static struct tappet_failure failure;
  failure.size = sizeof failure;
  return tappet_kiosk_last_error(kiosk, &failure) == 0 ? failure.sentence : "";
}

int main(int argc, char **argv) {
  /* With --socket 3 --device FIFO it stands in for tappet-reader, and must not run the tests again. */
  if (argc > 1 && argv[1][0] == '-') return argc == 5 ? act_as_reader(argv[4]) : 2;
  if (argc < 2) return 2;
  /* argv[0] need not be a path. */
  static char path[512];
  program = readlink("/proc/self/exe", path, sizeof path - 1) > 0 ? path : argv[0];
  folder = argv[1];
  is_traced = argc > 2;
  setting_up();
  failed_starts();
  freed();
  requests();
  readers();
  reader_callbacks();
  if (!is_traced) silent_reader();
  panels();
  callbacks();
  full();
  readerless();
  threads();
  people();
  inventories();
  forked();
  CHECK(without_standard_descriptors());
  printf("misuse: %d passed, %d failed\n", passed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
