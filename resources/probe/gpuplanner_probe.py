"""Measures one machine for GPU Planner, in a few minutes, with nothing but PyTorch. Carry this file to the machine:

    python gpuplanner_probe.py                 three minutes, writes gpuplanner-probe.json here
    python gpuplanner_probe.py --dry-run       says what it would do, and does nothing

It times matrix products, attention, memory traffic, copies between host and device, collectives where there are several
devices, and one transformer block's prefill, decode and training step; it reads peak memory, and power where nvidia-smi
is there. It uses no network, changes no setting, takes at most half of the free memory and keeps to its time. Ctrl-C
stops it at any moment: what was measured by then is in the file. Import it with `gpuplanner measurements FILE`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

FORMAT, VERSION = "gpuplanner-probe", 1
FEWEST, MOST = 3, 200
LONGEST_TIMING_S, SHORTEST_TIMING_S = 1.5, 0.03
PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
MIB = 2**20

Figures = list[tuple[str, str, float]]  # quantity, statistic, value


class Stopped(Exception):
    """The user has had enough."""


class TimeIsUp(Exception):
    """What this section was given is spent."""


@dataclass
class Probe:
    """The machine, the settings, and everything measured so far."""

    device: torch.device
    out: Path
    section_ends_at: float
    memory_bytes: int
    sizes: Block
    results: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    is_stopped: bool = False
    is_complete: bool = False

    @property
    def device_count(self) -> int:
        return 1 if self.device.type == "cpu" else int(getattr(torch, self.device.type).device_count())

    def check(self) -> None:
        """Raise Stopped or TimeIsUp where nothing more is to be measured."""
        if self.is_stopped:
            raise Stopped
        if time.monotonic() > self.section_ends_at:
            raise TimeIsUp

    def add(self, operation: str, precision: str, shape: str, figures: Figures, **more: Any) -> None:
        """Keep a result: figures as quantity, statistic and value in SI units."""
        listed = [{"quantity": name, "statistic": which, "value": value} for name, which, value in figures]
        self.results.append({"operation": operation, "precision": precision, "shape": shape, "figures": listed, **more})
        told = "".join(f"  {name} {value:.3g}" for name, which, value in figures if which != "max")
        say(f"  {operation:16} {precision:5} {shape:46}{told}")

    def write(self) -> None:
        """Write the file anew, all of it or not at all."""
        text = json.dumps(description(self), indent=1)
        part = self.out.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(self.out)


class Block(NamedTuple):
    """Sizes of the transformer block, as Llama 3.1 8B has them on a GPU."""

    hidden: int
    heads: int
    head: int
    kv_heads: int
    ffn: int
    prompt: int


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201  (a script for the terminal)


def synchronize(device: torch.device) -> None:
    if device.type != "cpu":
        getattr(torch, device.type).synchronize()


def run_time(probe: Probe, work: Callable[[], object]) -> float:
    """Seconds of one run alone."""
    probe.check()
    begin = time.perf_counter()
    work()
    synchronize(probe.device)
    return time.perf_counter() - begin


def times_of(probe: Probe, work: Callable[[], object]) -> list[float]:
    """Seconds of single runs, as many as fit into a short while; warmed up before, unless one run takes too long."""
    first = run_time(probe, work)
    if first > LONGEST_TIMING_S:
        return [first]
    run_time(probe, work)
    found: list[float] = []
    while len(found) < FEWEST or (len(found) < MOST and sum(found) < SHORTEST_TIMING_S):
        found.append(run_time(probe, work))
    return found


def batched_time(probe: Probe, work: Callable[[], object]) -> Figures:
    """Time of one run where many follow each other, so that launches hide as they do in practice."""
    single = statistics.median(times_of(probe, work))
    if probe.device.type == "cpu":
        return [("kernel_time", "p50", single)]
    count = max(1, min(MOST, int(SHORTEST_TIMING_S / max(single, 1e-6))))

    def several() -> None:
        for _ in range(count):
            work()

    rounds = [run_time(probe, several) / count for _ in range(FEWEST)]
    return [("kernel_time", "p50", statistics.median(rounds)), ("kernel_time", "max", single)]


def made(probe: Probe, *shape: int, dtype: torch.dtype) -> Tensor:
    """Random numbers on the device. Raises MemoryError for more than its share of memory."""
    size = torch.Size(shape).numel() * torch.empty((), dtype=dtype).element_size()
    if size > probe.memory_bytes // 4:
        raise MemoryError
    if dtype.is_floating_point and dtype.itemsize > 1:
        return torch.randn(shape, dtype=dtype, device=probe.device) * 0.02
    return torch.randn(shape, device=probe.device).to(dtype)


def products(probe: Probe) -> Iterator[None]:
    """Matrix products of a layer's shapes, from one token to a full prefill."""
    sizes = probe.sizes
    for n, k in ((sizes.hidden, sizes.hidden), (2 * sizes.ffn, sizes.hidden)):
        for m in dict.fromkeys((1, 16, 256, sizes.prompt)):
            for name, multiply in chain(wide_products(probe, m, n, k), narrow_products(probe, m, n, k)):
                figures = batched_time(probe, multiply)
                figures.append(("flop_per_s", "p50", 2.0 * m * n * k / figures[0][2]))
                probe.add("gemm", name, f"m={m} n={n} k={k}", figures)
                yield


