"""The documentation: Doxygen's warnings, the manual pages, and the README's program."""
import json
import os
import re
import subprocess

from .place import HEADER, HERE, ROOT, needs, read, require, write


def documentation(place):
    """Every declaration is documented."""
    needs("doxygen", "doxygen")
    output = place.file("doxygen")
    os.makedirs(output)
    settings = read(os.path.join(ROOT, "tools/documentation/Doxyfile")) + f"OUTPUT_DIRECTORY = {output}\n"
    done = place.attempt("doxygen", "-", input=settings, cwd=ROOT)
    require(done.returncode == 0 and not done.stdout.strip(), done.stdout)


def manual(place):
    """`man` finds each function, on a page with its prototype. All that programs rely on is on some page."""
    needs("man", "man-db")
    folder = place.installed("share/man")
    check_commands(place, {page: rendered(place, os.path.join(folder, "man1", page))
                           for page in sorted(os.listdir(os.path.join(folder, "man1")))})
    check_configuration(rendered(place, os.path.join(folder, "man5/kiosk.yaml.5")))
    pages = sorted(page for page in os.listdir(os.path.join(folder, "man3")) if page.startswith(("tappet-", "tappet.")))
    text = {page: rendered(place, page) for page in (os.path.join(folder, "man3", page) for page in pages)}
    for page in text:
        wide = [line for line in text[page].splitlines() if len(line) > 80]
        require(not wide, f"{page} is wider than 80 columns: {wide[:1]}")
    sections = re.findall(r"@defgroup (\w+)", read(HEADER))
    wanted = sorted([f"tappet-{section}.3" for section in sections] + ["tappet.h.3"])
    require(pages == wanted, f"the pages are {pages}")
    found = check_functions(place, folder, text)
    check_names(place.declared(), place.run("lexgrog", *(page for page in text if not page.endswith(".h.3"))))
    table = place.run("python3", os.path.join(HERE, "abi.py"), HEADER)
    check_interface(table, "\n".join(text.values()))
    print(f"    man: {len(pages)} pages of section 3, {found} functions found")


def check_commands(place, pages):
    """Checks that every command is on the page of its first word, and every page in tappet(1)."""
    table = json.loads(place.run(place.installed("bin/tappet"), "help", "--table"))
    wanted = {f"tappet-{group['word']}.1" for group in table} | {"tappet.1", "tappet-sim.1"}
    require(set(pages) == wanted, f"of section 1 {sorted(wanted ^ set(pages))} are missing or too much")
    for group in table:
        page = f"tappet-{group['word']}"
        require(f"{page}(1)" in pages["tappet.1"], f"tappet(1) does not list {page}(1)")
        for command in group["commands"]:
            found = f"tappet {command['words']}" in re.sub(r"\s+", " ", pages[page + ".1"])
            require(found, f"{page}(1) does not have {command['words']}")
    for page, text in pages.items():
        wide = [line for line in text.splitlines() if len(line) > 80]
        require(not wide, f"{page} is wider than 80 columns: {wide[:1]}")


def check_configuration(page):
    """Checks that kiosk.yaml(5) has every key and every word that the parser knows."""
    folder = os.path.join(ROOT, "Sources/TappetConfig")
    sources = "".join(
        read(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names
        if name.startswith("ConfigurationParser"))
    lists = re.findall(r'\[\s*((?:"\w+",?\s*){2,})\]', sources)
    keys = {key for names in lists for key in re.findall(r"\w+", names)}
    words = set(re.findall(r"\w+", page.lower()))
    require(len(keys) > 30 and keys <= words, f"kiosk.yaml(5) lacks {sorted(keys - words)}")


def rendered(place, page):
    """Returns a manual page as a terminal of 80 columns shows it; its source has no mistakes."""
    settings = {**place.environment, "MANWIDTH": "80", "MANROFFOPT": "", "MANROFFSEQ": "", "LC_ALL": "C.UTF-8"}
    done = place.attempt("man", "--warnings", "-l", page, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         env=settings)
    require(done.returncode == 0 and not done.stderr.strip(), f"{page}: {done.stderr}")
    return done.stdout


def check_functions(place, folder, text):
    """Checks that each function's name leads to a page that has it; returns their number."""
    declared = place.declared()
    found = place.run("man", "-M", folder, "-w", "3", *declared).splitlines()
    require(len(found) == len(declared), f"man finds {len(found)} pages for {len(declared)} functions")
    for name, page in zip(declared, found):
        prototype = rf"[ *]{name}\s+\("
        overview = text[os.path.join(folder, "man3/tappet.h.3")]
        require(re.search(prototype, text[page].split("DESCRIPTION")[0]), f"{page} has no prototype of {name}")
        require(re.search(prototype, text[page].split("FUNCTIONS")[1]), f"{page} does not describe {name}")
        require(re.search(prototype, overview), f"{name} is not in tappet.h(3)")
    return len(found)


def check_names(declared, names):
    unknown = [name for name in declared if f'"{name} - ' not in names]
    require(not unknown, f"whatis would not know {unknown}")


def check_interface(table, everything):
    """Checks that the pages have every constant, structure, member and callback."""
    for line in table.splitlines():
        kind, *words = line.split()
        if kind == "constant":
            wanted = f"^ +({words[0]} = {words[1]}|#define {words[0]} +{words[1]})$"
        elif kind == "structure":
            wanted = f"^ +struct {words[0]}$"
        elif line.startswith("  "):  # A member: its type and name.
            wanted = rf"^ +{re.escape(line.strip().rpartition(' at ')[0])}( \[.*)?$"
        elif kind == "typedef":
            wanted = r"^ +typedef void\(\* " + words[1].partition(")")[0].removeprefix("(*")
        else:
            continue
        require(re.search(wanted, everything, re.M), f"on no page of the manual: {line.strip()}")


def readme(place):
    """The README's program compiles by the command there, and prints the output there."""
    section = read(os.path.join(ROOT, "README.md")).split("## Link it in five minutes")[1].split("\n## ")[0]
    work = place.file("readme")
    os.makedirs(work)
    write(os.path.join(work, "verify.c"), re.search(r"```c\n(.*?)```", section, re.S).group(1))
    for block in re.findall(r"```console\n(.*?)```", section, re.S):
        wanted = re.sub(r"^\$ .*\n", "", block, flags=re.M)
        done = place.attempt("sh", "-c", "\n".join(re.findall(r"^\$ (.*)$", block, re.M)), cwd=work)
        require(done.stdout == wanted, f"the commands print:\n{done.stdout}and the README says:\n{wanted}")


STEPS = [documentation, manual, readme]
