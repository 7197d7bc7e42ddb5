"""Make a failing program small: drop statements, replace compound statements by their bodies and expressions by their parts."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

from tests.fuzz.program import Program

BLOCKS = ("body", "orelse", "finalbody")


def shrink(p: Program, still_fails: Callable[[Program], bool], rounds: int = 6) -> Program:
    """The smallest program found for which `still_fails` holds."""
    for _ in range(rounds):
        before = p.text
        for candidates in (_without_statements, _unwrapped, _smaller_expressions):
            p = _pass(p, candidates, still_fails)
        if p.text == before:
            break
    return p


def _pass(p: Program, candidates: Callable[[ast.Module], Iterator[ast.Module]], still_fails: Callable[[Program], bool]) -> Program:
    progress = True
    while progress:
        progress = False
        for tree in candidates(ast.parse(p.text)):
            try:
                q = p.replaced(ast.fix_missing_locations(tree))
                ok = len(q.text) < len(p.text) and still_fails(q)
            except (SyntaxError, ValueError):
                ok = False
            if ok:
                p, progress = q, True
                break
    return p


def _blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        for name in BLOCKS:
            value = getattr(node, name, None)
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield node, name


def _copies(tree: ast.Module) -> Iterator[tuple[ast.Module, ast.AST, str]]:
    for k in range(sum(1 for _ in _blocks(tree))):
        t = copy.deepcopy(tree)
        node, name = list(_blocks(t))[k]
        yield t, node, name


def _without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    places = [(k, len(getattr(node, name))) for k, (node, name) in enumerate(_blocks(tree))]
    for width in (8, 4, 2, 1):
        for k, length in places:
            for at in range(0, length, width):
                t = copy.deepcopy(tree)
                node, name = list(_blocks(t))[k]
                block = getattr(node, name)
                rest = block[:at] + block[at + width:]
                if not rest and name == "body" and not isinstance(node, ast.Module):
                    rest = [ast.Pass()]
                    if isinstance(block[0], ast.Pass):
                        continue
                setattr(node, name, rest)
                yield t


def _unwrapped(tree: ast.Module) -> Iterator[ast.Module]:
    for k, (node, name) in enumerate(_blocks(tree)):
        for at, statement in enumerate(getattr(node, name)):
            if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
                for inner in BLOCKS:
                    if getattr(statement, inner, None):
                        t = copy.deepcopy(tree)
                        node2, name2 = list(_blocks(t))[k]
                        block = getattr(node2, name2)
                        setattr(node2, name2, block[:at] + getattr(block[at], inner) + block[at + 1:])
                        yield t


def _smaller_expressions(tree: ast.Module) -> Iterator[ast.Module]:
    spots = [i for i, n in enumerate(ast.walk(tree)) if isinstance(n, (ast.BinOp, ast.Call, ast.IfExp, ast.BoolOp, ast.UnaryOp))]
    for i in spots:
        node = list(ast.walk(tree))[i]
        parts = {ast.BinOp: lambda n: [n.left, n.right], ast.Call: lambda n: list(n.args), ast.IfExp: lambda n: [n.body, n.orelse],
                 ast.BoolOp: lambda n: n.values, ast.UnaryOp: lambda n: [n.operand]}[type(node)](node)
        for k in range(len(parts)):
            t = copy.deepcopy(tree)
            yield _Replace(list(ast.walk(t))[i], k).visit(t)


class _Replace(ast.NodeTransformer):
    def __init__(self, node: ast.AST, part: int) -> None:
        self.node, self.part = node, part

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self.node:
            if isinstance(node, ast.BinOp):
                return (node.left, node.right)[self.part]
            if isinstance(node, ast.Call):
                return node.args[self.part]
            if isinstance(node, ast.IfExp):
                return (node.body, node.orelse)[self.part]
            if isinstance(node, ast.BoolOp):
                return node.values[self.part]
            return node.operand
        return self.generic_visit(node)
