#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdlib.h>

/* Neither header has a version macro. This macro exists in version 1 from 1.0 on; version 2 has no bulks. */
#ifdef GPIOD_LINE_BULK_MAX_LINES
#define TP_GPIO_MAJOR 1
#else
#define TP_GPIO_MAJOR 2
#endif

int tp_gpio_major(void) { return TP_GPIO_MAJOR; }

/* Returns the library's errno; never 0, so that a failure does not look like success. */
static int tp_gpio_error(void) { return errno ? -errno : -EIO; }

#if TP_GPIO_MAJOR == 1

struct tp_gpio_chip { struct gpiod_chip *chip; struct gpiod_line *line; };
/* A line of version 1 belongs to its chip. */
struct tp_gpio_line { struct gpiod_chip *chip; struct gpiod_line *line; };

int tp_gpio_chip_open(const char *path, struct tp_gpio_chip **ret_chip) {
  struct tp_gpio_chip *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->chip = gpiod_chip_open(path);
  if (!self->chip) {
    const int code = tp_gpio_error();
    free(self);
    return code;
  }
  *ret_chip = self;
  return 0;
}

void tp_gpio_chip_close(struct tp_gpio_chip *self) {
  if (!self) return;
  gpiod_chip_close(self->chip);
  free(self);
}

const char *tp_gpio_chip_label(struct tp_gpio_chip *self) { return gpiod_chip_label(self->chip); }
uint32_t tp_gpio_chip_line_count(struct tp_gpio_chip *self) { return gpiod_chip_num_lines(self->chip); }

int tp_gpio_chip_look(struct tp_gpio_chip *self, uint32_t offset) {
  self->line = gpiod_chip_get_line(self->chip, offset);
  return self->line ? 0 : tp_gpio_error();
}
const char *tp_gpio_chip_line_name(struct tp_gpio_chip *self) { return gpiod_line_name(self->line); }
bool tp_gpio_chip_line_is_used(struct tp_gpio_chip *self) { return gpiod_line_is_used(self->line); }
const char *tp_gpio_chip_line_consumer(struct tp_gpio_chip *self) { return gpiod_line_consumer(self->line); }

static int tp_gpio_flags(const struct tp_gpio_config *config) {
  int flags = config->is_active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  if (config->is_output) {
    switch (config->drive) {
    case TP_GPIO_OPEN_DRAIN: return flags | GPIOD_LINE_REQUEST_FLAG_OPEN_DRAIN;
    case TP_GPIO_OPEN_SOURCE: return flags | GPIOD_LINE_REQUEST_FLAG_OPEN_SOURCE;
    default: return flags;
    }
  }
  switch (config->bias) {
  case TP_GPIO_BIAS_DISABLED: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
  case TP_GPIO_BIAS_PULL_UP: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
  case TP_GPIO_BIAS_PULL_DOWN: return flags | GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
  default: return flags;
  }
}

int tp_gpio_get(struct tp_gpio_line *self) {
  const int value = gpiod_line_get_value(self->line);
  return value < 0 ? tp_gpio_error() : value;
}

int tp_gpio_set(struct tp_gpio_line *self, bool is_on) {
  return gpiod_line_set_value(self->line, is_on) < 0 ? tp_gpio_error() : 0;
}

int tp_gpio_fd(struct tp_gpio_line *self) { return gpiod_line_event_get_fd(self->line); }

/* The kernel debounces only in its second GPIO interface, which version 1 does not use. */
bool tp_gpio_debounces(struct tp_gpio_line *self) {
  (void)self;
  return false;
}

int tp_gpio_read(struct tp_gpio_line *self, struct tp_gpio_edge *ret_edges) {
  struct gpiod_line_event events[TP_GPIO_EDGES_MAX];
  const int count = gpiod_line_event_read_multiple(self->line, events, TP_GPIO_EDGES_MAX);
  if (count < 0) return tp_gpio_error();
  for (int index = 0; index < count; index++) {
    const struct timespec time = events[index].ts;
    ret_edges[index].timestamp_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    ret_edges[index].is_active = events[index].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
    ret_edges[index].follows_lost = false;
  }
  return count;
}

void tp_gpio_release(struct tp_gpio_line *self) {
  if (!self) return;
  if (self->chip) gpiod_chip_close(self->chip);
  free(self);
}

