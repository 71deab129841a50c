// Debian's libedit.so.2, loaded when a person is asked for a line on a terminal: no program is linked with it, so that
// a kiosk never maps it, and none needs it to start. One editor for the process, and one thread.

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

/// Shows a prompt on standard error and reads a line from standard input, with arrows, and Tab for paths. Nothing is
/// kept for later lines. The bytes, without the line end, are valid until the next call.
enum tl_outcome tl_read(const char *prompt, int end_fd, const char **ret_line, size_t *ret_size);

#endif
