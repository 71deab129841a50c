#define _GNU_SOURCE 1
#include "CPlatform.h"

#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

/* Initialised by the linker: a lazily made mutex of Swift's would have no acquire ordering on arm64. */
static pthread_mutex_t library_mutex = PTHREAD_MUTEX_INITIALIZER;

void tp_library_lock(void) { pthread_mutex_lock(&library_mutex); }
void tp_library_unlock(void) { pthread_mutex_unlock(&library_mutex); }

/* The child of a fork has only the thread that forked, so no other thread may have the mutex at that moment. */
static void __attribute__((constructor)) keep_mutex_over_fork(void) {
  pthread_atfork(tp_library_lock, tp_library_unlock, tp_library_unlock);
}

/* Two threads at once would save each other's SIG_IGN as the process's own. */
static pthread_mutex_t sigpipe_mutex = PTHREAD_MUTEX_INITIALIZER;

void tp_keep_sigpipe(struct sigaction *own) {
  pthread_mutex_lock(&sigpipe_mutex);
  sigaction(SIGPIPE, NULL, own);
}

void tp_restore_sigpipe(const struct sigaction *own) {
  struct sigaction now;
  sigaction(SIGPIPE, NULL, &now);
  /* Anything else was set by the program meanwhile. */
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

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* New sockets, other programs, other processes, and doors into the kernel that nobody needs who reads a serial line. */
static const uint32_t denied[] = {
  SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
  SYS_execve, SYS_execveat, SYS_clone, SYS_clone3,
#ifdef SYS_fork
  SYS_fork, SYS_vfork,
#endif
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_pidfd_send_signal, SYS_pidfd_getfd,
  SYS_bpf, SYS_io_uring_setup, SYS_userfaultfd, SYS_perf_event_open, SYS_keyctl, SYS_add_key, SYS_request_key,
  SYS_mount, SYS_umount2, SYS_unshare, SYS_setns, SYS_init_module, SYS_finit_module, SYS_kexec_load,
};

int tp_seccomp_deny(void) {
#ifdef ARCHITECTURE
  enum { COUNT = sizeof denied / sizeof denied[0], HEAD = 5, REFUSAL = HEAD + COUNT + 1 };
  struct sock_filter code[REFUSAL + 1] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    /* The numbers of x32 programs, which are the same calls: there are none of it. */
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, REFUSAL - HEAD, 0),
  };
  for (int index = 0; index < COUNT; index++)
    code[HEAD + index] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied[index], COUNT - index, 0);
  code[REFUSAL - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[REFUSAL] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  const struct sock_fprog program = { REFUSAL + 1, code };
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
  return -1;
#endif
}
