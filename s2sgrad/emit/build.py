"""Core to a gast tree: what a person would write for each expression and statement."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import gast

from s2sgrad import ir
from s2sgrad.emit import special, templates
from s2sgrad.emit.breaks import Break
from s2sgrad.emit.names import Names
from s2sgrad.emit.templates import attribute, constant, dtype, name
from s2sgrad.emit.unparser import CommentText
from s2sgrad.ir import Call, Const, Expr, Index, NewAxis, Scalar, Slice, Var
from s2sgrad.rules import registry
from s2sgrad.runtime.extents import reserve

PLAIN_DTYPES = ("float64", "int64", "bool", "complex128")


def comment(text: str) -> gast.AST:
    return gast.Expr(gast.Constant(CommentText(text), None))


def stored(target: gast.AST) -> gast.AST:
    """The same node as the target of an assignment."""
    target.ctx = gast.Store()
    for t in getattr(target, "elts", ()):
        t.ctx = gast.Store()
    return target


def assign(target: gast.AST, value: gast.AST) -> gast.AST:
    return gast.Assign([stored(target)], value, None)


def printed_natively(part: Any) -> bool:
    """Does numba's own print write this part as Python does?"""
    return not isinstance(part, Expr) or ir.is_array(part.type) or part.type.dtype in ("float64", "int64", "bool")


def define(name: str, params: Sequence[str], body: list[gast.AST]) -> gast.AST:
    """`def name(params): body`."""
    args = gast.arguments([gast.Name(p, gast.Param(), None, None) for p in params], [], None, [], [], None, [])
    return gast.FunctionDef(name, args, body, [], None, None, [])


DIVIDES = frozenset({"div", "floordiv", "mod", "pow"})  # Python numbers raise on a zero divisor where NumPy's give inf


