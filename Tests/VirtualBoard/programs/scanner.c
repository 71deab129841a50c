/* A barcode scanner that acts as a keyboard: an input device that the kernel makes for it (linux/uinput.h).

     scanner LINK PIPE   makes LINK point to the event device, makes the named pipe PIPE, and types what is written to
                         it: digits, capital letters, hyphens, and Enter for a line's end. Its end unplugs it */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <linux/uinput.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void fail(const char *what) {
  perror(what);
  exit(1);
}

static void send_key(int device, int code, int value) {
  const struct input_event events[] = {
    { .type = EV_KEY, .code = (unsigned short)code, .value = value }, { .type = EV_SYN, .code = SYN_REPORT },
  };
  if (write(device, events, sizeof events) != sizeof events) fail("scanner: write");
}

/* The key of a character: a place in a row of the keyboard, from the key of the row's first number on. */
static int key_of(char character) {
  static const struct {
    int first;
    const char *characters;
  } rows[] = {
    { KEY_1, "1234567890-" }, { KEY_Q, "QWERTYUIOP" }, { KEY_A, "ASDFGHJKL" }, { KEY_Z, "ZXCVBNM" },
  };
  if (character == '\n') return KEY_ENTER;
  for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
    const char *found = strchr(rows[row].characters, character);
    if (found) return rows[row].first + (int)(found - rows[row].characters);
  }
  return 0;
}

static int make_keyboard(const char *link) {
  const int device = open("/dev/uinput", O_WRONLY | O_NONBLOCK);
  if (device < 0) fail("scanner: /dev/uinput");
  const struct uinput_setup setup = { .id = { .bustype = BUS_USB }, .name = "scanner" };
  if (ioctl(device, UI_SET_EVBIT, EV_KEY) < 0) fail("scanner: keys");
  for (int key = KEY_ESC; key <= KEY_KPDOT; key++) {
    if (ioctl(device, UI_SET_KEYBIT, key) < 0) fail("scanner: a key");
  }
  if (ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0) fail("scanner: create");
  char name[64], pattern[128], path[128];
  if (ioctl(device, UI_GET_SYSNAME(sizeof name), name) < 0) fail("scanner: name");
  snprintf(pattern, sizeof pattern, "/sys/devices/virtual/input/%s/event*", name);
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) fail("scanner: no event device");
  snprintf(path, sizeof path, "/dev/input/%s", strrchr(found.gl_pathv[0], '/') + 1);
  if (symlink(path, link) < 0) fail("scanner: link");
  return device;
}

int main(int count, char **words) {
  if (count != 3) {
    fprintf(stderr, "usage: scanner LINK PIPE\n");
    return 2;
  }
  const int device = make_keyboard(words[1]);
  if (mkfifo(words[2], 0600) < 0) fail("scanner: pipe");
  /* For both ways, so that it does not end when a writer does. */
  const int pipe = open(words[2], O_RDWR);
  char character;
  while (pipe >= 0 && read(pipe, &character, 1) == 1) {
    const int key = key_of(character);
    const int is_shifted = character >= 'A' && character <= 'Z';
    if (is_shifted) send_key(device, KEY_LEFTSHIFT, 1);
    send_key(device, key, 1);
    send_key(device, key, 0);
    if (is_shifted) send_key(device, KEY_LEFTSHIFT, 0);
  }
  return 1;
}
