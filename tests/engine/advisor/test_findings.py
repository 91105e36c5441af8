"""Findings appear where their numbers say so, and every remedy does what it says when it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.economics import Economics, ExchangeRate, PriceOverride, RentedTerm, UncertaintyTerms
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import Lognormal, Money
from gpuplanner_gui.domain.scenario import HardwareChoice, OwnedStock, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.findings import finding_text, money_text, remedy_text
from gpuplanner_gui.drawing.words.remedy_sentences import REMEDY_SENTENCES
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.advisor import RULES, evidence_rules, load_findings, price_findings, sorted_findings
from gpuplanner_gui.engine.advisor.case import BothCase, serving_case, training_case
from gpuplanner_gui.engine.advisor.metrics import METRICS
from gpuplanner_gui.engine.advisor.row_rules import unusable_rows
from gpuplanner_gui.engine.advisor.rules import Rule
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

pytestmark = pytest.mark.usefixtures("short_simulations")

H100, H200, MI300X = "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "amd-mi300x"
L40S, RTX_5090, L4 = "nvidia-l40s", "nvidia-rtx-5090", "nvidia-l4"
A100, MI325X, TPU, T4 = "nvidia-a100-sxm-80gb", "amd-mi325x", "google-tpu-v6e", "nvidia-t4"
SEVERAL = (H100, H200, MI300X, L40S, RTX_5090, L4)
DAY_S = 86_400.0
UP = "serving.availability.target"
SPARES, UTILISATION = "serving.availability.spare_replicas", "serving.availability.target_utilisation"
PROMPT, BUDGET = "serving.classes[0].prompt_tokens", "serving.engine.token_budget"
DRAFTS, ACCEPTANCE = "serving.engine.speculative_tokens", "serving.engine.draft_acceptance"
TTFT_LIMIT, PEAK = "serving.classes[0].slos[0].limit_s", "serving.classes[0].peak_rate_per_s"
TPOT_LIMIT = "serving.classes[0].slos[1].limit_s"
ONE_DEVICE = {"hardware.max_devices_per_replica": 1}

AT_HOME = {"hardware.licensed_for_data_centres": False}
CHEAPEST_AT_HOME = AT_HOME | {"economics.price_level": "low"}
OWNED_AT_HOME = AT_HOME | {"economics.serving_procurement": "own", "economics.training_procurement": "own"}

CATALOGUE = load_shipped_catalog().models
SDXL, WHISPER, BGE = (CATALOGUE[one].model for one in ("sdxl-1.0", "whisper-large-v3", "bge-large-en-v1.5"))
WHOLE_IN_A_MOMENT = Slo(metric="e2e", percentile=95.0, limit_s=0.01)
DRAWN = RequestClass(
    peak_rate_per_s=2.0, request="image", slos=(msgspec.structs.replace(WHOLE_IN_A_MOMENT, limit_s=15.0),)
)
QUICK = RequestClass(
    name="chat", peak_rate_per_s=3.0, prompt_tokens=1_500.0, output_tokens=300.0,
    slos=(Slo(metric="ttft", percentile=95.0, limit_s=1.0), Slo(metric="tpot", percentile=95.0, limit_s=0.05)),
)  # fmt: skip
LONG = RequestClass(name="reports", peak_rate_per_s=4.0, prompt_tokens=12_000.0, output_tokens=800.0, slos=())
HEARD = msgspec.structs.replace(DRAWN, peak_rate_per_s=40.0, request="audio", audio_s=30.0)
READ = msgspec.structs.replace(DRAWN, peak_rate_per_s=2000.0, request="document", prompt_tokens=512.0)


@dataclass(frozen=True)
class Example:
    """A scenario in which a rule must speak: what is changed of a plain one."""

    code: str
    kind: str
    """chat: an 8B service; run: an 8B training job; both: both of them."""
    changes: dict[str, Any] = field(default_factory=dict)
    accelerators: tuple[str, ...] = SEVERAL
    is_simulated: bool = False
    """Whether the rule speaks of what the simulation says."""

    def __str__(self) -> str:
        return self.code


EXAMPLES = (
    Example("slow_first_token", "chat", {PROMPT: 45_000.0, TTFT_LIMIT: 8.0, PEAK: 2.0}, (H100, H200)),
    Example("uneven_tokens", "chat", {PROMPT: 12_000.0, BUDGET: 16_384, TTFT_LIMIT: 3.0, PEAK: 4.0}, (H100,)),
    Example("uneven_tokens", "chat", {PROMPT: 3_000.0, BUDGET: 8_192}, (L40S,)),
    Example("drafts_cost", "chat", {PEAK: 2000.0, DRAFTS: 5, ACCEPTANCE: 0.2}, (L40S,)),
    Example("fewer_drafts", "chat", {PEAK: 200.0, DRAFTS: 5}, (L40S,)),
    Example("requests_refused", "chat", {PROMPT: Lognormal(1000.0, 1.0), "serving.max_context": 4096}, (H100,)),
    Example("requests_refused", "chat", {
        "model": BGE, "serving.classes": (msgspec.structs.replace(READ, prompt_tokens=3000.0),)}, (L4,)),
    Example("thin_slo_margin", "chat", {UTILISATION: 0.95, PEAK: 2000.0}, (L40S,)),
    Example("idle_capacity", "chat", {UTILISATION: 0.3, PEAK: 400.0}),
    Example("quantised_model", "chat", CHEAPEST_AT_HOME),
    Example("lever_narrower_formats", "chat", {
        PEAK: 600.0, "serving.weight_precisions": ("bf16",), "serving.engine.max_sequences": 32}, (H100,)),
    Example("lever_kept_sessions", "chat", {
        PROMPT: 8_000.0, "serving.classes[0].prefix_cache_share": 0.9, "serving.classes[0].session_share": 0.9,
        PEAK: 40.0, TTFT_LIMIT: 4.0}, (H100,)),
    Example("lever_continuous_batching", "chat", {
        PEAK: 20.0, "serving.engine.batching": "static", "serving.engine.max_sequences": 8, TTFT_LIMIT: 60.0,
        TPOT_LIMIT: 1.0, "serving.classes[0].output_tokens": Lognormal(200.0, 0.9)}, (L40S,)),
    Example("lever_smaller_model", "chat", {"model.family": "llama", PEAK: 200.0}, (H100,)),
    Example("lever_fewer_steps", "chat", {"model": SDXL, "serving.classes": (DRAWN,)}, (H100,)),
    Example("lever_smaller_model", "chat", {"model": WHISPER, "serving.classes": (HEARD,)}, (L4,)),
    Example("lever_smaller_model", "chat", {"model": BGE, "serving.classes": (READ,)}, (L4,)),
    Example("service_misses_whole_answers", "chat", {
        "model": SDXL, "serving.classes": (msgspec.structs.replace(DRAWN, slos=(WHOLE_IN_A_MOMENT,)),)}, (L40S,)),
    Example("lever_shorter_answers", "chat", {PEAK: 200.0}, (H100,)),
    Example("lever_shared_prefix", "chat", {PROMPT: 8_000.0, PEAK: 40.0, TTFT_LIMIT: 4.0}, (H100,)),
    Example("lever_draft_tokens", "chat", {PEAK: 20.0, TPOT_LIMIT: 0.005}, (H100,)),
    Example("lever_larger_batch", "chat", {
        PEAK: 600.0, "serving.engine.max_sequences": 32, "serving.weight_precisions": ("fp8",)}, (H100,)),
    Example("lever_separate_pools", "chat", {PROMPT: 8_000.0, TTFT_LIMIT: 2.0, TPOT_LIMIT: 0.008, PEAK: 40.0}, (H100,)),
    Example("lever_other_devices", "chat", {
        "hardware.owned": (OwnedStock(accelerator=L4, devices=2),), "economics.serving_procurement": "own"}, (L4,)),
    Example("lever_without_spare", "chat", {
        "hardware.owned": (OwnedStock(accelerator=H200, devices=1),), "economics.serving_procurement": "own",
        PEAK: 2.0}, (H200,)),
    Example("classes_apart", "chat", {
        "model": CATALOGUE["qwen3-32b"].model, "serving.classes": (QUICK, LONG)}, (MI300X,)),
    Example("cheaper_api", "chat", {"model": CATALOGUE["llama-3.1-8b"].model, PEAK: 2.0}, (H100,)),
    Example("lever_rented", "chat", {"economics.serving_procurement": "own", PEAK: 2.0}, (H100,)),
    Example("lever_by_the_hour", "chat", {"economics.serving_procurement": "rent_3y", PEAK: 20.0}, (H100, L40S)),
    Example("lever_looser_targets", "chat", {TPOT_LIMIT: 0.006, PEAK: 200.0}, (H100,)),
    Example("lever_pauses", "chat", {"serving.traffic.arrivals": "users", "serving.traffic.users": 400.0}, (H100,)),
    Example("more_flops_cost_more", "chat", CHEAPEST_AT_HOME),
    Example("scale_to_zero_breaks_target", "chat", {PEAK: 0.001}, (L4,)),
    Example("weak_evidence", "chat", CHEAPEST_AT_HOME, (RTX_5090, H100)),
    Example("price_of_certainty", "chat", {"economics.uncertainty.confidence": "p95", PEAK: 400.0}),
    Example("service_over_budget", "chat", {"economics.serving_budget_usd_per_month": 100.0}),
    Example("split_for_latency", "chat", {TPOT_LIMIT: 0.003}, (H100,)),
    Example("replica_loss_breaks_targets", "chat", {
        SPARES: 0, UTILISATION: 1.0, PEAK: 200.0, UP: 0.5, "serving.tensor_parallel": 1} | ONE_DEVICE, (L40S,)),
    Example("replica_loss_stops_service", "chat", {SPARES: 0, PEAK: 5.0, UP: 0.5}, (L40S,)),
    Example("service_misses_targets", "chat", {TTFT_LIMIT: 0.001}),
    Example("service_misses_simulated", "chat", {
        "serving.traffic.arrivals": "users", "serving.traffic.users": 1.0, PROMPT: Lognormal(3000.0, 1.2),
        "serving.classes[0].slos[0].percentile": 99.9, TTFT_LIMIT: 3.07,
        "serving.weight_precisions": ("bf16",), "serving.kv_precisions": ("bf16",)} | ONE_DEVICE, (H100,), True),
    Example("service_misses_full_batches", "chat", {"serving.engine.batching": "static"}),
    Example("consumer_licence", "chat", OWNED_AT_HOME, (RTX_5090, L40S)),
    Example("consumer_licence_run", "run", {"training.tokens": 2e8} | OWNED_AT_HOME, (RTX_5090, L4)),
    Example("named_device_not_licensed", "both", {}, (RTX_5090, L40S)),
    Example("owned_device_not_licensed", "both", {
        "hardware.owned": (OwnedStock(accelerator=RTX_5090, devices=4),)}, ()),
    Example("owned_device_without_recipe", "run", {"hardware.owned": (OwnedStock(accelerator=T4, devices=4),)}, ()),
    Example("named_device_without_recipe", "run", {"economics.training_procurement": "rent_on_demand"}, (T4, L40S)),
    Example("named_device_not_sold", "chat", {"economics.serving_procurement": "own"}, (A100, L40S)),
    Example("named_device_cloud_only", "chat", {"hardware.air_gapped": True}, (TPU, L40S)),
    Example("marketplace_only", "chat", AT_HOME, (RTX_5090,)),
    Example("marketplace_only", "run", {"training.tokens": 2e8} | AT_HOME, (RTX_5090,)),
    Example("stranded_devices", "chat", {"economics.serving_procurement": "own", PEAK: 2.0}, (H100,)),
    Example("stranded_devices", "run", {"economics.training_procurement": "own", "hardware.training_devices": 2},
            (H200,)),
    Example("cheaper_by_datasheet", "chat", {
        "model": CATALOGUE["qwen3-14b"].model, "economics.serving_procurement": "own",
        "economics.uncertainty.confidence": "p80", PEAK: 0.2}, ()),
    Example("owned_first", "chat", {"hardware.owned": (OwnedStock(accelerator=H100, devices=1),)}, (H100,)),
    Example("owned_beyond_site", "chat", {
        "hardware.owned": (OwnedStock(accelerator=H100, devices=8),), "hardware.max_kw_total": 5.0}, (H100,)),
    Example("owned_left_aside", "run", {"hardware.owned": (OwnedStock(accelerator=H100, devices=4),),
            "hardware.training_devices": 8, "economics.training_procurement": "own"}, (H100,)),
    Example("owned_first_run", "run", {"hardware.owned": (OwnedStock(accelerator=H100, devices=8),),
            "hardware.training_devices": 16, "economics.training_procurement": "own"}, (H100,)),
    Example("owned_too_few_run", "run", {"hardware.owned": (OwnedStock(accelerator=H100, devices=4),),
            "hardware.training_devices": 8}, (H100,)),
    Example("other_devices_run", "run", {
        "hardware.owned": (OwnedStock(accelerator=L4, devices=8),), "economics.training_procurement": "own",
        "training.tokens": 5e10}, (L4,)),
    Example("owned_only", "chat", {"hardware.owned": (OwnedStock(accelerator=H100, devices=64),)}, (H100,)),
    Example("owned_only_run", "run", {"hardware.owned": (OwnedStock(accelerator=H100, devices=512),)}, (H100,)),
    Example("few_offers", "chat", {}, (MI325X,)),
    Example("few_offers", "run", {}, (MI325X,)),
    Example("cheaper_few_offers", "chat", {}, (MI325X, H200)),
    Example("cheaper_few_offers_run", "run", {}, (TPU, L4)),
    Example("cluster_size_unknown", "run", {"hardware.training_devices": 128, "hardware.max_training_devices": 128},
            (H100,)),
    Example("priced_one_by_one", "chat", {"model": CATALOGUE["llama-3.1-405b"].model}, (MI300X,)),
    Example("priced_one_by_one", "run", {"hardware.training_devices": 8}, (MI300X,)),
    Example("cluster_size_unknown", "chat", {PEAK: 2000.0}, (L40S,)),
    Example("communication_bound", "run", {"hardware.slow_node_link_share": 0.005, "hardware.training_devices": 64},
            (H100,)),
    Example("weak_evidence_only", "run", {"training.tokens": 2e8}, (MI325X,)),
    Example("rented_without_network", "chat", {"hardware.air_gapped": True}, (H100,)),
    Example("rented_without_network", "run", {"hardware.air_gapped": True}, (H100,)),
    Example("rented_without_network_site", "chat", {
        "hardware.air_gapped": True, "hardware.max_kw_per_rack": 8.0}, (H100,)),
    Example("rented_without_network_site", "run", {"hardware.air_gapped": True, "hardware.max_kw_total": 5.0}, (H100,)),
    Example("memory_is_thin", "run", {"hardware.min_memory_headroom": 0.0, "hardware.training_devices": 16},
            (H100,)),
    Example("availability_adds_replicas", "chat", {SPARES: 0, UTILISATION: 1.0, PEAK: 100.0}),
    Example("burst_too_much", "chat", {UTILISATION: 1.0, SPARES: 0, PEAK: 2000.0}, (L40S,)),
    Example("service_on_spot", "chat", {"economics.serving_procurement": "rent_spot"}),
    Example("loading_saturates_storage", "chat", {
        "serving.start.storage_read_bytes_per_s": 1e9, PEAK: 400.0}, (L40S,)),
    Example("cheaper_terms_at", "chat", {}, (H200,)),
    Example("cheaper_terms", "chat", {PEAK: 400.0, "economics.horizon_years": 5.0}, (H100,)),
    Example("follow_the_load_then_reserve", "chat", {PEAK: 400.0}, (H200,)),
    Example("unused_fabric", "chat", {"economics.serving_procurement": "own"}, (H100,)),
    Example("more_than_needed", "chat", {PEAK: 0.05}, (H100,)),
    Example("node_exceeds_rack", "chat", {
        "hardware.max_kw_per_rack": 6.0, "economics.serving_procurement": "own", PEAK: 400.0}, (H100,)),
    Example("fleet_exceeds_site", "chat", {
        "hardware.max_kw_total": 5.0, "economics.serving_procurement": "own", PEAK: 400.0}, (H100,)),
    Example("input_bound", "run", {"training.data.storage_read_bytes_per_s": 2e4}, (H100,)),
    Example("input_bound", "run", {"training.data.preprocessing_tokens_per_s_per_core": 100.0}, (H100,)),
    Example("input_bound", "run", {"training.data.storage_reads_per_s": 1.0}, (H100,)),
    Example("input_bound_by_hosts", "run", {
        "training.data.bytes_per_token": 5e7, "training.data.storage_read_bytes_per_s": 1e18,
        "training.data.preprocessing_tokens_per_s_per_core": 1e9}, (H100,)),
    Example("slow_device", "run", {"hardware.slow_device_share": 0.8, "hardware.training_devices": 64}, (H100,)),
    Example("slow_node_link", "run", {"hardware.slow_node_link_share": 0.02, "hardware.training_devices": 64}, (H100,)),
    Example("slow_link", "run", {"hardware.slow_link_share": 0.1, "hardware.training_devices": 64}, (H100,)),
    Example("oversubscribed", "run", {"hardware.oversubscription": 8.0, "hardware.training_devices": 64}, (H100,)),
    Example("more_devices_buy_time", "run", {"training.deadline_s": 60 * DAY_S}),
    Example("start_up_heavy", "run", {"training.tokens": 1e7}),
    Example("needless_recompute", "run", {"training.recompute": "full", "hardware.training_devices": 64}, (H200,)),
    Example("host_memory_is_unknown", "run", {
        "training.offload": "host", "hardware.training_devices": 64, "hardware.include_end_of_life": True},
        ("nvidia-h100-pcie-80gb",)),
    Example("no_headroom_for_retries", "run", {
        "training.retry_share": 0.0, "training.validation_share": 0.0, "training.experiment_share": 0.0}),
    Example("training_cluster_too_small", "run", {"training.deadline_s": DAY_S, "hardware.max_training_devices": 2}),
    Example("run_over_budget", "run", {"training.budget_usd": 10.0}, (H100,)),
    Example("training_on_spot", "run", {
        "economics.training_procurement": "rent_spot", "training.restartable": False}, (H100,)),
    Example("much_lost_to_failures", "run", {
        "training.checkpoints.asynchronous": False, "training.checkpoints.storage_write_bytes_per_s": 2e7,
        "training.checkpoints.failures_per_node_day": 0.5}, (H100,)),
    Example("slow_checkpoint_store", "run", {
        "training.checkpoints.storage_write_bytes_per_s": 2e7,
        "training.checkpoints.failures_per_node_day": 0.5}, (H100,)),
    Example("feeding_moves_the_plan", "run", {"training.data.cpu_cores_per_device": 0.004}, (H200, L4)),
    Example("faster_than_published", "run", {"hardware.training_devices": 8}, (MI300X,)),
    Example("held_at_published", "chat", {"serving.weight_precisions": ("bf16",)}, (MI300X,)),
    Example("pipeline_bubble", "run", {
        "training.schedule": "1f1b", "training.parallelism.pipeline": 8, "training.parallelism.tensor": 1,
        "hardware.training_devices": 64}, (H100,)),
    Example("lever_narrow_recipe", "run", {}, (H100,)),
    Example("runs_exceed_year", "run", {
        "economics.training_procurement": "own", "economics.fleets.training_runs_per_year": 10_000.0}, (H100,)),
    Example("run_outlasts_horizon", "run", {
        "training.tokens": 1e14, "economics.horizon_years": 1.0, "hardware.training_devices": 64}, (H100,)),
    Example("lever_even_batch_run", "run", {
        "training.global_batch_tokens": 61 * 4096, "hardware.training_devices": 64}, (H100,)),
    Example("lever_even_batch_run", "run", {
        "training.global_batch_tokens": 1024 * 4096, "training.micro_batch": 3}, (H100,)),
    Example("lever_larger_batch_run", "run", {
        "training.tokens": 2e11, "training.global_batch_tokens": 524_288, "training.deadline_s": DAY_S,
        "hardware.max_training_devices": 1024}, (H100,)),
    Example("lever_more_devices_run", "run", {"training.deadline_s": DAY_S, "hardware.max_training_devices": 4},
            (H100,)),
    Example("spot_for_training", "run", {}, (H100,)),
    Example("spot_for_training", "run", {"economics.overrides": (
        PriceOverride(accelerator=H100, term="rent_spot", rent_per_device_hour=Money(1.0)),)}, (H100,)),
    Example("term_outlasts_horizon", "chat", {
        "economics.serving_procurement": "rent_3y", "economics.horizon_years": 1.0, PEAK: 200.0}, (H100,)),
    Example("term_outlasts_horizon", "run", {
        "economics.training_procurement": "rent_1y", "economics.horizon_years": 0.5}, (H100,)),
    Example("term_outlasts_run", "run", {"economics.training_procurement": "own"}, (H100,)),
    Example("bought_for_the_run", "run", {"economics.training_procurement": "own"}, (H100,)),
    Example("activations_dominate", "run", {"training.sequence_length": 32_768}, (H200,)),
    Example("does_not_fit_to_train", "run", {"hardware.max_training_devices": 1} | AT_HOME, (RTX_5090,)),
    Example("unstable_latency", "chat", {"serving.traffic.burstiness_cv": 5.0, PEAK: 200.0}, (H100,)),
    Example("full_cache", "chat", {PROMPT: 8_000.0, TTFT_LIMIT: 60.0, TPOT_LIMIT: 1.0, UTILISATION: 1.0}, (L4,)),
    Example("emulated_format", "chat", {"serving.weight_precisions": ("fp8",)}, (A100,)),
    Example("host_bound", "chat", {PEAK: 2000.0, TPOT_LIMIT: 0.008}, (H100,)),
    Example("host_bound_for_nothing", "chat", {TPOT_LIMIT: 0.006} | ONE_DEVICE, (H100,)),
    Example("quantised_model_is_needed", "chat", {TPOT_LIMIT: 0.006} | ONE_DEVICE, (H100,)),
    Example("quantised_model_unpriced", "chat", {"serving.weight_precisions": ("fp8",), TPOT_LIMIT: 1e-4}, (H100,)),
    Example("bursty_arrivals", "chat", {"serving.traffic.burstiness_cv": 4.0, PEAK: 350.0}, (H100,)),
    Example("bursts_of_windows", "chat", {"serving.traffic.arrivals": "mmpp", PEAK: 400.0}, (H100,)),
    Example("stated_schedule", "run", {
        "training.schedule": "1f1b", "training.parallelism.pipeline": 8, "hardware.training_devices": 64}, (H100,)),
    Example("older_attention", "run", {
        "training.framework": "fsdp", "training.sequence_length": 32_768, "hardware.training_devices": 64}, (H100,)),
    Example("tensor_across_nodes", "run", {
        "hardware.tensor_parallel_across_nodes": True, "training.parallelism.tensor": 16,
        "hardware.training_devices": 64}, (H100,)),
    Example("node_exceeds_rack", "run", {
        "hardware.max_kw_per_rack": 5.0, "economics.training_procurement": "own", "hardware.training_devices": 64},
        (H100,)),
    Example("training_cluster_too_small", "both", {
        "training.deadline_s": DAY_S, "hardware.max_training_devices": 2}, (H100, H200)),
    Example("one_device_for_both", "both", CHEAPEST_AT_HOME),
    Example("training_on_serving_nodes", "both", CHEAPEST_AT_HOME),
    Example("service_on_training_nodes", "both", CHEAPEST_AT_HOME),
    Example("one_profile_forced", "both", {}, (H100,)),
    Example("row_without_device", "chat", {"hardware.owned": (OwnedStock(accelerator=""),)}, (H100,)),
    Example("allowed_devices_unknown", "chat", {}, ("own-gone",)),
    Example("allowed_devices_unknown", "run", {}, (H100, "own-gone")),
    Example("hours_of_one_day", "chat", {"serving.traffic.hours": (0.5,) * 120 + (0.1,) * 48}, (H100,)),
    Example("currency_without_rate", "run", {
        "economics.training_procurement": "own",
        "economics.overrides": (PriceOverride(accelerator=H100, purchase_per_device=Money(2e4, "EUR")),)}, (H100,)),
    Example("rates_differ", "run", {"economics.rates": tuple(
        ExchangeRate(currency="EUR", usd_per_unit=usd) for usd in (1.25, 2.5))}, (H100,)),
    Example("undercut_rent_per_device_hour", "run", {"economics.overrides": tuple(
        PriceOverride(accelerator=H100, rent_per_device_hour=Money(usd)) for usd in (2.0, 2.5))}, (H100,)),
    Example("undercut_purchase_per_device", "run", {"economics.overrides": tuple(
        PriceOverride(accelerator=H100, purchase_per_device=Money(usd)) for usd in (2e4, 3e4))}, (H100,)),
    Example("row_without_device", "run", {
        "economics.overrides": (PriceOverride(accelerator=""),)}, (H100,)),
    Example("lever_even_batch_run", "run", {
        "model": CATALOGUE["llama-3.1-70b"].model, "training.method": "lora", "training.offload": "none",
        "training.global_batch_tokens": 61 * 4096}, (L40S,)),
)  # fmt: skip


def scenario_of(example: Example, model: Any) -> Scenario:
    chat = ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),))
    run = TrainingWorkload(tokens=5e9, deadline_s=30 * DAY_S, global_batch_tokens=1_048_576)
    scenario = Scenario(
        name=example.code,
        model=model,
        serving=chat if example.kind in ("chat", "both") else None,
        training=run if example.kind in ("run", "both") else None,
        hardware=HardwareChoice(accelerators=example.accelerators, max_training_devices=64),
        # Rules are about fleets as tight as the expected figures make them.
        economics=Economics(uncertainty=UncertaintyTerms(confidence="expected")),
    )
    for path, value in example.changes.items():
        scenario = replaced(scenario, path, value)
    return scenario


class Planned(Mapping[int, Plan]):
    """The plan of every example by its id, each made when it is first asked for."""

    def __init__(self, plan_of: Callable[[Example], Plan]) -> None:
        self.examples = {id(one): one for one in EXAMPLES}
        self.plan_of = cache(lambda key: plan_of(self.examples[key]))

    def __getitem__(self, key: int) -> Plan:
        return self.plan_of(key)

    def __iter__(self) -> Iterator[int]:
        return iter(self.examples)

    def __len__(self) -> int:
        return len(self.examples)


@pytest.fixture(scope="module")
def planned(llama_8b, advised, catalog, calibration) -> Planned:
    def plan_of(one: Example) -> Plan:
        quick = advised(scenario_of(one, llama_8b))
        return simulated_plan(scenario_of(one, llama_8b), catalog, calibration, quick) if one.is_simulated else quick

    return Planned(plan_of)


def found(answer: Plan, code: str) -> Finding:
    matching = [one for one in answer.findings if one.code == code]
    assert matching, [one.code for one in answer.findings]
    return matching[0]


def test_plain_ports_of_single_boxes_are_no_unused_fabric(llama_8b, advised) -> None:
    changes = {"economics.serving_procurement": "own", PEAK: 0.05, TTFT_LIMIT: 10.0, TPOT_LIMIT: 0.2}
    example = Example("unused_fabric", "chat", changes, ("apple-m3-ultra",))
    assert "unused_fabric" not in {one.code for one in advised(scenario_of(example, llama_8b)).findings}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_rule_speaks_with_numbers(example: Example, planned: Planned) -> None:
    finding = found(planned[id(example)], example.code)
    numbers = [value for value in finding.values.values() if not isinstance(value, str)]
    assert numbers or example.code == "no_device_for_both"
    assert np.isfinite(numbers).all()
    assert finding.usd >= 0


@pytest.mark.parametrize(
    "example",
    [one if place % 3 == 0 else pytest.param(one, marks=pytest.mark.deep) for place, one in enumerate(EXAMPLES)],
    ids=str,
)
def test_every_remedy_improves_what_it_says(example: Example, planned: Planned, llama_8b, catalog, calibration) -> None:
    scenario, before = scenario_of(example, llama_8b), planned[id(example)]
    for finding in before.findings:
        remedy = finding.remedy
        if remedy is None or not remedy.edits:
            continue
        changed = scenario
        for edit in remedy.edits:
            changed = replaced(changed, edit.path, edit.value)
        after = plan(changed, catalog, calibration)
        if not remedy.metric:
            # What lets the targets be met may cost more.
            answer = after.answers[finding.workload]
            assert answer.table.meets_targets[answer.best], finding.code
            continue
        metric = METRICS[remedy.metric]
        was, now = metric.read(scenario, before), metric.read(changed, after)
        sign = 1 if metric.is_lower_better else -1
        assert was == pytest.approx(remedy.before, rel=1e-9), finding.code
        assert sign * now < sign * was, finding.code
        if np.isfinite(remedy.after):
            assert sign * now <= sign * remedy.after + 0.01 * abs(remedy.after), finding.code


OF_OWN_MEASUREMENTS = {
    evidence_rules.service_judged_by_training, evidence_rules.training_judged_by_service,
    evidence_rules.measured_beyond_hardware,
}  # fmt: skip
"""Rules with tests of their own: no example measures."""


def spoken(rule: Rule, scenario: Scenario, answer: Plan, context: Context) -> set[str] | None:
    """Codes of what a rule finds in an example; None where there is nothing for it to look at."""
    serving, training = serving_case(scenario, answer, context), training_case(scenario, answer, context)
    both = BothCase(scenario, answer, context, serving, training) if serving and training else None
    case = {"serving": serving, "training": training, "both": both}[rule.kind]
    if case is None:
        return None
    if rule.codes_of_replanning:
        return {one.code for one in answer.findings} & set(rule.codes_of_replanning)
    return {one.code for one in rule.look(case)}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind}-{rule.look.__name__}")
def test_every_rule_speaks_in_an_example_and_is_quiet_in_another(
    rule: Rule, planned: Planned, llama_8b, catalog, calibration
) -> None:
    """An example has its code for a name: a rule taken out of the table turns that one red."""
    context = context_of(catalog, calibration)
    is_quiet, is_named = False, rule.look in OF_OWN_MEASUREMENTS
    for one in EXAMPLES:
        if not is_quiet or not is_named:
            said = spoken(rule, scenario_of(one, llama_8b), planned[id(one)], context)
            is_quiet, is_named = is_quiet or said == set(), is_named or (said is not None and one.code in said)
    assert is_quiet
    assert is_named


def test_codes_of_rules_that_plan_again_are_those_that_they_say(planned: Planned, llama_8b) -> None:
    """A code that none of them names would have no reason under Why."""
    stated = [code for rule in RULES for code in rule.codes_of_replanning]
    assert len(stated) == len(set(stated))
    assert set(stated) <= {one.code for answer in planned.values() for one in answer.findings}


OUTSIDE_THE_PLAN = {
    "validate_quality", "measure_it", "measure_steps", "measure_service", "measure_training", "read_price_again",
    "rent_for_the_run", "autoscale", "autoscale_rented", "ask_quotes", "ask_for_nodes", "replicas_batching_or_memory",
    "replicas_or_batch", "stage_data", "try_the_api", "plan_classes_apart", "choose_device_of_row", "enter_rate",
    "state_days", "remove_quotation", "keep_one_rate",
}  # fmt: skip
"""Remedies that are carried out elsewhere: no edit of the scenario stands for them."""


def test_every_remedy_that_edits_the_plan_is_carried_out_above(planned: Planned) -> None:
    """A rule whose remedy no example reaches could promise anything."""
    remedies = [one.remedy for answer in planned.values() for one in answer.findings if one.remedy is not None]
    carried_out = {one.code for one in remedies if one.edits}
    assert carried_out == set(REMEDY_SENTENCES) - OUTSIDE_THE_PLAN
    assert not {one.code for one in remedies if not one.edits} - OUTSIDE_THE_PLAN


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_nothing_costs_less_than_nothing_more(example: Example, planned: Planned) -> None:
    """More and less are said as such, for a chosen candidate, too: no amount in a sentence is negative."""
    scenario, answer = example, planned[id(example)]
    for finding in answer.findings:
        amounts = {name: value for name, value in finding.values.items() if name.startswith(("more_", "less_"))}
        assert all(float(value) >= 0 for value in amounts.values()), (scenario.code, finding.code)


def test_a_format_is_called_needed_only_where_no_wider_one_meets_the_targets(llama_8b, advised) -> None:
    """The planner allows INT4 alone; 16-bit weights meet the same targets, for more money."""
    only = {"serving.weight_precisions": ("int4",), PEAK: 400.0}
    answer = advised(scenario_of(Example("narrow", "chat", only, (H100,)), llama_8b))
    wide = {"serving.weight_precisions": ("bf16",), "serving.kv_precisions": ("bf16",), PEAK: 400.0}
    other = advised(scenario_of(Example("wide", "chat", wide, (H100,)), llama_8b)).serving
    assert other.table.meets_targets[other.best]
    (said,) = [one for one in answer.findings if one.code.startswith("quantised_model")]
    assert said.code == "quantised_model"
    more = float(other.table.usd_per_month[other.best] - answer.serving.table.usd_per_month[answer.serving.best])
    assert said.usd == pytest.approx(max(more, 0.0))
    fleet = f"{other.table.devices[other.best]:g} × {said.values['other_device']}"
    assert str(said.values["other_device"]).startswith("H100")
    assert f"Without quantisation the cheapest plan is {fleet}, " in finding_text(said)


@pytest.mark.parametrize("growth", [0.0, 1.0])
def test_what_following_the_load_saves_is_what_the_plan_with_it_costs_today(llama_8b, advised, growth) -> None:
    """A load that doubles makes the first month no cheaper: money, and replicas at peak, are today's."""
    growing = {PEAK: 400.0, "serving.traffic.growth_per_year": growth}
    answer = advised(scenario_of(Example("switch_off", "chat", growing, (MI300X,)), llama_8b))
    said, table, best = found(answer, "switch_off"), answer.serving.table, answer.serving.best
    assert said.values["mixed_usd_per_month"] == pytest.approx(said.remedy.after, rel=1e-3)
    assert said.usd == pytest.approx(said.remedy.before - said.remedy.after, rel=1e-3)
    assert said.values["peak"] == table.replicas[best]
    hours = {
        one.on_demand_usd_per_accelerator_h
        for one in load_shipped_catalog().offers.values()
        if (one.provider, one.accelerator_id) == (said.values["provider"], MI300X)
    }
    assert any(said.values["hour_usd_per_hour"] == pytest.approx(one) for one in hours if one)
    assert "$" not in finding_text(said), "the remedy says the one cost that Apply leads to"
    assert f"at {said.values['provider']}, where a device costs $" in finding_text(
        msgspec.structs.replace(said, remedy=None)
    )


