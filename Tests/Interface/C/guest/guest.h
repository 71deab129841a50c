/* The parts of the guest test, and what they share. */
#ifndef GUEST_H
#define GUEST_H

#include <stddef.h>
#include <tappet.h>

#include "../check.h"

/* A connection and what its callbacks have reported. */
struct link {
  struct tappet_broker *broker;
  int event;           /* Type of the last event. */
  int results, result; /* Number of completions, and the result of the last one. */
  uint64_t lost_count;
};

/* Options of the broker of the command line, which requires certificates. */
struct tappet_broker_options options(void);
/* Creates a connection and begins to connect. */
struct link link_to(const struct tappet_broker_options *options);
/* Notes an event; its context is a struct link. */
void note_event(void *context, const struct tappet_broker_event *event);
/* Counts a completion; its context is a struct link. */
void note_result(void *context, int result);
/* Dispatches for at most 20 s, until a number reaches a value. */
int reaches(struct link *link, const int *number, int value);

/* Sizes above this one cannot be allocated; SIZE_MAX means that all can. */
void limit_memory(size_t size);

/* requests.c */
void requests(void);
void reasons(void);
void ends(void);
/* mqtt5.c */
void properties(void);
void subscriptions(void);
void reports(void);
/* pipes.c */
void signals(void);
/* forks.c */
void forks(void);
/* memory.c */
void memory(void);

#endif
