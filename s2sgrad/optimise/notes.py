"""The user's lines stay only where statements that reverse them are left.

    # line 4: for i in range(n):
    # line 3: s = 0.0               ->   # line 3: s = 0.0
    x_bar = s_bar                        x_bar = s_bar
"""

from __future__ import annotations

from dataclasses import replace

from s2sgrad import ir


def drop_idle_notes(f: ir.Function, _: ir.Program) -> ir.Function:
    """Remove comments on a user's line that no statement follows."""
    return replace(f, body=_block(f.body))


def _block(body: list[ir.Stmt]) -> list[ir.Stmt]:
    out: list[ir.Stmt] = []
    for s in body:
        if isinstance(s, ir.If):
            s = replace(s, body=_block(s.body), orelse=_block(s.orelse))
        elif isinstance(s, (ir.For, ir.While, ir.Recompute)):
            s = replace(s, body=_block(s.body))
        if isinstance(s, (ir.Comment, ir.For, ir.While, ir.Return)) and out and _is_note(out[-1]):
            out.pop()
        out.append(s)
    if out and _is_note(out[-1]):
        out.pop()
    return out


def _is_note(s: ir.Stmt) -> bool:
    return isinstance(s, ir.Comment) and s.place is not None