def test_an_autoscaled_answer_of_other_replicas_is_told_apart_from_the_fleet_that_is_planned(advised) -> None:
    """10 replicas of two devices for $20,200 a month, and "up to 20 × MI300X" for $19,900, looked like one fleet."""
    (scenario,) = load_project(resources_dir() / "examples" / "70b-chat.gpuplan").scenarios
    answer = advised(scenario)
    said, table, best = found(answer, "switch_off"), answer.serving.table, answer.serving.best
    assert said.values["peak"] == table.replicas[best] == 10
    assert said.remedy.values["replicas"] == said.remedy.values["devices"] == 20
    assert said.remedy.after < float(said.values["mixed_usd_per_month"])
    # The fleet that is planned keeps an FP8 model's cache in BF16.
    assert "20 × Instinct MI300X with FP8 weights (FP8 KV cache)." in remedy_text(said.remedy)
    # One saving: that of the plan which Apply leads to.
    assert money_text(said) == f"saves about {format_value(said.remedy.before - said.remedy.after, 'USD/month')}"
    assert "$" not in finding_text(said)


def test_a_reserved_fleet_that_would_be_all_rented_is_not_advised_to_reserve_nothing(llama_8b, advised) -> None:
    """Half a day a week, and nothing else, pays no reservation: "Reserve 0 replicas" stood there."""
    hours = (1.0,) * 12 + (0.0,) * 156
    changes = {PEAK: 400.0, SPARES: 0, "economics.serving_procurement": "rent_1y", "serving.traffic.hours": hours}
    said = found(advised(scenario_of(Example("switch_off", "chat", changes, (H100,)), llama_8b)), "switch_off")
    assert said.values["base"] == 0
    assert remedy_text(said.remedy) == "Rent replicas by the hour, only while the load needs them."


