"""The command line."""

import io
import subprocess
import sys

import pytest

from s2sgrad.cli import main

PROGRAM = '''
import numpy as np

def loss(w, x):
    total = 0.0
    for i in range(x.shape[0]):
        total += (w * x[i]) ** 2
    return total

def wrong_shape(w):
    return w[0, 0]

def args():
    return 1.5, np.array([1.0, 2.0])
'''


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def run(*argv):
    out = io.StringIO()
    return main(argv, out), out.getvalue()


def test_show(file):
    status, text = run("show", f"{file}:loss", "--wrt", "w", "--types", "float64, float64[:]")
    assert status == 0
    assert "def loss_grad_w(w, x):" in text and 'Reverse-mode derivative of loss with respect to w."""' in text
    assert run("show", f"{file}:loss")[1] == text  # the same types, guessed from use


def test_show_both_parameters_with_the_value(file):
    assert "def loss_value_grad_w_x(w, x):" in run("show", f"{file}:loss", "--wrt", "w, x", "--value")[1]


def test_stages(file):
    status, text = run("stages", f"{file}:loss")
    assert status == 0
    assert [line.strip("# -") for line in text.splitlines() if line.startswith("# ---")] == ["primal", "reverse", "adjoint", "lowered"]


def test_check(file):
    status, text = run("check", f"{file}:loss", "--wrt", "0,1")
    assert (status, text) == (0, text) and text.startswith("loss by w, x: 3 derivatives compared, 0 differ")


def test_colour(file):
    pytest.importorskip("pygments")
    assert "\x1b[" in run("show", f"{file}:loss", "--colour", "always")[1]
    assert "\x1b[" not in run("show", f"{file}:loss")[1]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("show", "nowhere.py:f"), "there is no file nowhere.py"),
        (("show", "FILE:nope"), "has no function nope; it has args, loss, wrong_shape"),
        (("show", "FILE"), "does not name a function; write FILE.py:FUNC"),
    ],
)
def test_wrong_usage(file, capsys, argv, message):
    where = argv[1].replace("FILE:", f"{file}:").replace("FILE", "program")
    assert main((argv[0], where)) == 2
    assert message in capsys.readouterr().err


def test_errors_have_no_traceback(file, capsys):
    assert main(("show", f"{file}:loss", "--wrt", "q")) == 1
    assert capsys.readouterr().err.startswith("s2sgrad: loss has no parameter 'q'")


def test_python_m(file):
    done = subprocess.run([sys.executable, "-m", "s2sgrad", "show", f"{file}:loss"], capture_output=True, text=True, check=True)
    assert "def loss_grad_w" in done.stdout
