"""What a planner who changes nothing is told to rent: catalogued models, every default, and whether it can be had.

    python -m tools.default_answers [--count 50]

Of the catalogue's models that answer in tokens, every n-th is asked to serve 10 requests a second of 1,024 and 256
tokens within TTFT 1 s and TPOT 50 ms. An answer stands if a data centre may run the device, the fleet is paid for in
units that the named provider rents out, and three providers bear the price out; or if the program says that no such
device is known.
"""

from __future__ import annotations

import argparse
from collections import Counter

from gpuplanner_gui.domain.catalog import Catalog, CatalogModel
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.cost.offers import LEAST_PROVIDERS, offers_of
from tools.repository import shipped_context

TOKEN_KINDS = ("dense_decoder", "moe_decoder", "ssm_hybrid")
SAYS_SO = ("few_offers", "service_misses_targets")
PEAK_RATE_PER_S = 10.0


def verdict(model: Model, catalog: Catalog, calibration: Calibration) -> tuple[bool, str]:
    """Whether the default answer for a model can be had, and the answer in a line."""
    scenario = Scenario(
        name="default", model=model, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=PEAK_RATE_PER_S),))
    )
    found = plan(scenario, catalog, calibration)
    assert found.serving is not None
    table, best = found.serving.table, found.serving.best
    said = {one.code for one in found.findings}
    if best < 0:
        return True, "no device is known to run it"
    entry = catalog.accelerators[found.accelerators[int(table.accelerator[best])]]
    fleet = float(table.devices_per_replica[best]), float(table.replicas[best])
    quote = offers_of(catalog).quote(entry, scenario.economics.serving_procurement, scenario.economics, *fleet)
    unit, paid = float(table.unit_devices[best]), float(table.paid_devices[best])
    licensed = calibration.use_terms.of(entry.id, "data_centre") is None
    is_rented_so = unit in {size for size, _ in quote.sizes} and paid % unit == 0
    line = (
        f"{paid:.0f} x {entry.name} in units of {unit:.0f} at {quote.provider}, "
        f"{table.usd_per_device_hour[best]:.2f} USD/h ({quote.providers} providers), "
        f"{table.usd_per_month[best]:,.0f} USD/month"
    )
    if int(table.reason[best]) != Reason.NONE:
        line += f"; misses: {Reason(int(table.reason[best])).name}"
    stands = licensed and is_rented_so and quote.providers >= LEAST_PROVIDERS
    return stands or bool(said & set(SAYS_SO)), line + ("" if stands else f"; said: {sorted(said & set(SAYS_SO))}")


def asked_models(catalog: Catalog, count: int) -> list[CatalogModel]:
    """Every n-th of the models that answer in tokens."""
    models = [one for one in catalog.models.values() if one.model.kind in TOKEN_KINDS]
    return models[:: max(1, len(models) // count)][:count]


def main() -> None:
    """Print each answer, and how many stand."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50, help="models to ask (default 50)")
    count = parser.parse_args().count
    context = shipped_context()
    asked = asked_models(context.catalog, count)
    results: Counter[bool] = Counter()
    for one in asked:
        stands, line = verdict(one.model, context.catalog, context.calibration)
        results[stands] += 1
        print(f"{'ok ' if stands else 'NO '} {one.id}: {line}", flush=True)
    print(f"{results[True]} of {len(asked)} answers stand")


if __name__ == "__main__":
    main()
