"""Prints everything in tappet.h that compiled programs rely on.

These are each function's prototype, each constant, and the offset of each member of a structure (LP64, the same on
x86-64 and arm64).   Usage: abi.py HEADER
"""
import os
import subprocess
import sys
import tempfile

import declarations

path = sys.argv[1]
header = declarations.Header(path)


def prototype(of):
    parameters = ", ".join(p.type + ("" if p.type.endswith("*") else " ") + p.name for p in of.parameters)
    return f"({parameters or 'void'})"


for function in header.all(declarations.Function):
    print(f"function {function.result} {function.name}{prototype(function)}")
for callback in header.all(declarations.Callback):
    print(f"typedef {callback.result} (*{callback.name}){prototype(callback)}")
for constant in header.all(declarations.Constant):
    if constant.value.isdigit():
        print(f"constant {constant.name} {constant.value}")
for enumeration in header.all(declarations.Enumeration):
    for constant in enumeration.constants:
        print(f"constant {constant.name} {constant.value}")
source = "#include <stddef.h>\n#include <stdio.h>\n#include <tappet.h>\nint main(void) {\n"
for structure in header.all(declarations.Structure):
    if structure.members is None:
        continue
    name = structure.name
    source += f'  printf("structure {name} size %zu\\n", sizeof(struct {name}));\n'
    for member in structure.members:
        source += f'  printf("  {member.type} {member.name} at %zu\\n", offsetof(struct {name}, {member.name}));\n'
with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, "abi")
    subprocess.run(["gcc", "-std=c99", "-I", os.path.dirname(path), "-x", "c", "-", "-o", program],
                   input=source + "}\n", text=True, check=True)
    sys.stdout.flush()
    subprocess.run([program], check=True)