def wide_products(probe: Probe, m: int, n: int, k: int) -> Iterator[tuple[str, Callable[[], object]]]:
    for name, dtype in PRECISIONS.items():
        a, b = made(probe, m, k, dtype=dtype), made(probe, n, k, dtype=dtype)
        yield name, lambda a=a, b=b: functional.linear(a, b)


def narrow_products(probe: Probe, m: int, n: int, k: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """FP8 and INT8 products where the device and this PyTorch have them."""
    if probe.device.type != "cuda" or m < 17:
        return
    if torch.cuda.get_device_capability(probe.device) >= (8, 9) and hasattr(torch, "float8_e4m3fn"):
        a = made(probe, m, k, dtype=torch.float32).to(torch.float8_e4m3fn)
        b = made(probe, n, k, dtype=torch.float32).to(torch.float8_e4m3fn).t()
        one = torch.ones((), device=probe.device)
        yield "fp8", lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)
    x = torch.randint(-8, 8, (m, k), dtype=torch.int8, device=probe.device)
    y = torch.randint(-8, 8, (n, k), dtype=torch.int8, device=probe.device).t()
    yield "int8", lambda: torch._int_mm(x, y)


def attention(probe: Probe) -> Iterator[None]:
    """Causal attention of a prompt, and of one new token over a cache."""
    sizes, (named, dtype) = probe.sizes, usual_precision(probe)
    for batch, new, context in ((1, sizes.prompt, sizes.prompt), (1, 1, 8 * sizes.prompt), (16, 1, sizes.prompt)):
        query = made(probe, batch, sizes.heads, new, sizes.head, dtype=dtype)
        keys, values = (made(probe, batch, sizes.heads, context, sizes.head, dtype=dtype) for _ in range(2))
        is_prompt = new > 1

        def attend(q: Tensor = query, k: Tensor = keys, v: Tensor = values, causal: bool = is_prompt) -> Tensor:
            return functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

        figures = batched_time(probe, attend)
        flop = 4.0 * batch * sizes.heads * sizes.head * new * context * (0.5 if is_prompt else 1.0)
        moved = 2.0 * keys.numel() * keys.element_size()
        rate = ("flop_per_s", flop) if is_prompt else ("memory_bandwidth", moved)
        shape = f"batch={batch} new={new} context={context} heads={sizes.heads}×{sizes.head}"
        probe.add("attention", named, shape, [*figures, (rate[0], "p50", rate[1] / figures[0][2])])
        yield


def memory_traffic(probe: Probe) -> Iterator[None]:
    """Copies of what was written to before, else a host has no memory for it: each byte is read and written."""
    for size in (16 * MIB, 256 * MIB, 1024 * MIB):
        if 2 * size > probe.memory_bytes:
            break
        source, target = (torch.ones(size, dtype=torch.uint8, device=probe.device) for _ in range(2))
        figures = batched_time(probe, lambda s=source, t=target: t.copy_(s))
        rate = ("memory_bandwidth", "p50", 2.0 * size / figures[0][2])
        probe.add("device_copy", "int8", f"{size // MIB} MiB", [*figures, rate], message_bytes=size)
        yield


