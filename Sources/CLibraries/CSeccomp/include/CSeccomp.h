/* Restricts the system calls of a process that parses untrusted input, using libseccomp. */
#ifndef TAPPET_CSECCOMP_H
#define TAPPET_CSECCOMP_H

#include <stdbool.h>

/* From now on, refuses (EPERM) all system calls of this process except those of a reader with an open device, and sets
   no_new_privs. With `network`, those of an HTTP client are also allowed. Negative if the kernel cannot do this. */
int ts_allow(bool network);

#endif
