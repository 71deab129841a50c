"""Headless Chromium, which selenium drives."""
import os
import sys

from world import ROOT


def lack(script):
    """The lack that prevents driving a browser, if any; continues the script in the Python that has selenium."""
    if not os.access("/usr/bin/chromedriver", os.X_OK):
        return "there is no Chromium; `tools/deps install browser` installs it"
    try:
        import selenium  # noqa: F401
    except ImportError:
        python = os.path.join(ROOT, ".build-python/bin/python")
        if sys.executable == python or not os.access(python, os.X_OK):
            return "there is no selenium; `tools/deps install browser` installs it"
        os.execv(python, [python, os.path.abspath(script), *sys.argv[1:]])
    return None


def browser(folder):
    from selenium import webdriver
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 f"--user-data-dir={folder}"):
        options.add_argument(word)
    options.set_capability("acceptInsecureCerts", True)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.set_window_size(390, 844)
    return driver
