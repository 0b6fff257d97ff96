# SPDX-License-Identifier: MIT
"""The bar of progress=True: in a terminal by tqdm where it is installed, or else a line; in a notebook
a part of the cell's output, since what tqdm and lines leave there stays when it is saved."""
from __future__ import annotations

import sys
from typing import Any


class Line:
    """What is used of tqdm."""

    def __init__(self, **_: Any) -> None:
        self.n = 0.0

    def update(self, more: float) -> None:
        self.n += more
        print(f"\r{self.n:4.0%}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        print("\r    \r", end="", file=sys.stderr, flush=True)


class Cell(Line):
    """The same in a notebook."""

    shown: Any = None

    def update(self, more: float) -> None:
        self.n += more
        self.show({"text/html": f"<progress value='{self.n}'></progress> {self.n:.0%}",
                   "text/plain": f"{self.n:4.0%}"})

    def close(self) -> None:
        self.show({"text/plain": ""})

    def show(self, data: dict[str, str]) -> None:
        if self.shown:
            self.shown.update(data, raw=True)
        else:
            self.shown = sys.modules["IPython"].display.display(data, raw=True, display_id=True)


def kind_of_bar() -> Any:
    """Jupyter's shells have a kernel."""
    if hasattr(getattr(sys.modules.get("IPython"), "get_ipython", type(None))(), "kernel"):
        return Cell
    try:
        from tqdm import tqdm
    except ImportError:
        return Line
    return tqdm


class Bar:
    """One for each long call, which goes with it."""

    def __init__(self) -> None:
        self.bar: Any = None

    def show(self, done: float) -> None:
        if self.bar is None:
            self.bar = kind_of_bar()(total=1.0, leave=False,
                                     bar_format="{l_bar}{bar}| {elapsed}<{remaining}")
        self.bar.update(done - self.bar.n)

    def end(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
