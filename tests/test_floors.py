"""The rooms are floors: a module imports only from its own floor or from those below it (ARCHITECTURE.md)."""

import ast
from pathlib import Path

import s2sgrad

ROOT = Path(s2sgrad.__file__).parent

# From the ground up. A name is a folder or a module of s2sgrad.
FLOORS = [
    {"errors", "names", "ir", "recursion", "runtime"},
    {"rules"},
    {"structure", "callables"},
    {"library"},
    {"frontend"},
    {"analysis"},
    {"transform"},
    {"optimise"},
    {"emit"},
    {"backends"},
    {"pipeline"},
    {"arguments", "guess"},
    {"inline", "wrapped", "dispatch", "derivative", "face", "matrices", "api", "testing"},
    {  # the TensorFlow-style names
        "adjoints", "connections", "custom", "device", "dtypes", "eager", "effects", "purity", "forward", "function", "held", "namespaces",
        "operators", "ops", "printing", "shapes", "tape", "tensor", "variable",
    },
    {"interface"},
    {"cli", "__init__", "__main__"},
]
FLOOR = {name: k for k, floor in enumerate(FLOORS) for name in floor}


def room(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path):
    """Rooms that a module imports when it is loaded (imports inside functions are for cycles that exist only at run time)."""
    out = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module == "s2sgrad":
            out += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("s2sgrad."):
            out.append((node.module.split(".")[1], node.lineno))
        elif isinstance(node, ast.Import):
            out += [(alias.name.split(".")[1], node.lineno) for alias in node.names if alias.name.startswith("s2sgrad.")]
    return out


def test_every_room_has_a_floor():
    rooms = {room(p) for p in ROOT.rglob("*.py")}
    assert rooms <= set(FLOOR), f"name the floor of {sorted(rooms - set(FLOOR))}"


def test_imports_go_down():
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        here = FLOOR.get(room(path))
        for name, line in imported(path):
            there = FLOOR.get(name)
            if here is not None and there is not None and there > here:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name} from a floor above its own")
    assert not wrong, "\n".join(wrong)
