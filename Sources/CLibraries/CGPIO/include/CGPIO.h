/* libgpiod 1.6 (Debian 12) and 2.x (Debian 13, Raspberry Pi OS) behind the same few functions: chips and what is on them, and one line
   a request. Nothing here decides anything. Functions that can fail answer with a negative errno. One thread. */
#ifndef TAPPET_CGPIO_H
#define TAPPET_CGPIO_H

#include <stdbool.h>
#include <stdint.h>

/* Which libgpiod this was compiled for: 1 or 2. */
int tp_gpio_major(void);

/* A chip that is looked at. */
struct tp_gpio_chip;

/* Opens the node at `path`, which must not be a symbolic link. 0, and *ret_chip is the caller's to close. */
int tp_gpio_chip_open(const char *path, struct tp_gpio_chip **ret_chip);
void tp_gpio_chip_close(struct tp_gpio_chip *chip);
/* Owned by the chip. */
const char *tp_gpio_chip_label(struct tp_gpio_chip *chip);
uint32_t tp_gpio_chip_line_count(struct tp_gpio_chip *chip);
/* Looks at the line at `offset`, which the next three functions tell of. 0. */
int tp_gpio_chip_look(struct tp_gpio_chip *chip, uint32_t offset);
/* Owned by the chip until the next look; NULL: it has none. */
const char *tp_gpio_chip_line_name(struct tp_gpio_chip *chip);
bool tp_gpio_chip_line_is_used(struct tp_gpio_chip *chip);
const char *tp_gpio_chip_line_consumer(struct tp_gpio_chip *chip);

enum tp_gpio_bias { TP_GPIO_BIAS_AS_IS, TP_GPIO_BIAS_DISABLED, TP_GPIO_BIAS_PULL_UP, TP_GPIO_BIAS_PULL_DOWN };
enum tp_gpio_drive { TP_GPIO_PUSH_PULL, TP_GPIO_OPEN_DRAIN, TP_GPIO_OPEN_SOURCE };

/* What a line is requested as. */
struct tp_gpio_wish {
  const char *consumer;   /* borrowed for the call */
  uint32_t offset;
  bool is_output;         /* else an input that tells both edges */
  bool is_active_low;
  bool is_on;             /* an output's first level, after active-low */
  uint8_t bias;           /* enum tp_gpio_bias; inputs */
  uint8_t drive;          /* enum tp_gpio_drive; outputs */
  uint32_t debounce_us;   /* inputs; 0: none. Passed over where the library cannot ask for it: see tp_gpio_debounces. */
};

/* A requested line. */
struct tp_gpio_line;

/* Requests a line of the chip at `path`. 0, and *ret_line is the caller's to release. */
int tp_gpio_request(const char *path, const struct tp_gpio_wish *wish, struct tp_gpio_line **ret_line);
void tp_gpio_release(struct tp_gpio_line *line);
/* The level after active-low: 0 or 1. */
int tp_gpio_get(struct tp_gpio_line *line);
/* An output's level. 0. */
int tp_gpio_set(struct tp_gpio_line *line, bool is_on);
/* Of an input, owned by the line: readable while edges wait; POLLERR or POLLHUP when the chip is gone. */
int tp_gpio_fd(struct tp_gpio_line *line);
/* Whether the kernel, or the chip, sees to the debouncing that was asked for. */
bool tp_gpio_debounces(struct tp_gpio_line *line);

/* One change of an input. */
struct tp_gpio_edge {
  uint64_t timestamp_ns;  /* CLOCK_MONOTONIC; CLOCK_REALTIME from kernels before 5.7 */
  bool is_active;         /* the level after it, after active-low */
};

/* As many as the kernel keeps for a line. */
enum { TP_GPIO_EDGES_MAX = 16 };

/* Takes the edges that wait into `ret_edges`, which has room for TP_GPIO_EDGES_MAX, without waiting for any: their number, or -EAGAIN. */
int tp_gpio_read(struct tp_gpio_line *line, struct tp_gpio_edge *ret_edges);

#endif
