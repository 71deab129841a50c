/* A kiosk with outputs: a command from the broker pulses one, the program sees each step and pulses it itself.
   Usage: outputs CONFIG.  Ends after a refused command. */
#include <stdio.h>
#include <stdlib.h>
#include <tappet.h>

static void list(const struct tappet_kiosk *kiosk) {
  struct tappet_kiosk_output output = {.size = sizeof output};
  for (size_t i = 0; tappet_kiosk_get_output(kiosk, i, &output) == 1; i++)
    printf("output %s %s %s\n", output.name, output.is_on ? "on" : "off", output.is_available ? "there" : "missing");
}

static void changed(struct tappet_kiosk *kiosk, const struct tappet_kiosk_event *event) {
  static int pulses;
  printf("%s %s by %d\n", event->output, event->is_on ? "on" : "off", event->trigger);
  if (event->is_on || ++pulses > 2) return;
  if (pulses == 1) printf("pulse %d\n", tappet_kiosk_request_output(kiosk, "gate", TAPPET_KIOSK_REQUEST_PULSE));
  if (pulses == 2) printf("toggle %d\n", tappet_kiosk_request_output(kiosk, "pump", TAPPET_KIOSK_REQUEST_TOGGLE));
}

static void on_event(void *context, const struct tappet_kiosk_event *event) {
  switch (event->type) {
    case TAPPET_KIOSK_EVENT_COMMANDS_READY:
      list(context);
      printf("unknown %d\n", tappet_kiosk_request_output(context, "gaet", TAPPET_KIOSK_REQUEST_ON));
      printf("ready %s\n", event->topic);
      break;
    case TAPPET_KIOSK_EVENT_COMMAND_ACCEPTED: printf("accepted %s %s\n", event->topic, event->output); break;
    case TAPPET_KIOSK_EVENT_COMMAND_DONE: printf("done %s %s\n", event->topic, event->output); break;
    case TAPPET_KIOSK_EVENT_OUTPUT_CHANGED: changed(context, event); break;
    case TAPPET_KIOSK_EVENT_COMMAND_REFUSED:
      printf("refused %s: %s\n", event->topic, event->sentence);
      tappet_kiosk_stop(context);
      break;
    default: break;
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  struct tappet_kiosk *kiosk = NULL;
  if (tappet_kiosk_new(&kiosk) < 0) return EXIT_FAILURE;
  if (tappet_kiosk_load(kiosk, argv[1]) < 0 || tappet_kiosk_set_event_callback(kiosk, on_event, kiosk) < 0 ||
      tappet_kiosk_run(kiosk) < 0) {
    struct tappet_failure failure = {.size = sizeof failure};
    tappet_kiosk_last_error(kiosk, &failure);
    fprintf(stderr, "%s\n", failure.sentence);
    return EXIT_FAILURE;
  }
  tappet_kiosk_free(kiosk);
  return EXIT_SUCCESS;
}
