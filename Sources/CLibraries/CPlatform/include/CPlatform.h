/* Parts of libc that Embedded Swift cannot call directly: its headers, and wrappers of its macros and variadic
   functions. This code makes no decisions. */
#ifndef TAPPET_CPLATFORM_H
#define TAPPET_CPLATFORM_H

/* No module header defines _GNU_SOURCE: it makes glibc declare some types differently from the modules of Foundation,
   and a clean build fails. CPlatform.c defines it for the functions that need it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <iconv.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* Declared by glibc only with _GNU_SOURCE. */
char *secure_getenv(const char *name);
void *memmem(const void *bytes, size_t size, const void *wanted, size_t wanted_size);
int pthread_setname_np(pthread_t thread, const char *name);
int ppoll(struct pollfd *entries, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
int pipe2(int ends[2], int flags);
int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *deadline);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int posix_openpt(int flags);
int grantpt(int fd);
int unlockpt(int fd);
int ptsname_r(int fd, char *name, size_t size);

/* Returns unused memory from malloc to the kernel. */
static inline void tp_give_back(void) { malloc_trim(0); }

static inline int tp_errno(void) { return errno; }
static inline void tp_set_errno(int value) { errno = value; }

/* Variadic in libc. */
static inline int tp_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int tp_fcntl_get(int fd, int command) { return fcntl(fd, command); }
static inline int tp_fcntl_set(int fd, int command, int value) { return fcntl(fd, command, value); }
static inline int tp_ioctl_pointer(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument);
}
static inline int tp_prctl(int option, unsigned long a, unsigned long b) { return prctl(option, a, b, 0, 0); }

/* Number of bytes that a user may still write to the file system of `path`; -1 if unknown. */
static inline int64_t tp_free_space(const char *path) {
  struct statvfs status;
  if (statvfs(path, &status) != 0) return -1;
  return (int64_t)status.f_bavail * (int64_t)status.f_frsize;
}

/* Allocates disk blocks for the first `size` bytes of a file that this process has open, so that no write through a
   mapping can fail on a full disk. Uses the open descriptor, because opening and closing the file again would drop this
   process's locks on it. Returns -1 if there is no room; 0 even if the file system cannot tell. */
int tp_reserve_open_file(const char *path, int64_t size);

/* Functions for macros, which Swift cannot call. */
static inline int tp_wait_exited(int status) { return WIFEXITED(status); }
static inline int tp_wait_exit_status(int status) { return WEXITSTATUS(status); }
static inline int tp_wait_signaled(int status) { return WIFSIGNALED(status); }
static inline int tp_wait_signal(int status) { return WTERMSIG(status); }

/* SIG_IGN is a cast. */
static inline void tp_ignore_signal(int number) { signal(number, SIG_IGN); }

/* Whether malloc can currently provide this many bytes; not inline, because the optimizer removes a malloc whose result
   is only freed. */
bool tp_has_room(size_t size);

/* Called before and after a function that ignores SIGPIPE for the whole process: restores the process's own action. */
void tp_keep_sigpipe(struct sigaction *own);
void tp_restore_sigpipe(const struct sigaction *own);

/* A global that C may change at any time. */
char *const *tp_environ(void);

/* The library's only mutex; protects the table of its C objects. */
void tp_library_lock(void);
void tp_library_unlock(void);

/* The file that this code was loaded from: a program, or libtappet.so; valid while it is loaded. */
const char *tp_library_path(void);

/* In glibc since 2.36, but its header conflicts with the kernel's. */
static inline int tp_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

/* Opens a path of any type without opening the file itself (O_PATH), so that closing it releases no locks, and the file
   cannot be replaced between fstat and tp_chmod_place. `folder` may be AT_FDCWD, and `flags` O_NOFOLLOW. */
int tp_open_place(int folder, const char *name, int flags);
int tp_chmod_place(int place, mode_t mode);

/* Calls libmosquitto to read packets: at most `size_max` bytes from `fd`, after which reads return EAGAIN. Returns its
   result, or `failed` if one of its assertions failed: the object can then only be destroyed. Effective only where
   CPlatform's read and __assert_fail precede libc's: in programs, but not in libtappet.so. */
struct mosquitto;
int tp_read_packets(
    int (*call)(struct mosquitto *, int), struct mosquitto *object, int fd, size_t size_max, int failed);

/* Number of bytes that the other end of a TCP connection has sent so far; -1 if unknown. */
int64_t tp_bytes_received(int fd);
/* Addresses of the first interface that is up, except loopback: 6 bytes of hardware address, 4 of IPv4 address. */
void tp_network_identity(uint8_t addresses[10]);
/* Sets how many bytes the other end may send before they are read. */
int tp_set_window(int fd, int bytes);

