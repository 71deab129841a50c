/* Writes a link to the next tag.   Usage: write LINK READER.  Ends when the tag was read back, or cannot be written. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <tappet.h>

int main(int argc, char **argv) {
  uint8_t message[1024];
  struct tappet_reader *reader = NULL;
  struct tappet_reader_event event = {.size = sizeof event};
  if (argc != 3) return 2;
  setvbuf(stdout, NULL, _IOLBF, 0);
  int size = tappet_ndef_uri_encode(argv[1], strlen(argv[1]), message, sizeof message);
  if (size < 0 || tappet_reader_new(&reader) < 0 || tappet_reader_open(reader, argv[2]) < 0) return 1;

  int result = tappet_reader_write(reader, message, (size_t)size);
  struct pollfd ready = {.fd = tappet_reader_fd(reader), .events = POLLIN};
  while (result == 0 && poll(&ready, 1, -1) >= 0) {
    while (result == 0 && tappet_reader_next(reader, &event) == 1) {
      if (event.type == TAPPET_READER_EVENT_READY) printf("hold a tag to the reader\n");
      if (event.type == TAPPET_READER_EVENT_WRITTEN) result = 1;
      if (event.type == TAPPET_READER_EVENT_WRITE_FAILED || event.type == TAPPET_READER_EVENT_LOST) result = -1;
    }
  }
  printf("%s\n", result == 1 ? "written" : event.sentence);
  tappet_reader_free(reader);
  return result == 1 ? 0 : 1;
}
