"""How much a few measurements of one's own help: error on the rest of a group by the number of points given.

    python -m tools.fidelity.local_fit [--draws 60]

A group is a canonical architecture × accelerator of the measured tables. From each, 0, 1, 3, 5 and 10 random points are
given as calibration and the others predicted, several times over; then the same within one deployment, and within one
installation of an engine, as a planner's own machine is. Predictions are of fits that have not seen the
group: what a planner with a new model or machine starts from. Writes `build/fidelity/local_fit.md` and `local_fit.csv`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.knowledge import LocalPhase, LocalPrior
from gpuplanner_gui.engine.evidence.posterior import local_prior
from tools.fidelity.report_text import markdown, report_file, write_rows
from tools.local_points import GroupedPoints, Outcome, by_group, folds, left_out_points, outcome
from tools.repository import shipped_context

COUNTS = (0, 1, 3, 5, 10)
SEED = 20_260
TARGET_COUNT, TARGET_RATIO = 5, 0.5
LEFT_OUT = "TPOT of closed loops, group left out of the fit"
DIVISIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("The same by engine and precision, as one deployment is measured", ("engine", "precision")),
    ("The same by release and month too, as one installation is measured", ("engine", "precision", "release", "month")),
)
"""Parts of groups that points are given of and judged on, with what they go by."""


@dataclass(frozen=True)
class Part:
    """What is judged."""

    title: str
    phase: LocalPhase
    grouped: GroupedPoints


@dataclass(frozen=True)
class Curve:
    """Median error of each group's rest by points given, and the share in the band."""

    title: str
    groups: tuple[str, ...]
    counts: tuple[int, ...]
    before: np.ndarray
    """Without any points, on the rest that each count leaves; shape (groups, counts)."""
    error: np.ndarray
    """With the points."""
    in_band: np.ndarray
    worse_draws: tuple[float, ...]
    """Share of single draws after which the rest is predicted worse, mean of groups; by count."""

    def middle(self, count: int) -> float:
        """Median over groups."""
        return float(np.nanmedian(self.error[:, self.counts.index(count)]))

    def ratio(self, count: int) -> float:
        return self.middle(count) / float(np.nanmedian(self.before[:, self.counts.index(count)]))

    def geometric(self, count: int) -> float:
        """Geometric mean over groups of the error over the error before: every group counts the same."""
        return float(np.exp(np.nanmean(np.log(self.of_group(count)))))

    def middle_ratio(self, count: int) -> float:
        """Median over groups of the error over the error before."""
        return float(np.nanmedian(self.of_group(count)))

    def halved(self, count: int) -> int:
        """Groups whose error is at most as much of the error before as is asked for."""
        return int(np.sum(self.of_group(count) <= TARGET_RATIO))

    def worst_ratio(self, count: int) -> float:
        return float(np.nanmax(self.of_group(count)))

    def worse(self, count: int) -> int:
        """Groups whose rest is predicted worse than before."""
        return int(np.sum(self.of_group(count) > 1.0))

    def of_group(self, count: int) -> np.ndarray:
        """Error over the error before on the same rest, by group."""
        column = self.counts.index(count)
        return np.asarray(self.error[:, column] / self.before[:, column])


def parts(left_out: dict[LocalPhase, GroupedPoints]) -> Iterator[Part]:
    """What is judged, prepared one after the other."""
    closed = left_out["decode"]
    yield Part(LEFT_OUT, "decode", closed)
    for title, labels in DIVISIONS:
        yield Part(title, "decode", divided(closed, labels))
    others: tuple[tuple[str, LocalPhase], ...] = (("TTFT of prompts alone", "prefill"), ("Training", "training"))
    for name, phase in others:
        yield Part(f"{name}, group left out of the fit", phase, left_out[phase])


def divided(grouped: GroupedPoints, labels: Sequence[str]) -> GroupedPoints:
    """The same points in parts of their groups that agree in these labels."""
    named = zip(grouped.groups, grouped.points)
    parts = [f"{name}, {' '.join(getattr(point, label) or '–' for label in labels)}" for name, point in named]
    return GroupedPoints(grouped.points, parts)