/* Raises the limit of open descriptors to `count`, or to the hard limit; returns the new limit. */
size_t tp_raise_descriptors(size_t count);

/* Changes root to nobody (65534), whom no service trusts; other users stay as they are. Must precede Landlock, because
   glibc signals all threads for the change. */
int tp_drop_root(void);
/* Drops root's capabilities, if the user could not be changed. */
int tp_drop_capabilities(void);

/* Limits this process's private memory, and the stack of each new thread, which is part of it. */
void tp_limit_data(size_t bytes, size_t stack_size);

/* Permanently denies this process the given rights (Landlock's handled_access_fs, handled_access_net and scoped); files
   at and below the paths in `readable`, which ends with NULL, can still be read. */
int tp_landlock_confine(uint64_t files, uint64_t network, uint64_t scopes, const char *const *readable);
/* Loads the modules that the name resolver would otherwise load for its first query. */
void tp_load_resolver_modules(void);

/* glibc has no functions for Landlock, and syscall() is variadic. The second field exists since version 4 of Landlock,
   the third since version 6. */
static inline int tp_landlock_version(void) {
  return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
}
/* getopt's global variables. */
static inline const char *tp_optarg(void) { return optarg; }
static inline int tp_optind(void) { return optind; }
static inline int tp_optopt(void) { return optopt; }
static inline void tp_reset_getopt(void) { optind = 0; }

/* Enumerations in glibc, which Swift would import as separate types. */
static inline int tp_sock_stream(void) { return SOCK_STREAM; }
static inline int tp_sock_seqpacket(void) { return SOCK_SEQPACKET; }
static inline int tp_sock_dgram(void) { return SOCK_DGRAM; }
static inline int tp_sock_flags(void) { return SOCK_CLOEXEC | SOCK_NONBLOCK; }
static inline void tp_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

/* Transparent unions in glibc. */
static inline int tp_bind_unix(int fd, const struct sockaddr_un *address) {
  return bind(fd, (const struct sockaddr *)address, sizeof *address);
}
static inline int tp_connect_unix(int fd, const struct sockaddr_un *address) {
  return connect(fd, (const struct sockaddr *)address, sizeof *address);
}
/* `size` is that of the address; an abstract name ends with the address. */
static inline ssize_t tp_sendto_unix(
  int fd, const struct sockaddr_un *address, socklen_t size, const void *data, size_t count) {
  return sendto(fd, data, count, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)address, size);
}
int tp_accept(int fd, int flags);

/* Returns the user and process id of the process that connected. */
int tp_peer(int fd, uid_t *user, pid_t *process);

/* Opens a file without a name; O_TMPFILE consists of several constants. */
int tp_open_unnamed(const char *folder);

static inline int tp_shut_write(void) { return SHUT_WR; }
static inline int tp_sfd_flags(void) { return SFD_CLOEXEC | SFD_NONBLOCK; }
static inline int tp_is_character_device(mode_t mode) { return S_ISCHR(mode); }
static inline int tp_is_link(mode_t mode) { return S_ISLNK(mode); }
static inline int tp_is_regular_file(mode_t mode) { return S_ISREG(mode); }
static inline int tp_is_socket(mode_t mode) { return S_ISSOCK(mode); }

static inline FILE *tp_stdout(void) { return stdout; }
static inline FILE *tp_stderr(void) { return stderr; }
/* Opens /dev/null for reading in place of closed standard descriptors: a file that a library opened as 1 or 2 would
   receive our output, and libnfc fails without 0. Writes to them still fail, and are detected. */
void tp_open_standard_descriptors(void);
/* Writes and flushes immediately. Single-threaded. */
void tp_put(FILE *stream, const void *bytes, size_t size);
/* The errno of the first failed write to stdout; 0 if none failed. */
int tp_output_error(void);

/* The parts of an event of an input device (linux/input.h) that a scanner needs. */
struct tp_input_event {
  bool is_key;          /* EV_KEY: `code` was pressed (1), released (0) or repeated (2) */
  bool is_dropped;      /* SYN_DROPPED: events are missing */
  uint16_t code;
  int32_t value;
  int64_t milliseconds; /* when, on the device's clock */
};
typedef struct tp_input_event tp_input_event;
/* Whether the descriptor is an input device with an Enter key. */
bool tp_is_keyboard(int fd);
/* Makes the device report only to this descriptor; -1 with errno. */
int tp_grab_input(int fd);
/* Reads an event: returns 1; 0 if there is none; -1 with errno if the device is gone. */
int tp_read_input(int fd, tp_input_event *event);

#endif
