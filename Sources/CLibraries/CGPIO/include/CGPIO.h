/* The same few functions for libgpiod 1.6 (Debian 12) and 2.x (Debian 13, Raspberry Pi OS): chips and their lines, and
   one line per request. Functions that can fail return a negative errno. Single-threaded. */
#ifndef TAPPET_CGPIO_H
#define TAPPET_CGPIO_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the major version of libgpiod that this was compiled for: 1 or 2. */
int tp_gpio_major(void);

/* An open chip. */
struct tp_gpio_chip;

/* Opens the node at `path`, which must not be a symbolic link. Returns 0; the caller must close *ret_chip. */
int tp_gpio_chip_open(const char *path, struct tp_gpio_chip **ret_chip);
void tp_gpio_chip_close(struct tp_gpio_chip *chip);
/* The chip's label, owned by the chip. */
const char *tp_gpio_chip_label(struct tp_gpio_chip *chip);
uint32_t tp_gpio_chip_line_count(struct tp_gpio_chip *chip);
/* Selects the line at `offset` for the next three functions. Returns 0. */
int tp_gpio_chip_look(struct tp_gpio_chip *chip, uint32_t offset);
/* The name, owned by the chip until the next selection; NULL means that the line has none. The same holds for the
   consumer. */
const char *tp_gpio_chip_line_name(struct tp_gpio_chip *chip);
bool tp_gpio_chip_line_is_used(struct tp_gpio_chip *chip);
const char *tp_gpio_chip_line_consumer(struct tp_gpio_chip *chip);

enum tp_gpio_bias { TP_GPIO_BIAS_AS_IS, TP_GPIO_BIAS_DISABLED, TP_GPIO_BIAS_PULL_UP, TP_GPIO_BIAS_PULL_DOWN };
enum tp_gpio_drive { TP_GPIO_PUSH_PULL, TP_GPIO_OPEN_DRAIN, TP_GPIO_OPEN_SOURCE };

/* How to request a line. */
struct tp_gpio_config {
  const char *consumer;   /* borrowed for the call */
  uint32_t offset;
  bool is_output;         /* otherwise an input that reports both edges */
  bool is_active_low;
  bool is_on;             /* an output's first level, after active-low */
  uint8_t bias;           /* enum tp_gpio_bias; inputs */
  uint8_t drive;          /* enum tp_gpio_drive; outputs */
  uint32_t debounce_us;   /* inputs; 0 means none. Ignored by a library without it: see tp_gpio_debounces. */
};

/* A requested line. */
struct tp_gpio_line;

/* Requests a line of the chip at `path`. Returns 0; the caller must release *ret_line. */
int tp_gpio_request(const char *path, const struct tp_gpio_config *config, struct tp_gpio_line **ret_line);
void tp_gpio_release(struct tp_gpio_line *line);
/* Returns the level after active-low: 0 or 1. */
int tp_gpio_get(struct tp_gpio_line *line);
/* Sets an output's level. Returns 0. */
int tp_gpio_set(struct tp_gpio_line *line, bool is_on);
/* The descriptor of an input, owned by the line: readable while edges are pending; POLLERR or POLLHUP when the chip is
   gone. */
int tp_gpio_fd(struct tp_gpio_line *line);
/* Whether the kernel, or the chip, does the requested debouncing. */
bool tp_gpio_debounces(struct tp_gpio_line *line);

/* One change of an input. */
struct tp_gpio_edge {
  uint64_t timestamp_ns;  /* CLOCK_MONOTONIC; CLOCK_REALTIME from kernels before 5.7 */
  bool is_active;         /* the level after it, after active-low */
  bool follows_lost;      /* the kernel dropped edges before this one; version 1 drops the newest and cannot tell */
};

/* The number of edges that the kernel buffers for a line. */
enum { TP_GPIO_EDGES_MAX = 16 };

/* Moves the pending edges into `ret_edges`, which has room for TP_GPIO_EDGES_MAX, without waiting. Returns their
   number, or -EAGAIN. */
int tp_gpio_read(struct tp_gpio_line *line, struct tp_gpio_edge *ret_edges);

#endif
