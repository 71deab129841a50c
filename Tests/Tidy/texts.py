"""The texts of the page in other languages: the same in each, and none that nothing shows."""
import json
import re

from rule import rule

RULES = []

PAGE = "board/web/"
# The files that contain the English texts of the page.
SHOWN = (PAGE, "Sources/TappetWeb/", "Sources/TappetMessages/", "Sources/TappetKiosk/Page/")


def _lines(file):
    """Each text with its line; a table has one on each line."""
    for number, line in enumerate(file.lines, 1):
        found = re.fullmatch(r'("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),?', line)
        if found:
            yield number, json.loads(found[1]), json.loads(found[2])


@rule("text", "a text of the page is shown, and has the same holes in each language", into=RULES)
def _texts(tree):
    tables = {path: list(_lines(file)) for path, file in tree.files.items()
              if path.startswith(PAGE) and path.endswith(".json")}
    every = {key: path for path, table in tables.items() for _, key, _ in table}
    sources = "\n".join(file.text for path, file in tree.files.items()
                        if path.startswith(SHOWN) and path not in tables)
    for path, table in tables.items():
        for number, key, text in table:
            # The page makes sentences of the kiosk's phrases.
            phrase = key[:1].lower() + key[1:].rstrip(".")
            if key not in sources and phrase not in sources:
                yield path, number, f"nothing shows '{key}': remove it"
            if key.count("{}") != text.count("{}"):
                yield path, number, f"'{text}' has other holes than '{key}'"
        for key in every.keys() - {key for _, key, _ in table}:
            yield path, 1, f"'{key}' of {every[key]} is missing"
