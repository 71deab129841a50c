#define _GNU_SOURCE 1
#include "CPlatform.h"

#include <net/if.h>
#include <netinet/in.h>

#include <dlfcn.h>
#include <linux/capability.h>
#include <linux/input.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/resource.h>

/* Initialized statically: a lazily created Swift mutex would have no acquire ordering on arm64. */
static pthread_mutex_t library_mutex = PTHREAD_MUTEX_INITIALIZER;

void tp_library_lock(void) { pthread_mutex_lock(&library_mutex); }
void tp_library_unlock(void) { pthread_mutex_unlock(&library_mutex); }

/* A forked child has only the forking thread, so no other thread may hold the mutex during the fork. */
static void __attribute__((constructor)) keep_mutex_over_fork(void) {
  pthread_atfork(tp_library_lock, tp_library_unlock, tp_library_unlock);
}

int tp_reserve_open_file(const char *path, int64_t size) {
  struct stat wanted, found;
  if (stat(path, &wanted) != 0) return 0;
  for (int fd = 3; fd < 1024; fd++) {
    if (fstat(fd, &found) != 0 || found.st_dev != wanted.st_dev || found.st_ino != wanted.st_ino) continue;
    int result;
    do result = fallocate(fd, 0, 0, size);
    while (result == -1 && errno == EINTR);
    if (result == 0) return 0;
    if (errno == ENOSPC || errno == EDQUOT) return -1;
  }
  return 0;
}

/* Without it, two threads could save each other's SIG_IGN as the process's own action. */
static pthread_mutex_t sigpipe_mutex = PTHREAD_MUTEX_INITIALIZER;

void tp_keep_sigpipe(struct sigaction *own) {
  pthread_mutex_lock(&sigpipe_mutex);
  sigaction(SIGPIPE, NULL, own);
}

void tp_restore_sigpipe(const struct sigaction *own) {
  struct sigaction now;
  sigaction(SIGPIPE, NULL, &now);
  /* Any other action was set by the program in the meantime. */
  if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN) sigaction(SIGPIPE, own, NULL);
  pthread_mutex_unlock(&sigpipe_mutex);
}

bool tp_has_room(size_t size) {
  void *volatile memory = malloc(size);
  const bool is_there = memory != NULL;
  free(memory);
  return is_there;
}

const char *tp_library_path(void) {
  Dl_info information;
  return dladdr((void *)&library_mutex, &information) != 0 ? information.dli_fname : NULL;
}

char *const *tp_environ(void) { return environ; }

int tp_accept(int fd, int flags) { return accept4(fd, NULL, NULL, flags); }

int tp_peer(int fd, uid_t *user, pid_t *process) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *user = peer.uid;
  *process = peer.pid;
  return 0;
}

/* libmosquitto fails an assertion where it logs an unknown property of MQTT 5 (log__printf(NULL, ...), 2.0.11 to
   2.0.20). It holds no lock there, and only its own frames are skipped; the memory of the partial packet is leaked. */
static __thread sigjmp_buf *assertion_exit;
/* libmosquitto reads a packet of any size (256 MB) as long as bytes arrive, directly or through OpenSSL. */
static __thread int bounded_fd = -1;
static __thread size_t bounded_size;

int tp_read_packets(
    int (*call)(struct mosquitto *, int), struct mosquitto *object, int fd, size_t size_max, int failed) {
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0) return failed;
  assertion_exit = &here;
  bounded_fd = fd;
  bounded_size = size_max;
  int result = call(object, 1);
  bounded_fd = -1;
  assertion_exit = NULL;
  return result;
}

/* Both are weak, because a statically linked program may also contain libc's. */
__attribute__((weak)) ssize_t read(int fd, void *buffer, size_t size) {
  if (fd != bounded_fd || fd < 0) return syscall(SYS_read, fd, buffer, size);
  if (bounded_size == 0) {
    errno = EAGAIN;
    return -1;
  }
  ssize_t count = syscall(SYS_read, fd, buffer, size < bounded_size ? size : bounded_size);
  if (count > 0) bounded_size -= (size_t)count;
  return count;
}

__attribute__((weak, noreturn)) void __assert_fail(
    const char *assertion, const char *file, unsigned line, const char *function) {
  sigjmp_buf *exit = assertion_exit;
  bounded_fd = -1;
  assertion_exit = NULL;
  if (exit != NULL) siglongjmp(*exit, 1);
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  abort();
}

int64_t tp_bytes_received(int fd) {
  struct tcp_info information;
  socklen_t size = sizeof information;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &information, &size) != 0) return -1;
  if (size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof information.tcpi_bytes_received) return -1;
  return (int64_t)information.tcpi_bytes_received;
}

size_t tp_raise_descriptors(size_t count) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur >= count) return limit.rlim_cur;
  struct rlimit wanted = limit;
  wanted.rlim_cur = count < limit.rlim_max ? count : limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &wanted) == 0 ? wanted.rlim_cur : limit.rlim_cur;
}

int tp_set_window(int fd, int bytes) { return setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &bytes, sizeof bytes); }