def curve_of(part: Part, prior: LocalPrior, draws: int) -> Curve:
    """The curve of one phase."""
    own = prior.phases[part.phase]
    outcomes = [outcome(own, part.grouped, fold) for fold in folds(part.grouped, COUNTS, draws, SEED)]
    found = by_group(outcomes, own.least_width)
    groups = tuple(name for name in dict.fromkeys(name for name, _ in found) if (name, TARGET_COUNT) in found)
    missing = (np.nan, np.nan, np.nan)
    table = np.array([[found.get((name, count), missing) for count in COUNTS] for name in groups])
    return Curve(
        part.title, groups, COUNTS, table[:, :, 0], table[:, :, 1], table[:, :, 2], _worse_draws(outcomes, groups)
    )


def _worse_draws(outcomes: Sequence[Outcome], groups: Sequence[str]) -> tuple[float, ...]:
    found = []
    for count in COUNTS:
        of_count = [[one.after > one.before for one in outcomes if (one.fold.group, one.fold.count) == (name, count)]
                    for name in groups]  # fmt: skip
        found.append(float(np.mean([np.mean(draws) for draws in of_count if draws])))
    return tuple(found)


def report(curves: list[Curve]) -> str:
    """The curves in Markdown."""
    lines = ["# Own measurements: error on the rest of a group by points given", ""]
    for one in curves:
        by_error = sorted(zip(one.groups, one.error, one.of_group(TARGET_COUNT)), key=lambda item: -item[1][0])
        table = [[name, *map(_share, row), f"{ratio:.2f}"] for name, row, ratio in by_error]
        middles = (f"{one.middle(count):.1%}" for count in one.counts)
        table.append(["**median of groups**", *middles, f"{one.ratio(5):.2f}"])
        held = (f"{np.nanmean(one.in_band[:, index]):.0%} with {count}" for index, count in enumerate(one.counts))
        lines += [
            f"## {one.title} ({len(one.groups)} groups)",
            "",
            *markdown(["group", *map(str, one.counts), "5 over 0"], table),
            "",
            *_ratios(one),
            "",
            f"In the 80 % band: {', '.join(held)}.",
            "",
        ]
    return "\n".join(lines)


def _share(value: float) -> str:
    return f"{value:.1%}" if np.isfinite(value) else "–"


def _ratios(one: Curve) -> list[str]:
    """Error over the error before in each way that groups can be put together."""
    given = [count for count in one.counts if count]
    ratios = (
        ("median of groups over their median before", one.ratio),
        ("median of the groups' ratios", one.middle_ratio),
        ("geometric mean of the groups' ratios", one.geometric),
        ("largest of the groups' ratios", one.worst_ratio),
    )
    counts = ((f"groups at {TARGET_RATIO:.2f} or less", one.halved), ("groups worse", one.worse))
    rows = [[name, *(f"{value(count):.2f}" for count in given)] for name, value in ratios]
    rows += [[title, *(str(counted(count)) for count in given)] for title, counted in counts]
    rows.append(["single draws worse", *(f"{share:.0%}" for share, count in zip(one.worse_draws, one.counts) if count)])
    return markdown(["error over the error before", *map(str, given)], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=60, help="random draws of each group")
    draws = parser.parse_args().draws
    curves, context = [], shipped_context()
    prior = local_prior(context.calibration.errors)
    for part in parts(left_out_points(context)):
        curves.append(curve_of(part, prior, draws))
        print(report(curves[-1:]), flush=True)
    report_file("local_fit.md").write_text(report(curves), encoding="utf-8")
    rows = (
        [one.title, name, count, f"{error:.4f}", f"{share:.3f}"]
        for one in curves
        for name, errors, shares in zip(one.groups, one.error, one.in_band)
        for count, error, share in zip(one.counts, errors, shares)
    )
    write_rows(report_file("local_fit.csv"), ["what", "group", "points", "median_error", "in_band"], rows)
    decode = next(one for one in curves if one.title == LEFT_OUT)
    reached = decode.ratio(TARGET_COUNT)
    print(
        f"TPOT with {TARGET_COUNT} points: {reached:.2f} of the error before (median of groups; of the groups' ratios"
        f" {decode.middle_ratio(TARGET_COUNT):.2f}); asked for: at most {TARGET_RATIO:.2f}."
    )


if __name__ == "__main__":
    main()
