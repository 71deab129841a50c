"""Reads the declarations of tappet.h from the header itself, for tests that go through all of them.

These are functions and callbacks with their parameters, structures with their members, enumerations and constants, in
the header's order, and the documentation of parameters and members.   Usage: declarations.py HEADER (lists functions)
"""
import re
import sys


class Parameter:
    """A parameter of a function, or a member of a structure."""

    def __init__(self, type, name, documentation):
        self.type, self.name, self.documentation = type, name, documentation

    @property
    def is_pointer(self):
        return self.type.endswith("*") or self.type.endswith(("_callback", "_completion"))

    @property
    def may_be_null(self):
        """Returns "always" or, where it depends on a size of 0, "empty"; None if the documentation forbids a null."""
        text = self.documentation
        if "ay be NULL if" in text:
            return "empty"
        return "always" if re.search("ay be NULL|NULL (means|if)", text) else None


class Function:
    """A function, or the type of a callback."""

    def __init__(self, result, name, parameters, documentation):
        self.result, self.name = result, name
        of = dict(re.findall(r"@param (\w+) ((?:(?!\n@).)*)", documentation, re.S))
        self.parameters = []
        for declaration in parameters.split(","):
            if declaration.strip() != "void":
                type, parameter = split(declaration)
                self.parameters.append(Parameter(type, parameter, one_line(of.get(parameter, ""))))


class Callback(Function):
    pass


class Structure:
    """The members of a structure; None of an opaque one."""

    def __init__(self, name, body):
        self.name, self.members = name, None
        if body is not None:
            found = re.findall(r"^ +([^;/]+);\s*/\*\*<((?:(?!\*/).)*)\*/", body, re.M | re.S)
            self.members = [Parameter(*split(declaration), one_line(comment)) for declaration, comment in found]
            require_whole(found, body, ";", name)


class Constant:
    def __init__(self, name, value):
        self.name, self.value = name, value


class Enumeration:
    def __init__(self, name, body):
        self.name = name
        found = re.findall(r"(TAPPET_\w+) = (-?\d+),?\s*/\*\*<(?:(?!\*/).)*\*/", body, re.S)
        self.constants = [Constant(*words) for words in found]
        require_whole(found, body, "=", name)


class Header:
    """The declarations in a header."""

    def __init__(self, path):
        with open(path) as file:
            text = file.read()
        self.declarations = []
        for section in re.findall(r"/\*\* @defgroup (?:(?!@\{).)*@\{ \*/(.*?)/\*\* @\} \*/", text, re.S):
            documented = r"/\*\*(?!<)((?:(?!\*/).)*)\*/\s*(#define[^\n]*|[^{;]*(?:\{.*?\n\})?;)"
            for documentation, code in re.findall(documented, section, re.S):
                self.declarations.append(declaration(code, re.sub(r"^ *\* ?", "", documentation, flags=re.M).strip()))

    def all(self, kind):
        return [declaration for declaration in self.declarations if type(declaration) is kind]


def require_whole(found, body, sign, name):
    """Ends the program unless everything in the braces was found."""
    if len(found) != re.sub(r"/\*.*?\*/", "", body, flags=re.S).count(sign):
        raise SystemExit(f"declarations: something in {name} has no documentation or no value")


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def split(declaration):
    """Splits 'const char *url' into its type and its name, without the length of an array."""
    found = re.fullmatch(r"(.*?[ *]+)(\w+)(?:\[[^\]]*\])?", declaration.strip())
    if not found:
        raise SystemExit(f"declarations: not a type and a name: {declaration.strip()}")
    return one_line(found[1]), found[2]


def declaration(code, documentation):
    for pattern, make in [
            (r"#define (\w+) (\S+)", Constant),
            (r"struct (\w+);", lambda name: Structure(name, None)),
            (r"struct (\w+) \{(.*)\n\};", Structure),
            (r"enum (\w+) \{(.*)\n\};", Enumeration),
            (r"typedef (\w+) \(\*(\w+)\)\((.*)\);", lambda *words: Callback(*words, documentation)),
            (r"((?:const )?\w+ \*?)(tappet_\w+)\((.*)\);",
             lambda result, *words: Function(result.strip(), *words, documentation)),
    ]:
        found = re.fullmatch(pattern, code, re.S)
        if found:
            return make(*found.groups())
    raise SystemExit(f"declarations: neither constant, structure, enumeration, callback nor function: {code}")


if __name__ == "__main__":
    for function in Header(sys.argv[1]).all(Function):
        print(function.name)
