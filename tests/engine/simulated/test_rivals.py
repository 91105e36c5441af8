"""Fleets that the closed form makes dearer than the best are looked at again where a replica fewer would be cheaper."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from gpuplanner_gui.api import new_scenario, plan, read_model
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.decision import sized_plan
from gpuplanner_gui.engine.serving.ranking import AS_CHEAP


def month_usd(scenario: Scenario) -> float:
    answer = plan(scenario, is_judged=False)[0].plan.serving
    assert answer is not None
    return float(answer.table.usd_per_month[answer.best])


def on(scenario: Scenario, *accelerators: str) -> Scenario:
    hardware = msgspec.structs.replace(scenario.hardware, accelerators=accelerators)
    return msgspec.structs.replace(scenario, hardware=hardware)


def test_a_replica_fewer_may_be_a_server_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fleet fills fourteen servers of eight H100; by the closed form it takes a replica more, and a server more."""
    asked = new_scenario(
        read_model("llama-3.3-70b"), preset="retrieval", rate=14, prompt=16_000, answer=400, ttft="4 s", pay="buy",
        where="data-centre",
    )  # fmt: skip
    scenario = on(asked, "nvidia-h100-sxm-80gb")
    looked_again = month_usd(scenario)
    monkeypatch.setattr(sized_plan, "SECOND_LOOKS", 0)
    assert looked_again < 0.95 * month_usd(scenario)


@pytest.mark.parametrize(("rate", "owned"), [(15, 16), (10, 4)])
def test_what_is_owned_is_no_cheaper_without_the_other_devices(rate: float, owned: int) -> None:
    """A replica fewer fits into the owned devices, and saves a whole server beside them."""
    asked = new_scenario(read_model("llama-3.3-70b"), rate=rate, own=f"{owned}xh100-sxm")
    among_others = on(asked, "nvidia-h100-sxm-80gb", "nvidia-b200-sxm-180gb", "amd-mi300x")
    assert month_usd(among_others) <= AS_CHEAP * month_usd(on(asked, "nvidia-h100-sxm-80gb"))


def test_a_device_more_makes_bursts_no_dearer() -> None:
    """The recommended fleet stands; another device, somewhat dearer by the quick estimate, is simulated as well."""
    asked = new_scenario(read_model("llama-3.1-8b"), preset="chat", rate=10, ttft="1 s", tpot="50 ms")
    traffic = msgspec.structs.replace(asked.service.traffic, arrivals="mmpp")
    service = msgspec.structs.replace(asked.service, traffic=traffic)
    bursty = msgspec.structs.replace(asked, serving=service)
    alone = month_usd(on(bursty, "nvidia-a100-sxm-80gb"))
    assert month_usd(on(bursty, "nvidia-h100-sxm-80gb", "nvidia-a100-sxm-80gb")) <= AS_CHEAP * alone


def test_less_headroom_takes_no_larger_fleet() -> None:
    """What a replica takes within the targets is its own: the headroom asked for does not make it less."""
    asked = new_scenario(read_model("qwen3-8b"), preset="retrieval", rate=10)
    cached = (msgspec.structs.replace(asked.service.classes[0], prefix_cache_share=0.5),)
    fleets = []
    for utilisation in (0.6, 0.75, 0.85):
        availability = msgspec.structs.replace(asked.service.availability, target_utilisation=utilisation)
        service = msgspec.structs.replace(asked.service, classes=cached, availability=availability)
        answer = plan(on(msgspec.structs.replace(asked, serving=service), "amd-mi300x"), is_judged=False)[0].plan.served
        table, best = answer.table, answer.best
        assert answer.simulation_of_best is not None
        assert answer.simulation_of_best.replicas < answer.simulation_of_best.quick_replicas
        fleets.append((float(table.replicas[best]), float(table.replicas_expected[best])))
    assert all(now <= before for one, other in pairwise(fleets) for before, now in zip(one, other, strict=True)), fleets
    assert all(expected <= whole for whole, expected in fleets), fleets


def test_less_load_leaves_what_a_replica_takes() -> None:
    """The rate that counts towards the chance is the replica's own, whether or not a smaller fleet would be enough."""
    asked = on(new_scenario(read_model("vit-l-16"), e2e="100 ms"), "nvidia-l4")
    taken = []
    for rate in (820.0, 776.0, 720.0):
        image = msgspec.structs.replace(asked.service.classes[0], request="classification", peak_rate_per_s=rate)
        service = msgspec.structs.replace(asked.service, classes=(image,))
        answer = plan(msgspec.structs.replace(asked, serving=service), is_judged=False)[0].plan.served
        assert answer.simulation_of_best is not None
        taken.append(float(answer.table.slo_rate_per_s[answer.best]) * answer.simulation_of_best.share_of_table)
    assert all(now >= 0.999 * before for before, now in pairwise(taken)), taken


def test_the_recommended_accelerator_alone_is_no_dearer() -> None:
    """Alone, another format of it leads the quick list, whose fleet stands; the first one's is simulated all the same,
    and more users cost no less."""
    asked = new_scenario(read_model("llama-3.1-8b"), load="people", users=400, think="20 s")
    months = {}
    for users in (360.0, 400.0):
        traffic = msgspec.structs.replace(asked.service.traffic, users=users)
        crowd = msgspec.structs.replace(asked, serving=msgspec.structs.replace(asked.service, traffic=traffic))
        among_others = on(crowd, "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "nvidia-l40s", "nvidia-a100-sxm-80gb")
        months[users] = month_usd(among_others)
        assert month_usd(on(crowd, "nvidia-a100-sxm-80gb")) <= AS_CHEAP * months[users]
    assert months[360.0] <= AS_CHEAP * months[400.0]


def test_one_more_target_makes_no_fleet_smaller() -> None:
    """The simulation moves the target on E2E more than that on TTFT; slow machines miss the latter first."""
    asked = on(new_scenario(read_model("qwen3-32b"), rate=5, prompt=2000, answer=2), "nvidia-h100-sxm-80gb")
    first, whole = Slo(metric="ttft", limit_s=1.0), Slo(metric="e2e", limit_s=1.0)
    replicas = []
    for slos in ((first,), (first, whole), (whole,)):
        one = msgspec.structs.replace(asked.service.classes[0], slos=slos)
        service = msgspec.structs.replace(
            asked.service, classes=(one,), weight_precisions=("fp8",), kv_precisions=("bf16",), tensor_parallel=1
        )
        hardware = msgspec.structs.replace(asked.hardware, max_devices_per_replica=1)
        answer = plan(msgspec.structs.replace(asked, serving=service, hardware=hardware), is_judged=False)[0]
        replicas.append(float(answer.plan.served.table.replicas[answer.plan.served.best]))
    alone, both, whole_alone = replicas
    assert alone <= both
    assert alone <= whole_alone  # A whole answer takes longer than its first token.