def host_copies(probe: Probe) -> Iterator[None]:
    """Copies between host and device, from pinned memory."""
    if probe.device.type == "cpu":
        return
    for size in (MIB, 64 * MIB, 256 * MIB):
        host = torch.empty(size, dtype=torch.uint8, pin_memory=True)
        device = torch.empty(size, dtype=torch.uint8, device=probe.device)
        for operation, target, source in (("host_to_device", device, host), ("device_to_host", host, device)):
            found = statistics.median(times_of(probe, lambda t=target, s=source: t.copy_(s, non_blocking=True)))
            rate = ("copy_bandwidth", "p50", size / found)
            figures = [("kernel_time", "p50", found), rate]
            probe.add(operation, "int8", f"{size // MIB} MiB", figures, message_bytes=size, phase="transfer")
            yield


class TransformerBlock(torch.nn.Module):
    """Norms, grouped-query attention over a cache, and a gated feed-forward part."""

    def __init__(self, sizes: Block, dtype: torch.dtype, device: torch.device) -> None:
        super().__init__()
        self.sizes = sizes
        given = {"bias": False, "dtype": dtype, "device": device}
        width = (sizes.heads + 2 * sizes.kv_heads) * sizes.head
        self.norms = torch.nn.Parameter(torch.ones(2, sizes.hidden, dtype=dtype, device=device))
        self.joint = torch.nn.Linear(sizes.hidden, width, **given)
        self.back = torch.nn.Linear(sizes.heads * sizes.head, sizes.hidden, **given)
        self.gate = torch.nn.Linear(sizes.hidden, 2 * sizes.ffn, **given)
        self.down = torch.nn.Linear(sizes.ffn, sizes.hidden, **given)

    def normed(self, x: Tensor, which: int) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.norms[which]

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None) -> Tensor:
        sizes, (batch, new, _) = self.sizes, x.shape
        joint = self.joint(self.normed(x, 0)).view(batch, new, -1, sizes.head).transpose(1, 2)
        query, keys, values = joint.split((sizes.heads, sizes.kv_heads, sizes.kv_heads), dim=1)
        if cache is not None:
            keys, values = torch.cat([cache[0], keys], 2), torch.cat([cache[1], values], 2)
        repeat = sizes.heads // sizes.kv_heads
        keys, values = keys.repeat_interleave(repeat, 1), values.repeat_interleave(repeat, 1)
        attended = functional.scaled_dot_product_attention(query, keys, values, is_causal=cache is None)
        x = x + self.back(attended.transpose(1, 2).reshape(batch, new, -1))
        gate, up = self.gate(self.normed(x, 1)).chunk(2, dim=-1)
        return x + self.down(functional.silu(gate) * up)


def usual_precision(probe: Probe) -> tuple[str, torch.dtype]:
    """16 bits, but for processors, of which few have the instructions."""
    return ("fp32", torch.float32) if probe.device.type == "cpu" else ("bf16", torch.bfloat16)


def block(probe: Probe) -> Iterator[None]:
    """One block's prefill, decode and training step, with the peak of memory where the device tells it."""
    sizes, (precision, dtype) = probe.sizes, usual_precision(probe)
    layer = TransformerBlock(sizes, dtype, probe.device)
    named = f"hidden={sizes.hidden} heads={sizes.heads}/{sizes.kv_heads} ffn={sizes.ffn}"
    with torch.no_grad():
        prompt = made(probe, 1, sizes.prompt, sizes.hidden, dtype=dtype)
        figures = batched_time(probe, lambda: layer(prompt))
        probe.add("block", precision, f"{named} tokens={sizes.prompt}", figures, phase="prefill")
        yield
        for batch in (1, 16, 64):
            token = made(probe, batch, 1, sizes.hidden, dtype=dtype)
            cache = tuple(made(probe, batch, sizes.kv_heads, sizes.prompt, sizes.head, dtype=dtype) for _ in range(2))
            figures = batched_time(probe, lambda t=token, c=cache: layer(t, c))
            probe.add("block", precision, f"{named} batch={batch} context={sizes.prompt}", figures, phase="decode")
            yield
    optimizer = torch.optim.AdamW(layer.parameters())
    if probe.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(probe.device)
    batch_tokens = made(probe, 2, sizes.prompt, sizes.hidden, dtype=dtype)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        layer(batch_tokens).square().mean().backward()
        optimizer.step()

    figures = batched_time(probe, step)
    if probe.device.type == "cuda":
        figures.append(("memory_used", "max", float(torch.cuda.max_memory_allocated(probe.device))))
    probe.add("block", precision, f"{named} tokens=2×{sizes.prompt} AdamW", figures, phase="training")
    yield


