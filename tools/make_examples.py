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
    EngineSettings,
    LatencyMetric,
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


def _estate_service(name: str, model: str, rate: float, catalog: Catalog, accelerators: tuple[str, ...]) -> Scenario:
    """A service with targets of 1 s to the first token and 50 ms between tokens."""
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=1.0), Slo(metric="tpot", percentile=95.0, limit_s=0.05))
    requests = RequestClass(name="chat", peak_rate_per_s=rate, prompt_tokens=1024.0, output_tokens=256.0, slos=slos)
    return Scenario(
        name=name,
        model=catalog.models[model].model,
        serving=ServingWorkload(classes=(requests,), availability=Availability(target=0.999, spare_replicas=1)),
        hardware=HardwareChoice(accelerators=accelerators),
    )


def _estate_run(name: str, model: str, tokens: float, catalog: Catalog, accelerators: tuple[str, ...]) -> Scenario:
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
        _estate_service("Assistant 70B", "llama-3.1-70b", 60.0, catalog, there),
        _estate_service("Search 8B", "llama-3.1-8b", 200.0, catalog, there),
        _estate_service("Support 13B", "llama-2-13b", 20.0, catalog, there),
        _estate_run("Spring tuning 8B", "llama-3.1-8b", 60e9, catalog, there),
        _estate_run("Autumn tuning 70B", "llama-3.1-70b", 20e9, catalog, there),
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


def _service(
    catalog: Catalog,
    title: str,
    model: str,
    requests: RequestClass,
    engine: EngineSettings | None = None,
    traffic: Traffic | None = None,
    availability: Availability | None = None,
    hardware: HardwareChoice | None = None,
) -> Project:
    """One service of one model."""
    serving = ServingWorkload(
        classes=(requests,),
        engine=engine or EngineSettings(),
        traffic=traffic or Traffic(),
        availability=availability or Availability(),
        weight_precisions=("bf16", "fp8", "int8", "int4"),
    )
    scenario = Scenario(
        name=title, model=catalog.models[model].model, serving=serving, hardware=hardware or HardwareChoice()
    )
    return Project(name=title, scenarios=(scenario,))


def _within(metric: LatencyMetric, limit_s: float) -> Slo:
    return Slo(metric=metric, percentile=95.0, limit_s=limit_s)


ALL_NIGHT = Traffic(mean_over_peak=1.0, burstiness_cv=1.0)
"""A batch that fills the hours that it has."""


def rag(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="questions", peak_rate_per_s=5.0, prompt_tokens=Lognormal(6000.0, 0.4),
        output_tokens=Lognormal(300.0, 0.5), prefix_cache_share=0.2, slos=(_within("ttft", 3.0), _within("tpot", 0.05)),
    )  # fmt: skip
    return _service(catalog, "RAG", "llama-3.1-8b", requests)


def agent(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="agent turns", peak_rate_per_s=4.0, prompt_tokens=Lognormal(12_000.0, 0.6),
        output_tokens=Lognormal(200.0, 0.8), prefix_cache_share=0.85,
        slos=(_within("ttft", 3.0), _within("tpot", 0.05)),
    )  # fmt: skip
    affine = Availability(router="prefix_affinity")
    return _service(catalog, "Agent", "qwen3-32b", requests, availability=affine)


def code_completion(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="completions", peak_rate_per_s=30.0, prompt_tokens=Lognormal(1500.0, 0.5),
        output_tokens=Lognormal(30.0, 0.6), prefix_cache_share=0.4, slos=(_within("e2e", 0.8),),
    )  # fmt: skip
    return _service(catalog, "Code completion", "llama-3.1-8b", requests)


def summarising_overnight(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="documents", peak_rate_per_s=10.0, prompt_tokens=Lognormal(3000.0, 0.5),
        output_tokens=Lognormal(250.0, 0.3), slos=(_within("e2e", 600.0),),
    )  # fmt: skip
    spare = Availability(target=0.99, spare_replicas=0)
    return _service(catalog, "Summarising overnight", "llama-3.1-8b", requests, traffic=ALL_NIGHT, availability=spare)


def voice(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="turns", peak_rate_per_s=6.0, prompt_tokens=Lognormal(800.0, 0.4), output_tokens=Lognormal(60.0, 0.5),
        prefix_cache_share=0.6, slos=(_within("ttft", 0.3), _within("tpot", 0.04)),
    )  # fmt: skip
    return _service(catalog, "Voice", "llama-3.1-8b", requests)


def image_generation(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="images", request="image", denoising_steps=30, peak_rate_per_s=0.5, slos=(_within("e2e", 15.0),)
    )
    engine = EngineSettings(engine="generic", max_sequences=1)
    return _service(catalog, "Image generation", "sdxl-1.0", requests, engine)


def embedding_index(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="documents", request="document", prompt_tokens=400.0, peak_rate_per_s=1e9 / (8 * 3600.0),
        slos=(_within("e2e", 600.0),),
    )  # fmt: skip
    engine = EngineSettings(engine="generic", max_sequences=64)
    spare = Availability(target=0.99, spare_replicas=0)
    return _service(catalog, "Embedding index", "bge-base-en-v1.5", requests, engine, ALL_NIGHT, spare)


def transcription(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="calls", request="audio", audio_s=30.0, output_tokens=Lognormal(110.0, 0.3), peak_rate_per_s=5.0,
        slos=(_within("e2e", 5.0),),
    )  # fmt: skip
    return _service(catalog, "Transcription", "whisper-large-v3", requests, EngineSettings(max_sequences=64))


def one_developer(catalog: Catalog) -> Project:
    requests = RequestClass(
        name="developer", peak_rate_per_s=1.0, prompt_tokens=3000.0, output_tokens=400.0, prefix_cache_share=0.5,
        slos=(_within("ttft", 6.0), _within("tpot", 0.08)),
    )  # fmt: skip
    engine = EngineSettings(engine="llama_cpp", max_sequences=1)
    alone = Traffic(arrivals="users", users=1.0, think_time_s=30.0, mean_over_peak=0.1)
    one = Availability(target=0.9, spare_replicas=0, target_utilisation=1.0)
    at_home = HardwareChoice(licensed_for_data_centres=False, max_devices_per_replica=2)
    return _service(catalog, "One developer", "qwen3-32b", requests, engine, alone, one, at_home)


EXAMPLES = {
    "estate-12-quarters": estate_of_three_years,
    "rag": rag,
    "agent": agent,
    "code-completion": code_completion,
    "summarising-overnight": summarising_overnight,
    "voice": voice,
    "image-generation": image_generation,
    "embedding-index": embedding_index,
    "transcription": transcription,
    "one-developer": one_developer,
    "13b-two-deployments": one_model_two_deployments,
    "70b-chat": chat_service,
    "7b-continued-pretraining": continued_pretraining,
}


def main() -> None:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, make in EXAMPLES.items():
        project = make(catalog)
        plans = {
            scenario.name: plan(scenario, catalog, calibration, seed=project.seed) for scenario in project.scenarios
        }
        path = FOLDER / f"{name}.gpuplan"
        path.write_bytes(project_to_bytes(with_snapshot(project, catalog, calibration, plans)))
        print(path.name)


if __name__ == "__main__":
    main()
