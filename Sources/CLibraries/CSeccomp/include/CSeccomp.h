/* The system calls that are left to a process which parses what others send it, using libseccomp. */
#ifndef TAPPET_CSECCOMP_H
#define TAPPET_CSECCOMP_H

#include <stdbool.h>

/* Refuses (EPERM) all system calls to this process from now on but those that a reader with an open device makes, and
   sets no_new_privs. With `network`, an HTTP client's are allowed, too. Negative: this kernel cannot. */
int ts_allow(bool network);

#endif