def power(probe: Probe) -> Iterator[None]:
    """Power under a full load of matrix products, as nvidia-smi reads it."""
    tool = shutil.which("nvidia-smi")
    if probe.device.type != "cuda" or tool is None:
        return
    readings: list[float] = []
    command = [tool, "--query-gpu=power.draw", "--format=csv,noheader,nounits", "-i", str(probe.device.index or 0)]
    size = 2 * probe.sizes.hidden
    a, b = (made(probe, size, size, dtype=torch.bfloat16) for _ in range(2))
    while len(readings) < 12:
        probe.check()
        for _ in range(400):  # still running while nvidia-smi reads
            torch.mm(a, b)
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
        synchronize(probe.device)
        try:
            readings.append(float(found.stdout.strip()))
        except ValueError:
            return
    settled = readings[len(readings) // 2 :] or [0.0]
    figures = [("power", "mean", statistics.fmean(settled)), ("power", "max", max(settled))]
    probe.add("gemm", "bf16", f"{size}³ under load", figures, phase="power")
    yield


def collective_worker(rank: int, ranks: int, kind: str, meeting: str, answers: str) -> None:
    """One rank: times every collective; rank 0 writes what it saw, size by size."""
    from torch import distributed

    device = torch.device(kind, rank) if kind != "cpu" else torch.device("cpu")
    if kind == "cuda":
        torch.cuda.set_device(device)
    distributed.init_process_group(
        "nccl" if kind == "cuda" else "gloo", init_method=Path(meeting).as_uri(), rank=rank, world_size=ranks
    )
    gather = getattr(distributed, "all_gather_single", None) or distributed.all_gather_into_tensor
    scatter = getattr(distributed, "reduce_scatter_single", None) or distributed.reduce_scatter_tensor
    found = []
    for size in (8 * 1024, MIB, 64 * MIB):
        whole = torch.ones(size // 2 // ranks * ranks, dtype=torch.bfloat16, device=device)
        part = whole.chunk(ranks)[rank].clone()
        calls = {
            "all_reduce": lambda w=whole: distributed.all_reduce(w),
            "all_gather": lambda w=whole, p=part: gather(w, p),
            "reduce_scatter": lambda w=whole, p=part: scatter(p, w),
        }
        for name, call in calls.items():
            times = []
            for _ in range(10):
                distributed.barrier()
                begin = time.perf_counter()
                call()
                synchronize(device)
                times.append(time.perf_counter() - begin)
            found.append((name, size, statistics.median(times[2:])))
        if rank == 0:
            Path(answers).write_text(json.dumps(found), encoding="utf-8")
    distributed.destroy_process_group()


def collectives(probe: Probe, ranks: int) -> Iterator[None]:
    """Collectives over all devices of this machine, a process each."""
    if ranks < 2:
        return
    with tempfile.TemporaryDirectory() as folder:
        meeting, answers = str(Path(folder) / "meeting"), Path(folder) / "answers.json"
        arguments = (ranks, probe.device.type, meeting, str(answers))
        started = torch.multiprocessing.spawn(collective_worker, arguments, nprocs=ranks, join=False)
        try:
            while not started.join(timeout=0.5):
                probe.check()
        except TimeIsUp:
            probe.remarks.append("Collectives: the time was up before the end")
        finally:
            for process in started.processes:
                process.terminate()
        listed = json.loads(answers.read_text(encoding="utf-8")) if answers.exists() else []
    for name, size, seconds in listed:
        algorithm = size / seconds
        bus = algorithm * (2.0 if name == "all_reduce" else 1.0) * (ranks - 1) / ranks
        figures = [("collective_time", "p50", seconds), ("algorithm_bandwidth", "p50", algorithm)]
        figures.append(("bus_bandwidth", "p50", bus))
        more = {"message_bytes": size, "devices": ranks, "phase": "communication"}
        probe.add(name, "bf16", f"{size // 1024} KiB, {ranks} ranks", figures, **more)
        yield


def description(probe: Probe) -> dict[str, Any]:
    """Everything that the file says."""
    device = probe.device
    return {
        "format": FORMAT,
        "version": VERSION,
        "created_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),  # noqa: UP017  (older Pythons)
        "torch_version": torch.__version__,
        "python_version": platform.python_version(),
        "device": {"name": device_name(device), "kind": device.type, "count": probe.device_count},
        "host": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "block": probe.sizes._asdict(),
        "is_complete": probe.is_complete,
        "results": probe.results,
        "remarks": probe.remarks,
    }


def device_name(device: torch.device) -> str:
    """The name that the driver tells; of a processor, what Linux tells."""
    if device.type != "cpu":
        return str(getattr(torch, device.type).get_device_name(device))
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def free_memory_bytes(device: torch.device) -> int:
    """Free memory of the device, or of the host where the device does not say."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4 * 2**30


def chosen_device(stated: str) -> torch.device:
    if stated != "auto":
        return torch.device(stated)
    kinds = (kind for kind in ("cuda", "xpu") if hasattr(torch, kind) and getattr(torch, kind).is_available())
    return torch.device(next(kinds, "cpu"))


def main(given: list[str] | None = None) -> int:
    """Measure section by section until the time is up; the file is written after each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("gpuplanner-probe.json"), help="where to write")
    parser.add_argument("--minutes", type=float, default=3.0, help="at most so long (default 3)")
    parser.add_argument("--memory-share", type=float, default=0.5, help="of free memory, at most (default 0.5)")
    parser.add_argument("--device", default="auto", help="auto, cuda, cuda:1, xpu, cpu")
    parser.add_argument("--ranks", type=int, default=0, help="devices for collectives (default: all)")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    options = parser.parse_args(given)
    device = chosen_device(options.device)
    sizes = Block(512, 8, 64, 2, 1792, 256) if device.type == "cpu" else Block(4096, 32, 128, 8, 14336, 2048)
    memory = int(free_memory_bytes(device) * min(max(options.memory_share, 0.01), 0.9))
    probe = Probe(device, options.out, time.monotonic(), memory, sizes)
    ranks = options.ranks or probe.device_count
    say(f"{device_name(device)} ({device}), PyTorch {torch.__version__}")
    say(f"At most {options.minutes:g} minutes and {memory / 2**30:.1f} GiB; writes {options.out}. Ctrl-C stops it.")
    sections = (
        ("One transformer block: prefill, decode, training step", 0.25, lambda: block(probe)),
        ("Matrix products", 0.3, lambda: products(probe)),
        ("Attention", 0.1, lambda: attention(probe)),
        ("Memory traffic", 0.05, lambda: memory_traffic(probe)),
        ("Copies between host and device", 0.05, lambda: host_copies(probe)),
        (f"Collectives over {ranks} devices", 0.2, lambda: collectives(probe, ranks)),
        ("Power under load", 0.05, lambda: power(probe)),
    )
    if options.dry_run:
        say("Would measure: " + "; ".join(title for title, _, _ in sections) + ".")
        return 0
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: setattr(probe, "is_stopped", True))
    spare, seconds = 0.0, 60.0 * max(options.minutes, 0.05)
    try:
        for title, share, measure in sections:
            say(title)
            probe.section_ends_at = time.monotonic() + share * seconds + spare
            run_section(probe, title, measure)
            spare = max(probe.section_ends_at - time.monotonic(), 0.0)
        probe.is_complete = not probe.remarks
    except Stopped:
        probe.remarks.append("stopped before the end")
    probe.write()
    say(f"{len(probe.results)} results in {options.out}" + ("" if probe.is_complete else " (not all: see the remarks)"))
    return 0


def run_section(probe: Probe, title: str, measure: Callable[[], Iterator[None]]) -> None:
    """One section; what this device or PyTorch can't do is remarked, and the next one goes on."""
    try:
        for _ in measure():
            probe.check()
    except TimeIsUp:
        probe.remarks.append(f"{title}: the time was up before the end")
    except (MemoryError, RuntimeError, NotImplementedError, OSError, subprocess.SubprocessError) as problem:
        reason = str(problem).strip().splitlines()
        probe.remarks.append(f"{title}: not all could be measured ({reason[0][:160] if reason else 'out of memory'})")
        if probe.device.type == "cuda":
            torch.cuda.empty_cache()
    finally:
        probe.write()


if __name__ == "__main__":
    raise SystemExit(main())
