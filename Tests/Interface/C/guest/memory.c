/* Where memory is short, calls whose arguments are large say so, and the connection stays. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

/* glibc's own functions, under the names that stay when a program has functions of the plain names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static size_t size_max = SIZE_MAX;

void limit_memory(size_t size) { __atomic_store_n(&size_max, size, __ATOMIC_SEQ_CST); }

static int is_refused(size_t size) {
  if (size <= __atomic_load_n(&size_max, __ATOMIC_SEQ_CST)) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return is_refused(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return is_refused(count * size) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return is_refused(size) ? NULL : __libc_realloc(old, size); }
int posix_memalign(void **result, size_t alignment, size_t size) {
  if (is_refused(size)) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == NULL ? ENOMEM : 0;
}
void *aligned_alloc(size_t alignment, size_t size) {
  return is_refused(size) ? NULL : __libc_memalign(alignment, size);
}

/* A message still passes. */
static void passes(struct link *link) {
  const int results = link->results;
  CHECK(tappet_broker_publish(link->broker, "home/guest", (const uint8_t *)"x", 1, 1, false, note_result, link) == 0);
  CHECK(reaches(link, &link->results, results + 1) && link->result == 0);
}

void memory(void) {
  enum { LARGE = 50 << 20, LONG = 60000 };
  uint8_t *payload = calloc(LARGE, 1);
  char *text = malloc(LONG + 1);
  memset(text, 'a', LONG);
  text[LONG] = '\0';
  struct tappet_broker_options wanted = options();
  struct link link = link_to(&wanted);
  struct tappet_kiosk *kiosk = NULL;
  struct tappet_kiosk_action action = {.size = sizeof action, .name = "one", .topic = "t", .message = text};
  CHECK(tappet_kiosk_new(&kiosk) == 0);
  CHECK(reaches(&link, &link.event, TAPPET_BROKER_EVENT_CONNECTED));
  /* Room for one copy, but not for those of libmosquitto. */
  limit_memory(LARGE + LARGE / 2);
  CHECK(tappet_broker_publish(link.broker, "home/guest", payload, LARGE, 1, false, note_result, &link) ==
        TAPPET_ERROR_MEMORY);
  passes(&link);
  limit_memory(1 << 20);
  CHECK(tappet_broker_publish(link.broker, "home/guest", payload, LARGE, 1, false, note_result, &link) ==
        TAPPET_ERROR_MEMORY);
  passes(&link);
  limit_memory(32 << 10);
  CHECK(tappet_broker_publish(link.broker, text, NULL, 0, 1, false, note_result, &link) == TAPPET_ERROR_MEMORY);
  CHECK(tappet_broker_subscribe(link.broker, text, 0, note_result, &link) == TAPPET_ERROR_MEMORY);
  CHECK(tappet_kiosk_add_action(kiosk, &action) == TAPPET_ERROR_MEMORY);
  passes(&link);
  limit_memory(SIZE_MAX);
  CHECK(tappet_kiosk_add_action(kiosk, &action) == 0);
  CHECK(link.event == TAPPET_BROKER_EVENT_CONNECTED);
  tappet_kiosk_free(kiosk);
  tappet_broker_free(link.broker);
  free(payload);
  free(text);
}
