/* Restricts the system calls of a process that parses untrusted input, using libseccomp. */
#ifndef TAPPET_CSECCOMP_H
#define TAPPET_CSECCOMP_H

/* A process that reads an open device, one that also makes requests as an HTTP client, or a server. */
enum ts_purpose { TS_READER, TS_CLIENT, TS_SERVER };

/* From now on, refuses (EPERM) all system calls of this process except those that its purpose needs, and sets
   no_new_privs. Negative if the kernel cannot do this. */
int ts_allow(enum ts_purpose purpose);

#endif
