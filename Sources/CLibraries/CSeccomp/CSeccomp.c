#define _GNU_SOURCE 1
#include "CSeccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

/* The calls for reading, writing and waiting on open descriptors, and for an orderly end: libnfc with a serial line,
   I2C, SPI or USB, and the C library below it. A call that this processor does not have is left out. */
static const int allowed[] = {
  SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64), SCMP_SYS(pwrite64),
  SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(flock), SCMP_SYS(sendto), SCMP_SYS(sendmsg),
  SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(shutdown), SCMP_SYS(ppoll), SCMP_SYS(pselect6),
  SCMP_SYS(epoll_pwait), SCMP_SYS(timerfd_settime), SCMP_SYS(timerfd_gettime), SCMP_SYS(clock_gettime),
  SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(futex),
  SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(getrandom), SCMP_SYS(sched_yield),
  SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(restart_syscall),
  SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(poll), SCMP_SYS(select),
  SCMP_SYS(epoll_wait), SCMP_SYS(time),
};

/* In addition, the calls of an HTTP client: sockets, the resolver with its threads, and its files, which are only read.
   A database that is already open may be written. */
static const int allowed_network[] = {
  SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(getsockname), SCMP_SYS(getpeername), SCMP_SYS(getsockopt),
  SCMP_SYS(setsockopt), SCMP_SYS(sendmmsg), SCMP_SYS(recvmmsg), SCMP_SYS(pipe2), SCMP_SYS(eventfd2),
  SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(faccessat), SCMP_SYS(readlinkat), SCMP_SYS(uname),
  SCMP_SYS(sysinfo), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
  SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_getaffinity), SCMP_SYS(sigaltstack), SCMP_SYS(dup),
  SCMP_SYS(dup3), SCMP_SYS(fsync), SCMP_SYS(fdatasync), SCMP_SYS(ftruncate), SCMP_SYS(stat), SCMP_SYS(lstat),
  SCMP_SYS(access), SCMP_SYS(readlink), SCMP_SYS(pipe),
};

/* And those of a server with a listening socket, which asks the kiosk over a Unix socket. GnuTLS counts resources. */
static const int allowed_server[] = {
  SCMP_SYS(accept4), SCMP_SYS(accept), SCMP_SYS(connect), SCMP_SYS(getsockname), SCMP_SYS(getpeername),
  SCMP_SYS(getsockopt), SCMP_SYS(setsockopt), SCMP_SYS(epoll_ctl), SCMP_SYS(getrusage), SCMP_SYS(set_robust_list),
};

/* ioctl requests for serial lines and sockets. Omitted are those that insert terminal input, make the kernel signal
   another process (FIOASYNC, FIOSETOWN, SIOCSPGRP), or change the line discipline (TIOCSETD). libnfc sets up I2C only
   while it opens the device. */
static const uint32_t allowed_requests[] = {
  TCGETS, TCSETS, TCSETSW, TCSETSF, 0x802C542A /* TCGETS2 */, 0x402C542B /* TCSETS2 */, 0x402C542C, 0x402C542D,
  TCSBRK, TCFLSH, TIOCMGET, TIOCMBIS, TIOCMBIC, TIOCMSET, TIOCOUTQ, FIONREAD, FIONBIO,
};

/* fcntl commands for flags, locks and copies of descriptors; most others set a process that receives signals. */
static const uint32_t allowed_commands[] = {
  F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_GETLK, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC,
};

/* Calls that are allowed only with certain arguments; only the lower half of an argument is checked. */
struct rule {
  int call;
  unsigned count;
  struct scmp_arg_cmp conditions[2];
};
#define BITS(argument, mask, value) { argument, SCMP_CMP_MASKED_EQ, mask, value }
#define IS(argument, value) BITS(argument, UINT32_MAX, value)

/* The bits of a socket's type that are not flags. */
enum { TYPE_MASK = 0xF };

static const struct rule rules[] = {
  { SCMP_SYS(mmap), 1, { BITS(2, PROT_EXEC, 0) } },
  { SCMP_SYS(mprotect), 1, { BITS(2, PROT_EXEC, 0) } },
  { SCMP_SYS(fcntl), 2, { IS(1, F_SETFL), BITS(2, O_ASYNC, 0) } },
  /* All requests of usbfs and spidev, because they contain sizes. */
  { SCMP_SYS(ioctl), 1, { BITS(1, 0xFF00, 'U' << 8) } },
  { SCMP_SYS(ioctl), 1, { BITS(1, 0xFF00, 'k' << 8) } },
};

