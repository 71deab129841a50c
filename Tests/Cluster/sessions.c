/* Many kiosks in one program: each is what `tappet run` runs, without a reader. Somebody presses them in turn.

   Usage: sessions KIOSK.YAML…     the action of each is named 'bell'
   Input:  pace N     from now on, a press each N milliseconds; 0 means none
           its end    stops the kiosks and ends the program
   Output: SECONDS KIOSK WORD DETAIL     SECONDS since 1970; KIOSK from 0
           accepted ID SECONDS     it is on the disk; when it was pressed
           delivered ID            its PUBACK has come
           refused, expired, undeliverable, connected, unreachable, lost, storm   and the sentence */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <tappet.h>
#include <time.h>
#include <unistd.h>

enum { PRESSES_MAX = 256, BATCH = 64, STOP_SECONDS = 10 };

struct session {
  struct tappet_kiosk *kiosk;
  int number;
  double pressed[PRESSES_MAX]; /* A ring: when each press was made that has no answer yet. */
  unsigned first, next;
};

static struct session *sessions;
static int session_count, running, poller, timer;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static _Noreturn void fail(const char *what, int number, const char *why) {
  fprintf(stderr, "sessions: kiosk %d: %s: %s\n", number, what, why);
  exit(EXIT_FAILURE);
}

static const char *word(enum tappet_kiosk_event_type type) {
  switch (type) {
    case TAPPET_KIOSK_EVENT_REFUSED: return "refused";
    case TAPPET_KIOSK_EVENT_ACCEPTED: return "accepted";
    case TAPPET_KIOSK_EVENT_DELIVERED: return "delivered";
    case TAPPET_KIOSK_EVENT_EXPIRED: return "expired";
    case TAPPET_KIOSK_EVENT_UNDELIVERABLE: return "undeliverable";
    case TAPPET_KIOSK_EVENT_BROKER_CONNECTED: return "connected";
    case TAPPET_KIOSK_EVENT_BROKER_UNREACHABLE: return "unreachable";
    case TAPPET_KIOSK_EVENT_BROKER_LOST: return "lost";
    case TAPPET_KIOSK_EVENT_BROKER_STORM: return "storm";
    default: return NULL;
  }
}

static void note(void *context, const struct tappet_kiosk_event *event) {
  struct session *session = context;
  const char *name = word(event->type);
  if (name == NULL) return;
  printf("%.4f %d %s ", now(), session->number, name);
  if (event->type == TAPPET_KIOSK_EVENT_ACCEPTED || event->type == TAPPET_KIOSK_EVENT_REFUSED) {
    double pressed = session->first != session->next ? session->pressed[session->first++ % PRESSES_MAX] : 0;
    if (event->type == TAPPET_KIOSK_EVENT_ACCEPTED) printf("%s %.4f\n", event->id, pressed);
    else printf("%s\n", event->sentence);
  } else printf("%s\n", event->type == TAPPET_KIOSK_EVENT_DELIVERED ? event->id : event->sentence);
}

static void open_session(struct session *session, const char *path) {
  struct epoll_event entry = {.events = EPOLLIN, .data.ptr = session};
  if (tappet_kiosk_new(&session->kiosk) < 0) fail("no object", session->number, "out of memory");
  tappet_kiosk_set_event_callback(session->kiosk, note, session);
  int result = tappet_kiosk_load(session->kiosk, path);
  if (result == 0) result = tappet_kiosk_start(session->kiosk);
  struct tappet_failure failure = {.size = sizeof failure};
  if (result < 0 && tappet_kiosk_last_error(session->kiosk, &failure) >= 0)
    fail(tappet_strerror(result), session->number, failure.sentence);
  if (epoll_ctl(poller, EPOLL_CTL_ADD, tappet_kiosk_fd(session->kiosk), &entry) != 0)
    fail("epoll", session->number, "refused");
  running++;
}

static void press_next(void) {
  static int turn;
  struct session *session = &sessions[turn++ % session_count];
  if (session->next - session->first == PRESSES_MAX) return; /* Nobody presses a kiosk that does not answer. */
  session->pressed[session->next++ % PRESSES_MAX] = now();
  if (tappet_kiosk_press(session->kiosk, "bell") < 0) session->next--;
}

static void set_pace(long milliseconds) {
  struct itimerspec time = {.it_interval = {milliseconds / 1000, milliseconds % 1000 * 1000000}};
  time.it_value = time.it_interval;
  timerfd_settime(timer, 0, &time, NULL);
}

/* Handles what is ready; returns false at the end of the input. */
static bool turn(int timeout) {
  struct epoll_event ready[BATCH];
  int count = epoll_wait(poller, ready, BATCH, timeout);
  for (int index = 0; index < count; index++) {
    void *source = ready[index].data.ptr;
    uint64_t presses = 0;
    char line[64];
    if (source == &timer) {
      if (read(timer, &presses, sizeof presses) != sizeof presses) presses = 0;
      while (presses-- > 0) press_next();
    } else if (source == NULL) {
      if (fgets(line, sizeof line, stdin) == NULL) return false;
      if (strncmp(line, "pace ", 5) == 0) set_pace(atol(line + 5));
    } else {
      struct session *session = source;
      int fd = tappet_kiosk_fd(session->kiosk);
      if (tappet_kiosk_dispatch(session->kiosk) == 1) continue;
      epoll_ctl(poller, EPOLL_CTL_DEL, fd, NULL);
      running--;
    }
  }
  fflush(stdout);
  return true;
}

static void watch(int fd, void *source) {
  struct epoll_event entry = {.events = EPOLLIN, .data.ptr = source};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &entry) != 0) fail("epoll", -1, "refused");
}

int main(int count, char **words) {
  const struct rlimit files = {65536, 65536};
  if (count < 2) return 2;
  setrlimit(RLIMIT_NOFILE, &files);
  setvbuf(stdin, NULL, _IONBF, 0);
  poller = epoll_create1(EPOLL_CLOEXEC);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK); /* The pace may end in the same turn. */
  session_count = count - 1;
  sessions = calloc((size_t)session_count, sizeof *sessions);
  if (sessions == NULL) return EXIT_FAILURE;
  for (int number = 0; number < session_count; number++) {
    sessions[number].number = number;
    open_session(&sessions[number], words[number + 1]);
    turn(0);
  }
  watch(timer, &timer);
  watch(STDIN_FILENO, NULL);
  while (turn(-1)) {}
  set_pace(0);
  epoll_ctl(poller, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
  for (int number = 0; number < session_count; number++) tappet_kiosk_stop(sessions[number].kiosk);
  for (double end = now() + STOP_SECONDS; running > 0 && now() < end;) turn(100);
  for (int number = 0; number < session_count; number++) tappet_kiosk_free(sessions[number].kiosk);
  free(sessions);
  return EXIT_SUCCESS;
}