@pytest.mark.parametrize(
    ("code", "peak_per_s", "devices"),
    [("cheaper_terms", 5.0, ()), ("follow_the_load_then_reserve", 40.0, (H100, L40S))],
)
def test_other_terms_promise_the_plan_that_follows(
    code: str, peak_per_s: float, devices: tuple[str, ...], llama_8b, advised, catalog
) -> None:
    """The same fleet costs less so, and a fleet of another device less still: that is what is planned then."""
    changes = {PEAK: peak_per_s, "economics.horizon_years": 5.0}
    scenario = scenario_of(Example(code, "chat", changes, devices), llama_8b)
    before = advised(scenario)
    cure = found(before, code).remedy
    for edit in cure.edits:
        scenario = replaced(scenario, edit.path, edit.value)
    after = advised(scenario)
    was, now = (one.accelerators[int(one.serving.table.accelerator[one.serving.best])] for one in (before, after))
    assert was != now
    assert cure.values["device"] == catalog.accelerators[now].name
    assert cure.values["devices"] == after.serving.table.devices[after.serving.best]
    assert cure.after == pytest.approx(float(after.serving.table.usd_per_month[after.serving.best]), rel=1e-9)
    told = found(before, code)
    assert money_text(told) == f"saves about {format_value(cure.before - cure.after, 'USD/month')}"
    assert "less" not in finding_text(told), "a saving of the same fleet is not what Apply does"
    if code == "cheaper_terms":
        # The saving stood beside the price of the planned device, which saves something else.
        name = catalog.accelerators[now].name
        assert finding_text(told).startswith(f"On {cure.values['devices']:g} × {name}")
        assert f". The planned {catalog.accelerators[was].name} costs " in finding_text(told)


