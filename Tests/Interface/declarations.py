"""What tappet.h declares, read from the header itself, section by section: functions with their parameters, structures with
their members, enumerations, callbacks and constants, and what their documentation says of each. For the tests that go through
all of them, and for the manual pages."""
import re


class Parameter:
    """A parameter of a function, or a member of a structure."""

    def __init__(self, type, name, documentation, array=""):
        self.type, self.name, self.documentation, self.array = type, name, documentation, array

    @property
    def is_pointer(self):
        return self.type.endswith("*") or self.type.endswith(("_callback", "_completion"))

    @property
    def may_be_null(self):
        """'always', 'where its size is 0', or no."""
        text = self.documentation
        if "ay be NULL where" in text:
            return "empty"
        return "always" if "ay be NULL" in text or "NULL:" in text else None


class Function:
    """A function, or a callback's type. Its summary is what stands before the @param of the documentation."""

    def __init__(self, result, name, parameters, documentation):
        self.result, self.name = result, name
        self.summary, self.returned = tagged(documentation)
        of = dict(re.findall(r"@param (\w+) ((?:(?!\n@).)*)", documentation, re.S))
        self.parameters = []
        for declaration in parameters.split(","):
            if declaration.strip() != "void":
                type, parameter, _ = split(declaration)
                self.parameters.append(Parameter(type, parameter, line(of.get(parameter, ""))))


class Callback(Function):
    pass


class Structure:
    """Its members; None of one that only the library looks into."""

    def __init__(self, name, body, documentation):
        self.name, self.summary, self.members = name, line(documentation), None
        if body is not None:
            found = re.findall(r"^ +([^;/]+);\s*/\*\*<((?:(?!\*/).)*)\*/", body, re.M | re.S)
            self.members = [Parameter(type, name, line(comment), array)
                            for (type, name, array), comment in ((split(declaration), comment) for declaration, comment in found)]
            whole(found, body, ";", name)


class Constant:
    def __init__(self, name, value, documentation):
        self.name, self.value, self.documentation = name, value, line(documentation)


class Enumeration:
    def __init__(self, name, body, documentation):
        self.name, self.summary = name, line(documentation)
        found = re.findall(r"(TAPPET_\w+) = (-?\d+),?\s*/\*\*<((?:(?!\*/).)*)\*/", body, re.S)
        self.constants = [Constant(*words) for words in found]
        whole(found, body, "=", name)


class Section:
    """A @defgroup: its name, its title, what is said of all of it, and its declarations in their order."""

    def __init__(self, name, title, introduction):
        self.name, self.title, self.introduction, self.declarations = name, title, introduction, []

    def all(self, kind):
        return [declaration for declaration in self.declarations if type(declaration) is kind]


class Header:
    """The sections, and the paragraphs on everything at the header's top: pairs of a title and a text."""

    def __init__(self, path):
        with open(path) as file:
            text = file.read()
        top = re.match(r"/\*\*(.*?)\*/", text, re.S).group(1)
        paragraphs = re.findall(r"@par ([^\n]*)\n((?:(?!@par).)*)", unstarred(top), re.S)
        self.paragraphs = [(title.strip(), line(body)) for title, body in paragraphs]
        self.sections = []
        for name, title, introduction, body in re.findall(
                r"/\*\* @defgroup (\w+) ([^\n]*)\n((?:(?!@\{).)*)@\{ \*/(.*?)/\*\* @\} \*/", text, re.S):
            section = Section(name, title, line(unstarred(introduction)))
            documented = r"/\*\*(?!<)((?:(?!\*/).)*)\*/\s*(#define[^\n]*|[^{;]*(?:\{.*?\n\})?;)"
            for documentation, code in re.findall(documented, body, re.S):
                section.declarations.append(declaration(code, unstarred(documentation).strip()))
            self.sections.append(section)

    def all(self, kind):
        return [declaration for section in self.sections for declaration in section.all(kind)]


def whole(found, body, sign, name):
    """Was everything in the braces found?"""
    if len(found) != re.sub(r"/\*.*?\*/", "", body, flags=re.S).count(sign):
        raise SystemExit(f"declarations: something in {name} is not documented, or has no value")


def unstarred(comment):
    return re.sub(r"^ *\* ?", "", comment, flags=re.M)


def line(text):
    return re.sub(r"\s+", " ", text).strip()


def tagged(documentation):
    """The text before the first @param or @return, and that of @return."""
    returned = re.search(r"@return (.*)", documentation, re.S)
    return line(re.split(r"(?:^|\n)@", documentation)[0]), line(returned.group(1)) if returned else ""


def split(declaration):
    """'const char *url' as its type, its name, and nothing; of an array the last is its length in brackets."""
    found = re.fullmatch(r"(.*?[ *]+)(\w+)(\[[^\]]*\])?", declaration.strip())
    if not found:
        raise SystemExit(f"declarations: no type and a name: {declaration.strip()}")
    type, name, array = found.groups()
    return line(type), name, array or ""


def declaration(code, documentation):
    for pattern, make in [
            (r"#define (\w+) (\S+)", lambda name, value: Constant(name, value, documentation)),
            (r"struct (\w+);", lambda name: Structure(name, None, documentation)),
            (r"struct (\w+) \{(.*)\n\};", lambda name, body: Structure(name, body, documentation)),
            (r"enum (\w+) \{(.*)\n\};", lambda name, body: Enumeration(name, body, documentation)),
            (r"typedef (\w+) \(\*(\w+)\)\((.*)\);", lambda *words: Callback(*words, documentation)),
            (r"((?:const )?\w+ \*?)(tappet_\w+)\((.*)\);", lambda result, *words: Function(result.strip(), *words, documentation)),
    ]:
        found = re.fullmatch(pattern, code, re.S)
        if found:
            return make(*found.groups())
    raise SystemExit(f"declarations: neither constant, structure, enumeration, callback nor function: {code}")


def read(path):
    """The functions, and the members of each structure by its name."""
    header = Header(path)
    return header.all(Function), {s.name: s.members for s in header.all(Structure) if s.members is not None}


if __name__ == "__main__":
    import sys

    for function in read(sys.argv[1])[0]:
        print(function.name)
