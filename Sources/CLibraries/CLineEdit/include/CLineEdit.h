// Debian's libedit.so.2, loaded only to read a line from a terminal: no program is linked with it, so a kiosk
// never maps it, and none needs it to start. One editor per process; single-threaded.

#ifndef CLINEEDIT_H
#define CLINEEDIT_H

#include <stddef.h>

enum tl_outcome {
  TL_LINE = 0,
  /// The input has ended, or `end_fd` has become readable.
  TL_ENDED = 1,
  /// The library is not installed, or standard input and standard error are not both a terminal that it supports.
  TL_NO_EDITOR = 2
};

/// Shows a prompt on standard error and reads a line from standard input, with arrow keys, and Tab for paths, but
/// without a history. The bytes, without the line end, are valid until the next call.
enum tl_outcome tl_read(const char *prompt, int end_fd, const char **ret_line, size_t *ret_size);

#endif