static int tp_gpio_fill(struct tp_gpio_line *self, const char *path, const struct tp_gpio_config *config) {
  const int flags = tp_gpio_flags(config);
  if (!(self->chip = gpiod_chip_open(path))) return tp_gpio_error();
  if (!(self->line = gpiod_chip_get_line(self->chip, config->offset))) return tp_gpio_error();
  const int result = config->is_output
    ? gpiod_line_request_output_flags(self->line, config->consumer, flags, config->is_on)
    : gpiod_line_request_both_edges_events_flags(self->line, config->consumer, flags);
  return result < 0 ? tp_gpio_error() : 0;
}

#else /* version 2 */

struct tp_gpio_chip { struct gpiod_chip *chip; struct gpiod_chip_info *info; struct gpiod_line_info *line; };
struct tp_gpio_line {
  struct gpiod_line_request *request;
  struct gpiod_edge_event_buffer *events;  /* inputs only */
  uint32_t offset;
  bool debounces;
  unsigned long last_number;  /* of the last edge that was read; the first is 1 */
};

void tp_gpio_chip_close(struct tp_gpio_chip *self) {
  if (!self) return;
  if (self->line) gpiod_line_info_free(self->line);
  if (self->info) gpiod_chip_info_free(self->info);
  if (self->chip) gpiod_chip_close(self->chip);
  free(self);
}

int tp_gpio_chip_open(const char *path, struct tp_gpio_chip **ret_chip) {
  struct tp_gpio_chip *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  self->chip = gpiod_chip_open(path);
  if (self->chip) self->info = gpiod_chip_get_info(self->chip);
  if (!self->info) {
    const int code = tp_gpio_error();
    tp_gpio_chip_close(self);
    return code;
  }
  *ret_chip = self;
  return 0;
}

const char *tp_gpio_chip_label(struct tp_gpio_chip *self) { return gpiod_chip_info_get_label(self->info); }
uint32_t tp_gpio_chip_line_count(struct tp_gpio_chip *self) {
  return (uint32_t)gpiod_chip_info_get_num_lines(self->info);
}

int tp_gpio_chip_look(struct tp_gpio_chip *self, uint32_t offset) {
  struct gpiod_line_info *line = gpiod_chip_get_line_info(self->chip, offset);
  if (!line) return tp_gpio_error();
  if (self->line) gpiod_line_info_free(self->line);
  self->line = line;
  return 0;
}
const char *tp_gpio_chip_line_name(struct tp_gpio_chip *self) {
  return gpiod_line_info_get_name(self->line);
}
bool tp_gpio_chip_line_is_used(struct tp_gpio_chip *self) { return gpiod_line_info_is_used(self->line); }
const char *tp_gpio_chip_line_consumer(struct tp_gpio_chip *self) {
  return gpiod_line_info_get_consumer(self->line);
}

static int tp_gpio_apply(struct gpiod_line_settings *settings, const struct tp_gpio_config *config) {
  gpiod_line_settings_set_active_low(settings, config->is_active_low);
  if (config->is_output) {
    const enum gpiod_line_drive drive = config->drive == TP_GPIO_OPEN_DRAIN ? GPIOD_LINE_DRIVE_OPEN_DRAIN
      : config->drive == TP_GPIO_OPEN_SOURCE ? GPIOD_LINE_DRIVE_OPEN_SOURCE : GPIOD_LINE_DRIVE_PUSH_PULL;
    const enum gpiod_line_value value = config->is_on ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) < 0) return tp_gpio_error();
    if (gpiod_line_settings_set_drive(settings, drive) < 0) return tp_gpio_error();
    return gpiod_line_settings_set_output_value(settings, value) < 0 ? tp_gpio_error() : 0;
  }
  const enum gpiod_line_bias bias = config->bias == TP_GPIO_BIAS_DISABLED ? GPIOD_LINE_BIAS_DISABLED
    : config->bias == TP_GPIO_BIAS_PULL_UP ? GPIOD_LINE_BIAS_PULL_UP
    : config->bias == TP_GPIO_BIAS_PULL_DOWN ? GPIOD_LINE_BIAS_PULL_DOWN : GPIOD_LINE_BIAS_AS_IS;
  gpiod_line_settings_set_debounce_period_us(settings, config->debounce_us);
  if (gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT) < 0) return tp_gpio_error();
  if (gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH) < 0) return tp_gpio_error();
  if (gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC) < 0) return tp_gpio_error();
  return gpiod_line_settings_set_bias(settings, bias) < 0 ? tp_gpio_error() : 0;
}