def test_other_terms_of_the_same_fleet_are_one_sentence(planned) -> None:
    example = next(one for one in EXAMPLES if one.code == "cheaper_terms")
    told = found(planned[id(example)], "cheaper_terms")
    cure, fleet = told.remedy, {name: told.values[name] for name in ("device", "devices", "term")}
    assert (cure.values["device"], cure.values["devices"]) == ("H100 SXM5 80GB", 24)
    assert finding_text(told).startswith("On 24 × H100 SXM5 80GB")
    same = msgspec.structs.replace(told, remedy=msgspec.structs.replace(cure, values=fleet))
    assert finding_text(same).startswith("The planned H100 SXM5 80GB costs ")
    assert finding_text(told).endswith(f" {finding_text(same)}")


@pytest.mark.parametrize(("peak_per_s", "more"), [(10.0, False), (400.0, True)])
def test_the_published_speed_costs_what_the_fleet_that_would_be_bought_does(
    peak_per_s: float, more: bool, llama_8b, advised
) -> None:
    """Replicas are bought whole: a few percent of speed cost nothing where the fleet has room for them."""
    changes = {"serving.weight_precisions": ("bf16",), PEAK: peak_per_s}
    answer = advised(scenario_of(Example("held_at_published", "chat", changes, (MI300X,)), llama_8b))
    said, table, best = found(answer, "held_at_published"), answer.serving.table, answer.serving.best
    added = float(said.values["published_replicas"]) - float(table.replicas[best])
    assert (added > 0) is more
    assert said.usd == pytest.approx(added * float(table.usd_per_month[best] / table.replicas[best]))
    assert finding_text(said).startswith("The prediction may be optimistic: it is ")
    assert ("At the published speed, the plan still needs " in finding_text(said)) is not more


