"""Headless Chromium, driven by selenium."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVER = "/usr/bin/chromedriver"
PATIENCE = 60


def require(name, program):
    """Starts the program again with the interpreter that has selenium, if this one lacks it; skips it without a
    browser."""
    python = os.path.join(ROOT, ".build-python/bin/python")
    missing = "" if os.access(DRIVER, os.X_OK) else "Chromium"
    try:
        import selenium  # noqa: F401
    except ImportError:
        if not missing and sys.executable != python and os.access(python, os.X_OK):
            os.execv(python, [python, os.path.abspath(program), *sys.argv[1:]])
        missing = missing or "selenium"
    if missing:
        print(f"{name}: skipped: there is no {missing}; `tools/deps install browser` installs it")
        sys.exit(77)


def browser(folder):
    """A browser as large as a phone, with a profile in this folder."""
    from selenium import webdriver
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 f"--user-data-dir={folder}"):
        options.add_argument(word)
    options.set_capability("acceptInsecureCerts", True)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_page_load_timeout(PATIENCE)
    driver.set_script_timeout(PATIENCE)
    driver.set_window_size(390, 844)
    return driver
