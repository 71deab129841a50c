"""The page as a person sees and touches it, in one browser."""
import importlib.util
import os

from world import wait


class Page:
    """The page in a browser."""

    def __init__(self, world, driver, pictures):
        self.world, self.driver, self.pictures = world, driver, pictures

    def find(self, path):
        return self.driver.find_elements("css selector", path)

    def texts(self, path):
        """The texts of elements, which the page may replace meanwhile."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(it => it.innerText)", path)

    def text(self, path):
        return (self.texts(path) or [""])[0]

    def note(self, action):
        return self.text(f"[data-action={action}] .note")

    def press(self, action):
        self.find(f"[data-action={action}] .press")[0].click()

    def type_code(self, name, *words):
        code = self.world.tappet("web", "pair", name, *words)
        wait("the form", lambda: self.find(".pair input"))
        self.find(".pair input")[0].send_keys(code)
        self.find(".pair .main")[0].click()
        wait("buttons", lambda: any(button.is_enabled() for button in self.find(".press")))

    def picture(self, name):
        if self.pictures:
            self.driver.save_screenshot(os.path.join(self.pictures, name + ".png"))

    def button(self, text, where="dialog"):
        next(button for button in self.find(where + " button") if button.text == text).click()

    def open(self, name):
        self.find(f".side [href='#{name}']")[0].click()
        wait(name, lambda: self.find(f"#{name}")[0].is_displayed())

    def accessible(self, name):
        """axe finds nothing wrong, in light and dark colours"""
        if "axe" not in self.__dict__:
            found = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
            with open(os.path.join(found, "axe.min.js"), encoding="utf-8") as file:
                self.axe = file.read()
        for scheme in ("dark", "light"):
            # A colour that is fading is none of the page's.
            features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": name, "value": value} for name, value in features.items()]})
            self.driver.execute_script(self.axe)
            found = self.driver.execute_async_script(
                "axe.run().then(it => arguments[0](it.violations.flatMap("
                "one => one.nodes.map(node => one.id + ': ' + node.failureSummary + ' ' + node.html))))")
            assert not found, f"{name}, {scheme}: " + "\n".join(found)
            self.picture(f"{name}-{scheme}")

    def shots(self, name):
        for width, height in ((320, 640), (390, 844), (1280, 800)):
            self.driver.set_window_size(width, height)
            size = self.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
            assert size[0] <= size[1], f"{name} {width}: {size}"
            self.accessible(f"{name}-{width}")
            slips = [word for word in ("undefined", "null", "false", "NaN") if word in self.text(f"#{name}")]
            assert not slips, f"{name}: {slips}"