def test_a_rack_is_not_told_for_its_peak_rate(llama_8b, advised) -> None:
    """72 devices are paid for: a few of them are dear for that, and a fleet that uses the rack would be larger."""
    racks = ("amd-mi300x", "nvidia-b200-sxm-180gb", "nvidia-gb200")
    chat = scenario_of(Example("more_flops_cost_more", "chat", {PEAK: 20.0}, racks), llama_8b)
    answer = advised(chat)
    said, table, best = found(answer, "more_flops_cost_more"), answer.serving.table, answer.serving.best
    assert str(said.values["device"]).startswith("B200")
    # What is paid is devices times their price: the ratio of both fleets' costs says the same.
    price = dict(zip(table.accelerator.tolist(), table.usd_per_device_hour.tolist()))
    b200 = next(one for one in price if answer.accelerators[one] == "nvidia-b200-sxm-180gb")
    plan_devices, devices = float(said.values["plan_devices"]), float(said.values["devices"])
    assert plan_devices == table.paid_devices[best]
    ratio = devices * price[b200] / (plan_devices * price[int(table.accelerator[best])])
    assert said.values["cost_ratio"] == pytest.approx(ratio, rel=0.02)
    assert finding_text(said).startswith(f"{devices:g} × B200")
    assert finding_text(said).endswith(f"the cost of the plan's {plan_devices:g} × {said.values['plan_device']}.")