int tp_gpio_get(struct tp_gpio_line *self) {
  const enum gpiod_line_value value = gpiod_line_request_get_value(self->request, self->offset);
  return value == GPIOD_LINE_VALUE_ERROR ? tp_gpio_error() : value == GPIOD_LINE_VALUE_ACTIVE;
}

int tp_gpio_set(struct tp_gpio_line *self, bool is_on) {
  const enum gpiod_line_value value = is_on ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
  return gpiod_line_request_set_value(self->request, self->offset, value) < 0 ? tp_gpio_error() : 0;
}

int tp_gpio_fd(struct tp_gpio_line *self) { return gpiod_line_request_get_fd(self->request); }

bool tp_gpio_debounces(struct tp_gpio_line *self) { return self->debounces; }

int tp_gpio_read(struct tp_gpio_line *self, struct tp_gpio_edge *ret_edges) {
  const int count = gpiod_line_request_read_edge_events(self->request, self->events, TP_GPIO_EDGES_MAX);
  if (count < 0) return tp_gpio_error();
  for (int index = 0; index < count; index++) {
    struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(self->events, (unsigned long)index);
    ret_edges[index].timestamp_ns = gpiod_edge_event_get_timestamp_ns(event);
    ret_edges[index].is_active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
    const unsigned long number = gpiod_edge_event_get_line_seqno(event);
    ret_edges[index].follows_lost = number != self->last_number + 1;
    self->last_number = number;
  }
  return count;
}

void tp_gpio_release(struct tp_gpio_line *self) {
  if (!self) return;
  if (self->events) gpiod_edge_event_buffer_free(self->events);
  if (self->request) gpiod_line_request_release(self->request);
  free(self);
}

static int tp_gpio_start(
  struct tp_gpio_line *self, struct gpiod_chip *chip, const struct tp_gpio_config *config,
  struct gpiod_line_settings *settings, struct gpiod_line_config *lines, struct gpiod_request_config *request
) {
  const unsigned int offset = config->offset;
  const int code = tp_gpio_apply(settings, config);
  if (code < 0) return code;
  if (gpiod_line_config_add_line_settings(lines, &offset, 1, settings) < 0) return tp_gpio_error();
  gpiod_request_config_set_consumer(request, config->consumer);
  self->request = gpiod_chip_request_lines(chip, request, lines);
  if (!self->request) return tp_gpio_error();
  self->offset = config->offset;
  if (config->is_output) return 0;
  self->events = gpiod_edge_event_buffer_new(TP_GPIO_EDGES_MAX);
  if (!self->events) return tp_gpio_error();
  if (config->debounce_us) {
    struct gpiod_line_info *info = gpiod_chip_get_line_info(chip, config->offset);
    self->debounces = info && gpiod_line_info_is_debounced(info);
    if (info) gpiod_line_info_free(info);
  }
  return 0;
}

static int tp_gpio_fill(struct tp_gpio_line *self, const char *path, const struct tp_gpio_config *config) {
  struct gpiod_chip *chip = gpiod_chip_open(path);
  if (!chip) return tp_gpio_error();
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *request = gpiod_request_config_new();
  const int code = settings && lines && request ? tp_gpio_start(self, chip, config, settings, lines, request) : -ENOMEM;
  if (request) gpiod_request_config_free(request);
  if (lines) gpiod_line_config_free(lines);
  if (settings) gpiod_line_settings_free(settings);
  gpiod_chip_close(chip);  /* The request stays valid. */
  return code;
}

#endif

int tp_gpio_request(const char *path, const struct tp_gpio_config *config, struct tp_gpio_line **ret_line) {
  struct tp_gpio_line *self = calloc(1, sizeof *self);
  if (!self) return -ENOMEM;
  int code = tp_gpio_fill(self, path, config);
  if (code == 0 && !config->is_output) {
    const int fd = tp_gpio_fd(self);
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) code = tp_gpio_error();
  }
  if (code < 0) tp_gpio_release(self);
  else *ret_line = self;
  return code;
}
