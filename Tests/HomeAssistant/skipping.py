"""A test with a real peer that is not installed here: it says so, and is counted as skipped."""
import ast
import os

# The status that Tests/verify knows as skipped.
SKIPPED = 77


def steps(folder):
    """The number of the steps in a folder's story, whose modules may be missing."""
    return steps_of(folder, "story")


def steps_of(folder, module):
    """The number of a module's steps, with those that it takes from another one's list."""
    with open(os.path.join(folder, module + ".py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    elements = next(node.value.elts for node in tree.body
                    if isinstance(node, ast.Assign) and node.targets[0].id == "STEPS")
    return sum(steps_of(folder, element.value.value.id) if isinstance(element, ast.Starred) else 1
               for element in elements)


def skip(name, folder, reason):
    """Ends the program: nothing has run, which is neither passed nor failed."""
    print(f"{name}: 0 passed, 0 failed, {steps(folder)} skipped: {reason}")
    raise SystemExit(SKIPPED)
