"""Measures one machine for GPU Planner in a few minutes, with nothing but PyTorch. Carry this file to the machine:

    python gpuplanner_probe.py --dry-run       says what it would do here, and does nothing
    python gpuplanner_probe.py                 at most three minutes, writes gpuplanner-probe.json here

It times matrix products, attention, memory traffic, copies between host and device and between devices, collectives
where there are several devices, and one transformer block's prefill, decode and training step; it reads peak memory,
and power and clocks where nvidia-smi is there. It needs Python 3.8 and PyTorch 2.0 or newer. It opens no connection to
another machine, changes no setting, keeps to its share of the free memory (beside what PyTorch itself takes, usually
under 1 GB) and to its time. Each result is in the file as soon as it is measured: Ctrl-C stops the probe at any moment,
twice stops it at once. The file names the device, the software and the figures; no host, user or serial number.
Add it to a project with `gpuplanner measurements FILE --into PLAN.gpuplan`, or drop it on the window.

What was tried: on one H200 under PyTorch 2.11 (43 seconds), and on processors, with several processes too (gloo), under
PyTorch 2.0, 2.1, 2.4 and 2.13. What was not: several GPUs and NCCL, FP4, ROCm, XPU and MPS; those parts follow
PyTorch's documentation, and were walked through on a processor with functions standing in for CUDA's, which shows slips
and measures nothing. What fails on a device is remarked in the file, and the next case goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import math
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

torch: Any = None
functional: Any = None

FORMAT, VERSION = "gpuplanner-probe", 2
NAME = "gpuplanner-probe.json"
MIB, GIB = 2**20, 2**30
ROUNDS, MOST_RUNS = 5, 200
ROUND_S = 0.03
"""Of work in one round, so that clocks and launches settle."""
SLOW_S = 1.5
"""A second run that takes longer stays the only one that counts."""
WARM_UP_S = 1.5
MOST_COPIES = 64
BUSY = 10.0
"""Per cent of the device's time in other programs' hands, from which its figures are doubted."""
TIGHT = 0.75
"""Of the memory promised that a case's operands may take; the rest is for results and what kernels need."""

Figures = List[Tuple[str, str, float]]  # quantity, statistic, value
Case = Tuple[str, Callable[[], None]]


class Stopped(Exception):
    """The user has had enough."""


class TimeIsUp(Exception):
    """What this section was given is spent."""


class DeviceLost(Exception):
    """The device answers nothing any more, which only a new process mends."""


class Block(NamedTuple):
    """Sizes of the transformer block: on a device as in Llama 3.1 8B, on a processor small."""

    hidden: int
    heads: int
    head: int
    kv_heads: int
    ffn: int
    prompt: int


class Timing(NamedTuple):
    """Seconds of one run."""

    p50: float
    least: float
    most: float
    launch: str
    """`graph`: replayed from a CUDA graph, without the host; `eager`: launched one by one."""

    @property
    def figures(self) -> Figures:
        return [("kernel_time", "p50", self.p50), ("kernel_time", "min", self.least), ("kernel_time", "max", self.most)]


class Section(NamedTuple):
    title: str
    share: float
    """Of the time."""
    absent: str
    """Why there is none of it here; empty where there is."""
    cases: Callable[[], Iterator[Case]]


@dataclass
class Probe:
    """The machine, the settings, and everything measured so far."""

    device: Any
    out: Path
    memory_bytes: int
    sizes: Block
    section_ends_at: float = 0.0
    results: List[Dict[str, Any]] = field(default_factory=list)
    remarks: List[str] = field(default_factory=list)
    conditions: Dict[str, Any] = field(default_factory=dict)
    stopped_by: int = 0
    is_complete: bool = False
    write_problem: str = ""
    facts: Dict[str, Any] = field(default_factory=dict)
    """Of the device, asked once."""

    def check(self) -> None:
        """Raise Stopped or TimeIsUp where nothing more is to be measured."""
        if self.stopped_by:
            raise Stopped
        if time.monotonic() > self.section_ends_at:
            raise TimeIsUp

    def add(self, operation: str, precision: str, shape: str, figures: Figures, **more: Any) -> None:
        """Keep a result, in SI units, and write the file with it."""
        listed = [{"quantity": name, "statistic": which, "value": value} for name, which, value in figures]
        self.results.append({"operation": operation, "precision": precision, "shape": shape, "figures": listed, **more})
        said = [worded(name, value) for name, which, value in figures if which not in ("min", "max")]
        say(f"  {operation:17} {precision:6} {shape:48} {', '.join(said)}")
        self.save()

    def remark(self, text: str) -> None:
        """Something to be known about the figures, once."""
        if text not in self.remarks:
            self.remarks.append(text)
            say(f"  - {text}")

    def save(self) -> bool:
        """Write the file; where that fails, keep on measuring, and say so at the end."""
        try:
            write(self.out, self)
        except OSError as problem:
            if not self.write_problem:
                say(f"  - {self.out} can't be written now ({problem.strerror}); the next result tries again")
            self.write_problem = str(problem.strerror or problem)
            return False
        self.write_problem = ""
        return True


def say(text: str) -> None:
    """To the terminal, as long as there is one."""
    try:
        print(text, flush=True)
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (to the end of the process)


UNITS = {
    "kernel_time": (1e3, "ms"), "collective_time": (1e3, "ms"), "flop_per_s": (1e-12, "TFLOP/s"),
    "memory_bandwidth": (1e-9, "GB/s"), "copy_bandwidth": (1e-9, "GB/s"), "algorithm_bandwidth": (1e-9, "GB/s"),
    "bus_bandwidth": (1e-9, "GB/s on the bus"), "power": (1.0, "W"), "memory_used": (1e-9, "GB at the peak"),
}  # fmt: skip


def worded(quantity: str, value: float) -> str:
    scale, unit = UNITS[quantity]
    return f"{value * scale:.4g} {unit}"


def reason_of(problem: BaseException) -> str:
    """The first line of what went wrong."""
    lines = str(problem).strip().splitlines()
    return lines[0][:140] if lines else type(problem).__name__


# Timing


def synchronize(device: Any) -> None:
    if device.type == "mps":
        torch.mps.synchronize()
    elif device.type != "cpu":
        getattr(torch, device.type).synchronize(device)


def run_time(probe: Probe, work: Callable[[], object]) -> float:
    """Seconds of one piece of work, by the device's own clock where it has one."""
    probe.check()
    if probe.device.type == "cuda":
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) * 1e-3
    synchronize(probe.device)
    started = time.perf_counter()
    work()
    synchronize(probe.device)
    return max(time.perf_counter() - started, 1e-9)


