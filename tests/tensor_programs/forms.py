"""How programs are written down: code that sets `out` or prints, and what comes out."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Raises:
    """The program ends with an exception of this name, whose text contains this."""

    name: str
    text: str = ""


@dataclass
class Printed:
    text: str


def program(programs: dict, id: str, code: str, want: Any) -> None:
    assert id not in programs, id
    programs[id] = (code, want)


def unary(programs: dict, id: str, expression: str, x: Any, y: Any, dy: Any, dtype: str = "float32") -> None:
    """A function of x: its value, and the gradient of its sum."""
    code = f"x = tf.constant({x!r}, tf.{dtype})\nwith tf.GradientTape() as g:\n    g.watch(x); y = {expression}\nout = [y, g.gradient(y, x)]"
    program(programs, id, code, [y, dy])


def binary(programs: dict, id: str, expression: str, a: Any, b: Any, y: Any, da: Any, db: Any, dtype: str = "float32") -> None:
    """A function of a and b: its value, and the gradients of its sum."""
    code = (f"a, b = tf.constant({a!r}, tf.{dtype}), tf.constant({b!r}, tf.{dtype})\nwith tf.GradientTape() as g:\n"
            f"    g.watch([a, b]); y = {expression}\nout = [y] + g.gradient(y, [a, b])")
    program(programs, id, code, [y, da, db])