def test_nobody_is_warned_of_the_format_that_a_model_is_published_in(llama_8b, advised) -> None:
    for allowed, is_warned in (("mxfp4", False), ("int4", True)):
        changes = {
            "model": CATALOGUE["gpt-oss-20b"].model, "serving.weight_precisions": (allowed,),
            "serving.kv_precisions": ("bf16",),
        }  # fmt: skip
        answer = advised(scenario_of(Example("own", "chat", changes, (H100,)), llama_8b))
        assert any(one.code.startswith("quantised_model") for one in answer.findings) is is_warned


def test_a_plain_plan_is_not_scolded(llama_8b, catalog, calibration):
    """Nothing serious is found in a service with targets met, spares, and time to spare."""
    answer = plan(scenario_of(Example("plain", "chat", {PEAK: 400.0}), llama_8b), catalog, calibration)
    assert [one.code for one in answer.findings if one.severity == 2] == []


def test_no_higher_utilisation_is_advised_where_the_margin_is_thin(llama_8b, catalog, calibration):
    thin = scenario_of(Example("thin", "chat", {UTILISATION: 0.95, PEAK: 2000.0}, (L40S,)), llama_8b)
    for finding in plan(thin, catalog, calibration).findings:
        for edit in finding.remedy.edits if finding.remedy else ():
            assert edit.path != UTILISATION or edit.value < 0.95


