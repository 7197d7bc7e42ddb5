"""`tf.print`: the same text in eager and in compiled code."""

import linecache
import sys
import warnings
from collections import OrderedDict, namedtuple

import pytest

import s2sgrad as tf

P = namedtuple("P", "a b")
INPUTS = {
    "x": tf.constant([[1.5, 0.25, 3.0], [4.0, 5.0, 6.0]]), "i": tf.constant(3), "flags": tf.constant([True, False]), "c": tf.constant([1 + 2j, 0.1 - 3j]),
    "z": tf.constant(1 / 3 + 2j, tf.complex128), "small": tf.constant(0.5 - 2j, tf.complex64), "none": tf.zeros([0]), "rows": tf.zeros([2, 0]),
    "d": tf.constant(1 / 3, tf.float64), "big": tf.reshape(tf.range(200.0), [10, 20]), "deep": tf.reshape(tf.range(240), [2, 3, 5, 8]),
    "half": tf.constant([0.1, 65504.0], tf.float16), "byte": tf.constant([200], tf.uint8), "odd": tf.constant([float("inf"), float("nan"), -0.0]),
}
FORMS = {
    "x.shape": "TensorShape([2, 3])\n",
    "'s', x.shape[0], x.shape[1:], x.get_shape()": "s 2 TensorShape([3]) TensorShape([2, 3])\n",
    "[x.shape, 'a', x.dtype], {'s': x.shape}": "[TensorShape([2, 3]), 'a', tf.float32] {'s': TensorShape([2, 3])}\n",
    "x.shape.as_list(), x.shape.rank, x.shape.num_elements(), len(x.shape)": "[2, 3] 2 6 2\n",
    "x.shape + [1], [1] + x.shape, x.shape == [2, 3], x.shape == (2, 4)": "TensorShape([2, 3, 1]) TensorShape([1, 2, 3]) True False\n",
    "tf.shape(x), list(x.shape), (x.shape[0],)": "[2 3] [2, 3] (2,)\n",
    "isinstance(x.shape, tuple), isinstance(x.shape, tf.TensorShape)": "False True\n",
    "'a', 'b c', ['a', 'it\\'s'], ('u',)": "a b c ['a', \"it's\"] ('u',)\n",
    "{'k': [i, 's'], 't': (i, 'u', 1.5), 'n': None}": None,
    "{'b': i, 'a': {'d': i, 'c': (i, [i])}}": "{'a': {'c': (3, [3]), 'd': 3}, 'b': 3}\n",
    "OrderedDict([('z', i), ('a', i)]), P(i, 'z'), P(i, P(i, 2))": "OrderedDict([('z', 3), ('a', 3)]) P(a=3, b='z') P(a=3, b=P(a=3, b=2))\n",
    "c, z, small": "[(1,2) (0.1,-3)] (0.33333333333333331,2) (0.5,-2)\n",
    "[c, 1 + 2j], 1 + 2j, c * 2.0, tf.math.real(c)": None,
    "True, None, 3, 2.5, flags, i + 1, range(3)": "True None 3 2.5 [1 0] 4 range(0, 3)\n",
    "tf.constant(1e10), tf.constant(1 / 3), tf.constant(-0.0), tf.constant(2**40), tf.constant(True)": "1e+10 0.333333343 -0 1099511627776 1\n",
    "1e10, 1 / 3, -0.0, float('inf')": "10000000000.0 0.3333333333333333 -0.0 inf\n",
    "none, rows, [none, rows], []": None,
    "big, x": None,
    "deep": None,
    "[big, {'k': deep}]": None,
    "x[0, 0], float(x[0, 0]), int(i), [float(x[0, 0]), i]": "1.5 1.5 3 [1.5, 3]\n",
    "half, byte, odd, d, d * 2": None,
    "f'x is {3}', '%d' % 4, f'{i}', 'a' + 'b', '', 'line\\nbreak'": None,
}


def printing(form, options):
    code = f"def f({', '.join(INPUTS)}):\n    tf.print({form}, output_stream=sys.stdout{options})\n"
    file = f"<print {form} {options}>"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    names = {"tf": tf, "sys": sys, "P": P, "OrderedDict": OrderedDict}
    exec(compile(code, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("options", ["", ", summarize=1", ", summarize=-1, sep='|', end='#'"])
@pytest.mark.parametrize("form", FORMS)
def test_compiled_code_prints_what_eager_code_prints(form, options, capsys, monkeypatch):
    monkeypatch.setenv("S2SGRAD_DISABLE_JIT", "1")
    f = printing(form, options)
    f(**INPUTS)
    eager = capsys.readouterr().out
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        tf.function(f, jit_compile=True)(**INPUTS)
    assert capsys.readouterr().out == eager
    assert options or FORMS[form] is None or FORMS[form] == eager


def test_numba_prints_it_too(capsys):
    f = printing("'s', x.shape, c, {'k': (i, 'v')}, big", "")
    f(**INPUTS)
    eager = capsys.readouterr().out
    tf.function(f, jit_compile=True)(**INPUTS)
    assert capsys.readouterr().out == eager
