/* Brings about faults that no test can wait for, at a chosen moment. LD_PRELOAD loads it into a program as it ships.

     TAPPET_FAULT_CLOCK=S      the program's wall clock shows S seconds since 1970 when it starts
     TAPPET_FAULT_SYNCED=1     the kernel calls the clock synchronized
     TAPPET_FAULT_FULL=N       its N-th write to a file writes half, and every later one finds the disk full
     TAPPET_FAULT_KILL=N       SIGKILL just before its N-th change of a file or a folder
     TAPPET_FAULT_SYNC=MS      each of its syncs of a file or a folder takes MS milliseconds longer
     TAPPET_FAULT_COUNTS=FILE  at its end, FILE holds the numbers of writes, changes and syncs

   It sees calls through libc's functions only: neither the writes of stdio, nor those of a child before exec. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static long writes, changes, syncs, full_at, kill_at, sync_ms, clock_offset;
static const char *counts;

static long setting(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void) {
  full_at = setting("TAPPET_FAULT_FULL");
  kill_at = setting("TAPPET_FAULT_KILL");
  sync_ms = setting("TAPPET_FAULT_SYNC");
  counts = getenv("TAPPET_FAULT_COUNTS");
  if (getenv("TAPPET_FAULT_CLOCK")) clock_offset = setting("TAPPET_FAULT_CLOCK") - time(NULL);
}

__attribute__((destructor)) static void end(void) {
  FILE *file = counts ? fopen(counts, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld %ld %ld\n", writes, changes, syncs);
  fclose(file);
}

static void change(void) {
  if (++changes == kill_at) kill(getpid(), SIGKILL);
}

/* Number of the `size` bytes that fit on the disk; -1, with errno set, when none do. */
static ssize_t room(int fd, size_t size) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return (ssize_t)size;
  change();
  writes++;
  if (full_at == 0 || writes < full_at) return (ssize_t)size;
  if (writes == full_at && size > 1) return (ssize_t)(size / 2);
  errno = ENOSPC;
  return -1;
}

ssize_t write(int fd, const void *bytes, size_t size) {
  const ssize_t some = room(fd, size);
  return some < 0 ? -1 : syscall(SYS_write, fd, bytes, (size_t)some);
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  const ssize_t some = room(fd, size);
  return some < 0 ? -1 : syscall(SYS_pwrite64, fd, bytes, (size_t)some, offset);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) { return pwrite(fd, bytes, size, offset); }

/* A card that is slow to sync. */
static void delay(void) {
  syncs++;
  struct timespec rest = { sync_ms / 1000, sync_ms % 1000 * 1000000 };
  while (sync_ms > 0 && nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
}

int fsync(int fd) { return change(), delay(), (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return change(), delay(), (int)syscall(SYS_fdatasync, fd); }
int ftruncate(int fd, off_t size) { return change(), (int)syscall(SYS_ftruncate, fd, size); }
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
int rename(const char *from, const char *to) { return change(), renameat(AT_FDCWD, from, AT_FDCWD, to); }
int unlink(const char *path) { return change(), unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return change(), unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int mkdir(const char *path, mode_t mode) { return change(), mkdirat(AT_FDCWD, path, mode); }
int link(const char *from, const char *to) {
  return change(), (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int linkat(int from, const char *old, int to, const char *new, int flags) {
  return change(), (int)syscall(SYS_linkat, from, old, to, new, flags);
}

int clock_gettime(clockid_t which, struct timespec *now) {
  const int result = (int)syscall(SYS_clock_gettime, which, now);
  if (result == 0 && which == CLOCK_REALTIME) now->tv_sec += clock_offset;
  return result;
}
int adjtimex(struct timex *state) {
  if (!setting("TAPPET_FAULT_SYNCED")) return (int)syscall(SYS_adjtimex, state);
  *state = (struct timex){ 0 };
  return TIME_OK;
}
int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  struct timespec exact;
  const int result = clock_gettime(CLOCK_REALTIME, &exact);
  *now = (struct timeval){ exact.tv_sec, exact.tv_nsec / 1000 };
  return result;
}
time_t time(time_t *now) {
  struct timespec exact = { 0 };
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now) *now = exact.tv_sec;
  return exact.tv_sec;
}
