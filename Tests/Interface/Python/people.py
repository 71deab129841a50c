"""The same as people.c: a kiosk whose program keeps the people.

Usage: people.py CONFIG.  Ends after the refused tap of the card that was forgotten.
"""
import sys

import tappet

CARD = bytes.fromhex("04c1c2c3c4c5c6")
secret, taps = "", 0


def done(word):
    def say(error):
        print(word, 0 if error is None else error.code, "" if error is None else error, flush=True)
    return say


def show(word, names):
    def say(people, error):
        for person in people if names else []:
            print(f"{word}: {person.name} {person.tag_count}{' suspended' if person.is_suspended else ''}")
        print(word, len(people) if error is None else error.code, "" if error is None else error, flush=True)
    return say


def begin():
    members = [f"Member {number:02}" for number in range(60)]
    for name in members:
        kiosk.add_person(name)
    kiosk.list_people(show("count", names=False))
    for name in members:
        kiosk.remove_person(name)
    kiosk.add_person("Ann", done("add"))
    kiosk.add_person("Ann", done("twice"))
    kiosk.rename_person("Ann", "Ann Lee", done("rename"))
    kiosk.suspend_person("Ann", done("unknown"))
    kiosk.assign_tag("no-such-id", "Ann Lee", done("no secret"))
    kiosk.learn_tag(bytes.fromhex("08010203"), "garage", done=done("by lot"))
    kiosk.forget_tag(CARD, done("not learned"))
    kiosk.learn_tag(CARD, "garage", "blue card", done("learn"))
    kiosk.write_tag("garage", "round one")


def written(event):
    global secret
    secret = event.id
    kiosk.assign_tag(secret, "Ann Lee", done("assign"))
    kiosk.suspend_person("Ann Lee", done("suspend"))
    kiosk.list_people(show("list", names=True))


def tapped(event):
    global taps
    taps += 1
    print(f"tap by {event.person or 'nobody'} with {event.tag or 'no label'}: {event.code or 'accepted'}", flush=True)
    if taps == 1:
        kiosk.resume_person("Ann Lee", done("resume"))
    elif taps == 2:
        kiosk.assign_tag(secret, None, done("nobody"))
    elif taps == 3:
        kiosk.assign_tag(secret, "Ann Lee", done("again"))
        kiosk.remove_person("Ann Lee", True, done("remove"))
    elif taps == 4:
        print("the card is next", flush=True)
    elif taps == 5:
        kiosk.forget_tag(CARD, done("forget"))
    else:
        kiosk.stop()
        kiosk.stop()
        kiosk.list_people(show("end", names=False))


def on_event(event):
    if event.type == tappet.READER_READY:
        begin()
    elif event.type == tappet.TAG_WRITTEN:
        written(event)
    elif event.type in (tappet.ACCEPTED, tappet.REFUSED):
        tapped(event)


with tappet.Kiosk(sys.argv[1], on_event) as kiosk:
    kiosk.run()
    try:
        kiosk.add_person("Ben")
    except tappet.Error as error:
        print("after the end", error.code)
