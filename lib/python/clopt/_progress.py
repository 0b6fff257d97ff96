# SPDX-License-Identifier: MIT
"""The bar of progress=True: by tqdm where it is installed, also in notebooks, or else a line."""
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


class Bar:
    """One for each long call, which goes with it."""

    def __init__(self) -> None:
        self.bar: Any = None

    def show(self, done: float) -> None:
        if self.bar is None:
            try:
                from tqdm.auto import tqdm as kind
            except ImportError:
                kind = Line
            self.bar = kind(total=1.0, leave=False,
                            bar_format="{l_bar}{bar}| {elapsed}<{remaining}")
        self.bar.update(done - self.bar.n)

    def end(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None
