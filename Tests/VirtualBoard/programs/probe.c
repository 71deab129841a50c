/* Does in the guest what a shell is too slow for.

     probe bounce FILE HERTZ SECONDS   writes pull-up and pull-down to FILE in turns, HERTZ times a second; prints how
                                       many it wrote, and how many times it was held up for 10 ms or more: a rest, to a
                                       debouncer
     probe train FILE PAUSE LEVELS     writes pull-up ('1') or pull-down ('0') to FILE for each of LEVELS, PAUSE ms
                                       apart; prints the longest that it took from one to the next, in ms
     probe metronome SECONDS           wakes every 5 ms; prints when it was more than 2 ms late, and by how much
                                       ("MOMENT LATE", both in s, by CLOCK_BOOTTIME): no program could have been on time
     probe press DEVICE OFFSET PORT HOST CA CERTIFICATE KEY TOPIC [sqlite FILE | page FILE]
                                       the bare program that Tappet is compared with: libgpiod's edge, libmosquitto's
                                       publish with QoS 1 over mutual TLS, nothing else; prints "ready" when connected.
                                       sqlite: also keeps Tappet's promise: the press is on the disk (SQLite, WAL,
                                       synchronous=FULL) before it is published, and removed when it is acknowledged.
                                       page: the least that a promise can cost: one page of a file that has its size is
                                       overwritten and synced before the press is published
     probe command DEVICE OFFSET PORT HOST CA CERTIFICATE KEY TOPIC
                                       the other direction: a message "on" of that topic, by QoS 1, sets the line, any
                                       other one clears it; prints "ready" when subscribed */
#define _GNU_SOURCE
#include <fcntl.h>
#include <gpiod.h>
#include <mosquitto.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "probe: %s\n", what);
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_until(int64_t moment) {
  const struct timespec end = { moment / 1000000000, moment % 1000000000 };
  while (clock_nanosleep(CLOCK_BOOTTIME, TIMER_ABSTIME, &end, NULL) != 0) {}
}

static int bounce(const char *path, double hertz, double seconds) {
  const int file = open(path, O_WRONLY);
  if (file < 0) fail("no such line");
  const int64_t first = now_ns(), period = (int64_t)(1e9 / hertz);
  long count = 0, rests = 0;
  for (int64_t due = first, last = first; now_ns() < first + (int64_t)(seconds * 1e9); due += period, count++) {
    const char *level = count % 2 ? "pull-up" : "pull-down";
    if (pwrite(file, level, strlen(level), 0) < 0) fail("the line takes no pull");
    const int64_t written = now_ns();
    rests += written - last > 10000000;
    last = written;
    if (due > written) sleep_until(due);
  }
  printf("%ld %ld\n", count, rests);
  return 0;
}

static int train(const char *path, double pause_ms, const char *levels) {
  const int file = open(path, O_WRONLY);
  if (file < 0) fail("no such line");
  int64_t longest = 0;
  for (int64_t last = 0; *levels; levels++) {
    const char *level = *levels == '1' ? "pull-up" : "pull-down";
    if (last != 0) sleep_until(last + (int64_t)(pause_ms * 1e6));
    if (pwrite(file, level, strlen(level), 0) < 0) fail("the line takes no pull");
    const int64_t written = now_ns();
    if (last != 0 && written - last > longest) longest = written - last;
    last = written;
  }
  printf("%.0f\n", (double)longest / 1e6);
  return 0;
}

static int metronome(double seconds) {
  const int64_t first = now_ns();
  for (int64_t due = first; due < first + (int64_t)(seconds * 1e9); due += 5000000) {
    sleep_until(due);
    const int64_t late = now_ns() - due;
    if (late > 2000000) printf("%.6f %.6f\n", (double)due / 1e9, (double)late / 1e9);
    if (late > 5000000) due = now_ns();
  }
  return 0;
}

/* A line as an input that tells of its falling edges, with either major of libgpiod. */
#if defined(GPIOD_LINE_BULK_MAX_LINES)
static struct gpiod_line *line;

static int open_line(const char *device, unsigned offset) {
  struct gpiod_chip *chip = gpiod_chip_open(device);
  line = chip ? gpiod_chip_get_line(chip, offset) : NULL;
  if (line == NULL || gpiod_line_request_falling_edge_events(line, "probe") != 0) fail("no line");
  return gpiod_line_event_get_fd(line);
}

