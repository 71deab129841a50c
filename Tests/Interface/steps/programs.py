"""C programs that need neither a broker nor a reader; also under Valgrind and the thread sanitizer."""
import json
import os
import re

from .place import HERE, ROOT, needs, require, write


def values(place):
    """Values both ways, and bad arguments."""
    print("    " + place.run(place.compile_c("values")).strip())


def nulls(place):
    """NULL for every pointer of every function."""
    print("    " + place.run(place.compile_nulls()).strip())


def misuse(place):
    """Mistakes with objects, each with its error code."""
    print("    " + place.run(place.compile_c("misuse"), place.file("misuse.state")).strip())


def inventory(place):
    """An inventory kept by a program in C and by one in Python; the example and `tappet find` find what they added."""
    folder, config = place.file("storeroom.state"), place.file("storeroom.yaml")
    print("    " + place.run(place.compile_c("storeroom"), folder).strip().replace("\n", "\n    "))
    place.run("python3", os.path.join(HERE, "Python/storeroom.py"), folder)
    loans = place.file("loans.state")
    print("    " + place.run(place.compile_c("loans"), loans).strip())
    place.run("python3", os.path.join(HERE, "Python/loans.py"), loans)
    found = place.run(place.compile_c("inventory"), folder, "K-17")
    require(found == "Screws, in: House → Cellar → Shelf\nGröße M4, in: House → Cellar → Shelf → Screws\n"
            "M5, in: House → Cellar → Shelf → Screws\n", found)
    found = place.run(place.file("inventory"), folder, "sage")
    require(found == "Säge, in: Yard → Shed → Hook → Tools\n", found)
    write(config, f"state: {folder}\nbroker: {{url: 'mqtt://127.0.0.1:1', client_id: storeroom}}\n"
          "actions: [{name: one, topic: t, message: m}]\n")
    found = place.run(place.installed("bin/tappet"), "find", "sage", "--config", config)
    require(found == "item      Säge  1  Yard → Shed → Hook → Tools\n", found)


def stop(place):
    """A stop is never lost, although the disk takes 20 ms for each sync."""
    faults = place.file("faults.so")
    place.run("gcc", "-shared", "-fPIC", "-O2", "-o", faults, os.path.join(ROOT, "Tests/System/Faults/faults.c"))
    settings = {"LD_PRELOAD": faults, "TAPPET_FAULT_SYNC": "20"}
    print("    " + place.run(place.compile_c("stop"), place.file("stop.state"), settings=settings).strip())


def verify(place):
    """The example that verifies a tag's URL."""
    place.check_verify(place.compile_c("verify"))


def threads(place):
    """Values from eight threads at once; below also under helgrind and the thread sanitizer."""
    print("    " + place.run(place.compile_c("threads")).strip().replace("\n", "\n    "))


def build_instrumented(place):
    """Builds the library as it ships, but instrumented, in .build-tsan."""
    place.run("swift", "build", "--package-path", ROOT, "-c", "release", "--scratch-path",
              os.path.join(ROOT, ".build-tsan"), "--product", "TappetInterfaceStatic", "-Xswiftc", "-Xcc", "-Xswiftc",
              "-fPIC", "-Xswiftc", "-sanitize=thread", "-Xcc", "-fsanitize=thread", seconds=1800,
              settings={"TAPPET_EMBEDDED": "-Osize"})


def thread_sanitizer(place):
    """In the instrumented library, eight threads do no harm to each other, and a planted race is found."""
    needs("swift", "")
    build_instrumented(place)
    resources = json.loads(place.run("swift", "-print-target-info"))["paths"]["runtimeResourcePath"]
    # The sanitizer's run-time library needs libdispatch.
    libs = [os.path.join(ROOT, "Sources/CLibraries/standins/unicode-tables.c"),
            os.path.join(ROOT, ".build-tsan/release/libTappetInterfaceStatic.a"), "-fuse-ld=lld",
            *(word for word in place.pkg_config("--static", "--libs") if word != "-ltappet"), "-lpthread", "-lm",
            f"-L{resources}/linux", "-ldispatch", "-lBlocksRuntime", f"-Wl,-rpath,{resources}/linux"]
    binaries = {name: place.file("tsan-" + name) for name in ("threads", "race")}
    for name, program in binaries.items():
        place.run(os.path.join(resources, "../../bin/clang"), "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-g",
                  "-fsanitize=thread", *place.pkg_config("--cflags"), "-o", program,
                  os.path.join(HERE, "C", name + ".c"), *libs)
    place.run(binaries["threads"], "500")
    done = place.attempt(binaries["race"])
    require("data race" in done.stdout, f"the planted race was not found:\n{done.stdout}")
    print("    thread sanitizer: 8 threads, no complaint; a planted race is found")


def valgrind(place):
    """Memcheck and helgrind find nothing."""
    needs("valgrind", "valgrind")
    options = ["--quiet", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite,indirect",
               "--errors-for-leak-kinds=definite,indirect", f"--suppressions={HERE}/valgrind.suppressions"]
    for program in [place.compile_c("values"), place.compile_nulls(), place.compile_c("misuse")]:
        words = [place.file("misuse.valgrind"), "traced"] if program.endswith("misuse") else []
        lines = place.run("valgrind", *options, program, *words).splitlines()
        # Lines that begin with -- are Valgrind's remarks about pidfd_open, which it does not know.
        print("    memcheck: " + "\n".join(line for line in lines if not line.startswith("--")))
    place.run("valgrind", "--quiet", "--tool=helgrind", "--error-exitcode=99", place.compile_c("threads"), "20")
    print("    helgrind: 8 threads, no complaint")


def panel(place):
    """Missing lines: each is reported, and nothing stops. (With lines, on the virtual board.)"""
    lines = ["no-such-button", "no-such-light"]
    done = place.attempt(place.compile_c("panel"), *lines, timeout=20)
    reports = done.stdout.splitlines()
    require(done.returncode == 1 and len(reports) == 2, done.stdout)
    for name, report in zip(lines, reports):
        require(name in report and re.search("has no GPIO chip|no GPIO line is named", report), report)


STEPS = [values, nulls, misuse, inventory, stop, verify, threads, thread_sanitizer, valgrind, panel]
