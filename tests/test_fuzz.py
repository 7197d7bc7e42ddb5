"""A short run of the random programs (make fuzz runs as many as it is told), and that the checks would notice a fault."""

import pytest

from tests.crossing import Mismatch
from tests.fuzz.checks import Unfit, check, check_program
from tests.fuzz.generator import KINDS, generate
from tests.fuzz.program import Program
from tests.fuzz.shrink import shrink

QUICK = range(50)


@pytest.mark.parametrize("seed", QUICK)
def test_random_program(seed):
    try:
        check_program(generate(seed))
    except Unfit:
        return


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60, 100))
def test_random_program_compiled(seed):
    try:
        check_program(generate(seed), backends=("python", "numba"), deep=False)
    except Unfit:
        return


def test_a_seed_always_gives_the_same_text():
    assert generate(17).text == generate(17).text


def test_every_statement_kind_appears():
    seen = set()
    for seed in range(250):
        seen |= generate(seed).kinds
    assert {k.replace("_", " ") for k in KINDS} <= seen


def test_a_wrong_gradient_is_noticed():
    p = Program(0, "def f(x, c):\n    return np.sum(x * x) * c\n", "(np.array([1.0, 2.0]), 0.5)")
    check(p.load(), p.args())
    with pytest.raises(Mismatch, match="gradient"):
        check(p.load(), p.args(), 2.5, [[1.0, 2.5], [5.0]], [0.0, 0.0])


def test_shrinking_keeps_only_what_is_needed():
    p = generate(5)
    text = p.text.replace("return", "q = np.exp(0.0)\n    return", 1) if "q = np.exp" not in p.text else p.text
    small = shrink(Program(5, text, p.setup), lambda q: "np.exp(0.0)" in q.text, rounds=3)
    assert len(small.text.splitlines()) <= 4 and "np.exp(0.0)" in small.text
