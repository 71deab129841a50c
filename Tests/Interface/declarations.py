"""What tappet.h declares, read from the header itself: functions with their parameters and what their documentation says of
each, structures with their members. For the tests that go through all of them."""
import re


class Parameter:
    def __init__(self, type, name, documentation):
        self.type, self.name, self.documentation = type, name, documentation

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
    def __init__(self, result, name, parameters, documentation):
        self.result, self.name, self.parameters, self.documentation = result, name, parameters, documentation


def split(declaration):
    """'const char *url' as its type and its name."""
    type, name = re.fullmatch(r"(.*?[ *]+)(\w+)(?:\[[^\]]*\])?", declaration.strip()).groups()
    return re.sub(r"\s+", " ", type).strip(), name


def read(path):
    text = open(path).read()
    functions, structures = [], {}
    for match in re.finditer(r"/\*\*((?:(?!\*/).)*)\*/\s*((?:const )?\w+ \*?)(tappet_\w+)\(([^;{]*)\);", text, re.S):
        documentation, result, name, list = match.groups()
        documentation = re.sub(r"\n \* ?", "\n", documentation)
        of = dict(re.findall(r"@param (\w+) ((?:(?!\n@).)*)", documentation, re.S))
        parameters = []
        for declaration in list.split(","):
            if declaration.strip() != "void":
                type, parameter = split(declaration)
                parameters.append(Parameter(type, parameter, of.get(parameter, "")))
        functions.append(Function(result.strip(), name, parameters, documentation))
    for name, body in re.findall(r"struct (tappet_\w+) \{(.*?)\n\};", text, re.S):
        members = re.findall(r"^ +([^;/]+);\s*/\*\*<((?:(?!\*/).)*)\*/", body, re.M | re.S)
        structures[name] = [Parameter(*split(declaration), comment) for declaration, comment in members]
    return functions, structures


if __name__ == "__main__":
    import sys

    for function in read(sys.argv[1])[0]:
        print(function.name)