class Builder:
    """Builds the nodes of one function and notes what the module must define: imports, helpers."""

    def __init__(self, names: Names, narrow: bool = False, rules: bool = False, owner: str = "") -> None:
        self.names = names
        self.rules = rules  # is the text to be differentiated again, by the rules of its custom gradients?
        self.narrow = narrow  # does the program hold types such as float32, so that float64 constants must say so?
        self.owner = owner
        self.functions: list[gast.AST] = []  # that the function calls
        self.modules: set[str] = set()
        self.helpers: dict[str, Callable[..., Any]] = {}

    # ----------------------------------------------------------------------------------- expressions

    def np(self, path: str) -> gast.AST:
        self.modules.add("np")
        return attribute(path)

    def var(self, v: Var | str) -> gast.AST:
        return name(self.names[v if isinstance(v, str) else v.name])

    def expr(self, e: Expr) -> gast.AST:
        if isinstance(e, Var):
            return self.var(e)
        if isinstance(e, Const):
            return self.const(e, typed=self.narrow or e.type.dtype not in ("float64", "bool", "complex128"))
        if isinstance(e, Index):
            base = self.expr(e.base)
            return gast.Subscript(base, self.index(e.index), gast.Load())
        assert isinstance(e, Call), e
        return self.call(e)

    def const(self, e: Const, typed: bool) -> gast.AST:
        value = self.value(e)
        t = e.type
        if isinstance(t, Scalar) and not t.weak and (typed or t.dtype not in PLAIN_DTYPES):
            self.modules.add("np")
            return gast.Call(dtype(t.dtype), [value], [])
        return value

    def value(self, e: Const) -> gast.AST:
        """The number itself, as a literal of the type's kind."""
        v = e.value
        kind = e.type.dtype
        if kind == "bool":
            v = bool(v)
        elif kind.startswith("float"):
            v = float(v)
        elif kind.startswith("complex"):
            v = complex(v)
        node = constant(v)
        if any(isinstance(n, gast.Name) and n.id == "np" for n in gast.walk(node)):
            self.modules.add("np")
        return node

    def operands(self, e: Call) -> list[gast.AST]:
        """Arguments; a strong constant prints plainly where the result type does not depend on it."""
        out = []
        for k, a in enumerate(e.args):
            if isinstance(a, Const) and isinstance(a.type, Scalar) and not a.type.weak and a.type.dtype in PLAIN_DTYPES:
                weak = Scalar(a.type.dtype, weak=True)
                types = tuple(weak if j == k else x.type for j, x in enumerate(e.args))
                out.append(self.const(a, typed=(self.narrow or e.op in DIVIDES) and not self.same(e, types)))
            else:
                out.append(self.expr(a))
        return out

    def same(self, e: Call, types: tuple[ir.Type, ...]) -> bool:
        """Is the result type unchanged with these argument types?"""
        if e.op not in registry.OPS:
            return not self.narrow
        try:
            return registry.infer(e.op, types, e.attrs) == e.type
        except Exception:  # no typing for this combination: print the constant with its type
            return False

    def call(self, e: Call) -> gast.AST:
        attrs = dict(e.attrs)
        template = self.template(e)
        extra: dict[str, Any] = {}
        if "__args" in template:
            extra["__args"] = self.operands(e.args[0])  # type: ignore[arg-type]
        for key, dims in (("__shape1", e.args[1:]), ("__shape", e.args if e.op != "full" else e.args[1:])):
            if re.search(rf"{key}\b", template):
                base = special.whole_shape(tuple(dims))
                assert base is not None
                extra[key] = gast.Attribute(self.expr(base), "shape", gast.Load())
        args = [] if "__args" in template else self.operands(e)
        return self.fill(template, args, attrs, extra)

    def fill(self, template: str, args: list[gast.AST], attrs: dict[str, Any], extra: dict[str, Any] | None = None) -> gast.AST:
        self.modules |= templates.modules(template)
        node = templates.fill(template, args, attrs, extra)
        if "np" not in self.modules and any(isinstance(n, gast.Name) and n.id == "np" for n in gast.walk(node)):
            self.modules.add("np")
        return node

    def template(self, e: Call) -> str:
        if e.op in special.SPECIAL:
            return special.SPECIAL[e.op](e)
        op = registry.OPS.get(e.op)
        text = op.syntax if op is not None else ""
        if callable(text):
            text = text(e)
        if op is not None and op.helper is not None:
            helper = op.helper.__name__
            if not text or helper in text:
                self.helpers[helper] = op.helper
        return text or called(op.helper.__name__ if op is not None and op.helper is not None else e.op, e.attrs)

    def index(self, items: Sequence[ir.IndexItem]) -> gast.AST:
        kept = list(items)
        while len(kept) > 1 and kept[-1] == Slice():
            kept.pop()
        nodes = [self.item(i) for i in kept]
        return nodes[0] if len(nodes) == 1 else gast.Tuple(nodes, gast.Load())

    def item(self, i: ir.IndexItem) -> gast.AST:
        if isinstance(i, NewAxis):
            return gast.Constant(None, None)
        if isinstance(i, Slice):
            return gast.Slice(*(None if x is None else self.expr(x) for x in (i.lower, i.upper, i.step)))
        if isinstance(i, Const) and i.type.dtype == "int64":
            return constant(int(i.value))
        return self.expr(i)

    def slice_call(self, i: ir.IndexItem) -> gast.AST:
        """An index item as a value: slices become `slice(...)`."""
        if not isinstance(i, Slice):
            return self.item(i)
        none = gast.Constant(None, None)
        lower, upper, step = (none if x is None else self.expr(x) for x in (i.lower, i.upper, i.step))
        args = [upper] if i.lower is None and i.step is None else [lower, upper] if i.step is None else [lower, upper, step]
        return gast.Call(name("slice"), args, [])

    # ------------------------------------------------------------------------------------ statements

    def block(self, body: Sequence[ir.Stmt]) -> list[gast.AST]:
        out = [n for s in body for n in self.stmt(s)]
        if all(isinstance(n, gast.Expr) and isinstance(getattr(n.value, "value", None), CommentText) for n in out):
            out.append(gast.Pass())
        return out

    def stmt(self, s: ir.Stmt) -> list[gast.AST]:
        return getattr(self, "on_" + type(s).__name__.lower())(s)

    def on_assign(self, s: ir.Assign) -> list[gast.AST]:
        if isinstance(s.value, Const) and isinstance(s.target.type, Scalar) and not s.target.type.weak and s.value.type != s.target.type:
            typed = Const(s.value.value, s.target.type)
            return [assign(self.var(s.target), self.expr(typed))]
        return [assign(self.var(s.target), self.expr(s.value))]

    def place(self, base: Var, index: Sequence[ir.IndexItem]) -> gast.AST:
        if index:
            return gast.Subscript(self.var(base), self.index(index), gast.Store())
        whole = gast.Slice(None, None, None) if base.type.ndim == 1 else gast.Constant(Ellipsis, None)  # type: ignore[union-attr]
        return gast.Subscript(self.var(base), whole, gast.Store())

    def on_store(self, s: ir.Store) -> list[gast.AST]:
        return [assign(self.place(s.base, s.index), self.cast_by_store(s.value))]

    def cast_by_store(self, value: Expr) -> gast.AST:
        """A constant that is stored is cast anyway: print it plainly."""
        if isinstance(value, Const) and value.type.dtype in PLAIN_DTYPES:
            return self.value(value)
        return self.expr(value)

    def on_accum(self, s: ir.Accum) -> list[gast.AST]:
        value, op = s.value, gast.Add()
        if isinstance(value, Call) and value.op == "neg" and not s.repeated:
            value, op = value.args[0], gast.Sub()
        if s.repeated and s.index:
            items = list(s.index)
            while len(items) > 1 and items[-1] == Slice():
                items.pop()
            where = [self.slice_call(i) for i in items]
            at = where[0] if len(where) == 1 else gast.Tuple(where, gast.Load())
            return [gast.Expr(gast.Call(self.np("np.add.at"), [self.var(s.base), at, self.expr(value)], []))]
        target = self.place(s.base, s.index) if s.index else self.var(s.base)
        return [gast.AugAssign(stored(target), op, self.expr(value))]

    def on_if(self, s: ir.If) -> list[gast.AST]:
        found = self.assertion(s)
        if found is not None:
            return [found]
        if not s.body and s.orelse:
            return [gast.If(gast.UnaryOp(gast.Not(), self.expr(s.cond)), self.block(s.orelse), [])]
        return [gast.If(self.expr(s.cond), self.block(s.body), self.block(s.orelse) if s.orelse else [])]

    def assertion(self, s: ir.If) -> gast.AST | None:
        only = s.body[0] if len(s.body) == 1 and not s.orelse else None
        if not (isinstance(only, ir.Raise) and only.exception is AssertionError):
            return None
        if isinstance(s.cond, Call) and s.cond.op == "not":
            test = self.expr(s.cond.args[0])
        else:
            test = gast.UnaryOp(gast.Not(), self.expr(s.cond))
        return gast.Assert(test, self.message(only.message) if only.message else None)

    def on_for(self, s: ir.For) -> list[gast.AST]:
        zero = isinstance(s.start, Const) and s.start.value == 0
        one = isinstance(s.step, Const) and s.step.value == 1
        bounds = [s.stop] if zero and one else [s.start, s.stop] if one else [s.start, s.stop, s.step]
        if s.parallel:
            self.modules.add("prange")
        args = [self.plain_int(b) for b in bounds]
        loop = gast.Call(name("prange" if s.parallel else "range"), args, [])
        return [gast.For(stored(self.var(s.var)), loop, self.block(self.leave(s.body, s.exit)), [], None)]

    def plain_int(self, e: Expr) -> gast.AST:
        return constant(int(e.value)) if isinstance(e, Const) else self.expr(e)

    def on_while(self, s: ir.While) -> list[gast.AST]:
        return [gast.While(self.expr(s.cond), self.block(self.leave(s.body, s.exit)), [])]

    def leave(self, body: list[ir.Stmt], flag: Var | None) -> list[ir.Stmt]:
        return body if flag is None else [*body, ir.If(flag, [Break()])]

    def on_break(self, s: Break) -> list[gast.AST]:
        return [gast.Break()]

    def targets(self, targets: Sequence[Var | None], value: gast.AST) -> list[gast.AST]:
        if not targets:
            return [gast.Expr(value)]
        nodes = [name("_") if t is None else self.var(t) for t in targets]
        return [assign(nodes[0] if len(nodes) == 1 else gast.Tuple(nodes, gast.Store()), value)]

    def on_multi(self, s: ir.Multi) -> list[gast.AST]:
        op = registry.OPS.get(s.op)
        call = Call(s.op, s.args, s.attrs, ir.FLOAT)
        text = op.syntax if op is not None else ""
        if callable(text):
            text = text(call)
        if op is not None and op.helper is not None:
            self.helpers[op.helper.__name__] = op.helper
            text = text or called(op.helper.__name__, s.attrs)
        value = self.fill(text or called(s.op, s.attrs), [self.expr(a) for a in s.args], dict(s.attrs))
        return self.targets(s.targets, value)

    def on_append(self, s: ir.Append) -> list[gast.AST]:
        return [gast.Expr(gast.Call(gast.Attribute(self.var(s.list), "append", gast.Load()), [self.var(s.value)], []))]

    def on_pop(self, s: ir.Pop) -> list[gast.AST]:
        return [assign(self.var(s.target), gast.Call(gast.Attribute(self.var(s.list), "pop", gast.Load()), [], []))]

    def on_reserve(self, s: ir.Reserve) -> list[gast.AST]:
        self.helpers["reserve"] = reserve
        return [assign(self.var(s.buffer), gast.Call(name("reserve"), [self.var(s.buffer), self.expr(s.size)], []))]

    def on_callfn(self, s: ir.CallFn) -> list[gast.AST]:
        return self.targets(s.targets, gast.Call(name(s.function), [self.expr(a) for a in s.args], []))

    def on_custom(self, s: ir.Custom) -> list[gast.AST]:
        if self.rules:
            return self.rule(s)
        return [comment(f"{s.name} (custom gradient)"), *self.block(s.body)]

    def rule(self, s: ir.Custom) -> list[gast.AST]:
        """The custom gradient as the user would write it: a function of its inputs that returns its value and its rule."""
        self.modules.add("custom_rule")
        function, back = self.names.another(s.name), self.names.another("back")
        inputs = [self.names[v.name] for v in s.inputs]
        params = [self.names.another(n) if n in inputs[:k] else n for k, n in enumerate(inputs)]
        grads = [gast.Constant(None, None) if g is None else self.expr(g) for g in s.grads]
        inner = define(back, [self.names[v.name] for v in s.seeds], [*self.block(s.back), gast.Return(gast.Tuple(grads, gast.Load()))])
        outputs = [self.var(v) for v in s.outputs]
        value = outputs[0] if len(outputs) == 1 else gast.Tuple(outputs, gast.Load())
        outer = define(function, params, [*self.block(s.body), inner, gast.Return(gast.Tuple([value, name(back)], gast.Load()))])
        call = gast.Call(gast.Call(name("custom_rule"), [name(function)], []), [name(n) for n in inputs], [])
        return [outer, *(self.targets(s.outputs, call) if s.outputs else [gast.Expr(call)])]

    def on_recompute(self, s: ir.Recompute) -> list[gast.AST]:
        return [comment("recomputed in the reverse sweep"), *self.block(s.body)]

    def on_print(self, s: ir.Print) -> list[gast.AST]:
        if s.options.get("tensors"):
            return self.print_tensors(s)
        args = [self.expr(p) if isinstance(p, Expr) else constant(p) for p in s.parts]
        formats = s.options.get("formats")
        keywords = [gast.keyword(k, self.option(v)) for k, v in s.options.items() if k not in ("formats", "compiled")]
        native = formats is None and not keywords and all(printed_natively(p) for p in s.parts)
        if s.options.get("compiled") and not native:
            args = [self.boxed(p) if isinstance(p, Expr) else a for p, a in zip(s.parts, args, strict=True)]
        if formats is not None:
            text = "".join(f or p.replace("{", "{{").replace("}", "}}") for p, f in zip(s.parts, formats, strict=True))
            values = [a for a, f in zip(args, formats, strict=True) if f]
            literal = constant(text if values else "".join(s.parts))
            args = [gast.Call(gast.Attribute(literal, "format", gast.Load()), values, []) if values else literal]
        call: gast.AST = gast.Expr(gast.Call(name("print"), args, keywords))
        return self.interpreted(call) if s.options.get("compiled") and not native else [call]

    def boxed(self, e: Expr) -> gast.AST:
        """A number as the interpreter knows it, of its own NumPy type."""
        if isinstance(e.type, ir.Scalar) and not e.type.weak:
            return gast.Call(self.np("np.bool_" if e.type.dtype == "bool" else f"np.{e.type.dtype}"), [self.expr(e)], [])
        return self.expr(e)

    def interpreted(self, statement: gast.AST) -> list[gast.AST]:
        """A statement that numba hands to the interpreter: in a function of its own, because numba cannot have several of them in the
        branches of one."""
        self.modules.add("objmode")
        block = gast.With([gast.withitem(gast.Call(name("objmode"), [], []), None)], [statement], None)
        own = set(self.names.table.values())
        used = list(dict.fromkeys(n.id for n in gast.walk(statement) if isinstance(n, gast.Name) and n.id in own))
        function = self.names.another(f"{self.owner}_prints")
        self.functions.append(define(function, used, [block]))
        return [gast.Expr(gast.Call(name(function), [name(n) for n in used], []))]

    def print_tensors(self, s: ir.Print) -> list[gast.AST]:
        """`print` of the tensor interface: a call of its formatter, in numba code by way of the interpreter."""
        from s2sgrad.runtime.printed import print_tensors
        self.helpers["print_tensors"] = print_tensors
        pieces: list[gast.AST] = []
        for p in s.parts:
            pieces.append(self.boxed(p) if isinstance(p, Expr) else constant(p))
        options = [constant(s.options.get("summarize", 3)), constant(s.options.get("stream", "stderr"))]
        call: gast.AST = gast.Expr(gast.Call(name("print_tensors"), [gast.Tuple(pieces, gast.Load()), *options], []))
        return self.interpreted(call) if s.options.get("compiled") else [call]

    def option(self, value: Any) -> gast.AST:
        import sys
        for stream in ("stdout", "stderr"):
            if value is getattr(sys, stream):
                self.modules.add("sys")
                return attribute(f"sys.{stream}")
        return constant(value)

    def on_raise(self, s: ir.Raise) -> list[gast.AST]:
        error = s.exception
        if error.__module__ == "builtins":
            node: gast.AST = name(error.__name__)
        elif error.__module__.split(".")[0] == "numpy":
            node = self.np(f"np.linalg.{error.__name__}" if "linalg" in error.__module__ else f"np.{error.__name__}")
        else:
            self.modules.add(f"from {error.__module__} import {error.__qualname__}")
            node = attribute(error.__qualname__)
        return [gast.Raise(gast.Call(node, [self.message(s.message)] if s.message else [], []) if s.message else node, None)]

    def message(self, parts: Sequence[Any]) -> gast.AST:
        if all(isinstance(p, str) for p in parts):
            return gast.Constant("".join(parts), None)
        values: list[gast.AST] = []
        for p in parts:
            if isinstance(p, str):
                values.append(gast.Constant(p, None))
            else:
                values.append(gast.FormattedValue(self.expr(p), -1, None))
        return gast.JoinedStr(values)

    def on_comment(self, s: ir.Comment) -> list[gast.AST]:
        return [comment(s.text)]

    def on_return(self, s: ir.Return) -> list[gast.AST]:
        if not s.values:
            return [gast.Return(None)]
        nodes = [self.expr(v) for v in s.values]
        return [gast.Return(nodes[0] if len(nodes) == 1 else gast.Tuple(nodes, gast.Load()))]


def called(function: str, attrs: tuple[tuple[str, Any], ...]) -> str:
    """The template of a plain call that passes every attribute by keyword."""
    return f"{function}({', '.join(['_args', *(f'{k}=_{k}' for k, _ in attrs)])})"


def narrow(functions: Sequence[ir.Function]) -> bool:
    """Does any value have a type other than Python's numbers and NumPy's float64, int64, bool, complex128?"""
    for f in functions:
        if any(p.type.dtype not in PLAIN_DTYPES for p in f.params):
            return True
        for s in ir.walk_stmts(f.body):
            for e in [*ir.exprs(s), *ir.assigned(s)]:
                if any(isinstance(x, Expr) and x.type.dtype not in PLAIN_DTYPES for x in ir.walk(e)):
                    return True
    return False


