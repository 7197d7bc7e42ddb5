"""Objects with a meaning of their own: custom gradients, recomputation, inlined derivatives, traced functions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from s2sgrad import errors, ir
from s2sgrad.frontend import arrays, containers, conversions, introspection, iterables, messages  # noqa: F401 - each declares its builtins
from s2sgrad.frontend.builtin import Builtins
from s2sgrad.frontend.objects import attribute_view
from s2sgrad.frontend.values import (
    NONE,
    Fields,
    Func,
    Growing,
    Items,
    Maybe,
    Method,
    Num,
    Obj,
    Partial,
    Range,
    Ref,
    Ruled,
    Text,
    Transformed,
    Tup,
    Value,
    describe,
    map_nums,
)
from s2sgrad.ir import Assign, Var
from s2sgrad.runtime.printed import Hole, layout


class Customs(Builtins):
    def call_custom(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value | None:
        obj = f.value
        mark = next((m for m in MARKS if inspect.getattr_static(obj, m, None) is not None), None)  # runs no code of the object's
        if mark is None:
            return None
        if mark == "__s2sgrad_transform__":
            return self.make_derivative(f, args, kwargs, node)
        if mark == "__s2sgrad_matrix__":
            return self.call_transformed(Transformed(obj.__s2sgrad_matrix__, self.member(f, "fn"), obj.wrt), args, kwargs, node)
        if mark == "__s2sgrad_custom__":
            return self.custom_gradient(f, args, kwargs, node)
        if mark == "__s2sgrad_recompute__":
            return self.recompute(f, args, kwargs, node)
        if mark == "__s2sgrad_function__":
            return self.call(self.member(f, "function"), args, kwargs, node)
        if mark == "__s2sgrad_numpy__":
            if hasattr(obj, "__s2sgrad_tensors__"):
                args, kwargs = self.tensor_arguments(obj, args, kwargs)
            return self.call(Obj(obj.__s2sgrad_numpy__), args, kwargs, node)
        if mark == "__s2sgrad_rule__":
            return self.make_rule(f, args, kwargs, node)
        if mark == "__s2sgrad_tape__":
            return self.make_tape(args, kwargs, node)
        if mark == "__s2sgrad_print__":
            return self.print_tensor(args, kwargs, node)
        return self.inline_derivative(f, args, kwargs, node)

    def member(self, f: Obj, name: str) -> Value:
        return self.lift(getattr(f.value, name), None if f.access is None else (*f.access, ("attr", name)))

    # ------------------------------------------------------------------------------------------- derivatives

    def inline_derivative(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """A derivative called inside a function: its emitted text is inlined."""
        parameters = f.value.parameters
        star = next((k for k, p in enumerate(parameters.values()) if p.kind is p.VAR_POSITIONAL), None)
        names = [n for k, n in enumerate(parameters) if k != star]
        if star is not None and len(args) > star:  # a name for each argument that is collected
            names[star:star] = [f"{list(parameters)[star]}_{k}" for k in range(len(args) - star)]
        ordered = {n: a for n, a in zip(names, args, strict=False)} | kwargs
        for n, p in parameters.items():
            if n not in ordered and p.default is not p.empty:
                kwargs = kwargs | {n: self.lift(p.default, None)}
                ordered[n] = kwargs[n]
        if any(isinstance(v, Ref) for v in ordered.values()):  # lists and dicts: their numbers are found where they stand
            request = f.value.template.request
            wrt = request.wrt[0] if request.single else request.wrt
            return self.call_transformed(Transformed(request.mode, self.member(f, "fn"), wrt), args, kwargs, node)
        specs = tuple(spec_of(ordered[n]) for n in names if n in ordered)
        python = f.value.__s2sgrad_inline__(specs)
        if self.guards is not None and f.access is not None:
            self.guards[f.access] = self.static_of(f.value)
        access = None if f.access is None else (*f.access, ("inline", specs))
        return self.inline(self.function(python, access), args, kwargs, node)

    def static_of(self, value: Any) -> Any:
        from s2sgrad.structure import Static

        return Static(value)

    # ------------------------------------------------------------------------------------------- custom gradients

    def make_rule(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """`custom_gradient` or `recompute_grad` called by the program itself."""
        again = f.value.__s2sgrad_rule__ == "again"
        given = dict(zip(("f", "grad"), args, strict=False)) | kwargs
        function, grad = given.get("f", NONE), given.get("grad", NONE)
        if isinstance(function, Obj) and function.value is None:
            return Partial(f, (), {"grad": grad})
        return Ruled(function, None if isinstance(grad, Obj) and grad.value is None else grad, again)

    def call_ruled(self, f: Ruled, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        name = getattr(getattr(f.function, "node", None), "name", "lambda")
        if f.again:
            return self.run_again(f.function, args, kwargs, node)
        if isinstance(f.function, Func) and kwargs:
            bound = self.bind_arguments(f.function, args, kwargs, node)
            given = list(bound)[: len(args)] + [k for k in bound if k in kwargs]
            kept = {k.id for k in f.function.node.args.kwonlyargs}
            args, kwargs = [bound[k] for k in given if k not in kept], {k: bound[k] for k in given if k in kept}
        return self.ruled(name, f.function, f.grad, args, kwargs, node)

    def custom_gradient(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        args, kwargs = by_signature(f.value.function, args, kwargs)
        grad = None if getattr(f.value, "grad", None) is None else self.member(f, "grad")
        return self.ruled(name_of(f.value), self.member(f, "function"), grad, args, kwargs, node)

    def ruled(self, name: str, function: Value, grad: Value | None, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """Inline the function; run its gradient function once with seeds to get the statements of the reverse sweep."""
        args, kwargs = [self.current(a) for a in args], {k: self.current(v) for k, v in kwargs.items()}
        trainable = self.trainable()
        leaves = [n.expr for v in (*args, *kwargs.values()) for n in self.parts(v) if isinstance(n, Num)]
        passed = [trainable[e.name][0] for e in leaves if isinstance(e, Var) and e.name in trainable]
        values = [self.own_inputs(a) for a in args]
        named = {k: self.own_inputs(v) for k, v in kwargs.items()}
        inputs = [n.expr for v in (*values, *named.values()) for n in self.parts(v) if isinstance(n, Num)]
        two = grad is None
        objects = [v.heap for v in (*values, *named.values()) if isinstance(v, Ref) and v.heap.kind == "object" and not v.heap.frozen]
        for heap in objects:
            heap.frozen = f"it is an argument of the custom gradient {name}"
        with self.noting() as noted:
            with self.inside(), self.apart(f"the custom gradient {name}"), self.block() as body:
                value = self.call(function, values, named, node)
                if two:
                    if not (isinstance(value, Tup) and len(value.items) == 2):
                        raise self.error(f"{name} must return (value, grad), not {describe(value)}", node, kind=errors.CustomGradientError)
                    value, grad = value.items
                outputs_value = self.rebuilt(value, self.own_output)
            outputs = [n.expr for n in self.parts(outputs_value) if isinstance(n, Num)]
            variables = self.variables_read(noted, body, outputs, passed, node)
            seeds = [self.fresh("dy", seed_type(e.type)) for e in outputs]
            assert grad is not None
            if variables and not takes_variables(grad):
                uses = ", ".join(v.expr.name for v in variables)  # type: ignore[attr-defined]
                raise TypeError(f"@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: [{uses}]")
            with self.inside(), self.apart(f"the custom gradient {name}"), self.block() as back:
                grad_args: list[Value] = [Num(v) for v in seeds]
                if not two:
                    grad_args.extend(values)
                kept = dict(self.state or {})
                g = self.call(grad, grad_args, {"variables": self.new_list(variables)} if variables else {}, node)
                grads = self.all_gradients(g, [*values, *named.values()], variables, name, node)
                self.state = kept
        for heap in objects:
            heap.frozen = ""
        inputs += [v.expr for v in variables]
        self.emit(ir.Custom(name, inputs, outputs, body, seeds, back, grads))  # type: ignore[arg-type]
        return outputs_value

    def all_gradients(self, g: Value, values: Sequence[Value], variables: Sequence[Num], name: str, node: Any) -> list[ir.Expr | None]:
        """The gradients of the inputs, and of the variables that the function reads."""
        if not variables:
            return self.input_gradients(g, values, name, node)
        both = self.sequence_items(g) if isinstance(g, Tup) or self.is_list(g) else []
        if len(both) != 2:
            raise self.error(f"the rule of {name} must return (gradients, gradients of variables), not {describe(g)}", node, kind=errors.CustomGradientError)
        given = self.parts(both[1])
        if len(given) != len(variables):
            raise self.error("Must return gradient for each variable from @custom_gradient grad_fn.", node, kind=errors.CustomGradientError)
        return self.input_gradients(both[0], values, name, node) + [self.input_gradient(p, v, name, node) for p, v in zip(given, variables, strict=True)]

    @contextmanager
    def inside(self) -> Iterator[None]:
        """The statements of a rule, or of what is computed again: no variable may be assigned there."""
        self.inside_rule += 1
        try:
            yield
        finally:
            self.inside_rule -= 1

    def own_inputs(self, v: Value) -> Value:
        """Arguments in variables that nobody else assigns."""
        return self.rebuilt(v, self.own_input)

    def rebuilt(self, v: Value, f: Callable[[Num], Num]) -> Value:
        """The same structure of tuples, lists and dicts with other numbers."""
        if isinstance(v, Num):
            return f(v)
        if isinstance(v, Tup):
            return Tup(tuple(self.rebuilt(x, f) for x in v.items), v.cls)
        if isinstance(v, Ref):
            content = self.contents(v)
            if isinstance(content, Items):
                return self.new_list([self.rebuilt(x, f) for x in content.items])
            if isinstance(content, Fields) and v.heap.kind == "dict":
                return self.new_dict({k: self.rebuilt(x, f) for k, x in content.fields.items()})
        if isinstance(v, Ref) and v.heap.kind == "object":  # whose method it is: no input
            return v
        if isinstance(v, Ref | Maybe):
            raise self.error(f"a custom gradient of {describe(v)} is not supported", hint="Pass numbers, arrays, and tuples, lists and dicts of them.")
        return v

    def parts(self, v: Value) -> list[Value]:
        """The leaves of tuples, lists and dicts (these by key), in order."""
        if isinstance(v, Tup):
            return [x for i in v.items for x in self.parts(i)]
        if isinstance(v, Ref):
            content = self.contents(v)
            if isinstance(content, Items):
                return [x for i in content.items for x in self.parts(i)]
            if isinstance(content, Fields) and v.heap.kind == "dict":
                return [x for k in sorted(content.fields, key=str) for x in self.parts(content.fields[k])]
            if isinstance(content, Growing):
                raise self.error("a list that grows at run time, among the values of a custom gradient")
        return [v]

    def own_input(self, n: Num) -> Num:
        if isinstance(n.expr, Var) and n.expr.name in self.stable:
            return n
        base = n.expr.name if isinstance(n.expr, Var) else "x"
        var = self.fresh(base, n.type)
        self.emit(Assign(var, n.expr))
        return Num(var, n.const)

    def own_output(self, n: Num) -> Num:
        var = self.fresh("y", n.type)
        fresh = isinstance(n.type, ir.Array) and ir.is_alias(n.expr)
        self.emit(Assign(var, ir.call("copy", n.expr) if fresh else n.expr))
        return Num(var)

    def input_gradients(self, g: Value, values: Sequence[Value], name: str, node: Any) -> list[ir.Expr | None]:
        """One gradient per numeric leaf of the inputs; None is no gradient."""
        leaves = [x for v in values for x in self.parts(v)]
        numbers = [x for x in leaves if isinstance(x, Num)]
        given = self.parts(g)
        if len(given) == len(leaves):
            given = [p for p, x in zip(given, leaves, strict=True) if isinstance(x, Num)]
        elif len(given) != len(numbers):
            given = self.per_argument(g, values, name, node)
        return [self.input_gradient(p, x, name, node) for p, x in zip(given, numbers, strict=True)]

    def per_argument(self, g: Value, values: Sequence[Value], name: str, node: Any) -> list[Value]:
        """One part per argument, where None stands for a whole structure."""
        gs = list(g.items) if isinstance(g, Tup) else list(self.sequence_items(g)) if isinstance(g, Ref) else [g]
        if len(gs) != len(values):
            raise self.error(f"custom_gradient function expected to return {len(values)} gradients, but returned {len(gs)} instead.",
                             node, kind=errors.CustomGradientError,
                             hint="Return one gradient per argument (None where there is none).")
        out: list[Value] = []
        for part, v in zip(gs, values, strict=True):
            leaves = [x for x in self.parts(v) if isinstance(x, Num)]
            found = [NONE] * len(leaves) if isinstance(part, Obj) and part.value is None else self.parts(part)
            if len(found) != len(leaves):
                raise self.error(f"the gradient of {name} does not have the structure of its argument", node, kind=errors.CustomGradientError)
            out += found
        return out

    def input_gradient(self, p: Value, x: Num, name: str, node: Any) -> ir.Expr | None:
        if isinstance(p, Obj) and p.value is None:
            return None
        if not isinstance(p, Num):
            raise self.error(f"the gradient of {name} is {describe(p)}, not a number or an array", node, kind=errors.CustomGradientError)
        if p.is_array != x.is_array and not (p.known and p.const == 0) or (p.is_array and x.is_array and p.expr.ndim != x.expr.ndim):
            raise self.error(f"the gradient of {name} has rank {p.expr.ndim} for an argument of rank {x.expr.ndim}", node,
                             kind=errors.CustomGradientError)
        if not ir.is_inexact(x.type):
            return None
        return ir.call("of_shape", p.expr, x.expr) if p.is_array else p.expr

    # ------------------------------------------------------------------------------------------- recomputation

    def recompute(self, f: Obj, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        return self.run_again(self.member(f, "function"), args, kwargs, node)

    def run_again(self, function: Value, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        with self.inside(), self.apart("a recomputed function"), self.block() as body:
            v = map_nums(self.call(function, args, kwargs, node), lambda n: self.bind(n, "y"))
        self.emit(ir.Recompute(body))
        return v

    # ------------------------------------------------------------------------------------------- printing

    def print_tensor(self, args: Sequence[Value], kwargs: dict[str, Value], node: Any) -> Value:
        """`print` of the tensor interface: text and values, to be written one after the other."""
        options = {k: self.static(v) for k, v in kwargs.items() if k != "output_stream"}
        sep, end = options.get("sep", " "), options.get("end", "\n")
        summarize = options.get("summarize", 3)
        pieces: list[Any] = []
        for i, v in enumerate(args):
            pieces += [sep] if i else []
            pieces += self.text_parts(v) if isinstance(v, Text) else self.laid_out(self.shown(v))
        given = kwargs.get("output_stream", NONE)
        stream = self.stream(given)
        if stream is None:
            raise self.error(f"output_stream={describe(given)} is not supported in compiled code", node, hint="Use sys.stdout, sys.stderr or 'file://path'.")
        self.emit(ir.Print([*pieces, end], {"tensors": True, "summarize": 3 if summarize is None else summarize, "stream": stream}))
        return NONE

    def stream(self, v: Value) -> str | None:
        """'stdout' for sys.stdout, whatever it is at the moment; see `stream_name`."""
        access = v.access if isinstance(v, Obj) else self.accesses.get(v.heap) if isinstance(v, Ref) else None
        if access and access[-1] in (("attr", "stdout"), ("attr", "stderr")):
            return str(access[-1][1])
        return stream_name(v.value) if isinstance(v, Obj) else None

    def laid_out(self, structure: Any) -> list[Any]:
        return [x for p in layout(structure) for x in (p.value if isinstance(p, Hole) else [p])]

    def shown(self, v: Value) -> Any:
        """The Python structure that a value is, with holes for what is known at run time only."""
        v = self.vector(v)
        if isinstance(v, Obj):
            return attribute_view(v.value)
        if isinstance(v, Num) and self.tensors and self.adapts(v):
            raise self.error("printing a NumPy array that is no tensor", None, "Print tf.constant(...) of it.")
        if isinstance(v, Num):
            return v.const if v.known and v.type.weak else Hole([v.expr])
        if isinstance(v, Range) and all(n.known for n in (v.start, v.stop, v.step)):
            return range(v.start.const, v.stop.const, v.step.const)
        if isinstance(v, Tup):
            items = [self.shown(x) for x in v.items]
            return tuple(items) if v.cls is None else v.cls(*items)
        content = self.contents(v) if isinstance(v, Ref) else None
        if isinstance(content, Items):
            return [self.shown(x) for x in content.items]
        if isinstance(v, Ref) and isinstance(content, Fields):
            fields = {k: self.shown(x) for k, x in content.fields.items()}
            if v.heap.kind == "dict":
                return fields if v.heap.cls in (None, dict) else v.heap.cls(fields)
            made = object.__new__(v.heap.cls)
            for k, x in fields.items():
                if any(isinstance(p, Hole) for p in layout(x)):
                    raise self.error(f"printing a {v.heap.cls.__name__} that holds values known at run time only")
                object.__setattr__(made, k, x)
            return made
        return Hole(self.text_parts(v))

    def print_pieces(self, args: Sequence[Value], node: Any) -> Value:
        """The call that `print_tensor` is in emitted text."""
        pieces = [p.value if isinstance(p, Obj) else p.expr for p in self.sequence_items(args[0]) if isinstance(p, Obj | Num)]
        self.emit(ir.Print(pieces, {"tensors": True, "summarize": self.static(args[1]), "stream": self.static(args[2])}))
        return NONE


def stream_name(stream: Any) -> str | None:
    """'stdout', 'stderr' or 'file://path'; None for a stream that compiled code cannot write to."""
    if stream is None or stream in (sys.stderr, sys.__stderr__):
        return "stderr"
    if stream in (sys.stdout, sys.__stdout__):
        return "stdout"
    return stream if isinstance(stream, str) and stream.startswith("file://") else None


MARKS = (
    "__s2sgrad_transform__", "__s2sgrad_custom__", "__s2sgrad_recompute__", "__s2sgrad_function__", "__s2sgrad_numpy__", "__s2sgrad_print__",
    "__s2sgrad_inline__", "__s2sgrad_tape__", "__s2sgrad_rule__",
    "__s2sgrad_matrix__",
)  # fmt: skip


def by_signature(function: Any, args: Sequence[Value], kwargs: dict[str, Value]) -> tuple[Sequence[Value], dict[str, Value]]:
    """Keyword arguments in the order of the signature, which is the order of the gradients."""
    if not kwargs:
        return args, kwargs
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return args, kwargs
    return list(bound.args), dict(bound.kwargs)


def spec_of(v: Value) -> Any:
    """The structure of an abstract value, as callers of generated code describe it."""
    from s2sgrad.structure import Leaf, Node, Static

    if isinstance(v, Num):
        return Leaf(v.type)
    if isinstance(v, Tup):
        items = tuple(spec_of(x) for x in v.items)
        fields = getattr(v.cls, "_fields", None)
        return Node("namedtuple", v.cls, tuple(fields), items) if fields else Node("tuple", tuple, tuple(range(len(items))), items)
    if isinstance(v, Obj):
        return Static(v.value)
    raise errors.Unsupported(f"a derivative of {describe(v)} inside a function", hint="Pass numbers, arrays and tuples of them.")


def seed_type(t: Any) -> Any:
    """The type of an output's adjoint."""
    if isinstance(t, ir.Array):
        return ir.Array(t.dtype, t.ndim)
    return t


def name_of(obj: Any) -> str:
    return getattr(obj, "__name__", None) or getattr(getattr(obj, "function", None), "__name__", "custom")  # type: ignore[return-value]


def takes_variables(grad: Value) -> bool:
    """Does a gradient function ask for the variables that its function reads?"""
    if isinstance(grad, Method | Partial):
        return takes_variables(grad.func if grad.func is not None else NONE)
    if isinstance(grad, Obj):
        parameters = inspect.signature(grad.value).parameters if callable(grad.value) else {}
        return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    args = getattr(getattr(grad, "node", None), "args", None)
    return args is not None and (args.kwarg is not None or any(a.id == "variables" for a in (*args.args, *args.kwonlyargs)))


__all__ = ["Customs"]
