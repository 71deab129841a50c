/* A kiosk whose program keeps the people: it adds them, gives them the tag that it writes, suspends and removes them,
   and lets a stranger's card set off an action; then it hears whose each tap was.
   Usage: people CONFIG.  Ends after the refused tap of a removed person. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tappet.h>

static struct tappet_kiosk *kiosk;
static char secret[64];
static const uint8_t card[] = {0x04, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6};

/* Its context says what was asked for. */
static void done(void *context, int result, const char *sentence) {
  printf("%s %d %s\n", (const char *)context, result, sentence == NULL ? "" : sentence);
  fflush(stdout);
}

static void each(void *context, const struct tappet_kiosk_person *person) {
  if (person->size < sizeof *person || person->created_unix_seconds <= 0) exit(EXIT_FAILURE);
  printf("%s: %s %d%s\n", (const char *)context, person->name, (int)person->tag_count,
         person->is_suspended ? " suspended" : "");
}

static void asked(int result) {
  if (result == 0) return;
  fprintf(stderr, "%s\n", tappet_strerror(result));
  exit(EXIT_FAILURE);
}

/* All of it at once: the completions come in the order of the calls. */
static void begin(void) {
  char name[32];
  for (int i = 0; i < 60; i++) {
    snprintf(name, sizeof name, "Member %02d", i);
    asked(tappet_kiosk_add_person(kiosk, name, NULL, NULL));
  }
  asked(tappet_kiosk_list_people(kiosk, NULL, done, "count"));
  for (int i = 0; i < 60; i++) {
    snprintf(name, sizeof name, "Member %02d", i);
    asked(tappet_kiosk_remove_person(kiosk, name, false, NULL, NULL));
  }
  asked(tappet_kiosk_add_person(kiosk, "Ann", done, "add"));
  asked(tappet_kiosk_add_person(kiosk, "Ann", done, "twice"));
  asked(tappet_kiosk_rename_person(kiosk, "Ann", "Ann Lee", done, "rename"));
  asked(tappet_kiosk_suspend_person(kiosk, "Ann", done, "unknown"));
  asked(tappet_kiosk_assign_tag(kiosk, "no-such-id", "Ann Lee", done, "no secret"));
  asked(tappet_kiosk_learn_tag(kiosk, (const uint8_t *)"\x08\1\2\3", 4, "garage", NULL, done, "by lot"));
  asked(tappet_kiosk_forget_tag(kiosk, card, sizeof card, done, "not learned"));
  asked(tappet_kiosk_learn_tag(kiosk, card, sizeof card, "garage", "blue card", done, "learn"));
  asked(tappet_kiosk_write_tag(kiosk, "garage", "round one"));
}

static void written(const struct tappet_kiosk_event *event) {
  snprintf(secret, sizeof secret, "%s", event->id);
  asked(tappet_kiosk_assign_tag(kiosk, secret, "Ann Lee", done, "assign"));
  asked(tappet_kiosk_suspend_person(kiosk, "Ann Lee", done, "suspend"));
  asked(tappet_kiosk_list_people(kiosk, each, done, "list"));
}

/* The program's next step after each tap: the first comes while Ann Lee is suspended. */
static void tapped(const struct tappet_kiosk_event *event) {
  static int taps;
  printf("tap by %s with %s: %s\n", event->person == NULL ? "nobody" : event->person,
         event->tag == NULL ? "no label" : event->tag, event->code == NULL ? "accepted" : event->code);
  switch (++taps) {
    case 1: asked(tappet_kiosk_resume_person(kiosk, "Ann Lee", done, "resume")); break;
    case 2: asked(tappet_kiosk_assign_tag(kiosk, secret, NULL, done, "nobody")); break;
    case 3:
      asked(tappet_kiosk_assign_tag(kiosk, secret, "Ann Lee", done, "again"));
      asked(tappet_kiosk_remove_person(kiosk, "Ann Lee", true, done, "remove"));
      break;
    case 4: printf("the card is next\n"); break;
    case 5: asked(tappet_kiosk_forget_tag(kiosk, card, sizeof card, done, "forget")); break;
    default:
      /* Its completion is called at the end of the run, if the database has not answered by then. */
      asked(tappet_kiosk_stop(kiosk));
      asked(tappet_kiosk_stop(kiosk));
      asked(tappet_kiosk_list_people(kiosk, each, done, "end"));
  }
}

static void on_event(void *context, const struct tappet_kiosk_event *event) {
  (void)context;
  switch (event->type) {
    case TAPPET_KIOSK_EVENT_READER_READY: begin(); break;
    case TAPPET_KIOSK_EVENT_TAG_WRITTEN: written(event); break;
    case TAPPET_KIOSK_EVENT_ACCEPTED:
    case TAPPET_KIOSK_EVENT_REFUSED: tapped(event); break;
    default: break;
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 2 || tappet_kiosk_new(&kiosk) < 0) return 2;
  if (tappet_kiosk_load(kiosk, argv[1]) < 0 || tappet_kiosk_set_event_callback(kiosk, on_event, NULL) < 0 ||
      tappet_kiosk_run(kiosk) < 0) {
    struct tappet_failure failure = {.size = sizeof failure};
    tappet_kiosk_last_error(kiosk, &failure);
    fprintf(stderr, "%s\n", failure.sentence);
    return EXIT_FAILURE;
  }
  printf("after the end %d\n", tappet_kiosk_add_person(kiosk, "Ben", done, "never"));
  tappet_kiosk_free(kiosk);
  return EXIT_SUCCESS;
}
