/* Has a named pipe pass for a barcode scanner: LD_PRELOAD loads it into tappet-inventory, whose request to read the
   device alone then succeeds, as does its question for the keys. The test writes the kernel's input events to the
   pipe. */
#define _GNU_SOURCE
#include <linux/input.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int ioctl(int fd, unsigned long request, ...) {
  if (request == EVIOCGRAB) return 0;
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (_IOC_TYPE(request) == 'E') { /* EVIOCGBIT: it has every key */
    memset(argument, 0xFF, _IOC_SIZE(request));
    return 0;
  }
  return (int)syscall(SYS_ioctl, fd, request, argument);
}
