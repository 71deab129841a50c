/* The parts of the misuse test, and what they share. */
#ifndef MISUSE_H
#define MISUSE_H

#include <tappet.h>

#include "../check.h"

/* Path of the state folder; files of the test have it as the beginning of their names. */
extern const char *folder;
/* Path of this program, which can also take the place of tappet-reader. */
extern const char *program;
/* Under Valgrind, vfork is a fork, so that posix_spawn cannot report that a program is missing. */
extern int is_traced;
/* A key of 32 bytes, of which 16 or 24 can be used too. */
extern const uint8_t key[TAPPET_KEY_SIZE];

/* Options of a broker that does not exist. */
struct tappet_broker_options nowhere(void);
/* An action with a topic and a message. */
struct tappet_kiosk_action action(const char *name, int64_t index);
/* A kiosk with a broker that does not exist and the action "one"; ready to be started. */
struct tappet_kiosk *kiosk_new(void);
/* The sentence of a kiosk's last failure. */
const char *sentence(const struct tappet_kiosk *kiosk);

/* Counts of a kiosk's callbacks; `result` is 0 unless one of them found a mistake. */
struct watch {
  struct tappet_kiosk *kiosk;
  int calls, lines, result, frees;
};

/* Makes the calls that a callback may make and those that it may not; then stops the kiosk, or frees it if `frees` is
   set. Its context is a struct watch. */
void watch_event(void *context, const struct tappet_kiosk_event *event);

/* Stands in for tappet-reader: sends two messages and then writes a byte to the FIFO at `path`. */
int act_as_reader(const char *path);

/* objects.c */
void setting_up(void);
void failed_starts(void);
void freed(void);
void requests(void);
void panels(void);
/* readers.c */
void readers(void);
void reader_callbacks(void);
void silent_reader(void);
/* kiosks.c */
void callbacks(void);
void full(void);
void readerless(void);
void threads(void);
void people(void);
/* inventories.c */
void inventories(void);
/* processes.c */
/* Ends a child. Not by _exit: Valgrind would look for leaks, and report what the parent's threads hold as one. */
void leave(int code);
void forked(void);
int without_standard_descriptors(void);

#endif
