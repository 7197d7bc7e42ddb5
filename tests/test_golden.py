"""Expected emitted texts of the programs on which other tools go wrong: the numbers are checked first, then the text.

`make golden` rewrites the texts; the numbers must agree even then.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import s2sgrad
from tests import corpus, differences
from tests.crossing import active, backend, gradient_numbers

FOLDER = Path(__file__).parent / "golden"
CASES = {c.fn.__name__: c for c in corpus.load() if c.module == "peers" and not c.seeded}


@pytest.mark.parametrize("name", sorted(CASES))
def test_emitted_text(name, request):
    case = CASES[name]
    wrt = case.wrt or active(case.make_args())
    derivative = s2sgrad.grad(case.fn, wrt=wrt)
    with backend("python"):
        for k, (i, got) in enumerate(zip(wrt, derivative(*case.make_args()), strict=True)):
            want = case.grad(*case.make_args())[k] if case.grad else differences.gradient(case.fn, case.make_args(), i)[0]
            np.testing.assert_allclose(gradient_numbers(got, case.make_args()[i]), np.ravel(want), rtol=1e-6, atol=1e-8)
        text = derivative.source(*case.make_args())
    file = FOLDER / f"{name}.py"
    if request.config.getoption("--update-golden"):
        assert not os.environ.get("CI"), "expected texts are never rewritten in CI"
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text(), f"{file.name} differs: read the new text, then run `make golden`"


def test_no_text_is_left_over():
    """Every expected text belongs to a program."""
    assert {f.stem for f in FOLDER.glob("*.py")} == set(CASES)
