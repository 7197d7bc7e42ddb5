"""Python AST to readable text: astunparse with valid slices, few parentheses, comments and docstrings.

>>> import ast
>>> print(unparse(ast.parse("y = ((a * b) + c)[1:2, ::3]")), end="")
y = (a * b + c)[1:2, ::3]
"""

from __future__ import annotations

import ast
import io
from typing import Any

from astunparse.unparser import Unparser, interleave


class CommentText(str):
    """The value of an `Expr(Constant(...))` statement that prints as a comment."""


# Binding strength, weakest first; an operand weaker than its context gets parentheses.
TEST, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, ARITH, TERM, FACTOR, POWER, AWAIT, ATOM = range(15)

BINARY = {
    ast.BitOr: BITOR, ast.BitXor: BITXOR, ast.BitAnd: BITAND, ast.LShift: SHIFT, ast.RShift: SHIFT, ast.Add: ARITH, ast.Sub: ARITH,
    ast.Mult: TERM, ast.Div: TERM, ast.FloorDiv: TERM, ast.Mod: TERM, ast.MatMult: TERM, ast.Pow: POWER,
}


def strength(node: ast.AST) -> int:
    """How strongly the outermost operator of a node binds."""
    if isinstance(node, ast.BinOp):
        return BINARY[type(node.op)]
    if isinstance(node, ast.UnaryOp):
        return NOT if isinstance(node.op, ast.Not) else FACTOR
    if isinstance(node, ast.BoolOp):
        return OR if isinstance(node.op, ast.Or) else AND
    if isinstance(node, ast.Compare):
        return COMPARE
    if isinstance(node, (ast.IfExp, ast.Lambda)):
        return TEST
    if isinstance(node, ast.Tuple):
        return ATOM  # prints its own parentheses
    return ATOM


