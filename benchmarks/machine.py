"""What the numbers were measured on: processor, system, versions. No names of computers, users or folders."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from .peers import PEERS, versions

__all__ = ["describe"]

VECTORS = ("avx512f", "avx2", "avx", "asimd")  # widest first


def describe() -> list[str]:
    """Lines that describe the machine and the versions of what ran on it."""
    ours = ", ".join(f"{name} {version(name)}" for name in ("cardan", "casadi", "llvmlite", "numpy"))
    theirs = ", ".join(f"{name} {number}" for name, number in versions().items()) or "none"
    absent = [name for name in PEERS if name not in versions()]
    return [
        f"Processor: {_processor()}, {os.cpu_count()} cores, of which one is used",
        f"System: {platform.system()} {platform.machine()}, Python {platform.python_version()}",
        f"Versions: {ours}",
        f"Peers: {theirs}" + (f" (not installed: {', '.join(absent)})" if absent else ""),
    ]


def _processor() -> str:
    """Name, family and widest vector instructions, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    flags = facts.get("flags", facts.get("Features", "")).split()
    numbers = f"family {facts['cpu family']} model {facts['model']}" if "cpu family" in facts else ""
    widest = next((name for name in VECTORS if name in flags), "")
    return ", ".join(filter(None, [facts.get("model name", platform.machine()), numbers, widest]))
