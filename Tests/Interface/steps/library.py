"""The library as files: header, symbols, binary interface, and the ways to link it."""
import os
import re
import shutil

from .place import EXAMPLES, HEADER, HERE, ROOT, STRICT, needs, read, require, write

PROGRAMS = ["bin/tappet", "bin/tappet-sim", "libexec/tappet/tappet-tool", "libexec/tappet/tappet-reader"]
SIGNATURE = """import CTappet
@_cdecl("tappet_strerror") @implementation
public func tappet_strerror(_ e: {}) -> UnsafePointer<CChar>? {{ nil }}
"""
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(example C)
find_package(tappet 0.1 REQUIRED)
add_executable(verify verify.c)
target_link_libraries(verify PRIVATE tappet::tappet)
"""


def header(place):
    """The header compiles alone, as C99 and as C++."""
    place.run("gcc", "-std=c99", *STRICT, "-fsyntax-only", "-x", "c", HEADER)
    place.run("g++", "-std=c++17", *STRICT, "-fsyntax-only", "-x", "c++", HEADER)


def exports(place):
    """The library exports exactly the header's functions, each with its version; so does the archive."""
    declared = place.declared()
    library = place.installed("lib/libtappet.so.0")
    lines = place.run("nm", "-D", "--defined-only", library).splitlines()
    exported = [line.split()[2] for line in lines if line.split()[1] != "A"]
    wanted = [name + "@@TAPPET_0" for name in declared]
    require(sorted(exported) == wanted, f"only exported, or only declared: {set(exported) ^ set(wanted)}")
    lines = place.run("nm", "-g", "--defined-only", place.installed("lib/libtappet.a")).splitlines()
    exported = [line.split()[2] for line in lines if len(line.split()) == 3]
    require(sorted(exported) == declared, f"only in the archive, or only declared: {set(exported) ^ set(declared)}")
    listed = re.findall(r"(?m)^ (tappet_\w+)@", read(os.path.join(ROOT, "board/debian/libtappet0.symbols")))
    require(listed == declared, f"only in libtappet0.symbols, or only declared: {set(listed) ^ set(declared)}")
    soname = place.run("objdump", "-p", library)
    require("SONAME               libtappet.so.0" in soname, "the soname is not libtappet.so.0")
    flags = place.run("readelf", "-d", library)
    require("NODELETE" in flags, "dlclose would unmap code that a thread may still be in")
    for file in ["lib/libtappet.so.0", *PROGRAMS]:
        require("swift" not in place.run("ldd", place.installed(file)).lower(), f"{file} needs a Swift library")
    print(f"    libtappet.so.0: {os.path.getsize(library):,} bytes, {len(wanted)} functions")


def unwinding(place):
    """Debuggers and profilers find their way out of every function: all that is installed has unwind tables."""
    for file in ["lib/libtappet.so.0", *PROGRAMS]:
        frames = place.run("readelf", "--debug-dump=frames", place.installed(file)).count(" FDE ")
        require(frames >= 100, f"{file} has unwind tables for {frames} functions only")


def version(place):
    """Everything that is installed has the version of Sources/TappetBase/Version.swift, and so have the bindings."""
    source = read(os.path.join(ROOT, "Sources/TappetBase/Version.swift"))
    wanted = re.search(r'staticText: StaticString = "(.*)"', source)[1]
    found = {
        "tappet --version": place.run(place.installed("bin/tappet"), "--version").split()[-1],
        "tappet-sim --version": place.run(place.installed("bin/tappet-sim"), "--version").split()[-1],
        "tappet.pc": place.pkg_config("--modversion")[0]}
    places = {
        "include/tappet.h": r'#define TAPPET_VERSION "(.*)"',
        "lib/cmake/tappet/tappet-config-version.cmake": r'PACKAGE_VERSION "(.*)"',
        "share/man/man1/tappet.1": r'"Tappet (\S+)"', "share/man/man1/tappet-sim.1": r'"Tappet (\S+)"',
        "share/man/man5/kiosk.yaml.5": r'"Tappet (\S+)"', "share/man/man3/tappet.h.3": r'"Tappet (\S+)"'}
    bindings = {os.path.join(HERE, name): r'(?m)^version = "(.*)"' for name in (
        "Python/pyproject.toml", "Rust/tappet/Cargo.toml", "Rust/tappet-sys/Cargo.toml")}
    crate = read(os.path.join(HERE, "Rust/tappet/Cargo.toml"))
    found["the dependency on tappet-sys"] = re.search(r'tappet-sys = .*version = "(.*)"', crate)[1]
    for path, pattern in ({place.installed(name): pattern for name, pattern in places.items()} | bindings).items():
        found[path] = re.search(pattern, read(path))[1]
    others = {name: each for name, each in found.items() if each != wanted}
    require(not others, f"the version is {wanted}, but {others}")