def timed(probe: Probe, work: Callable[[int], object], copies: int = 1, launch: str = "graph") -> Timing:
    """Time of one run of `work`, which is told which copy of its operands to take.

    The first run loads kernels and is not counted; a second that takes very long stays the only one. On a device many
    runs follow each other in a round, so that launching is hidden as it is in practice, and the median of the rounds
    counts.
    """
    run_time(probe, lambda: work(0))
    second = run_time(probe, lambda: work(0))
    if second > SLOW_S:
        return Timing(second, second, second, "eager")
    single = min(run_time(probe, lambda: work(0)), run_time(probe, lambda: work(1 % copies)))
    if probe.device.type == "cpu":
        found = []
        while len(found) < ROUNDS or (len(found) < MOST_RUNS and sum(found) < ROUND_S):
            found.append(run_time(probe, lambda: work(len(found) % copies)))
        return Timing(statistics.median(found), min(found), max(found), "eager")
    runs = max(1, min(MOST_RUNS, max(math.ceil(ROUND_S / single), min(copies, math.ceil(10 * ROUND_S / single)))))

    def several() -> None:
        for index in range(runs):
            work(index % copies)

    replay = captured(probe, several) if launch == "graph" else None
    run = replay or several
    run_time(probe, run)
    rounds = [run_time(probe, run) / runs for _ in range(ROUNDS)]
    return Timing(statistics.median(rounds), min(rounds), max(rounds), "graph" if replay else "eager")


def captured(probe: Probe, work: Callable[[], None]) -> Optional[Callable[[], None]]:
    """The work as a CUDA graph, which the host launches at once; None where there are none or it can't be one."""
    if probe.device.type != "cuda":
        return None
    try:
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            work()
    except (RuntimeError, AttributeError) as problem:
        synchronize(probe.device)
        probe.remark(f"Not all could be a CUDA graph ({reason_of(problem)}): those marked eager hold their launches")
        return None
    replay: Callable[[], None] = graph.replay
    return replay


def cache_bytes(device: Any) -> int:
    """Of the last cache before the memory, as far as PyTorch tells; generous where it does not."""
    if device.type == "cpu":
        return 0
    if device.type != "cuda":
        return 64 * MIB
    stated = int(getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 0))
    return max(stated, 256 * MIB if torch.version.hip else 64 * MIB)