static void take_edge(void) {
  struct gpiod_line_event event;
  if (gpiod_line_event_read(line, &event) != 0) fail("the line");
}

static void open_output(const char *device, unsigned offset) {
  struct gpiod_chip *chip = gpiod_chip_open(device);
  line = chip ? gpiod_chip_get_line(chip, offset) : NULL;
  if (line == NULL || gpiod_line_request_output(line, "probe", 0) != 0) fail("no line");
}

static void set_output(int is_on) {
  if (gpiod_line_set_value(line, is_on) != 0) fail("the line");
}
#else
static struct gpiod_line_request *line;
static struct gpiod_edge_event_buffer *edges;

static void request(const char *device, unsigned offset, struct gpiod_line_settings *settings) {
  struct gpiod_chip *chip = gpiod_chip_open(device);
  struct gpiod_line_config *config = gpiod_line_config_new();
  if (chip == NULL || config == NULL) fail("no chip");
  gpiod_line_config_add_line_settings(config, &offset, 1, settings);
  line = gpiod_chip_request_lines(chip, NULL, config);
  if (line == NULL) fail("no line");
}

static int open_line(const char *device, unsigned offset) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  edges = gpiod_edge_event_buffer_new(1);
  if (settings == NULL || edges == NULL) fail("no memory");
  gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_FALLING);
  request(device, offset, settings);
  return gpiod_line_request_get_fd(line);
}

static unsigned output;

static void open_output(const char *device, unsigned offset) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (settings == NULL) fail("no memory");
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
  request(device, offset, settings);
  output = offset;
}

static void set_output(int is_on) {
  if (gpiod_line_request_set_value(line, output, is_on ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE) != 0)
    fail("the line");
}

static void take_edge(void) {
  if (gpiod_line_request_read_edge_events(line, edges, 1) != 1) fail("the line");
}
#endif

static sqlite3_stmt *insertion, *removal;

/* Tappet's pragmas and outbox, as in Tests/Benchmarks/baseline.c. */
static void open_outbox(const char *path) {
  static const char setup[] =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA mmap_size = 0; PRAGMA cache_size = -256;"
      "PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = FAST;"
      "CREATE TABLE outbox (sequence INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL, action TEXT NOT NULL,"
      " topic TEXT NOT NULL, message BLOB NOT NULL, retained INTEGER NOT NULL, trigger INTEGER NOT NULL,"
      " uses_timestamp INTEGER NOT NULL, accepted_unix_ms INTEGER NOT NULL, boot INTEGER NOT NULL,"
      " expires_ns INTEGER NOT NULL);"
      "CREATE INDEX outbox_expiry ON outbox (boot, expires_ns);";
  static const char insert[] =
      "INSERT INTO outbox VALUES (?1, randomblob(16), 'probe', 'board/probe', 'press', 0, 1, 0, 1, 1, ?1)";
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  sqlite3 *database;
  if (sqlite3_open_v2(path, &database, flags, NULL) != SQLITE_OK ||
      sqlite3_exec(database, setup, NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database, insert, -1, &insertion, NULL) != SQLITE_OK ||
      sqlite3_prepare_v2(database, "DELETE FROM outbox WHERE sequence = ?1", -1, &removal, NULL) != SQLITE_OK)
    fail("no database");
}

#define PAGE_SIZE 4096
#define PAGES 64

static int pages_fd = -1;

static void open_pages(const char *path) {
  static const char page[PAGE_SIZE];
  pages_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (pages_fd == -1) fail("no file");
  for (int index = 0; index < PAGES; index++)
    if (pwrite(pages_fd, page, PAGE_SIZE, (off_t)index * PAGE_SIZE) != PAGE_SIZE) fail("the disk");
  if (fsync(pages_fd) == -1) fail("the disk");
}

static void write_page(int id) {
  if (pages_fd == -1) return;
  static char page[PAGE_SIZE];
  memcpy(page, &id, sizeof id);
  const off_t place = (off_t)(id % PAGES) * PAGE_SIZE;
  if (pwrite(pages_fd, page, PAGE_SIZE, place) != PAGE_SIZE || fdatasync(pages_fd) == -1) fail("the disk");
}

static void store(sqlite3_stmt *statement, int id) {
  if (statement == NULL) return;
  sqlite3_bind_int(statement, 1, id);
  if (sqlite3_step(statement) != SQLITE_DONE) fail("the disk");
  sqlite3_reset(statement);
}