def test_int4_is_never_advised_for_training(planned):
    for answer in planned.values():
        for finding in answer.findings:
            for edit in finding.remedy.edits if finding.remedy else ():
                assert edit.path != "training.recipe" or edit.value in ("fp8", "fp16")


def test_gravest_first_then_dearest():
    given = [
        Finding(code=code, severity=severity, workload="serving", values={}, usd=usd)
        for code, severity, usd in (("a", 0, 9.0), ("b", 2, 1.0), ("c", 1, 5.0), ("d", 1, 7.0))
    ]
    assert [one.code for one in sorted_findings(given)] == ["b", "d", "c", "a"]


def curve(latency: list[float]) -> LoadCurve:
    rates = np.linspace(0.5, 10.0, len(latency))
    times = {"mean": np.array(latency), "p95": np.array(latency)}
    return LoadCurve(
        candidate=0, rates_per_s=rates, ttft_s=times, tpot_s=times, itl_mean_s=rates, e2e_s=times,
        output_tokens_per_s=100 * rates,
        batch=rates, kv_use=rates / 10, max_rate_per_s=10.0, slo_rate_per_s=8.0, planned_rate_per_s=6.0,
        low80_factor=0.8, high80_factor=1.2,
    )  # fmt: skip


def test_latency_that_outgrows_load_is_found_with_its_elasticity():
    steep = [float(rate**2) for rate in np.linspace(0.5, 10.0, 40)]
    (finding,) = load_findings(curve(steep))
    assert finding.code == "latency_outgrows_load"
    assert finding.values["elasticity"] == pytest.approx(2.0, rel=0.02)
    assert load_findings(curve([0.2] * 40)) == ()


