"""The set-up of a kiosk in a browser, from an empty folder to the first tap."""
import os
import ssl
import subprocess
import urllib.error
import urllib.request

from page import Page
from world import ROOT, free_port, wait

# The answers that differ from what the page offers, by the beginnings of the questions.
ANSWERS = {"Host": "mqtt://127.0.0.1:{}", "Client id": "first", "Topic": "home/first", "Message": "hello"}


class FirstRun(Page):
    """The steps, in order, in the browser of another story and beside its kiosk, which is stopped."""

    is_held = has_returned = has_erred = has_gone_back = False

    def start(self):
        """'tappet init --web' prints a code, and only the browser that types it sees the questions"""
        self.world.kiosk.kill()
        self.world.kiosk.wait()
        self.port = free_port()
        path = self.world.path("first/kiosk.yaml")
        self.log = open(self.world.path("init.log"), "ab")
        folders = {"PAGES": "board/web", "PRESETS": "board/presets", "PROFILES": "board/profiles"}
        env = {**os.environ, **{"TAPPET_" + name: os.path.join(ROOT, path) for name, path in folders.items()}}
        self.process = subprocess.Popen(
            [self.world.program("tappet"), "init", "--web", f"127.0.0.1:{self.port}", "--config", path,
             "--reader", "pn532_uart:" + self.world.path("reader"), "--profile", "none", "--state", "state"],
            stdout=self.log, stderr=self.log, env=env)
        self.world.running.append(self.process)
        wait("the page", lambda: "serving the page" in self.world.text("init.log"))
        self.driver.get(f"https://localhost:{self.port}/")
        wait("the form", lambda: self.find(".pair input"))
        code = next(line for line in self.world.text("init.log").splitlines() if line.replace(" ", "").isdigit())
        self.find(".pair input")[0].send_keys(code)
        self.find(".pair .main")[0].click()
        wait("a question", lambda: self.find("#setup form"))
        try:
            urllib.request.urlopen(f"https://localhost:{self.port}/", context=ssl._create_unverified_context())
            raise AssertionError("another browser sees the set-up")
        except urllib.error.HTTPError as refused:
            page = refused.read().decode()
            assert "Another browser has typed the code" in page and "<form" not in page, page

    def answers(self):
        """the questions are answered, a tag is written, and the first tap is delivered"""
        asked = []
        while not self.text("#setup").endswith("this page has ended."):
            wait("a question or the end", lambda: self.find("#setup form") or "ended" in self.text("#setup")
                 or self.hold() or "this page has ended" in self.text("#setup"), 40)
            assert "ended without" not in self.text("#setup"), self.text("#setup")
            if self.find("#setup form"):
                self.answer(asked)
        assert len(asked) > 6, asked
        assert not self.find("#setup .bad"), "a mistake goes with its correction"
        assert "tappet web pair NAME" in self.text("#setup") and "https://" in self.text("#setup")
        wait("the end", lambda: self.process.poll() is not None)
        assert self.process.returncode == 0, self.world.text("init.log")
        assert self.world.received("home/first") == 1

    def hold(self):
        """Places an empty tag when the page asks for one, and taps with it when it is written."""
        if "Hold the tag" in self.text("#setup") and not self.is_held:
            self.is_held = True
            self.world.tell("place", "ntag215", "uid=04a1b2c3d4e5f6", "empty")
        if "hold it to the reader again" in self.text("#setup") and not self.has_returned:
            self.has_returned = True
            self.world.take()
            assert self.world.received("home/first") == 0, "a tag that still lies there is no tap"
            self.world.tell("back")
        return False

    def answer(self, asked):
        form = self.find("#setup form")[0]
        question = form.get_attribute("data-question")
        asked.append(question)
        if len(asked) == 2:
            self.shots("setup")
        if len(asked) == 3 and not self.has_gone_back:
            self.has_gone_back = True
            self.button("Back", "#setup")
            wait("the question before", lambda: [it.get_attribute("data-question") for it in self.find("#setup form")]
                 == [asked[1]])
            assert len(self.find("#setup [data-asked]")) == 1, "the answers after it are gone"
            return
        fields = form.find_elements("css selector", "input")
        wanted = next((text for name, text in ANSWERS.items() if question.startswith(name)), None)
        if question == "Topic" and not self.has_erred:
            self.has_erred = True
            fields[0].send_keys("/#\n")
            wait("the mistake", lambda: self.find("#setup .bad[role=alert]"))
        elif wanted:
            fields[0].clear()
            fields[0].send_keys(wanted.format(self.world.broker_port) + "\n")
        elif fields or form.find_elements("css selector", ".choices"):
            form.find_elements("css selector", ".main")[0].click()
        else:
            form.find_elements("css selector", "button")[0].click()
        wait("the next question", lambda: [it.id for it in self.find("#setup form")] != [form.id])

    def steps(self):
        return [self.start, self.answers]
