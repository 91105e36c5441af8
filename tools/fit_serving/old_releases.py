"""What an engine's old releases took longer: host time per layer and per sequence, from runs of them alone.

`python -m tools.fit_serving.old_releases TABLE.csv ENGINE` fits the two times of the engine's newest change in
`catalogs/serving_engines.json` to the TPOT of the table's rows that lie before it. All other facts stay as they are, so
that such rows teach the effect of releases only.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.serving.engine_release import older_release
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.files.benchmark_rows import read_benchmark
from tools.fit_serving.catalogue import ENGINES_FILE
from tools.repository import shipped_context, write_json

ROUNDS = 30
FLOOR = 0.02
"""Relative error below which a row weighs no more: least absolute deviations by reweighting."""


def fitted(newest_s: Floats, measured_s: Floats, layers: Floats, users: Floats) -> tuple[float, float]:
    """Seconds per layer and per sequence of a step that explain measured over present TPOT, by relative deviation."""
    effects = np.stack([layers, users], axis=1) / measured_s[:, None]
    missing = 1.0 - newest_s / measured_s
    weights, times = np.ones_like(measured_s), np.zeros(2)
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        times = np.maximum(np.linalg.lstsq(effects * root[:, None], missing * root, rcond=None)[0], 0.0)
        weights = 1.0 / np.maximum(np.abs(missing - effects @ times), FLOOR)
    return float(times[0]), float(times[1])


def main() -> None:
    """Fit, write the catalogue and print the error before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("engine")
    arguments = parser.parse_args()
    context = shipped_context()
    engine = context.calibration.engine(arguments.engine)
    cases, measured = [], []
    for row in read_benchmark(arguments.table, context.catalog, context.calibration).rows:
        case, seen = row.case, row.questions[-1].measured
        if not isinstance(case, ServingCase) or not seen or case.engine != engine.engine:
            continue
        if older_release(engine, case.release, case.year) == engine.older[-1]:
            cases.append(msgspec.structs.replace(case, release="", year=0.0))
            measured.append(seen / 1e3)
    answers = serving_answers(cases, context)
    newest = np.array([one[-1].value or np.nan for one in answers])
    seen_s, known = np.array(measured), np.isfinite(newest)
    layers = np.array([sum(group.count for group in case.model.layers) for case in cases], float)
    users = np.array([case.concurrency for case in cases])
    per_layer, per_user = fitted(newest[known], seen_s[known], layers[known], users[known])
    entries = json.loads(ENGINES_FILE.read_text(encoding="utf-8"))
    older = next(one for one in entries if one["engine"] == engine.engine)["older"][-1]
    older["decode_step_host_s"] = engine.decode_step_host_s
    older["layer_host_s"] = float(f"{per_layer:.3g}")
    older["sequence_host_s"] = float(f"{engine.sequence_host_s + per_user:.3g}")
    write_json(ENGINES_FILE, entries)
    then = newest + layers * per_layer + users * per_user
    for name, values in (("as the newest release", newest), ("as fitted", then)):
        print(f"{name}: median error {np.nanmedian(np.abs(values / seen_s - 1)):.1%} of {known.sum()} rows")
    print(f"per layer {per_layer * 1e6:.1f} us, per sequence {per_user * 1e6:.1f} us")


if __name__ == "__main__":
    main()
