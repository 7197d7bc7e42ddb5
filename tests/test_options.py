"""Options are read or refused, never ignored."""

import ast
from pathlib import Path

import numpy as np
import pytest

import s2sgrad
from s2sgrad.errors import Unsupported

PACKAGE = Path(s2sgrad.__file__).parent

# Parameters that change nothing that a differentiated function could see, or that are taken off before the function is called.
WITHOUT_EFFECT = {
    "out": "stored by the caller (frontend.numpys)", "casting": "checked where the result is stored", "where": "taken off by the caller",
    "subok": "only arrays of numbers come here", "like": "the same", "device": "NumPy has one", "kind": "sorting is stable",
    "check_finite": "a check", "overwrite_a": "leaves its argument undefined", "overwrite_b": "the same", "overwrite_ab": "the same",
    "driver": "which routine of LAPACK", "optimize": "the order of the products", "symbol": "a name", "variable": "a name",
}
KNOWN = {  # function -> parameters with a reason of their own
    "meshgrid": {"copy"}, "intersect1d": {"assume_unique"}, "isin": {"assume_unique"}, "unique": {"sorted"}, "histogram_bin_edges": {"weights"},
    "partition": {"kth", "order"}, "argpartition": {"kth", "order"}, "asarray_chkfinite": {"order"}, "real_if_close": {"tol"}, "solve": {"lower"}, "inv": {"lower"},
    "sort": {"order", "stable"}, "means(np.argsort)": {"order", "stable"}, "means(np.einsum)": {"order"}, "means(divmod)": {"a", "b"},
    "means(np.ndarray.astype)": {"order", "copy"}, "means(np.array)": {"copy"}, "means(np.asarray, np.asanyarray)": {"copy"},  # see frontend.arrays
    "eigh": {"type"}, "eigvalsh": {"type"}, "svd": {"hermitian"}, "_svd_call": {"hermitian"},
}


def ignored(path):
    """Parameters of the public functions and builders of a file that their bodies never read."""
    for f in ast.walk(ast.parse(path.read_text())):
        if isinstance(f, ast.FunctionDef) and any(getattr(getattr(d, "func", None), "id", "") in ("implements", "means", "stacks") for d in f.decorator_list):
            args = [a.arg for a in (*f.args.posonlyargs, *f.args.args, *f.args.kwonlyargs)]
            read = {n.id for s in f.body for n in ast.walk(s) if isinstance(n, ast.Name)}
            yield from ((f.name, ast.unparse(f.decorator_list[0]), a) for a in args if a not in read)


@pytest.mark.parametrize("path", sorted([*PACKAGE.glob("library/*.py"), *PACKAGE.glob("rules/*.py")]), ids=lambda p: p.stem)
def test_every_parameter_is_read(path):
    found = [(where, a) for name, where, a in ignored(path) if a not in WITHOUT_EFFECT and a not in KNOWN.get(where if name == "_" else name, ())]
    assert not found


REFUSED = {
    "out of order": lambda x: np.sum(np.zeros_like(x, order="F") + x),
    "an option of a builtin": lambda x: sum(min(x, key=abs, default=1.0) for _ in range(2)),
    "writeable windows": lambda x: np.sum(np.lib.stride_tricks.sliding_window_view(x, 2, writeable=True)),
    "grids of views": lambda x: np.sum(np.meshgrid(x, x, copy=False)[0]),
    "an argument too many": lambda x: np.sum(x) * len(np.shape(x, 1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(Unsupported) as e:
        s2sgrad.grad(REFUSED[name])(np.array([1.0, 2.0, 3.0]))
    assert e.value.place is not None
