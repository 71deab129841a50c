"""Prints what programs that were built with tappet.h rely on: each function's prototype, each constant, and where each member
of a structure lies (LP64, the same on x86-64 and arm64).   Usage: abi.py HEADER"""
import os
import re
import subprocess
import sys
import tempfile

import declarations

header = sys.argv[1]
functions, structures = declarations.read(header)
for function in functions:
    parameters = ", ".join(p.type + ("" if p.type.endswith("*") else " ") + p.name for p in function.parameters)
    print(f"function {function.result} {function.name}({parameters or 'void'})")
text = re.sub(r"/\*.*?\*/", "", open(header).read(), flags=re.S)
for line in re.findall(r"^typedef .*$", text, re.M):
    print(line.rstrip(";"))
for name, value in re.findall(r"^#define (TAPPET_\w+) (\d+)$", text, re.M):
    print(f"constant {name} {value}")
for body in re.findall(r"enum \w+ \{(.*?)\}", text, re.S):
    for name, value in re.findall(r"(TAPPET_\w+) = (-?\d+)", body):
        print(f"constant {name} {value}")
source = "#include <stddef.h>\n#include <stdio.h>\n#include <tappet.h>\nint main(void) {\n"
for name, members in structures.items():
    source += f'  printf("structure {name} size %zu\\n", sizeof(struct {name}));\n'
    for member in members:
        source += f'  printf("  {member.type} {member.name} at %zu\\n", offsetof(struct {name}, {member.name}));\n'
with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, "abi")
    subprocess.run(["gcc", "-std=c99", "-I", os.path.dirname(header), "-x", "c", "-", "-o", program], input=source + "}\n",
                   text=True, check=True)
    sys.stdout.flush()
    subprocess.run([program], check=True)
