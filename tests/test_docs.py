"""Every Python block of README.md, ARCHITECTURE.md and docs/ runs, one page after another in one namespace per page.

A block that is followed by a block marked `text` must print exactly that. A block marked `python no-run` is not run.
"""

import contextlib
import io
import linecache
import re
import traceback
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```", re.M | re.S)


def blocks(text):
    """(language, code, line of its first line)."""
    return [(m[1].strip(), m[2], text.count("\n", 0, m.start()) + 2) for m in FENCE.finditer(text)]


@pytest.mark.parametrize("page", [p for p in PAGES if "```python" in p.read_text()], ids=lambda p: str(p.relative_to(ROOT)))
def test_page(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    space = {"__name__": f"docs_{page.stem}"}
    found = blocks(page.read_text())
    for k, (language, code, line) in enumerate(found):
        if language != "python":
            continue
        name = f"<{page.relative_to(ROOT)} {line}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(code, name, "exec"), space)
        except Exception:
            pytest.fail(f"{page.relative_to(ROOT)}, block at line {line}:\n{traceback.format_exc()}")
        if k + 1 < len(found) and found[k + 1][0] == "text":
            assert out.getvalue().rstrip() == found[k + 1][1].rstrip(), f"{page.relative_to(ROOT)}, output of the block at line {line}"


def test_links_point_at_files():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"