int tp_open_place(int folder, const char *name, int flags) { return openat(folder, name, O_PATH | O_CLOEXEC | flags); }

int tp_chmod_place(int place, mode_t mode) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", place);
  return chmod(path, mode);
}

int tp_open_unnamed(const char *folder) { return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600); }

void tp_open_standard_descriptors(void) {
  int descriptor;
  do {
    descriptor = open("/dev/null", O_RDONLY);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor >= 0) close(descriptor);
}

static int output_error;

void tp_put(FILE *stream, const void *bytes, size_t size) {
  errno = 0;
  if ((fwrite(bytes, 1, size, stream) != size || fflush(stream) != 0) && stream == stdout && output_error == 0)
    output_error = errno != 0 ? errno : EIO;
}

int tp_output_error(void) { return output_error; }

int tp_landlock_confine(uint64_t files, uint64_t network, uint64_t scopes, const char *const *readable) {
  /* Older kernels accept only the first fields. */
  const struct { uint64_t files, network, scopes; } rules = { files, network, scopes };
  const size_t size = sizeof files * (scopes != 0 ? 3 : network != 0 ? 2 : 1);
  const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  if (ruleset < 0) return -1;
  for (; *readable != NULL; readable++) {
    const int place = open(*readable, O_PATH | O_CLOEXEC);
    if (place < 0) continue;
    const struct { uint64_t access; int32_t fd; } __attribute__((packed)) rule = { 1 << 2 /* READ_FILE */, place };
    syscall(SYS_landlock_add_rule, ruleset, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0);
    close(place);
  }
  const int result = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
  close(ruleset);
  return result;
}

void tp_load_resolver_modules(void) {
  FILE *file = fopen("/etc/nsswitch.conf", "re");
  if (file == NULL) return;
  char line[512];
  while (fgets(line, sizeof line, file) != NULL) {
    char *rest = NULL;
    const char *word = strtok_r(line, " \t\n", &rest);
    if (word == NULL || strcmp(word, "hosts:") != 0) continue;
    while ((word = strtok_r(NULL, " \t\n", &rest)) != NULL) {
      char name[64];
      if (word[0] == '[' || strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(word)) continue;
      snprintf(name, sizeof name, "libnss_%s.so.2", word);
      dlopen(name, RTLD_LAZY);
    }
  }
  fclose(file);
}

void tp_limit_data(size_t bytes, size_t stack_size) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_size);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  const struct rlimit limit = { bytes, bytes };
  setrlimit(RLIMIT_DATA, &limit);
}

int tp_drop_root(void) {
  enum { NOBODY = 65534 };
  if (geteuid() != 0) return 0;
  if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0) return -1;
  const int result = setresuid(NOBODY, NOBODY, NOBODY);
  /* A change of user resets it according to fs.suid_dumpable. */
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return result;
}

int tp_drop_capabilities(void) {
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0, 0, 0 } };
  return (int)syscall(SYS_capset, &header, none);
}

void tp_network_identity(uint8_t addresses[10]) {
  memset(addresses, 0, 10);
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  struct ifreq requests[16];
  struct ifconf list = {.ifc_len = sizeof requests, .ifc_req = requests};
  int count = ioctl(fd, SIOCGIFCONF, &list) == 0 ? list.ifc_len / (int)sizeof requests[0] : 0;
  for (int i = 0; i < count; i++) {
    struct ifreq request = requests[i];
    if (ioctl(fd, SIOCGIFFLAGS, &request) != 0) continue;
    if (request.ifr_flags & IFF_LOOPBACK || !(request.ifr_flags & IFF_UP)) continue;
    struct sockaddr_in address;
    memcpy(&address, &requests[i].ifr_addr, sizeof address);
    memcpy(addresses + 6, &address.sin_addr, 4);
    if (ioctl(fd, SIOCGIFHWADDR, &request) == 0) memcpy(addresses, request.ifr_hwaddr.sa_data, 6);
    break;
  }
  close(fd);
}

bool tp_is_keyboard(int fd) {
  unsigned char keys[KEY_MAX / 8 + 1] = { 0 };
  return ioctl(fd, EVIOCGBIT(EV_KEY, sizeof keys), keys) >= 0 && keys[KEY_ENTER / 8] & (1 << (KEY_ENTER % 8));
}

int tp_grab_input(int fd) { return ioctl(fd, EVIOCGRAB, 1); }

int tp_read_input(int fd, tp_input_event *event) {
  struct input_event read_event;
  ssize_t size;
  while ((size = read(fd, &read_event, sizeof read_event)) < 0 && errno == EINTR) {}
  if (size < 0 && errno == EAGAIN) return 0;
  if (size != (ssize_t)sizeof read_event) {
    if (size >= 0) errno = ENODEV;
    return -1;
  }
  event->is_key = read_event.type == EV_KEY;
  event->is_dropped = read_event.type == EV_SYN && read_event.code == SYN_DROPPED;
  event->code = read_event.code;
  event->value = read_event.value;
  event->milliseconds = (int64_t)read_event.input_event_sec * 1000 + read_event.input_event_usec / 1000;
  return 1;
}