def test_old_prices_are_found_and_quotations_are_not(planned, catalog, llama_8b):
    from datetime import date

    example = next(one for one in EXAMPLES if one.code == "cheaper_terms_at")
    scenario, answer = scenario_of(example, llama_8b), planned[id(example)]
    (finding,) = price_findings(scenario, answer, catalog, date(2028, 1, 1))
    assert float(finding.values["age_s"]) > 365 * DAY_S
    assert price_findings(scenario, answer, catalog, date(2026, 3, 1)) == ()
    hardware = msgspec.structs.replace(scenario.hardware, owned=(OwnedStock(accelerator=H200, devices=10_000),))
    owned = msgspec.structs.replace(scenario, hardware=hardware)
    assert price_findings(owned, answer, catalog, date(2028, 1, 1)) == (), "what is owned is paid for"
    quoted = Economics(overrides=(PriceOverride(accelerator=H200, rent_per_device_hour=Money(2.0)),))
    scenario = msgspec.structs.replace(scenario, economics=quoted)
    assert price_findings(scenario, answer, catalog, date(2028, 1, 1)) == ()
    other = PriceOverride(accelerator=H200, term="rent_3y", rent_per_device_hour=Money(1.0))
    scenario = msgspec.structs.replace(scenario, economics=Economics(overrides=(other,)))
    assert price_findings(scenario, answer, catalog, date(2028, 1, 1)) != (), "the plan pays another term"


def test_a_spot_price_that_was_read_lately_is_not_old(planned, catalog, llama_8b):
    from datetime import date

    example = next(one for one in EXAMPLES if one.code == "cheaper_terms_at")
    scenario, answer = scenario_of(example, llama_8b), planned[id(example)]
    offers = {
        name: msgspec.structs.replace(one, as_of="2027-06", spot_as_of="2027-12", spot_usd_per_h=1.0)
        for name, one in catalog.offers.items()
    }
    dated, found = msgspec.structs.replace(catalog, offers=offers), {}
    for term in ("rent_on_demand", "rent_spot"):
        economics = msgspec.structs.replace(scenario.economics, serving_procurement=term)
        asked = msgspec.structs.replace(scenario, economics=economics)
        found[term] = [one.code for one in price_findings(asked, answer, dated, date(2028, 1, 1))]
    assert found == {"rent_on_demand": ["old_price"], "rent_spot": []}


def test_quotations_of_several_terms_undercut_one_without_a_term_alone(catalog, llama_8b):
    """A row is told where it counts on none of the terms that it is of, beside the nearest that does."""
    example = next(one for one in EXAMPLES if one.code == "undercut_rent_per_device_hour")
    ladder: dict[RentedTerm, float] = {"rent_on_demand": 3.0, "rent_1y": 2.2, "rent_3y": 1.7, "rent_spot": 1.1}
    scenario = scenario_of(example, llama_8b)

    def undercut(*rows: tuple[RentedTerm | None, float]) -> list[tuple[float | str, float | str]]:
        quoted = tuple(
            PriceOverride(accelerator=H100, term=term, rent_per_device_hour=Money(usd)) for term, usd in rows
        )
        economics = msgspec.structs.replace(scenario.economics, overrides=quoted)
        found = unusable_rows(msgspec.structs.replace(scenario, economics=economics), catalog)
        return [(one.values["row"], one.values["lowest_usd_per_hour"]) for one in found]

    assert undercut(*ladder.items()) == []
    assert undercut(*ladder.items(), (None, 2.9)) == [(1, 2.9)]
    assert undercut(*ladder.items(), (None, 3.5)) == [(5, 3.0)]
    assert undercut(*ladder.items(), ("rent_1y", 2.4)) == [(5, 2.2)]


def test_a_quotation_is_told_while_its_currency_has_no_rate(catalog, llama_8b):
    example = next(one for one in EXAMPLES if one.code == "currency_without_rate")
    scenario = scenario_of(example, llama_8b)
    rates = (ExchangeRate(currency="EUR", usd_per_unit=1.1),)
    rated = msgspec.structs.replace(scenario, economics=msgspec.structs.replace(scenario.economics, rates=rates))
    assert [one.code for one in unusable_rows(scenario, catalog)] == ["currency_without_rate"]
    assert not list(unusable_rows(rated, catalog))
