"""Writes the example projects under resources/examples/ from the catalogue, with the results that a reader then sees.

python -m tools.make_examples
"""

from __future__ import annotations

from pathlib import Path

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.quantity import Lognormal, Triangular
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.workload import (
    Availability,
    RequestClass,
    ServingWorkload,
    Slo,
    Traffic,
    TrainingWorkload,
)
from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import project_to_bytes, with_snapshot

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "examples"
DAY_S = 86_400.0


def one_model_two_deployments(catalog: Catalog) -> Project:
    """A 13B model, fine-tuned and then served: what each phase needs, side by side (S157)."""
    scenario = Scenario(
        name="13B assistant",
        model=catalog.models["llama-2-13b"].model,
        training=TrainingWorkload(
            method="full_fine_tune",
            tokens=Triangular(1.5e9, 2e9, 3e9),
            sequence_length=4096,
            global_batch_tokens=262_144,
            deadline_s=3 * DAY_S,
        ),
        serving=ServingWorkload(
            classes=(
                RequestClass(
                    name="assistant",
                    peak_rate_per_s=Triangular(8.0, 12.0, 20.0),
                    prompt_tokens=Lognormal(700.0, 0.8),
                    output_tokens=Lognormal(220.0, 0.7),
                ),
            )
        ),
        hardware=HardwareChoice(max_training_devices=64),
        notes="One model, two deployments: compare what training and serving pay for.",
    )
    return Project(name="One 13B model, trained and served", scenarios=(scenario,))


def chat_service(catalog: Catalog) -> Project:
    """A 70B chat service with a latency target."""
    scenario = Scenario(
        name="70B chat",
        model=catalog.models["llama-3.1-70b"].model,
        serving=ServingWorkload(
            classes=(
                RequestClass(
                    name="chat",
                    peak_rate_per_s=40.0,
                    prompt_tokens=1024.0,
                    output_tokens=256.0,
                    slos=(
                        Slo(metric="ttft", percentile=95.0, limit_s=1.0),
                        Slo(metric="tpot", percentile=95.0, limit_s=0.05),
                    ),
                ),
            ),
            traffic=Traffic(mean_over_peak=0.5),
            availability=Availability(target=0.999, spare_replicas=1),
        ),
    )
    return Project(name="70B chat service", scenarios=(scenario,))


def continued_pretraining(catalog: Catalog) -> Project:
    """A 7B model trained further on 200 billion tokens, with a deadline."""
    scenario = Scenario(
        name="7B continued pretraining",
        model=catalog.models["llama-2-7b"].model,
        training=TrainingWorkload(
            method="continued_pretraining",
            tokens=200e9,
            sequence_length=4096,
            global_batch_tokens=4_194_304,
            deadline_s=30 * DAY_S,
        ),
        economics=Economics(training_procurement="rent_on_demand"),
    )
    return Project(name="7B continued pretraining", scenarios=(scenario,))


EXAMPLES = {
    "13b-two-deployments": one_model_two_deployments,
    "70b-chat": chat_service,
    "7b-continued-pretraining": continued_pretraining,
}


def main() -> None:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in EXAMPLES.items():
        project = make(catalog)
        plans = {scenario.name: plan(scenario, catalog, calibration) for scenario in project.scenarios}
        path = FOLDER / f"{name}.gpuplan"
        path.write_bytes(project_to_bytes(with_snapshot(project, catalog, calibration, plans)))
        print(path.name)


if __name__ == "__main__":
    main()
