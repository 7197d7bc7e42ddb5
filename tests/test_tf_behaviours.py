"""The recorded TensorFlow behaviours, where their file is at hand."""

import importlib.util
import json
from pathlib import Path

import pytest

import s2sgrad

FOLDER = Path(__file__).parent.parent.parent / "shared" / "tf"
RUNNER = FOLDER / "run_behaviours.py"
if not RUNNER.exists():
    pytest.skip("the recorded behaviours are not next to the repository", allow_module_level=True)

spec = importlib.util.spec_from_file_location("run_behaviours", RUNNER)
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)
ENTRIES = json.loads((FOLDER / "behaviours.json").read_text())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["id"])
def test_behaviour(entry):
    why = runner.run(entry, s2sgrad)
    assert why is None, f"{entry['what']}: {why}"
