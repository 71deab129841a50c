"""The steps of a person on the page, one after the other, in one browser."""
import os
import signal
import subprocess
import time

from page import Page
from world import TITLE, wait


class Story(Page):
    """The steps, in order, in one browser."""

    def stranger(self):
        """a browser that is not paired sees the panel, whose buttons do nothing"""
        self.driver.get(f"https://localhost:{self.world.port}/")
        wait("the panel", lambda: len(self.find(".tile")) == 4)
        wait("the broker", lambda: self.text(".pill span") == "Ready")
        assert all(not button.is_enabled() for button in self.find(".press"))
        assert self.text("[data-action=alarm] b") == TITLE, "a title is text, whatever it contains"
        self.accessible("stranger")

    def pair(self):
        """a browser that may look is paired by the code in the terminal's QR code, and its buttons work from then on"""
        self.find("header a")[0].click()
        wait("the form", lambda: self.find(".pair input"))
        self.accessible("pair")
        digits = self.world.tappet("web", "pair", "Hall tablet").replace(" ", "")
        self.driver.get("about:blank")
        self.driver.get(f"https://localhost:{self.world.port}/pair#{digits}")
        wait("the digits", lambda: self.find(".pair input")[0].get_attribute("value") == digits)
        self.find(".pair .main")[0].click()
        wait("buttons", lambda: any(button.is_enabled() for button in self.find(".press")))
        cookie = self.driver.get_cookie(f"__Host-tappet-{self.world.port}")
        assert cookie["secure"] and cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie

    def deliver(self):
        """a press is sent once, and shows that it was delivered"""
        times = []
        for count in range(1, 6):
            start = time.monotonic()
            self.press("light")
            wait("Delivered", lambda: self.note("light") == "Delivered")
            times.append(time.monotonic() - start)
            if count == 1:
                self.picture("delivered")
            wait("the end of the colour", lambda: self.note("light").startswith("Delivered "))
            wait("the message", lambda: self.world.received("home/light") == count)
        print(f"    from click to Delivered: {sorted(times)[2] * 1000:.0f} ms (median of 5)")
        wait("the end of the outcome", lambda: self.note("light") == "")

    def switch(self):
        """an output is switched on and off, and its button shows its level in words and by its fill"""
        note = "[data-output=lamp] .note"
        for before, after in (("Off", "On"), ("On", "Off")):
            wait(before, lambda: self.text(note) == before)
            self.find("[data-output=lamp] .press")[0].click()
            wait(after, lambda: self.text(note) == after)
            assert len(self.find("[data-output=lamp][data-on]")) == (after == "On")
            self.accessible("switched-" + after)

    def door(self):
        """a lock shows how long it is still open, and the contact of its door since when it is open, as it happens"""
        note, contact = "[data-output=latch] .note", ".doors li"
        wait("the contact", lambda: self.text(contact).split() == ["front", "Closed"])
        self.find("[data-output=latch] .press")[0].click()
        wait("the pulse", lambda: self.text(note).startswith("Open for "))
        self.world.tell("open", "front")
        wait("the door", lambda: "Stands open since" in self.text(contact))
        self.accessible("door")
        wait("the end of the pulse", lambda: self.text(note) == "Shut")
        self.world.tell("close", "front")
        wait("the contact", lambda: "Closed since" in self.text(contact))

    def double_click(self):
        """a double click sends one message"""
        before = self.world.received("home/light")
        tile = self.find("[data-action=light] .press")[0]
        self.driver.execute_script("arguments[0].click(); arguments[0].click()", tile)
        wait("Delivered", lambda: self.note("light") == "Delivered")
        wait("the end of the colour", lambda: self.note("light").startswith("Delivered "))
        assert self.world.received("home/light") == before + 1

    def confirm(self):
        """an action that asks first is cancelled, and confirmed by a second press that is not a double click"""
        tile = self.find("[data-action=alarm] .press")[0]
        self.press("alarm")
        wait("the question", lambda: self.note("alarm") == "Press again")
        self.accessible("asks")
        self.find("[data-action=alarm] .cancel")[0].click()
        wait("the end", lambda: not self.find("[data-action=alarm] .cancel"))
        assert self.world.received("home/alarm") == 0
        self.press("alarm")
        wait("the question", lambda: self.note("alarm") == "Press again")
        self.driver.execute_script("arguments[0].click()", tile)
        assert self.note("alarm") == "Press again", "the second half of a double click is not an answer"
        start = time.monotonic()
        wait("half a second", lambda: time.monotonic() - start > 0.6)
        self.press("alarm")
        wait("Delivered", lambda: self.note("alarm") == "Delivered")
        wait("the message", lambda: self.world.received("home/alarm") == 1)

    def away(self):
        """the page turns grey when the kiosk is killed, and is usable again after its start"""
        self.world.kiosk.send_signal(signal.SIGKILL)
        grey = wait("grey", lambda: self.find(".lost")[0].is_displayed())
        assert all(not button.is_enabled() for button in self.find(".press"))
        self.accessible("away")
        self.world.kiosk.wait()
        self.world.start_kiosk()
        back = wait("back", lambda: not self.find(".lost")[0].is_displayed())
        print(f"    grey after {grey * 1000:.0f} ms, back {back * 1000:.0f} ms after the start")
        wait("the broker", lambda: self.text(".pill span") == "Ready")
        before = self.world.received("home/light")
        self.press("light")
        wait("the message", lambda: self.world.received("home/light") == before + 1)

    def waits(self):
        """a page that was opened while the kiosk is away shows the panel once it is back"""
        self.world.kiosk.send_signal(signal.SIGKILL)
        self.world.kiosk.wait()
        self.driver.get(f"https://localhost:{self.world.port}/")
        assert self.find("[data-away]")
        self.world.start_kiosk()
        wait("the panel", lambda: self.find(".tile"))
        wait("the broker", lambda: self.text(".pill span") == "Ready")

    def languages(self):
        """the page is in the browser's language, and names are not translated"""
        self.world.tappet("person", "add", "Today")
        expected = {"de-AT": ("Tasten", "Zugestellt", "Alles in Ordnung"), "ja": ("パネル", "送信済み", "すべて正常"),
                    "fr": ("Boutons", "Remis", "Tout va bien")}
        for lang, words in expected.items():
            script = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
                "source": f"Object.defineProperty(navigator, 'languages', {{value: ['tlh', '{lang}', 'en']}})"})
            self.driver.get(f"https://localhost:{self.world.port}/")
            wait("the bar", lambda: self.texts(".side span")[:1] == [words[0]])
            assert self.find("html")[0].get_attribute("lang") == lang[:2]
            assert self.text("[data-action=alarm] b") == TITLE
            self.press("light")
            wait("the outcome", lambda: self.note("light") == words[1])
            self.open("people")
            wait("the person", lambda: "Today" in self.texts("#people b"))
            self.open("device")
            wait("the parts", lambda: words[2] in self.text("#device h2"))
            self.shots("device")
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        self.driver.get(f"https://localhost:{self.world.port}/")
        wait("English", lambda: self.texts(".side span")[:1] == ["Panel"])

    def wide(self):
        """nothing is cut off on a phone or a desk, and the console is empty"""
        self.open("panel")
        self.shots("panel")
        self.driver.set_window_size(844, 390)
        size = self.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert size[0] <= size[1], size
        self.picture("panel-844")
        expected = ("status of 503", "status of 403", "status of 400", "ERR_INCOMPLETE_CHUNKED")
        messages = [entry["message"] for entry in self.driver.get_log("browser")
                    if not any(words in entry["message"] for words in expected)]
        assert not messages, messages

    def removed(self):
        """a removed device is out within a second, and may look and be paired again"""
        self.world.tappet("web", "remove", "Hall tablet")
        took = wait("out", lambda: not any(button.is_enabled() for button in self.find(".press")))
        assert took < 1.5, took
        wait("the link", lambda: self.find("header a"))

    def manager(self):
        """who manages finds the other pages, and who does not, does not"""
        assert not self.find(".side")
        self.driver.get(f"https://localhost:{self.world.port}/s/B-17")
        wait("the link", lambda: self.find("header a"))
        self.find("header a")[0].click()
        self.type_code("Office", "--level", "manage")
        wait("the pages", lambda: len(self.find(".side a")) == 6)
        wait("the store room of the link", lambda: self.find("#store")[0].is_displayed())

    def people(self):
        """a person is added, suspended, let in again and renamed, whatever their name is"""
        self.open("people")
        wait("the list", lambda: self.find("#people .card"))
        self.find("#people .quiet")[0].click()
        self.find("dialog input")[0].send_keys(TITLE)
        self.find("dialog .main")[0].click()
        wait("the person", lambda: TITLE in self.texts("#people b"))
        for button, chip in (("Suspend", "Suspended"), ("Restore access", "")):
            self.find("#people .list .open")[0].click()
            wait("the person", lambda: self.find("dialog .row"))
            self.accessible("person" + chip)
            self.button(button)
            wait(chip, lambda: self.texts("#people .chip") == ([chip] if chip else []))
        self.find("#people .list .open")[0].click()
        self.button("Rename")
        self.find("dialog input")[0].clear()
        self.find("dialog input")[0].send_keys("Ada")
        self.find("dialog .main")[0].click()
        wait("the new name", lambda: self.texts("#people b") == ["Ada"])
        self.shots("people")

    def tag(self):
        """a tag is written for a person, after the page's password, and it acts at its next tap"""
        self.world.tappet("web", "password", text="correct horse\n")
        self.find("#people .list .open")[0].click()
        self.button("Write a tag")
        wait("the form", lambda: self.find("dialog select"))
        self.find("dialog input")[0].send_keys("Key ring")
        self.find("dialog .main")[0].click()
        for password in ("wrong horse!", "correct horse"):
            wait("the question", lambda: self.find("dialog [type=password]"))
            self.find("dialog [type=password]")[0].send_keys(password)
            self.button("Continue")
            wait("the answer", lambda: "is wrong" in self.text("dialog") or "Hold the tag" in self.text("dialog"))
        wait("the reader", lambda: "Hold the tag" in self.text("dialog"))
        self.accessible("write")
        self.world.tell("place", "ntag213", "empty")
        wait("the end", lambda: "is ready" in self.text("dialog"))
        self.picture("written")
        self.world.take()
        self.find("dialog .round")[0].click()
        wait("its tag", lambda: "1 tag" in self.text("#people .list"))
        self.find("#people .list .open")[0].click()
        wait("its tag", lambda: "not used yet" in self.text("dialog"))
        before = self.world.received("home/light")
        self.world.tell("back")
        wait("the tap", lambda: self.world.received("home/light") == before + 1)
        wait("its use", lambda: ", used " in self.text("dialog .list"))
        self.find("dialog .round")[0].click()
        self.world.take()

    def flash(self):
        """a tap fills the screen, which says that it was delivered"""
        self.open("panel")
        self.world.tell("back")
        wait("the view", lambda: self.text(".flash p").startswith("Delivered"))
        self.world.take()
        wait("its end", lambda: not self.find(".flash")[0].is_displayed())
        self.open("people")

    def share(self):
        """a tag's code contains its key; the password is not asked for again"""
        self.find("#people .list .open")[0].click()
        self.find("dialog [aria-label^='Show the code']")[0].click()
        wait("the code", lambda: self.find("dialog .qr"))
        code = os.path.join(self.world.folder, "code.png")
        self.find("dialog .qr")[0].screenshot(code)
        self.accessible("share")
        read = subprocess.run(["zbarimg", "--quiet", "--raw", code], capture_output=True, text=True, check=True).stdout
        assert read.startswith("smpshare://secret?"), read[:12]
        self.find("dialog .round")[0].click()
        wait("the end of the code with its sheet", lambda: not self.find(".qr"))

    def today(self):
        """the day shows what was pressed and delivered, and a new press as it happens; the day before is empty"""
        self.open("today")
        wait("the taps", lambda: self.find("#today .list .open"))
        assert "delivered" in self.text("#today .list .open")
        before = int(self.text("#today dd") or 0)
        now = self.driver.execute_async_script(
            "fetch('/api/state').then(it => it.json()).then(it => arguments[0](it.now))")
        self.driver.execute_script(
            "fetch('/press', {method: 'POST', headers: {Accept: 'application/json'}, body: "
            "new URLSearchParams({action: 'light', id: 'today', at: arguments[0]})})", now)
        wait("one more", lambda: int(self.text("#today dd") or 0) == before + 1)
        self.find("#today .list .open")[0].click()
        wait("its details", lambda: "delivered" in self.text("dialog"))
        self.find("dialog .round")[0].click()
        self.shots("today")
        self.find("[data-before]")[0].click()
        wait("the day before", lambda: "Nothing happened" in self.text("#today"))
        self.find("[data-after]")[0].click()
        wait("today", lambda: self.find("#today .list .open"))

    def store(self):
        """a label's link opens its box; pieces are taken, the box is moved and lent, and the last change undone"""
        self.world.write("boxes.csv", "building,room,spot,box,code,item,quantity,minimum\n"
                         f"House,Cellar,Shelf,\"{TITLE}\",B-17,M4,5,5\nHouse,Cellar,Rack,,,,,\n")
        self.world.tappet("inventory", "import", self.world.path("boxes.csv"))
        self.driver.get(f"https://localhost:{self.world.port}/s/B-17")
        wait("the box", lambda: self.text("dialog h2") == TITLE)
        self.find("dialog [aria-label='Take one M4']")[0].click()
        wait("one less", lambda: self.texts("dialog output") == ["4"])
        assert self.find("dialog output[data-tone=warn]")
        self.accessible("box")
        place = self.driver.execute_script(
            "const it = document.querySelector('dialog [aria-label^=Take]').getBoundingClientRect();"
            "return [it.x + it.width / 2, it.y + it.height / 2]")
        for left in ("3", "2", "1"):
            self.driver.execute_script("document.elementFromPoint(...arguments).closest('button').click()", *place)
            wait("one less by a press at the same place", lambda: self.texts("dialog output") == [left])
        self.button("Move")
        self.find("dialog input")[0].send_keys("no such place")
        self.button("Save")
        wait("the reason", lambda: "Nothing has this name" in self.text("dialog .bad"))
        self.find("dialog input")[0].clear()
        self.find("dialog input")[0].send_keys("rack")
        self.button("Save")
        wait("the move", lambda: "Rack" in self.text("dialog .facts"))
        self.button("Undo")
        wait("the undo", lambda: "Shelf" in self.text("dialog .facts"))
        self.button("Lend")
        self.find("dialog input")[0].send_keys("Ben")
        self.button("Save")
        wait("the loan", lambda: "Ben" in self.texts("dialog .list .soft"))
        self.driver.back()
        wait("the lists", lambda: self.texts("#store h2") == ["Low", "Lent"])
        assert not self.find("dialog[open]"), "Back closes the sheet, and leaves no page"
        self.find("#store [type=search]")[0].send_keys("m4")
        wait("the item", lambda: self.texts("#store .list b") == ["M4"])
        self.shots("store")

    def broker(self):
        """the connection is tested step by step, and a message that is published on the page arrives there as text"""
        self.open("broker")
        wait("the steps", lambda: self.texts("#broker [role=status] b") == ["DNS", "TCP", "MQTT"])
        wait("the figures", lambda: "Response time" in self.text("#broker") and "Tested at" in self.text("#broker"))
        assert "Kiosk\nConnected to" in self.text("#broker"), self.text("#broker")
        for name, text in (("topic", "page/" + TITLE), ("text", TITLE)):
            self.find(f"#broker [name={name}]")[0].send_keys(text)
        self.find("#broker [name=retain]")[0].click()
        self.button("Publish", "#broker")
        wait("the broker", lambda: "The broker has" in self.text("#broker"))
        wait("the message", lambda: self.text("#broker .messages code") == TITLE)
        self.shots("broker")
        self.button("Stop", "#broker")
        self.find("#broker [name=filter]")[0].send_keys("/x")
        self.button("Listen", "#broker")
        wait("the reason", lambda: "must be an entire level" in self.text("#broker .bad"))

    def device(self):
        """the parts are well, and a part that is not comes first; another device is removed"""
        self.open("device")
        wait("the parts", lambda: "All is well" in self.text("#device"))
        assert "front\nClosed" in self.text("#device"), self.text("#device")
        assert "Hall tablet" not in self.text("#device") and "Office" in self.text("#device")
        self.world.tell("unplug")
        wait("the reader", lambda: "1 part needs attention" in self.text("#device h2"))
        assert self.text("#device .list b") == "Reader"
        self.shots("device")
        self.world.tell("plug")
        wait("the reader", lambda: "All is well" in self.text("#device"))
        self.button("Switch on", "#device")
        wait("the lamp", lambda: "Switch off" in self.text("#device"))
        self.button("Log", "#device")
        wait("the log", lambda: "Office switched lamp on the page: on" in self.text("dialog"))
        self.accessible("log")
        self.find("dialog .round")[0].click()

    def back_up(self):
        """a backup arrives as a file, which the passphrase opens"""
        folder = self.world.path("downloads")
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
        self.button("Back up …", "#device")
        for field, text in zip(self.find("dialog [type=password]"), ("four words are enough", "three words are not")):
            field.send_keys(text)
        self.button("Back up")
        wait("the reason", lambda: "not the same" in self.text("dialog"))
        self.find("dialog [type=password]")[1].clear()
        self.find("dialog [type=password]")[1].send_keys("four words are enough")
        self.accessible("backup")
        self.button("Back up")
        wait("the end", lambda: self.find("dialog [name=password]") or "Your browser has" in self.text("dialog"))
        if self.find("dialog [name=password]"):
            self.find("dialog [name=password]")[0].send_keys("correct horse")
            self.button("Continue")
        wait("the file", lambda: "Your browser has the file" in self.text("dialog"))
        wait("the file", lambda: os.path.isdir(folder) and [it for it in os.listdir(folder) if it.endswith(".backup")])
        file = os.path.join(folder, next(it for it in os.listdir(folder) if it.endswith(".backup")))
        self.find("dialog .round")[0].click()
        other = os.path.join(folder, "kiosk.yaml")
        subprocess.run([self.world.program("tappet"), "restore", file, "--yes", "--config", other], check=True,
                       input="four words are enough\n", text=True, capture_output=True)
        with open(other, encoding="utf-8") as restored:
            assert restored.read() == self.world.text("kiosk.yaml")

    def steps(self):
        return [self.stranger, self.pair, self.deliver, self.switch, self.door, self.double_click, self.confirm,
                self.away, self.waits, self.removed, self.manager, self.people, self.tag, self.flash, self.share,
                self.today, self.store, self.broker, self.device, self.back_up, self.languages, self.wide]
