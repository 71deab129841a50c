"""The packages of other languages as they would be published: made, installed elsewhere without a network, and used."""
import os
import re
import shutil
import zipfile

from .place import HERE, ROOT, needs, read, require, write

DOCTEST = "import doctest, sys, tappet; sys.exit(doctest.testmod(tappet).failed)"


def wheel(place):
    """Python: a wheel in an environment of its own. Nothing is compiled there, and its types check programs."""
    tools = os.path.join(ROOT, ".build-python/bin")
    needs(tools + "/mypy", "python3-venv: make deps-verify")
    source, made, environment = (place.file("wheel-" + name) for name in ("source", "made", "environment"))
    # A copy, because setuptools writes next to the sources.
    shutil.copytree(os.path.join(HERE, "Python"), source)
    place.run(tools + "/pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "-w", made, source)
    (name,) = os.listdir(made)
    require(name.endswith("-py3-none-any.whl"), f"{name} is not for every machine")
    place.run(tools + "/python", "-m", "venv", "--without-pip", environment)
    python, settings = environment + "/bin/python", {"PYTHONPATH": ""}
    place.run(tools + "/pip", "--python", python, "install", "--quiet", "--no-index", os.path.join(made, name))
    place.run(python, "-c", DOCTEST, settings=settings, cwd=place.folder)
    strict = [tools + "/mypy", "--strict", "--no-incremental", "--cache-dir", os.devnull, "--python-executable", python]
    place.run(*strict, "tappet", settings=settings, cwd=source)
    programs = place.file("wheel-programs")
    os.makedirs(programs)
    for each in ("kiosk.py", "write.py"):
        shutil.copy(os.path.join(source, each), programs)
    write(programs + "/wrong.py", "import tappet\n\ntappet.sign_url(0, 1767168000, 32 * '0')\n")
    place.run(*strict, "kiosk.py", "write.py", settings=settings, cwd=programs)
    done = place.attempt(*strict, "wrong.py", cwd=programs, env={**place.environment, **settings})
    require("arg-type" in done.stdout, f"a key that is a str passes:\n{done.stdout}")
    place.world.run_kiosk("wheel-kiosk", python, programs + "/kiosk.py")


def crates(place):
    """Rust: both crates as cargo packs them, and a program of another folder that depends on them."""
    needs("cargo", "cargo")
    source, target, registry, user = (place.file("crates-" + name) for name in ("source", "target", "registry", "user"))
    shutil.copytree(os.path.join(HERE, "Rust"), source)
    offline = ["--offline", "--quiet", "--target-dir", target]
    os.makedirs(registry)
    for name in ("tappet-sys", "tappet"):
        # The registry has no tappet-sys yet.
        place.run("cargo", "package", "--package", name, "--no-verify", "--allow-dirty", *offline,
                  "--config", f"patch.crates-io.tappet-sys.path='{source}/tappet-sys'", cwd=source)
        version = re.search(r'(?m)^version = "(.*)"', read(f"{source}/{name}/Cargo.toml"))[1]
        place.run("tar", "-xzf", f"{target}/package/{name}-{version}.crate", "-C", registry)
    os.makedirs(user + "/src")
    shutil.copy(f"{registry}/tappet-{version}/examples/kiosk.rs", user + "/src/main.rs")
    write(user + "/Cargo.toml", f"""[package]
name = "kiosk"
version = "1.0.0"
edition = "2021"
[dependencies]
tappet = "{version}"
[patch.crates-io]
tappet = {{ path = "{registry}/tappet-{version}" }}
tappet-sys = {{ path = "{registry}/tappet-sys-{version}" }}
""")
    place.run("cargo", "build", *offline, cwd=user)
    place.world.run_kiosk("crates-kiosk", os.path.join(target, "debug/kiosk"))


def go_module(place):
    """Go: the module as a proxy serves it, and a program of another folder that requires it."""
    needs("go", "golang-go")
    source, proxy, user = os.path.join(HERE, "Go"), place.file("go-proxy"), place.file("go-user")
    version = "v" + place.pkg_config("--modversion")[0]
    versions = proxy + "/tappet.example/@v"
    os.makedirs(versions)
    write(versions + "/list", version + "\n")
    write(f"{versions}/{version}.info", f'{{"Version": "{version}"}}')
    shutil.copy(source + "/go.mod", f"{versions}/{version}.mod")
    with zipfile.ZipFile(f"{versions}/{version}.zip", "w") as packed:
        for folder, _, names in os.walk(source):
            for name in names:
                path = os.path.join(folder, name)
                packed.write(path, f"tappet.example@{version}/{os.path.relpath(path, source)}")
    os.makedirs(user)
    shutil.copy(source + "/main.go", user)
    # -modcacherw: what is downloaded can be removed again.
    settings = {"GOPROXY": "file://" + proxy, "GONOSUMDB": "*", "GOFLAGS": "-mod=mod -modcacherw",
                "GOMODCACHE": place.file("go-modules")}
    for words in (["mod", "init", "kiosk.example"], ["get", "tappet.example/tappet@" + version], ["mod", "verify"],
                  ["vet", "."], ["build", "-o", "kiosk", "."]):
        place.run("go", *words, cwd=user, settings=settings)
    place.world.run_kiosk("go-module-kiosk", user + "/kiosk")


STEPS = [wheel, crates, go_module]
