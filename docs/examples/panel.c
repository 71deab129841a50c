/* A button and its light on GPIO lines, in an epoll loop: the light is on while the button is pressed.
   Usage: panel BUTTON LIGHT, lines by their names.  Ends when neither is available. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <tappet.h>

static struct tappet_panel *panel;
static int button, light, failures;

static void check(int result) {
  if (result >= 0) return;
  fprintf(stderr, "%s\n", tappet_strerror(result));
  exit(EXIT_FAILURE);
}

static void on_event(void *context,
                     const struct tappet_panel_event *event) {
  struct tappet_panel_line_info info = {.size = sizeof info};
  (void)context;
  switch (event->type) {
  case TAPPET_PANEL_EVENT_OPENED:
    check(tappet_panel_get_line_info(panel, event->line, &info));
    printf("%s %d %s by %s\n", info.chip, (int)info.offset, info.name,
           info.consumer);
    fflush(stdout);
    break;
  case TAPPET_PANEL_EVENT_CHANGED:
    if (event->line == button)
      check(tappet_panel_set(panel, light, event->is_active));
    break;
  case TAPPET_PANEL_EVENT_FAILED:
    printf("%s\n", event->sentence);
    failures++;
    break;
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  struct tappet_panel_line of_button = {
      .size = sizeof of_button, .name = argv[1], .is_active_low = 1,
      .bias = TAPPET_PANEL_BIAS_PULL_UP, .debounce_milliseconds = 10};
  struct tappet_panel_line of_light = {
      .size = sizeof of_light, .name = argv[2], .is_output = 1};
  check(tappet_panel_new(&panel));
  check(button = tappet_panel_add_line(panel, &of_button));
  check(light = tappet_panel_add_line(panel, &of_light));
  check(tappet_panel_set_event_callback(panel, on_event, NULL));
  check(tappet_panel_open(panel));
  int loop = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN}, ready;
  epoll_ctl(loop, EPOLL_CTL_ADD, tappet_panel_fd(panel), &wanted);
  while (failures < 2 && epoll_wait(loop, &ready, 1, -1) >= 0)
    check(tappet_panel_dispatch(panel));
  tappet_panel_free(panel);
  return EXIT_FAILURE;
}
