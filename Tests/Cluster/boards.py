"""Kiosks as they ship, whose log is read as the events of sessions.c are."""
import time

import programs
from kiosks import Crowd, Kiosk


class Boards:
    """Kiosks as `tappet run`, with what they log as the events of `programs.Program`."""

    def __init__(self, folder, count, cluster):
        self.kiosks = [Kiosk(folder, number, cluster) for number in range(count)]
        self.crowd = None
        for kiosk in self.kiosks:
            kiosk.start()

    def order(self, rate):
        if self.crowd:
            self.crowd.leave()
        self.crowd = Crowd(self.kiosks, len(self.kiosks) / rate) if rate and self.kiosks else None

    def connected(self):
        return [kiosk for kiosk in self.kiosks if kiosk.is_connected()]

    def presses(self):
        """(id, when it was accepted): when it was pressed, the log does not say; a commit later it is accepted."""
        return [
            programs.Press(fields["id"], moment, moment) for kiosk in self.kiosks
            for moment, _, fields in kiosk.events("press-accepted")]

    def deliveries(self):
        return {fields["id"]: moment for kiosk in self.kiosks for moment, _, fields in kiosk.events("delivered")}

    def unfinished(self):
        return {press.id for press in self.presses()} - set(self.deliveries())

    def outages(self, since):
        """How long each kiosk was without a broker after a connection was lost."""
        return [gap for kiosk in self.kiosks for gap in outages(kiosk.events("broker-lost", "broker-connected"), since,
                                                                "broker-lost")]

    def close(self):
        self.order(0)
        for kiosk in self.kiosks:
            if kiosk.process:
                kiosk.process.terminate()  # All at once, then one after the other is waited for.
        for kiosk in self.kiosks:
            kiosk.close()


def outages(events, since, lost_word):
    """The times from a lost connection to the next one; without an end until now."""
    found, lost = [], None
    for moment, word, *_ in events:
        if word == lost_word and moment >= since:
            lost = lost or moment
        elif word != lost_word and lost:
            found.append(moment - lost)
            lost = None
    return found + ([time.time() - lost] if lost else [])