def abi(place):
    """The header has everything that compiled programs rely on (Tests/Interface/abi.txt), and may have more."""
    table = place.run("python3", os.path.join(HERE, "abi.py"), HEADER)
    lost = sorted(qualified(read(os.path.join(HERE, "abi.txt"))) - qualified(table))
    require(not lost, f"tappet.h lacks or changes {lost}; see the policy in docs/library.md. If the change is meant: "
            "python3 Tests/Interface/abi.py Include/tappet.h > Tests/Interface/abi.txt")


def qualified(table):
    """Returns the lines of a table, those of a structure's members with its name."""
    lines, structure = set(), ""
    for line in table.splitlines():
        if line.startswith("structure"):
            structure = line.split()[1]
        lines.add(structure + line if line.startswith(" ") else line)
    return lines


def abidiff(place):
    """The library has every function that the last release had, and one that is gone is found."""
    needs("abidiff", "abigail-tools")
    compare = [os.path.join(ROOT, "tools/packages/interface")]
    library, planted = place.installed("lib/libtappet.so.0"), place.file("planted.abi")
    own = place.run("abidw", "--no-corpus-path", "--no-comp-dir-path", library)
    (line,) = re.findall(r"(?m)^.*elf-symbol name='tappet_strerror'.*\n", own)
    write(planted, own.replace(line, ""))
    place.run(*compare, planted, library)
    write(planted, own.replace(line, line + line.replace("tappet_strerror", "tappet_gone")))
    done = place.attempt(*compare, planted, library)
    require(done.returncode == 1 and "tappet_gone" in done.stdout, f"a lost function is not found:{done.stdout}")
    release = os.path.join(HERE, "release.abi")
    if os.path.exists(release):
        place.run(*compare, release, library)
    else:
        print("    there is no release to compare with yet; a function that is gone is found")


def signatures(place):
    """A Swift function that differs from its declaration in the header does not compile."""
    needs("swiftc", "")
    source = place.file("signature.swift")
    for type, compiles in [("Int32", True), ("Int64", False)]:
        write(source, SIGNATURE.format(type))
        done = place.attempt("swiftc", "-typecheck", "-parse-as-library", "-I", os.path.join(ROOT, "Include"), source)
        require((done.returncode == 0) == compiles, f"with {type} for int: {done.stdout or 'it compiles'}")


def static(place):
    """A program links with the archive alone, by the flags of pkg-config --static."""
    program = place.file("static")
    archive = place.installed("lib/libtappet.a")
    libs = [archive if word == "-ltappet" else word for word in place.pkg_config("--static", "--libs")]
    place.run("gcc", "-std=c99", *place.pkg_config("--cflags"), "-o", program, os.path.join(HERE, "C/values.c"), *libs)
    require("libtappet" not in place.run("ldd", program), "the program needs libtappet.so")
    print("    " + place.run(program).strip())


def cmake(place):
    """A program finds the library through CMake."""
    needs("cmake", "cmake")
    source = place.file("cmake")
    os.makedirs(source)
    shutil.copy(os.path.join(EXAMPLES, "verify.c"), source)
    write(os.path.join(source, "CMakeLists.txt"), CMAKE)
    place.run("cmake", "-S", source, "-B", source + "/build", f"-DCMAKE_PREFIX_PATH={place.stage}")
    place.run("cmake", "--build", source + "/build")
    place.check_verify(source + "/build/verify")


STEPS = [header, exports, unwinding, version, abi, abidiff, signatures, static, cmake]
