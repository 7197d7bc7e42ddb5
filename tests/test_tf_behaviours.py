"""The recorded TensorFlow behaviours, where their file is at hand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUNNER = ROOT.parent / "shared" / "tf" / "run_behaviours.py"


@pytest.mark.skipif(not RUNNER.exists(), reason="the recorded behaviours are not next to the repository")
def test_every_recorded_behaviour_holds():
    """The runner captures file descriptors, so it runs in a process of its own."""
    run = subprocess.run([sys.executable, str(RUNNER)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert run.stdout.rstrip().endswith("behaviours hold")
