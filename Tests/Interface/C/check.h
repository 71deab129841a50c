/* Counts the checks of a test, and prints each one that fails. The test's main file defines the counters. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

extern int passed, failed;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (condition) {                                                            \
      passed++;                                                                 \
    } else {                                                                    \
      failed++;                                                                 \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

#endif
