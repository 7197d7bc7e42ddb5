"""The push-forward of a custom gradient: the transpose of its pull-back.

The user gives `grad(dy)`, a map that is linear in `dy`. Its matrix is the transposed Jacobian, so reversing the map with respect to
`dy` and seeding it with the inputs' tangents gives the outputs' tangents.
"""

from __future__ import annotations

from s2sgrad import errors, ir
from s2sgrad.analysis import activity, effects
from s2sgrad.ir import Expr, Var
from s2sgrad.names import Names
from s2sgrad.rules import registry

LINEAR = frozenset({"add", "sub", "neg", "pos", "conj", "real", "imag", "astype", "pyfloat"})


def transpose_custom(s: ir.Custom, dots: list[Expr | None], outputs: dict[str, Var], names: Names, linked: dict[str, ir.Function]) -> list[ir.Stmt]:
    """Statements that add the push-forward of the custom gradient to the outputs' tangents."""
    from s2sgrad.transform.reverse import reverse
    free = _free(s)
    seeds = {v.name for v in s.seeds}
    params = [ir.Param(v.name, v.type) for v in free]
    grads = [g for g, d in zip(s.grads, dots, strict=True) if g is not None and d is not None]
    tangents = [d for g, d in zip(s.grads, dots, strict=True) if g is not None and d is not None]
    back = ir.Function(s.name + "_grad", params, [*ir.map_stmts(s.back, lambda e: e), ir.Return(list(grads))])
    _check_linear(back, seeds, s)
    wrt = [o.name for o in s.seeds if ir.is_inexact(o.type)]
    transposed = reverse(ir.Program(back, linked), wrt, seeds="params").main
    table: dict[str, Expr] = {p.name: p.var for p in transposed.params[:len(params)]}
    given = transposed.params[len(params):]
    local = {n for n in _all_names(transposed) if n not in table}
    ren: dict[str, str] = {n: names.fresh(n) for n in sorted(local)}

    def rename(e: Expr) -> Expr:
        return Var(ren[e.name], e.type) if isinstance(e, Var) and e.name in ren else e

    out: list[ir.Stmt] = []
    for v in s.seeds:  # the map is linear: where it is evaluated does not matter, it is evaluated at zero
        out.append(ir.Assign(v, ir.Call("zeros_like", (_output(s, v),), (), v.type) if ir.is_array(v.type) else _zero(v)))
    for p, d in zip(given, tangents, strict=True):
        out.append(ir.Assign(Var(ren[p.name], p.type), d))
    body = ir.map_stmts(transposed.body, rename)
    ret = body.pop()
    assert isinstance(ret, ir.Return)
    out += body
    for seed, value in zip([v for v in s.seeds if ir.is_inexact(v.type)], ret.values, strict=True):
        target = outputs.get(_output(s, seed).name)
        if target is not None:
            out.append(ir.Accum(target, None if isinstance(target.type, ir.Scalar) else (), value))
    return out


def _output(s: ir.Custom, seed: Var) -> Var:
    return s.outputs[[v.name for v in s.seeds].index(seed.name)]


def _zero(v: Var) -> Expr:
    return registry.as_expr(0j if ir.is_complex(v.type) else 0.0)


def _free(s: ir.Custom) -> list[Var]:
    """The seeds and every variable the reverse body reads from outside."""
    found: dict[str, Var] = {v.name: v for v in s.seeds}
    bound = {v.name for t in ir.walk_stmts(s.back) for v in ir.assigned(t)}
    for t in ir.walk_stmts([*s.back, ir.Return([g for g in s.grads if g is not None])]):
        for e in ir.exprs(t):
            for x in ir.walk(e):
                if isinstance(x, Var) and x.name not in bound:
                    found[x.name] = x
    return list(found.values())


def _all_names(f: ir.Function) -> set[str]:
    from s2sgrad.names import names_of
    return names_of(f)


def _check_linear(back: ir.Function, seeds: set[str], s: ir.Custom) -> None:
    """Refuse a reverse body in which a seed enters otherwise than linearly."""
    classes = effects.memory_classes(back)
    varied = activity.varied_units(back, classes, [p.var for p in back.params if p.name in seeds])

    def depends(e: object) -> bool:
        return any(activity.key(v, classes) in varied for v in activity.dependencies(e))

    def linear(e: object) -> bool:
        if not isinstance(e, ir.Call) or not depends(e):
            return True
        args = [a for a in e.args if depends(a)]
        op = registry.OPS[e.op]
        ok = op.kind == "linear" or e.op in LINEAR or e.op in ("ifexp", "where") and not depends(e.args[0]) or (
            e.op in ("mul", "matmul", "outer") and len(args) == 1) or (e.op == "div" and not depends(e.args[1]))
        return ok and all(linear(a) for a in e.args)

    for t in ir.walk_stmts(back.body):
        conditions = isinstance(t, (ir.If, ir.While)) and depends_anywhere(t.cond, varied, classes)
        if conditions or not all(linear(e) for e in ir.exprs(t)):
            raise errors.NotDifferentiable(
                f"the gradient of {s.name} is not linear in the incoming adjoint, so it has no forward mode", s.place,
                "use reverse mode (grad, vjp), or write the gradient so that it is linear in its first argument")


def depends_anywhere(e: object, varied: set[str], classes: dict[str, str]) -> bool:
    """Does any variable in the expression depend on the seeds?"""
    return any(activity.key(x, classes) in varied for x in ir.walk(e) if isinstance(x, Var))
