"""A kiosk with outputs: a command from the broker pulses one, the program sees each step and pulses it itself.

Usage: outputs.py CONFIG.  Ends after a refused command.
"""
import sys

import tappet

pulses = 0


def changed(event):
    global pulses
    print(event.output, "on" if event.is_on else "off", "by", event.trigger, flush=True)
    if event.is_on:
        return
    pulses += 1
    if pulses == 1:
        kiosk.request_output("gate", tappet.PULSE)
        print("pulse 0")
    elif pulses == 2:
        kiosk.request_output("pump", tappet.TOGGLE)
        print("toggle 0")


def on_event(event):
    if event.type == tappet.COMMANDS_READY:
        for output in kiosk.outputs():
            print("output", output.name, "on" if output.is_on else "off",
                  "there" if output.is_available else "missing")
        try:
            kiosk.request_output("gaet", tappet.ON)
        except tappet.Error as error:
            print("unknown", error.code)
        print("ready", event.topic, flush=True)
    elif event.type == tappet.COMMAND_ACCEPTED:
        print("accepted", event.topic, event.output, flush=True)
    elif event.type == tappet.COMMAND_DONE:
        print("done", event.topic, event.output, flush=True)
    elif event.type == tappet.OUTPUT_CHANGED:
        changed(event)
    elif event.type == tappet.COMMAND_REFUSED:
        print(f"refused {event.topic}: {event.sentence}", flush=True)
        kiosk.stop()


with tappet.Kiosk(sys.argv[1], on_event) as kiosk:
    kiosk.run()