class Printer(Unparser):
    """astunparse's Unparser, corrected (see the module's first line)."""

    def __init__(self, tree: ast.AST, file: Any) -> None:
        self._started = False
        super().__init__(tree, file)

    # ------------------------------------------------------------------------------------ statements

    def fill(self, text: str = "") -> None:
        self.f.write(("\n" if self._started else "") + "    " * self._indent + text)
        self._started = True

    def _Expr(self, t: ast.Expr) -> None:
        value = getattr(t.value, "value", None)
        if isinstance(value, CommentText):
            for line in value.splitlines() or [""]:
                self.fill(f"# {line}".rstrip())
        else:
            self.fill()
            self.dispatch(t.value)

    def _FunctionDef(self, t: ast.FunctionDef) -> None:
        if self._started and not self._indent:
            self.write("\n\n")
        for decorator in t.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self.fill(f"def {t.name}(")
        self.dispatch(t.args)
        self.write(")")
        if t.returns is not None:
            self.write(" -> ")
            self.dispatch(t.returns)
        self.enter()
        body = t.body
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and type(body[0].value.value) is str:
            self.docstring(body[0].value.value)
            body = body[1:]
        self.dispatch(body)
        self.leave()

    def docstring(self, text: str) -> None:
        escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        if escaped.endswith('"'):
            escaped = escaped[:-1] + '\\"'
        self.fill('"""' + escaped + '"""')

    def _Assign(self, t: ast.Assign) -> None:
        self.fill()
        for target in t.targets:
            self.open(target)
            self.write(" = ")
        self.open(t.value)

    def _Return(self, t: ast.Return) -> None:
        self.fill("return")
        if t.value is not None:
            self.write(" ")
            self.open(t.value)

    def _Match(self, t: ast.AST) -> None:
        for line in ast.unparse(t).splitlines():
            self.fill(line)

    _TryStar = _TypeAlias = _Match

    # ----------------------------------------------------------------------------------- expressions

    def at(self, node: ast.AST, level: int) -> None:
        """Print an operand, in parentheses if it binds less strongly than `level`."""
        if strength(node) < level:
            self.write("(")
            self.dispatch(node)
            self.write(")")
        else:
            self.dispatch(node)

    def open(self, node: ast.AST) -> None:
        """Print an expression where a tuple needs no parentheses."""
        if isinstance(node, ast.Tuple) and node.elts:
            interleave(lambda: self.write(", "), self.dispatch, node.elts)
            if len(node.elts) == 1:
                self.write(",")
        else:
            self.dispatch(node)

    def _BinOp(self, t: ast.BinOp) -> None:
        level = BINARY[type(t.op)]
        power = isinstance(t.op, ast.Pow)
        self.at(t.left, level + power)
        self.write(f" {self.binop[type(t.op).__name__]} " if not power else "**")
        self.at(t.right, FACTOR if power else level + 1)

    def _UnaryOp(self, t: ast.UnaryOp) -> None:
        if isinstance(t.op, ast.Not):
            self.write("not ")
            self.at(t.operand, NOT)
        else:
            self.write(self.unop[type(t.op).__name__])
            self.at(t.operand, FACTOR)

    def _BoolOp(self, t: ast.BoolOp) -> None:
        level = strength(t)
        word = f" {self.boolops[type(t.op)]} "
        interleave(lambda: self.write(word), lambda v: self.at(v, level + 1), t.values)

    def _Compare(self, t: ast.Compare) -> None:
        self.at(t.left, COMPARE + 1)
        for op, e in zip(t.ops, t.comparators, strict=True):
            self.write(f" {self.cmpops[type(op).__name__]} ")
            self.at(e, COMPARE + 1)

    def _IfExp(self, t: ast.IfExp) -> None:
        self.at(t.body, OR)
        self.write(" if ")
        self.at(t.test, OR)
        self.write(" else ")
        self.at(t.orelse, TEST)

    def _Lambda(self, t: ast.Lambda) -> None:
        self.write("lambda")
        if any(ast.iter_child_nodes(t.args)):
            self.write(" ")
            self.dispatch(t.args)
        self.write(": ")
        self.at(t.body, TEST)

    def _comprehension(self, t: ast.comprehension) -> None:
        self.write(" async for " if t.is_async else " for ")
        self.open(t.target)
        self.write(" in ")
        self.at(t.iter, OR)
        for condition in t.ifs:
            self.write(" if ")
            self.at(condition, OR)

    def _Starred(self, t: ast.Starred) -> None:
        self.write("*")
        self.at(t.value, BITOR)

    def _Attribute(self, t: ast.Attribute) -> None:
        self.at(t.value, ATOM)
        if isinstance(t.value, ast.Constant) and isinstance(t.value.value, int):
            self.write(" ")
        self.write("." + t.attr)

    def _Call(self, t: ast.Call) -> None:
        self.at(t.func, ATOM)
        self.write("(")
        interleave(lambda: self.write(", "), self.dispatch, [*t.args, *t.keywords])
        self.write(")")

    def _Subscript(self, t: ast.Subscript) -> None:
        self.at(t.value, ATOM)
        self.write("[")
        if isinstance(t.slice, ast.Tuple) and any(isinstance(e, ast.Starred) for e in t.slice.elts):
            self.dispatch(t.slice)
        else:
            self.open(t.slice)
        self.write("]")

    def _Constant(self, t: ast.Constant) -> None:
        if t.value is Ellipsis:
            self.write("...")
        elif isinstance(t.value, (float, complex)):
            self.write(repr(t.value).replace("inf", "1e309").replace("nan", "(1e309-1e309)"))
        else:
            self.write(("u" if t.kind == "u" else "") + repr(t.value))

    def _JoinedStr(self, t: ast.JoinedStr) -> None:
        self.write(ast.unparse(t))


def unparse(tree: ast.AST) -> str:
    """The text of a module, statement or expression, ending in a newline."""
    out = io.StringIO()
    Printer(tree, out)
    return out.getvalue()


def check(tree: ast.Module, text: str) -> None:
    """Assert that the text parses back to the tree (comments apart) and prints to the same tree."""
    want = ast.dump(without_comments(tree))
    got = ast.parse(text)
    assert ast.dump(got) == want, "printed text does not parse back to its tree"
    assert ast.dump(ast.parse(ast.unparse(got))) == want, "ast.unparse disagrees"


def without_comments(tree: ast.AST) -> ast.AST:
    """A copy of a tree without comment statements."""

    class Drop(ast.NodeTransformer):
        def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
            return None if isinstance(getattr(node.value, "value", None), CommentText) else node

    import copy
    return Drop().visit(copy.deepcopy(tree))
