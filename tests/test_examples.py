"""Every example runs; the three of the TensorFlow-style interface print exactly what they should."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
PRINTED = {
    "square.py": "tf.Tensor(9.0, shape=(), dtype=float32)\ntf.Tensor(6.0, shape=(), dtype=float32)\n",
    "clip.py": "tf.Tensor(30.0, shape=(), dtype=float32)\ntf.Tensor([1. 1. 1.], shape=(3,), dtype=float32)\n",
    "scale.py": "tf.Tensor(30.0, shape=(), dtype=float32)\ntf.Tensor([2. 2. 2. 2. 2.], shape=(5,), dtype=float32)\n"
                "tf.Tensor(15.0, shape=(), dtype=float32)\n",
}
SAYS = {
    "heat.py": ["left half  1.0  right half 0.4"],
    "newton.py": ["def eccentric_anomaly_grad", "x_bar"],
    "spliced_rule.py": ["[0.268941 1.       3.      ]", "1.0 - 1.0 / (1.0 + e)"],
    "inside_numba.py": ["minimum at [1. 1. 1.]"],
    "bench_kernels.py": ["with gradient ms", "two_layers"],
    "fit_diabetes.py": ["def loss_value_grad_p", "explained variance"],
}


def run(name):
    env = {k: v for k, v in os.environ.items() if k != "S2SGRAD_DISABLE_JIT"}
    done = subprocess.run([sys.executable, EXAMPLES / name], capture_output=True, text=True, timeout=600, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", sorted(PRINTED))
def test_prints(name):
    assert run(name) == PRINTED[name]


@pytest.mark.parametrize("name", sorted(SAYS))
def test_says(name):
    if name == "fit_diabetes.py":
        pytest.importorskip("sklearn")
    text = run(name)
    for part in SAYS[name]:
        assert part in text


def test_all_examples_are_tested():
    assert {p.name for p in EXAMPLES.glob("*.py")} == set(PRINTED) | set(SAYS)
