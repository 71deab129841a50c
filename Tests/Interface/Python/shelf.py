"""The same as shelf.c: a kiosk at the shelf of a store room.

Usage: shelf.py CONFIG STATE-FOLDER.  Ends after the refused tap of a tag that stands for nothing.
"""
import sys

import tappet
from tappet.inventory import Inventory


def on_event(event):
    if event.type == tappet.READER_READY:
        print("ready", flush=True)
    elif event.type == tappet.INVENTORY:
        entry = inventory.get(event.thing)
        print(f"{event.name} by {event.trigger} of {len(event.uid)} bytes: {entry.name} in {entry.location} "
              f"with {entry.holder or 'nobody'}", flush=True)
    elif event.type == tappet.REFUSED:
        print("refused:", event.code, flush=True)
        kiosk.stop()


with Inventory(sys.argv[2]) as inventory, tappet.Kiosk(sys.argv[1], on_event) as kiosk:
    kiosk.run()