/* Files are only read; threads may be started, but not processes. A Unix socket could reach the kiosk, with its keys
   and outputs, and the system's services, so only socket pairs are allowed, of the type that cannot be connected
   elsewhere. The resolver queries netlink for the machine's addresses. */
static const struct rule rules_network[] = {
  { SCMP_SYS(openat), 1, { BITS(2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0) } },
  { SCMP_SYS(clone), 1, { BITS(0, CLONE_THREAD, CLONE_THREAD) } },
  { SCMP_SYS(socket), 2, { IS(0, AF_INET), BITS(1, TYPE_MASK, SOCK_STREAM) } },
  { SCMP_SYS(socket), 2, { IS(0, AF_INET), BITS(1, TYPE_MASK, SOCK_DGRAM) } },
  { SCMP_SYS(socket), 2, { IS(0, AF_INET6), BITS(1, TYPE_MASK, SOCK_STREAM) } },
  { SCMP_SYS(socket), 2, { IS(0, AF_INET6), BITS(1, TYPE_MASK, SOCK_DGRAM) } },
  { SCMP_SYS(socket), 2, { IS(0, AF_NETLINK), IS(2, NETLINK_ROUTE) } },
  { SCMP_SYS(socketpair), 1, { BITS(1, TYPE_MASK, SOCK_STREAM) } },
};

/* No socket of the server's leads to another machine, and of those on this one, only to servers of packets. */
static const struct rule rules_server[] = {
  { SCMP_SYS(socket), 2, { IS(0, AF_UNIX), BITS(1, TYPE_MASK, SOCK_SEQPACKET) } },
};

#define COUNT(list) (sizeof list / sizeof *list)

static int allow(
    scmp_filter_ctx filter, const int *calls, size_t count, const struct rule *list, size_t list_count) {
  int result = 0;
  for (size_t index = 0; index < count && result == 0; index++)
    result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, calls[index], 0, NULL);
  for (const struct rule *each = list; each < list + list_count && result == 0; each++)
    result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, each->call, each->count, each->conditions);
  return result;
}

/* Allows a call with any of these values of an argument. */
static int allow_values(scmp_filter_ctx filter, int call, unsigned argument, const uint32_t *values, size_t count) {
  int result = 0;
  for (size_t index = 0; index < count && result == 0; index++) {
    const struct scmp_arg_cmp condition = IS(argument, values[index]);
    result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &condition);
  }
  return result;
}

static int fill(scmp_filter_ctx filter, enum ts_purpose purpose) {
  const uint32_t own = (uint32_t)getpid();
  int result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  /* For all threads, because libusb has its own. */
  if (result == 0) result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  if (result == 0) result = allow(filter, allowed, COUNT(allowed), rules, COUNT(rules));
  /* abort() sends a signal to its own process. */
  if (result == 0) result = allow_values(filter, SCMP_SYS(tgkill), 0, &own, 1);
  if (result == 0) result = allow_values(filter, SCMP_SYS(fcntl), 1, allowed_commands, COUNT(allowed_commands));
  if (result == 0) result = allow_values(filter, SCMP_SYS(ioctl), 1, allowed_requests, COUNT(allowed_requests));
  if (result == 0 && purpose == TS_SERVER)
    return allow(filter, allowed_server, COUNT(allowed_server), rules_server, COUNT(rules_server));
  if (result != 0 || purpose == TS_READER) return result;
  /* Without clone3, glibc uses clone, whose flags can be checked. */
  result = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0, NULL);
  if (result != 0) return result;
  return allow(filter, allowed_network, COUNT(allowed_network), rules_network, COUNT(rules_network));
}

int ts_allow(enum ts_purpose purpose) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == NULL) return -1;
  int result = fill(filter, purpose);
  if (result == 0) result = seccomp_load(filter);
  seccomp_release(filter);
  /* Building the rules takes 110 KB, which a process that runs for months gives back. */
  malloc_trim(0);
  return result;
}