def copies_for(probe: Probe, used_bytes: int) -> int:
    """Copies of operands to take in turn, so that none is still in the cache when its turn comes again.

    Raises MemoryError where not even one has room.
    """
    if used_bytes > TIGHT * probe.memory_bytes:
        raise MemoryError(f"{used_bytes / GIB:.1f} GiB are more than its share of memory")
    wanted = math.ceil(3 * cache_bytes(probe.device) / max(used_bytes, 1)) + 1
    room = int(TIGHT * probe.memory_bytes // max(used_bytes, 1))
    return max(1, min(wanted if cache_bytes(probe.device) else 1, room, MOST_COPIES))


def made(probe: Probe, *shape: int, dtype: Any) -> Any:
    """Small random numbers on the device."""
    return (torch.randn(shape, device=probe.device) * 0.05).to(dtype)


def clones(first: Any, count: int) -> List[Any]:
    """The same values in several places of the memory."""
    return [first, *(first.clone(memory_format=torch.preserve_format) for _ in range(count - 1))]


# What is measured


def is_nvidia(probe: Probe) -> bool:
    return probe.device.type == "cuda" and not torch.version.hip


def capability(probe: Probe) -> Tuple[int, int]:
    """Of a CUDA device, (0, 0) of any other."""
    return torch.cuda.get_device_capability(probe.device) if is_nvidia(probe) else (0, 0)


def usual_precision(probe: Probe) -> Tuple[str, Any]:
    """16 bits, but for processors, of which few have the instructions; BF16 where the device calculates in it."""
    if probe.device.type == "cpu":
        return "fp32", torch.float32
    if probe.device.type == "mps" or (is_nvidia(probe) and capability(probe) < (8, 0)):
        return "fp16", torch.float16
    return "bf16", torch.bfloat16


def precisions(probe: Probe) -> List[str]:
    """Of matrix products that this device has instructions for."""
    usual = usual_precision(probe)[0]
    found = ["fp32", *([usual] if usual != "fp32" else []), *(["fp16"] if usual == "bf16" else [])]
    if probe.device.type == "cpu":
        return ["fp32", "bf16"]
    if is_nvidia(probe):
        found += ["tf32"] * (capability(probe) >= (8, 0)) + ["fp8"] * (capability(probe) >= (8, 9))
        found += ["int8"] * (capability(probe) >= (7, 5))
    elif probe.device.type == "cuda":
        found += ["fp8"] * (fp8_type(probe) is not None)
    return found


def fp8_type(probe: Probe) -> Any:
    """The 8-bit float that this device multiplies; None without one. CDNA 3 has its own kind."""
    name = "float8_e4m3fn"
    if torch.version.hip:
        architecture = str(getattr(torch.cuda.get_device_properties(probe.device), "gcnArchName", ""))
        if architecture.startswith("gfx94"):
            name = "float8_e4m3fnuz"
        elif not architecture.startswith(("gfx95", "gfx12")):
            return None
    return getattr(torch, name, None)


def products(probe: Probe) -> Iterator[Case]:
    """Matrix products of a layer's shapes, from one token to a full prefill."""
    sizes = probe.sizes
    for n, k in ((sizes.hidden, sizes.hidden), (2 * sizes.ffn, sizes.hidden), (sizes.hidden, sizes.ffn)):
        for m in dict.fromkeys((1, 16, 64, 256, sizes.prompt)):
            for name in precisions(probe):
                if (name in ("fp32", "tf32") and probe.device.type != "cpu" and m < sizes.prompt) or (
                    name == "int8" and m <= 16  # torch._int_mm takes more rows than 16
                ):
                    continue
                yield name, lambda m=m, n=n, k=k, name=name: product(probe, name, m, n, k)


BYTES = {"fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1, "nvfp4": 0.5625}
"""Of one element; NVFP4 with its scale for every 16."""


def product(probe: Probe, name: str, m: int, n: int, k: int, kind: str = "") -> None:
    copies = copies_for(probe, int((m * k + n * k) * BYTES[name] + 2 * m * n))
    torch.set_float32_matmul_precision("high" if name == "tf32" else "highest")
    try:
        timing = timed(probe, multiplication(probe, name, m, n, k, copies, kind), copies)
    finally:
        torch.set_float32_matmul_precision("highest")
    figures = [*timing.figures, ("flop_per_s", "p50", 2.0 * m * n * k / timing.p50)]
    shape = f"m={m} n={n} k={k}" + (f" {kind}" if kind else "")
    probe.add("gemm", name, shape, figures, launch=timing.launch)


def multiplication(probe: Probe, name: str, m: int, n: int, k: int, copies: int, kind: str) -> Callable[[int], object]:
    """The product of (m × k) activations with (n × k) weights; each copy has weights of its own."""
    if name == "fp8":
        return scaled_product(probe, m, n, k, copies, kind)
    if name == "nvfp4":
        return four_bit_product(probe, m, n, k, copies)
    if name == "int8":
        x = torch.randint(-8, 8, (m, k), dtype=torch.int8, device=probe.device)
        ys = clones(torch.randint(-8, 8, (n, k), dtype=torch.int8, device=probe.device), copies)
        return lambda index: torch._int_mm(x, ys[index].t())
    dtype = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[name]
    a, weights = made(probe, m, k, dtype=dtype), clones(made(probe, n, k, dtype=dtype), copies)
    return lambda index: functional.linear(a, weights[index])


def scaled_product(probe: Probe, m: int, n: int, k: int, copies: int, kind: str) -> Callable[[int], object]:
    """FP8 with one scale for a tensor, or `rowwise`: one for each token and each output."""
    dtype = fp8_type(probe)
    if dtype is None or not hasattr(torch, "_scaled_mm"):
        raise NotImplementedError("this PyTorch has no FP8 products")
    a, weights = made(probe, m, k, dtype=dtype), clones(made(probe, n, k, dtype=dtype), copies)
    scale_a = torch.ones((m, 1) if kind else (), device=probe.device)
    scale_b = torch.ones((1, n) if kind else (), device=probe.device)
    given = {"scale_a": scale_a, "scale_b": scale_b, "out_dtype": torch.bfloat16}
    if is_nvidia(probe):
        given["use_fast_accum"] = True  # as serving engines ask for it
    return lambda index: torch._scaled_mm(a, weights[index].t(), **given)


def four_bit_product(probe: Probe, m: int, n: int, k: int, copies: int) -> Callable[[int], object]:
    """NVFP4: two elements in a byte, and a scale of 8 bits for every 16 of them, laid out in tiles of 128 by 4."""
    if not hasattr(torch, "float4_e2m1fn_x2"):
        raise NotImplementedError("this PyTorch has no FP4 products")

    def packed(rows: int) -> Any:
        return torch.randint(0, 255, (rows, k // 2), dtype=torch.uint8, device=probe.device)

    def scales(rows: int) -> Any:
        count = math.ceil(rows / 128) * 128 * math.ceil(k / 64) * 4
        return torch.ones(count, device=probe.device).to(torch.float8_e4m3fn)

    a, weights = packed(m).view(torch.float4_e2m1fn_x2), clones(packed(n), copies)
    typed = [one.view(torch.float4_e2m1fn_x2).t() for one in weights]
    of_a, of_b = scales(m), scales(n)
    return lambda index: torch._scaled_mm(a, typed[index], scale_a=of_a, scale_b=of_b, out_dtype=torch.bfloat16)


def newest_products(probe: Probe) -> Iterator[Case]:
    """Formats that PyTorch multiplies on few devices; after all else, as some versions fail at them for good."""
    sizes = probe.sizes
    n, k = 2 * sizes.ffn, sizes.hidden
    for m in (16, 256, sizes.prompt):
        if capability(probe) >= (8, 9):
            yield "fp8 rowwise", lambda m=m: product(probe, "fp8", m, n, k, "rowwise")
        if capability(probe) >= (10, 0):
            yield "nvfp4", lambda m=m: product(probe, "nvfp4", m, n, k)


def groups_queries(probe: Probe) -> bool:
    """True where attention takes fewer heads of keys than of queries without copying them."""
    if is_nvidia(probe) and capability(probe) < (8, 0):
        return False
    try:
        query, keys = torch.zeros(1, 2, 1, 8), torch.zeros(1, 1, 1, 8)
        functional.scaled_dot_product_attention(query, keys, keys, enable_gqa=True)
    except TypeError:
        return False
    return True


def attend(query: Any, keys: Any, values: Any, causal: bool, is_grouped: bool) -> Any:
    repeat = query.shape[1] // keys.shape[1]
    if is_grouped and repeat > 1:
        return functional.scaled_dot_product_attention(query, keys, values, is_causal=causal, enable_gqa=True)
    if repeat > 1:
        keys, values = keys.repeat_interleave(repeat, 1), values.repeat_interleave(repeat, 1)
    return functional.scaled_dot_product_attention(query, keys, values, is_causal=causal)


def attention(probe: Probe) -> Iterator[Case]:
    """Causal attention of a prompt, and of one new token over a cache."""
    prompt = probe.sizes.prompt
    for batch, new, context in ((1, prompt, prompt), (4, prompt, prompt), (1, 1, 8 * prompt), (16, 1, prompt)):
        shape = (batch, new, context)
        yield f"{batch}×{new} over {context}", lambda shape=shape: attended(probe, *shape)


def attended(probe: Probe, batch: int, new: int, context: int) -> None:
    sizes, (named, dtype) = probe.sizes, usual_precision(probe)
    is_grouped, is_prompt = groups_queries(probe), new > 1
    kv_heads = sizes.kv_heads if is_grouped else sizes.heads
    cached = batch * kv_heads * context * sizes.head
    size = dtype.itemsize if hasattr(dtype, "itemsize") else torch.empty((), dtype=dtype).element_size()
    copies = copies_for(probe, 2 * cached * size + 2 * batch * sizes.heads * new * sizes.head * size)
    query = made(probe, batch, sizes.heads, new, sizes.head, dtype=dtype)
    keys, values = (
        clones(made(probe, batch, kv_heads, context, sizes.head, dtype=dtype), copies) for _ in range(2)
    )  # fmt: skip
    timing = timed(probe, lambda one: attend(query, keys[one], values[one], is_prompt, is_grouped), copies)
    flop = 4.0 * batch * sizes.heads * sizes.head * new * context * (0.5 if is_prompt else 1.0)
    rate = ("flop_per_s", flop) if is_prompt else ("memory_bandwidth", 2.0 * cached * size)
    shape = f"batch={batch} new={new} context={context} heads={sizes.heads}/{kv_heads} head={sizes.head}"
    figures = [*timing.figures, (rate[0], "p50", rate[1] / timing.p50)]
    probe.add("attention", named, shape, figures, launch=timing.launch)


def memory_traffic(probe: Probe) -> Iterator[Case]:
    """Copies inside the device's memory: each byte is read and written."""
    for size in (16 * MIB, 256 * MIB, 1024 * MIB):
        yield f"{size // MIB} MiB", lambda size=size: copied(probe, size)


def copied(probe: Probe, size: int) -> None:
    copies = copies_for(probe, 2 * size)
    # Written to before, else a host has no memory behind them.
    sources = [torch.ones(size, dtype=torch.uint8, device=probe.device) for _ in range(copies)]
    targets = [torch.ones(size, dtype=torch.uint8, device=probe.device) for _ in range(copies)]
    # Not as a graph: there copies of 512 MiB and more went by an H200's copy engines, at two thirds of the rate.
    timing = timed(probe, lambda one: targets[one].copy_(sources[one]), copies, launch="eager")
    figures = [*timing.figures, ("memory_bandwidth", "p50", 2.0 * size / timing.p50)]
    probe.add("device_copy", "int8", f"{size // MIB} MiB", figures, message_bytes=size, launch=timing.launch)


def host_copies(probe: Probe) -> Iterator[Case]:
    """Copies between host and device, from memory that is pinned and that is not."""
    for size in (MIB, 64 * MIB, 256 * MIB):
        for is_pinned in (True, False):
            what = (size, is_pinned)
            yield f"{size // MIB} MiB", lambda what=what: host_copied(probe, *what)


def host_copied(probe: Probe, size: int, is_pinned: bool) -> None:
    if size > TIGHT * min(probe.memory_bytes, host_memory_bytes()):
        raise MemoryError(f"no room for {size // MIB} MiB")
    host = torch.ones(size, dtype=torch.uint8)
    if is_pinned:
        host = host.pin_memory()
    device = torch.ones(size, dtype=torch.uint8, device=probe.device)
    kind = "pinned" if is_pinned else "pageable"
    for operation, target, source in (("host_to_device", device, host), ("device_to_host", host, device)):
        timing = timed(probe, lambda _, t=target, s=source: t.copy_(s, non_blocking=is_pinned), launch="eager")
        figures = [*timing.figures, ("copy_bandwidth", "p50", size / timing.p50)]
        more = {"message_bytes": size, "phase": "transfer"}
        probe.add(operation, "int8", f"{size // MIB} MiB {kind}", figures, **more)


def peer_copies(probe: Probe) -> Iterator[Case]:
    """Copies from this device to the next one."""
    for size in (MIB, 64 * MIB, 256 * MIB):
        yield f"{size // MIB} MiB", lambda size=size: peer_copied(probe, size)


def peer_copied(probe: Probe, size: int) -> None:
    here = probe.device.index
    there = (here + 1) % device_count(probe.device)
    kind = "peer" if torch.cuda.can_device_access_peer(here, there) else "through the host"
    source = torch.ones(size, dtype=torch.uint8, device=probe.device)
    target = torch.ones(size, dtype=torch.uint8, device=torch.device("cuda", there))
    timing = timed(probe, lambda _: target.copy_(source, non_blocking=True), launch="eager")
    figures = [*timing.figures, ("copy_bandwidth", "p50", size / timing.p50)]
    more = {"message_bytes": size, "phase": "transfer"}
    probe.add("device_to_device", "int8", f"{size // MIB} MiB {kind}", figures, **more)


class TransformerBlock:
    """Norms, grouped-query attention over a cache, and a gated feed-forward part; random weights."""

    def __init__(self, probe: Probe) -> None:
        sizes, dtype = probe.sizes, usual_precision(probe)[1]
        width = (sizes.heads + 2 * sizes.kv_heads) * sizes.head
        self.sizes = sizes
        self.is_grouped = groups_queries(probe)
        self.norms = torch.ones(2, sizes.hidden, dtype=dtype, device=probe.device)
        self.joint = made(probe, width, sizes.hidden, dtype=dtype)
        self.back = made(probe, sizes.hidden, sizes.heads * sizes.head, dtype=dtype)
        self.gate = made(probe, 2 * sizes.ffn, sizes.hidden, dtype=dtype)
        self.down = made(probe, sizes.hidden, sizes.ffn, dtype=dtype)

    @property
    def weights(self) -> List[Any]:
        return [self.norms, self.joint, self.back, self.gate, self.down]

    def normed(self, x: Any, which: int) -> Any:
        if hasattr(functional, "rms_norm"):
            return functional.rms_norm(x, (x.shape[-1],), self.norms[which], 1e-5)
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.norms[which]

    def __call__(self, x: Any, cache: Optional[Tuple[Any, Any]] = None) -> Any:
        """A cache holds the place of the new token at its end, as engines' do."""
        sizes, (batch, new, _) = self.sizes, x.shape
        joint = functional.linear(self.normed(x, 0), self.joint).view(batch, new, -1, sizes.head).transpose(1, 2)
        query, keys, values = joint.split((sizes.heads, sizes.kv_heads, sizes.kv_heads), dim=1)
        if cache is not None:
            cache[0][:, :, -1:].copy_(keys)
            cache[1][:, :, -1:].copy_(values)
            keys, values = cache
        mixed = attend(query, keys, values, cache is None, self.is_grouped)
        x = x + functional.linear(mixed.transpose(1, 2).reshape(batch, new, -1), self.back)
        gate, up = functional.linear(self.normed(x, 1), self.gate).chunk(2, dim=-1)
        return x + functional.linear(functional.silu(gate) * up, self.down)


def block(probe: Probe) -> Iterator[Case]:
    """One block's prefill, decode and training step, with the peak of memory where the device tells it."""
    sizes, precision = probe.sizes, usual_precision(probe)[0]
    named = f"hidden={sizes.hidden} heads={sizes.heads}/{sizes.kv_heads} ffn={sizes.ffn}"
    yield "prefill", lambda: block_prefill(probe, precision, named)
    for batch in (1, 16, 64):
        for launch in ("graph", "eager") if probe.device.type == "cuda" else ("eager",):
            how = (batch, launch)
            yield f"decode of {batch}", lambda how=how: block_decode(probe, precision, named, *how)
    yield "training step", lambda: block_training(probe, precision, named)


def block_prefill(probe: Probe, precision: str, named: str) -> None:
    with torch.no_grad():
        layer, dtype = TransformerBlock(probe), usual_precision(probe)[1]
        prompt = made(probe, 1, probe.sizes.prompt, probe.sizes.hidden, dtype=dtype)
        timing = timed(probe, lambda _: layer(prompt))
    shape = f"{named} tokens={probe.sizes.prompt}"
    probe.add("block", precision, shape, timing.figures, phase="prefill", launch=timing.launch)


def block_decode(probe: Probe, precision: str, named: str, batch: int, launch: str) -> None:
    sizes, dtype = probe.sizes, usual_precision(probe)[1]
    with torch.no_grad():
        layer = TransformerBlock(probe)
        token = made(probe, batch, 1, sizes.hidden, dtype=dtype)
        cache = tuple(made(probe, batch, sizes.kv_heads, sizes.prompt, sizes.head, dtype=dtype) for _ in range(2))
        timing = timed(probe, lambda _: layer(token, cache), launch=launch)
    shape = f"{named} batch={batch} context={sizes.prompt} launch={timing.launch}"
    probe.add("block", precision, shape, timing.figures, phase="decode", launch=timing.launch)


def block_training(probe: Probe, precision: str, named: str) -> None:
    layer, dtype = TransformerBlock(probe), usual_precision(probe)[1]
    for weight in layer.weights:
        weight.requires_grad_()
    optimizer = torch.optim.AdamW(layer.weights)
    tokens = made(probe, 2, probe.sizes.prompt, probe.sizes.hidden, dtype=dtype)

    def step(_: int) -> None:
        optimizer.zero_grad(set_to_none=True)
        layer(tokens).square().mean().backward()
        optimizer.step()

    if probe.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(probe.device)
    timing = timed(probe, step, launch="eager")
    figures = list(timing.figures)
    if probe.device.type == "cuda":
        figures.append(("memory_used", "max", float(torch.cuda.max_memory_allocated(probe.device))))
    shape = f"{named} tokens=2×{probe.sizes.prompt} AdamW"
    probe.add("block", precision, shape, figures, phase="training", launch=timing.launch)


# Power and clocks


def smi_selector(device: Any) -> str:
    """How nvidia-smi knows this device, whose numbers differ from CUDA's; empty where that is not known."""
    found = getattr(torch.cuda.get_device_properties(device), "uuid", None)
    if found is not None:
        return "GPU-" + str(found).replace("GPU-", "")
    visible = [one.strip() for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one.strip()]
    if device.index < len(visible) and visible[device.index].startswith("GPU-"):
        return visible[device.index]
    return "0" if len(ask_smi(["-L"])) == 1 else ""


def ask_smi(arguments: List[str]) -> List[str]:
    """Lines that nvidia-smi answers; none where it is not there or takes too long."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    try:
        found = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=15, check=False)
    except (OSError, subprocess.SubprocessError):
        return []
    return found.stdout.splitlines() if found.returncode == 0 else []


def read_smi(selector: str, *fields: str) -> Dict[str, str]:
    """Fields of one device as nvidia-smi writes them."""
    query = [f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits", "-i", selector]
    lines = ask_smi(query) if selector else []
    cells = [cell.strip() for cell in lines[0].split(",")] if len(lines) == 1 else []
    return dict(zip(fields, cells)) if len(cells) == len(fields) else {}


def number(text: str) -> Optional[float]:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def look_around(probe: Probe) -> None:
    """What else goes on on the device before the first measurement."""
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5 * (os.cpu_count() or 1):
        probe.remark(f"The host was busy before the probe began (load {os.getloadavg()[0]:.1f}): launches may be late")
    if not is_nvidia(probe):
        return
    asked = ("driver_version", "utilization.gpu", "power.limit", "clocks.max.sm", "temperature.gpu")
    probe.conditions = read_smi(smi_selector(probe.device), *asked)
    busy = number(probe.conditions.get("utilization.gpu", ""))
    if busy is not None and busy >= BUSY:
        probe.remark(f"The device was {busy:.0f} % busy before the probe began: other programs slow its figures down")


def warm_up(probe: Probe) -> None:
    """Work until the clocks have risen."""
    size = probe.sizes.hidden
    a = made(probe, size, size, dtype=usual_precision(probe)[1])
    until = time.monotonic() + WARM_UP_S
    while time.monotonic() < until:
        probe.check()
        torch.mm(a, a)
        synchronize(probe.device)


def power(probe: Probe) -> Iterator[Case]:
    """Power under a full load of matrix products, as nvidia-smi reads it."""
    yield "", lambda: loaded(probe)


def loaded(probe: Probe) -> None:
    selector, (named, dtype) = smi_selector(probe.device), usual_precision(probe)
    if not selector:
        raise NotImplementedError("which of nvidia-smi's devices this is can't be told")
    size = 2 * probe.sizes.hidden
    copies_for(probe, 3 * 2 * size * size)
    a, b = (made(probe, size, size, dtype=dtype) for _ in range(2))
    out = torch.empty(size, size, dtype=dtype, device=probe.device)
    once = timed(probe, lambda _: torch.mm(a, b, out=out), launch="eager").p50
    asked = ("power.draw", "clocks.sm", "temperature.gpu")
    readings: List[float] = []
    begin = time.monotonic()
    while time.monotonic() - begin < 6.0:
        found = under_load(probe, lambda: torch.mm(a, b, out=out), once, selector, asked)
        drawn = number(found.get("power.draw", ""))
        if drawn is None:
            raise NotImplementedError("nvidia-smi reads no power here")
        if time.monotonic() - begin > 2.0:
            readings.append(drawn)
            probe.conditions.update({f"{name} under load": found[name] for name in asked[1:]})
    figures = [("power", "mean", statistics.fmean(readings)), ("power", "max", max(readings))]
    probe.add("gemm", named, f"m={size} n={size} k={size} under load", figures, phase="power")


def under_load(
    probe: Probe,
    work: Callable[[], object],
    once: float,
    selector: str,
    asked: Tuple[str, ...],
) -> Dict[str, str]:
    """Fields of nvidia-smi read while the device works, in pieces of a tenth of a second so that it can be stopped."""
    query = [f"--query-gpu={','.join(asked)}", "--format=csv,noheader,nounits", "-i", selector]
    reader = subprocess.Popen(
        [str(shutil.which("nvidia-smi")), *query], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        until = time.monotonic() + 15.0
        while reader.poll() is None and time.monotonic() < until:
            probe.check()
            for _ in range(max(1, int(0.1 / max(once, 1e-5)))):
                work()
            synchronize(probe.device)
        cells = reader.communicate(timeout=1)[0].strip().split(",") if reader.poll() == 0 else []
    finally:
        if reader.poll() is None:
            reader.kill()
            reader.wait()
    return dict(zip(asked, (cell.strip() for cell in cells))) if len(cells) == len(asked) else {}


# Collectives, a process for each device

CALLS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")


def collective_worker(rank: int, ranks: int, kind: str, folder: str, largest: int, share: float, parent: int) -> None:
    """One rank: times every collective; rank 0 writes what it saw, size by size."""
    load_torch()
    from torch import distributed

    # Ctrl-C reaches every process of the terminal: the first one decides. Its death is told by the same signal.
    signal.signal(signal.SIGINT, lambda *_: None if os.getppid() == parent else os._exit(1))
    if Path("/sys/class/net/lo").exists():
        for name in ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME"):
            os.environ.setdefault(name, "lo")  # the ranks are all on this machine
    device = torch.device(kind, rank) if kind != "cpu" else torch.device("cpu")
    if kind == "cuda":
        torch.cuda.set_device(device)
        torch.cuda.set_per_process_memory_fraction(share, device)
    backend = {"cuda": "nccl", "xpu": "xccl"}.get(kind, "gloo")
    if kind == "cuda" and not distributed.is_nccl_available():
        backend = "gloo"
    meeting = (Path(folder) / "meeting").as_uri()
    distributed.init_process_group(backend, init_method=meeting, rank=rank, world_size=ranks)
    found: List[Any] = []
    failed: Dict[str, str] = {}
    for size in (8 * 1024, MIB, 16 * MIB, 64 * MIB, 256 * MIB):
        if size > largest:
            break
        calls = collective_calls(distributed, size, rank, ranks, device)
        for name in CALLS:
            if name not in failed:
                try:
                    found.append((name, size, collective_time(distributed, calls[name], device)))
                except (RuntimeError, AttributeError, NotImplementedError, ValueError) as problem:
                    failed[name] = reason_of(problem)
        if rank == 0:
            part = Path(folder) / "answers.part"
            part.write_text(json.dumps([backend, found, failed]), encoding="utf-8")
            part.replace(Path(folder) / "answers.json")
    distributed.destroy_process_group()


def collective_calls(distributed: Any, size: int, rank: int, ranks: int, device: Any) -> Dict[str, Any]:
    gather = getattr(distributed, "all_gather_single", None) or distributed.all_gather_into_tensor
    scatter = getattr(distributed, "reduce_scatter_single", None) or distributed.reduce_scatter_tensor
    whole = torch.zeros(size // 2 // ranks * ranks, dtype=torch.bfloat16, device=device)
    part, other = whole.chunk(ranks)[rank].clone(), torch.zeros_like(whole)
    return {
        "all_reduce": lambda: distributed.all_reduce(whole),
        "all_gather": lambda: gather(whole, part),
        "reduce_scatter": lambda: scatter(part, whole),
        "all_to_all": lambda: distributed.all_to_all_single(other, whole),
    }


def collective_time(distributed: Any, call: Callable[[], object], device: Any) -> float:
    """Seconds of one call where several follow each other, the median of a few rounds; all ranks begin together."""
    call()
    synchronize(device)
    rounds, runs = [], 1 if device.type == "cpu" else 10
    for _ in range(ROUNDS + 1):
        distributed.barrier()
        synchronize(device)
        begin = time.perf_counter()
        for _ in range(runs):
            call()
        synchronize(device)
        rounds.append((time.perf_counter() - begin) / runs)
    return statistics.median(rounds[1:])


def collectives(probe: Probe, ranks: int) -> Iterator[Case]:
    """Collectives over the devices of this machine, a process each."""
    yield "", lambda: collected(probe, ranks)


def collected(probe: Probe, ranks: int) -> None:
    release(probe)
    kind, share, largest = (
        probe.device.type,
        1.0,
        probe.memory_bytes // (8 * (ranks if probe.device.type == "cpu" else 1)),
    )
    if kind == "cuda":
        free = min(torch.cuda.mem_get_info(index)[0] for index in range(ranks))
        total = max(torch.cuda.mem_get_info(index)[1] for index in range(ranks))
        share = min(probe.memory_bytes, free) / total
        largest = min(largest, free // 8)
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.json"
        problem = ran_ranks(probe, ranks, (ranks, kind, folder, largest, share, os.getpid()))
        try:
            backend, listed, failed = json.loads(answers.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            backend, listed, failed = "", [], {}
    for name, size, seconds in listed:
        add_collective(probe, name, size, seconds, ranks, backend)
    for name, why in failed.items():
        probe.remark(f"{name} over {backend}: not measured ({why})")
    if problem is not None:
        raise problem


def ran_ranks(probe: Probe, ranks: int, arguments: Tuple[Any, ...]) -> Optional[Exception]:
    """Run all ranks to their end, or until they are stopped; what ended them early, after none of them is left."""
    started = torch.multiprocessing.spawn(collective_worker, arguments, nprocs=ranks, join=False)
    try:
        while not started.join(timeout=0.2):
            probe.check()
    except Exception as problem:  # noqa: BLE001  (a rank may fail in any way; told by the caller)
        return problem
    finally:
        for process in started.processes:
            process.kill()
        for process in started.processes:
            process.join(5)
    return None


def add_collective(probe: Probe, name: str, size: int, seconds: float, ranks: int, backend: str) -> None:
    """As nccl-tests count: the message is the whole buffer, and the bus carries (n − 1)/n of it, all-reduce twice."""
    algorithm = size / seconds
    bus = algorithm * (2.0 if name == "all_reduce" else 1.0) * (ranks - 1) / ranks
    figures = [("collective_time", "p50", seconds), ("algorithm_bandwidth", "p50", algorithm)]
    figures.append(("bus_bandwidth", "p50", bus))
    more = {"message_bytes": size, "devices": ranks, "phase": "communication", "library": backend}
    probe.add(name, "bf16", f"{size // 1024} KiB, {ranks} ranks, {backend}", figures, **more)


# The machine


def device_count(device: Any) -> int:
    if device.type in ("cpu", "mps"):
        return 1
    return int(getattr(torch, device.type).device_count())


def device_name(device: Any) -> str:
    """The name that the driver tells; of a processor, what the system tells."""
    if device.type not in ("cpu", "mps"):
        return str(getattr(torch, device.type).get_device_name(device))
    if sys.platform == "darwin":
        found = subprocess.run(
            ["sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, text=True, check=False
        ).stdout.strip()
        return found or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def device_facts(device: Any) -> Dict[str, Any]:
    """What the device is; several of one machine may differ."""
    found = {"name": device_name(device), "kind": device.type, "count": device_count(device)}
    if device.type in ("cpu", "mps"):
        return found
    kind = getattr(torch, device.type)
    names = [str(kind.get_device_name(index)) for index in range(found["count"])]
    properties = kind.get_device_properties(device)
    found["memory_bytes"] = int(getattr(properties, "total_memory", 0))
    if len(set(names)) > 1:
        found["names"] = names
    if device.type == "cuda":
        found["capability"] = ".".join(map(str, torch.cuda.get_device_capability(device)))
        found["multiprocessors"] = int(properties.multi_processor_count)
        found["runtime"] = f"ROCm {torch.version.hip}" if torch.version.hip else f"CUDA {torch.version.cuda}"
    return found


def host_memory_bytes() -> int:
    """What this process may still take on the host: what is available, and what its container leaves."""
    left = [4 * GIB] if not hasattr(os, "sysconf") else []
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                left.append(int(line.split()[1]) * 1024)
    except (OSError, ValueError):
        pass
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            left.append(int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):
            continue
    if not left:
        names = os.sysconf_names
        pages = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in names else "SC_PHYS_PAGES"
        left.append(os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE") // (1 if pages == "SC_AVPHYS_PAGES" else 4))
    return max(min(left), 0)


def free_memory_bytes(device: Any) -> int:
    """Free memory of the device; of the host where it is the host's."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type == "xpu":
        if hasattr(torch.xpu, "mem_get_info"):
            return int(torch.xpu.mem_get_info(device)[0])
        return int(torch.xpu.get_device_properties(device).total_memory) // 2
    return host_memory_bytes()


def keep_to_memory(device: Any, memory_bytes: int) -> None:
    """Have PyTorch itself refuse more than the promised share."""
    if device.type == "cuda":
        total = torch.cuda.mem_get_info(device)[1]
        torch.cuda.set_per_process_memory_fraction(min(memory_bytes / total, 1.0), device)


def release(probe: Probe) -> None:
    """Give freed memory back. Raises DeviceLost where a failure has left the device unusable."""
    gc.collect()
    if probe.device.type not in ("cuda", "xpu"):
        return
    try:
        getattr(torch, probe.device.type).synchronize(probe.device)
        getattr(torch, probe.device.type).empty_cache()
    except RuntimeError as problem:
        raise DeviceLost(reason_of(problem)) from None


def chosen_device(stated: str) -> Any:
    """The device that was asked for, with its number. Raises SystemExit with a sentence for one that is not here."""
    kinds = ["cuda", "xpu", "mps", "cpu"]
    kind, _, number_text = stated.partition(":")
    if stated == "auto":
        kind = next(one for one in kinds if one != "mps" and is_here(one))
    if kind not in kinds or (number_text and not number_text.isdigit()):
        raise SystemExit(refusal(f"--device {stated!r} is no device: write auto, cpu, cuda, cuda:1, xpu or mps"))
    if not is_here(kind):
        raise SystemExit(refusal(f"this PyTorch ({torch.__version__}) sees no {kind} device here"))
    if kind in ("cpu", "mps"):
        return torch.device(kind)
    index, count = int(number_text or 0), int(getattr(torch, kind).device_count())
    if index >= count:
        raise SystemExit(refusal(f"--device {stated}: there are {count} {kind} devices, numbered from 0"))
    return torch.device(kind, index)


def is_here(kind: str) -> bool:
    if kind == "cpu":
        return True
    holder = torch.backends if kind == "mps" else torch
    return hasattr(holder, kind) and bool(getattr(holder, kind).is_available())


def description(probe: Probe) -> Dict[str, Any]:
    """Everything that the file says."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "created_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "torch_version": torch.__version__,
        "python_version": platform.python_version(),
        "device": probe.facts,
        "conditions": probe.conditions,
        "host": {
            "processor": platform.processor() or platform.machine(), "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
        },
        "block": probe.sizes._asdict(),
        "is_complete": probe.is_complete,
        "results": probe.results,
        "remarks": probe.remarks,
    }  # fmt: skip


def write(path: Path, probe: Probe) -> None:
    """Write the file anew, all of it or not at all. Raises OSError."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(json.dumps(description(probe), indent=1), encoding="utf-8")
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


# The whole


def refusal(text: str) -> str:
    return f"gpuplanner_probe: {text}."


def load_torch() -> None:
    """Raises SystemExit with a sentence where there is none to be used."""
    global torch, functional
    # PyTorch does without NumPy, and so does this; what else it warns of on its way is no news here.
    warnings.simplefilter("ignore")
    try:
        import torch as found
        from torch.nn import functional as operations
    except (ImportError, OSError) as problem:
        why = "has no PyTorch" if getattr(problem, "name", "") == "torch" else f"can't load it ({reason_of(problem)})"
        raise SystemExit(
            refusal(
                f"it needs PyTorch, and this Python ({sys.executable}) {why}; run it with the Python that trains or"
                " serves on this machine, or in its container"
            )
        ) from None
    if not hasattr(operations, "scaled_dot_product_attention"):
        raise SystemExit(refusal(f"it needs PyTorch 2.0 or newer, and this is {found.__version__}"))
    torch, functional = found, operations


def limited(least: float, most: float) -> Callable[[str], float]:
    """A number between two bounds, for argparse."""

    def read(text: str) -> float:
        found = number(text)
        if found is None or not least <= found <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {least:g} to {most:g}")
        return found

    return read


def options_of(given: Optional[List[str]]) -> Any:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help=f"where to write (default: {NAME} here, with a number if it is there)")
    parser.add_argument("--minutes", type=limited(0.05, 120.0), default=3.0, help="at most so long (default 3)")
    parser.add_argument(
        "--memory-share", type=limited(0.01, 0.9), default=0.5, help="of the free memory, at most (default 0.5)"
    )
    parser.add_argument("--device", default="auto", help="auto, cuda, cuda:1, xpu, mps, cpu")
    parser.add_argument("--ranks", type=int, default=0, help="devices, or processes, for collectives (default: all)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    return parser.parse_args(given)


def free_name(stated: Optional[Path]) -> Path:
    """Where to write: as asked, else the first name that is not there."""
    if stated is not None:
        return stated
    names = [Path(NAME), *(Path(f"gpuplanner-probe-{count}.json") for count in range(2, 1000))]
    return next((name for name in names if not name.exists()), names[-1])


def refuse_unwritable(out: Path) -> None:
    """Raises SystemExit, before anything is measured, where the result could not be kept."""
    part = out.with_name(out.name + ".part") if out.name else out
    try:
        if out.is_dir() or not out.name:
            raise IsADirectoryError(21, "it is a folder")
        part.write_text(" " * 65536, encoding="utf-8")
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise SystemExit(refusal(f"{out} can't be written ({why}); name another file with --out")) from None
    finally:
        if not out.is_dir() and part.is_file():
            part.unlink()


def sections_of(probe: Probe, ranks: int) -> List[Section]:
    """What is measured, in this order, each with its share of the time."""
    host = "the device is the host" if probe.device.type == "cpu" else ""
    is_cpu, is_cuda, count = probe.device.type == "cpu", probe.device.type == "cuda", device_count(probe.device)
    no_smi = "" if is_nvidia(probe) and shutil.which("nvidia-smi") else "there is no nvidia-smi here"
    if is_nvidia(probe) and "MIG" in device_name(probe.device):
        no_smi = "the slices of one device share it"
    newest = "" if capability(probe) >= (8, 9) else "this device has none of them"
    alone = "one of them was asked for" if count > 1 else "there is one device"
    ranked = "devices" if ranks < 2 else f"{ranks} processes" if is_cpu else f"{ranks} devices"
    return [
        Section("One transformer block: prefill, decode, training step", 0.2, "", lambda: block(probe)),
        Section(f"Matrix products: {', '.join(precisions(probe))}", 0.35, "", lambda: products(probe)),
        Section("Attention", 0.08, "", lambda: attention(probe)),
        Section("Memory traffic", 0.04, "", lambda: memory_traffic(probe)),
        Section("Copies between host and device", 0.04, host, lambda: host_copies(probe)),
        Section(
            "Copies between devices", 0.02, "" if is_cuda and count > 1 else "there is one device",
            lambda: peer_copies(probe),
        ),
        Section("Power and clocks under load", 0.06, no_smi, lambda: power(probe)),
        Section(
            f"Collectives over {ranked}", 0.17, "" if ranks > 1 else alone,
            lambda: collectives(probe, ranks),
        ),
        Section("Matrix products in row-wise FP8 and FP4", 0.04, newest, lambda: newest_products(probe)),
    ]  # fmt: skip


def say_plan(probe: Probe, minutes: float, sections: List[Section]) -> None:
    """What it will do, how long, with how much memory, and where the result goes."""
    facts = probe.facts
    others = f", one of {facts['count']}" if facts["count"] > 1 else ""
    say(f"{facts['name']} ({probe.device}{others}), PyTorch {torch.__version__}")
    size = f"{probe.memory_bytes / GIB:.1f} GiB" if probe.memory_bytes >= GIB else f"{probe.memory_bytes / MIB:.0f} MiB"
    say(f"At most {minutes:g} minutes and {size} of its free memory; writes {probe.out}. Ctrl-C stops it.")
    for section in sections:
        say(f"  {section.title}" + (f": not here, {section.absent}" if section.absent else ""))


def main(given: Optional[List[str]] = None) -> int:
    """Measure section by section until the time is up. Returns the exit status: 0, or 128 and the signal, or 1."""
    options = options_of(given)
    load_torch()
    device = chosen_device(options.device)
    count = (os.cpu_count() or 1) if device.type == "cpu" else device_count(device)
    if not 0 <= options.ranks <= (max(count, 8) if device.type == "cpu" else count):
        raise SystemExit(refusal(f"--ranks {options.ranks}: there are {count} here"))
    ranks = options.ranks or device_count(device)
    sizes = Block(512, 8, 64, 2, 1792, 256) if device.type == "cpu" else Block(4096, 32, 128, 8, 14336, 2048)
    if device.type not in ("cpu", "mps"):
        getattr(torch, device.type).set_device(device)
    memory = int(free_memory_bytes(device) * options.memory_share)
    probe = Probe(device, free_name(options.out), memory, sizes, facts=device_facts(device))
    sections = sections_of(probe, ranks)
    say_plan(probe, options.minutes, sections)
    if options.dry_run:
        return 0
    refuse_unwritable(probe.out)
    keep_to_memory(device, memory)
    listen(probe)
    measure(probe, [one for one in sections if not one.absent], 60.0 * options.minutes)
    return finish(probe)


def listen(probe: Probe) -> None:
    """Stop in good order at the first signal, at once at the second."""

    def stop(which: int, _: Any) -> None:
        if probe.stopped_by:
            probe.remarks.append("stopped before the end")
            probe.save()
            os._exit(128 + which)
        probe.stopped_by = which
        say("Stopping after the run in hand; once more stops at once. What was measured is kept.")

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)


def measure(probe: Probe, sections: List[Section], seconds: float) -> None:
    """Section by section; what one leaves of its time, the next ones have."""
    begin = time.monotonic()
    whole, given, is_whole = sum(one.share for one in sections), 0.0, True
    try:
        probe.section_ends_at = begin + seconds
        look_around(probe)
        if probe.device.type != "cpu":
            warm_up(probe)
        for section in sections:
            say(section.title)
            given += section.share
            probe.section_ends_at = begin + seconds * given / whole
            is_whole = run_section(probe, section) and is_whole
        probe.is_complete = is_whole
    except Stopped:
        probe.remarks.append("stopped before the end")
    except DeviceLost as problem:
        probe.remark(f"The device failed and was left alone from there on ({problem}); start the probe anew")
    except TimeIsUp:
        probe.remark("The time was up before the first measurement")


def run_section(probe: Probe, section: Section) -> bool:
    """One section; what this device or PyTorch can't do is remarked, and the next case goes on. False: cut short."""
    title = section.title.partition(":")[0]
    for name, run in section.cases():
        named = f"{title}, {name}" if name else title
        try:
            probe.check()
            run()
        except TimeIsUp:
            probe.remark(f"{title}: the time was up before the end")
            release(probe)
            return False
        except Stopped:
            raise
        except MemoryError as problem:
            probe.remark(f"{named}: no room in its share of memory ({reason_of(problem)})")
        except Exception as problem:  # noqa: BLE001  (whatever one case does, the others are worth having)
            probe.remark(f"{named}: not measured ({reason_of(problem)})")
        release(probe)
    return True


def finish(probe: Probe) -> int:
    """Write what there is, wherever that can be, and say where it is."""
    if not probe.save():
        problem, elsewhere = probe.write_problem, Path(tempfile.gettempdir()) / probe.out.name
        probe.out = elsewhere
        if not probe.save():
            say(f"Neither the file nor {elsewhere} can be written ({problem}). Copy what follows into a file:")
            say(json.dumps(description(probe)))
            return 1
        say(f"The file could not be written ({problem}): it is {elsewhere} instead.")
    count = len(probe.results)
    say(f"{count} results in {probe.out}" + ("." if probe.is_complete else ", not all: the file says what is missing."))
    say("Carry it back: gpuplanner measurements FILE --into PLAN.gpuplan, or drop it on the window.")
    return 128 + probe.stopped_by if probe.stopped_by else 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None  # before there was anything to keep