static void acknowledged(struct mosquitto *client, void *context, int id) {
  (void)client, (void)context;
  store(removal, id);
}

static int is_connected;

static void connected(struct mosquitto *client, void *context, int code) {
  (void)client, (void)context;
  if (code != 0) fail("refused by the broker");
  is_connected = 1;
}

/* Connects as the last part of the topic; `words` begin with the device. */
static struct mosquitto *join(char **words) {
  mosquitto_lib_init();
  const char *name = strrchr(words[7], '/');
  struct mosquitto *client = mosquitto_new(name ? name + 1 : words[7], true, NULL);
  if (client == NULL) fail("no memory");
  mosquitto_connect_callback_set(client, connected);
  mosquitto_publish_callback_set(client, acknowledged);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  if (mosquitto_tls_set(client, words[4], NULL, words[5], words[6], NULL) != MOSQ_ERR_SUCCESS) fail("certificates");
  if (mosquitto_connect(client, words[3], atoi(words[2]), 60) != MOSQ_ERR_SUCCESS) fail("no broker");
  while (!is_connected)
    if (mosquitto_loop(client, 100, 1) != MOSQ_ERR_SUCCESS) fail("no connection");
  return client;
}

static int press(char **words, const char *way, const char *file) {
  const int edge_fd = open_line(words[0], (unsigned)atoi(words[1]));
  if (strcmp(way, "sqlite") == 0) open_outbox(file);
  if (strcmp(way, "page") == 0) open_pages(file);
  struct mosquitto *client = join(words);
  puts("ready");
  fflush(stdout);
  for (int count = 1;;) {
    struct pollfd ends[2] = { { edge_fd, POLLIN, 0 }, { mosquitto_socket(client), POLLIN, 0 } };
    if (mosquitto_want_write(client)) ends[1].events |= POLLOUT;
    poll(ends, 2, 1000);
    if (ends[0].revents) {
      take_edge();
      char text[32];
      const int length = snprintf(text, sizeof text, "press %d", count);
      write_page(count);
      // libmosquitto counts its messages from 1, too.
      store(insertion, count++);
      if (mosquitto_publish(client, NULL, words[7], length, text, 1, false) != MOSQ_ERR_SUCCESS) fail("publish");
    }
    if (ends[1].revents & POLLIN && mosquitto_loop_read(client, 1) != MOSQ_ERR_SUCCESS) fail("the connection");
    if (ends[1].revents & POLLOUT && mosquitto_loop_write(client, 1) != MOSQ_ERR_SUCCESS) fail("the connection");
    if (mosquitto_loop_misc(client) != MOSQ_ERR_SUCCESS) fail("the connection");
  }
}

static void obey(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
  (void)client, (void)context;
  set_output(message->payloadlen == 2 && memcmp(message->payload, "on", 2) == 0);
}

static void subscribed(struct mosquitto *client, void *context, int id, int count, const int *granted) {
  (void)client, (void)context, (void)id, (void)count, (void)granted;
  puts("ready");
  fflush(stdout);
}

static int command(char **words) {
  open_output(words[0], (unsigned)atoi(words[1]));
  struct mosquitto *client = join(words);
  mosquitto_message_callback_set(client, obey);
  mosquitto_subscribe_callback_set(client, subscribed);
  if (mosquitto_subscribe(client, NULL, words[7], 1) != MOSQ_ERR_SUCCESS) fail("no subscription");
  for (;;)
    if (mosquitto_loop(client, 1000, 1) != MOSQ_ERR_SUCCESS) fail("the connection");
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);  // Its lines stay, even if it is killed.
  if (count == 5 && strcmp(words[1], "bounce") == 0) return bounce(words[2], atof(words[3]), atof(words[4]));
  if (count == 5 && strcmp(words[1], "train") == 0) return train(words[2], atof(words[3]), words[4]);
  if (count == 3 && strcmp(words[1], "metronome") == 0) return metronome(atof(words[2]));
  if (count == 10 && strcmp(words[1], "press") == 0) return press(words + 2, "", "");
  if (count == 12 && strcmp(words[1], "press") == 0) return press(words + 2, words[10], words[11]);
  if (count == 10 && strcmp(words[1], "command") == 0) return command(words + 2);
  return 2;
}
