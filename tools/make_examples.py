"""Writes the example projects under resources/examples/ from the catalogue, with the results that a reader then sees.

python -m tools.make_examples
"""

from __future__ import annotations

from pathlib import Path

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.estate import (
    Estate,
    EstateHardware,
    EstatePool,
    EstateSite,
    EstateWorkload,
    ReservationTerm,
    StandingUnits,
    YearLimits,
)
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


def _service(name: str, model: str, rate: float, catalog: Catalog, accelerators: tuple[str, ...]) -> Scenario:
    """A service with targets of 1 s to the first token and 50 ms between tokens."""
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=1.0), Slo(metric="tpot", percentile=95.0, limit_s=0.05))
    requests = RequestClass(name="chat", peak_rate_per_s=rate, prompt_tokens=1024.0, output_tokens=256.0, slos=slos)
    return Scenario(
        name=name,
        model=catalog.models[model].model,
        serving=ServingWorkload(classes=(requests,), availability=Availability(target=0.999, spare_replicas=1)),
        hardware=HardwareChoice(accelerators=accelerators),
    )


def _tuning(name: str, model: str, tokens: float, catalog: Catalog, accelerators: tuple[str, ...]) -> Scenario:
    """A run that trains a model further."""
    return Scenario(
        name=name,
        model=catalog.models[model].model,
        training=TrainingWorkload(method="continued_pretraining", tokens=tokens, sequence_length=4096),
        hardware=HardwareChoice(accelerators=accelerators, max_training_devices=128),
    )


def estate_of_three_years(catalog: Catalog) -> Project:
    """Three services and two training runs on one own cluster and what is rented, 12 quarters."""
    there = ("nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "nvidia-b200-sxm-180gb")
    scenarios = (
        _service("Assistant 70B", "llama-3.1-70b", 60.0, catalog, there),
        _service("Search 8B", "llama-3.1-8b", 200.0, catalog, there),
        _service("Support 13B", "llama-2-13b", 20.0, catalog, there),
        _tuning("Spring tuning 8B", "llama-3.1-8b", 60e9, catalog, there),
        _tuning("Autumn tuning 70B", "llama-3.1-70b", 20e9, catalog, there),
    )
    units = ((10.2, 290_000.0, 2.3, 2.1), (10.2, 330_000.0, 2.9, 2.6), (14.3, 480_000.0, 4.6, 4.2))
    hardware = tuple(
        EstateHardware(
            name=f"{name} node", accelerator=accelerator, kw_per_unit=kw, purchase_usd=usd,
            running_usd_per_month=2_000.0, rent_usd_per_device_hour=rent, rent_trend_per_year=-0.15,
            reservations=(ReservationTerm(months=12, usd_per_device_hour=reserved),),
            lead_time_months=3, units_per_period=12, available_from="2027-07" if name == "B200" else None,
        )
        for name, accelerator, (kw, usd, rent, reserved) in zip(("H100", "H200", "B200"), there, units, strict=True)
    )  # fmt: skip
    cluster = EstatePool(name="cluster", site="hall", standing=(StandingUnits(hardware="H100 node", units=4),))
    estate = Estate(
        start="2027-01",
        workloads=(
            EstateWorkload(scenario="Assistant 70B", pool="cluster", growth_per_year=0.5),
            EstateWorkload(scenario="Search 8B", pool="cluster", growth_per_year=0.3),
            EstateWorkload(scenario="Support 13B", pool="rented", start="2027-07", growth_per_year=0.4, priority=2),
            EstateWorkload(
                scenario="Spring tuning 8B", part="training", pool="cluster", start="2027-04", end="2027-07", priority=2
            ),
            EstateWorkload(
                scenario="Autumn tuning 70B", part="training", pool="cluster", start="2027-07", end="2028-07",
                date="flexible", priority=3,
            ),
        ),
        hardware=hardware,
        pools=(cluster, EstatePool(name="rented")),
        sites=(EstateSite(name="hall", max_kw=110.0, racks=6.0),),
        years=(YearLimits(capital_usd=1.0e6, operating_usd=4e6),) * 3,
    )  # fmt: skip
    return Project(name="Three services and two training runs", scenarios=scenarios, estate=estate)


EXAMPLES = {
    "estate-12-quarters": estate_of_three_years,
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
