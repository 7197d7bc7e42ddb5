"""docs/limits.md: every refusal is run and its message compared, word for word."""

import linecache
import re
from pathlib import Path

import numpy as np
import pytest

import s2sgrad
from tests.crossing import backend

PAGE = Path(__file__).parent.parent / "docs" / "limits.md"
ENTRIES = re.findall(r"```python refused\n(.*?)```\n\n```text\n(.*?)\n```", PAGE.read_text(), re.S)


@pytest.mark.parametrize("code, message", ENTRIES, ids=[m.split(":")[0] + str(k) for k, (_, m) in enumerate(ENTRIES)])
def test_refusal(code, message):
    linecache.cache["example.py"] = (len(code), None, code.splitlines(keepends=True), "example.py")
    with backend("python"), pytest.raises(Exception) as caught:
        exec(compile(code, "example.py", "exec"), {"np": np, "s2sgrad": s2sgrad, "__name__": "example"})
    assert f"{caught.type.__name__}: {caught.value}" == message


def test_every_entry_is_run():
    assert len(ENTRIES) == PAGE.read_text().count("```python refused")


def test_the_next_call_works():
    with backend("python"):
        with pytest.raises(s2sgrad.S2SGradError):
            s2sgrad.grad(lambda x: x * 2.0)(np.ones(2))
        assert s2sgrad.grad(lambda x: x * 2.0)(1.0) == 2.0
