"""What a unit of work costs: a training run, a million tokens, a request, a user in a month."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.engine.cost.finance import Values
from gpuplanner_gui.engine.formula import formula

SECONDS_PER_HOUR = 3600.0
TOKENS_PER_PRICE = 1e6
"""Token prices are quoted per million."""
DAYS_PER_MONTH = 365.0 / 12


@dataclass(frozen=True)
class RunHours:
    """Device-hours that a training run takes, by what they are spent on. [h]"""

    productive_h: Values
    """Steps that count, on devices that never fail."""
    lost_h: Values
    """Checkpoints, recomputed steps, restarts."""
    retry_h: Values
    validation_h: Values
    experiment_h: Values

    @property
    def total(self) -> Values:
        return self.productive_h + self.lost_h + self.retry_h + self.validation_h + self.experiment_h


@dataclass(frozen=True)
class RunCost:
    """What a training run is billed. [USD]"""

    devices_usd: Values
    storage_usd: Values
    egress_usd: Values
    staff_usd: Values

    @property
    def total(self) -> Values:
        return self.devices_usd + self.storage_usd + self.egress_usd + self.staff_usd


@dataclass(frozen=True)
class RequestCost:
    """What one request costs, by kind of token. [USD]"""

    input_usd: Values
    cached_input_usd: Values
    output_usd: Values

    @property
    def total(self) -> Values:
        return self.input_usd + self.cached_input_usd + self.output_usd


@formula(
    title="Device-hours of a training run",
    unit="h",
    expression="device_hours/goodput·(1 + retries + validation + experiments)",
    source="headroom on top of hours that failures stretch",
)
def training_run_hours(
    device_hours: Values, goodput: Values, retries: Values, validation: Values, experiments: Values
) -> RunHours:
    """Device-hours to plan for, by what they are spent on.

    Parameters
    ----------
    device_hours : productive device-hours, without failures or headroom. [h]
    goodput : share of the hours that is productive, above 0, at most 1. [1]
    retries, validation, experiments : headroom as shares of the stretched run. [1]
    """
    stretched = device_hours / goodput
    return RunHours(
        device_hours,
        stretched - device_hours,
        stretched * retries,
        stretched * validation,
        stretched * experiments,
    )


@formula(
    title="Cost of a training run",
    unit="USD",
    expression="total device-hours·usd_per_device_hour + storage + egress + staff",
    source="sum of the parts",
)
def training_run_cost(
    hours: RunHours, usd_per_device_hour: Values, storage_usd: Values, egress_usd: Values, staff_usd: Values
) -> RunCost:
    """Bill of a training run, by part. [USD]"""
    return RunCost(hours.total * usd_per_device_hour, storage_usd, egress_usd, staff_usd)


@formula(
    title="Cost per million tokens",
    unit="USD/Mtok",
    expression="usd_per_hour·10⁶ / (tokens_per_s·3600·utilisation)",
    source="an hour's price over the tokens of that hour",
)
def usd_per_million_tokens(usd_per_hour: Values, tokens_per_s: Values, utilisation: Values) -> Values:
    """Price of a million tokens; infinite where none are made. [USD/Mtok]

    `usd_per_hour` is of whatever makes `tokens_per_s` at full use: a device, a replica, or a fleet with its spares.
    For input tokens give the prefill rate, for output tokens the decode rate, if the phases share devices by time.

    Examples
    --------
    >>> round(float(usd_per_million_tokens(1.41, 1000, 1)), 6)
    0.391667
    """
    with np.errstate(divide="ignore"):
        return np.asarray(usd_per_hour, float) * TOKENS_PER_PRICE / (tokens_per_s * SECONDS_PER_HOUR * utilisation)


@formula(
    title="Cost per million cached input tokens",
    unit="USD/Mtok",
    expression="input_usd_per_mtok·recomputed_share",
    source="a cached token skips its prefill, except for the share that the engine computes again",
)
def cached_input_usd_per_million(input_usd_per_mtok: Values, recomputed_share: Values) -> Values:
    """Price of a million prompt tokens found in the prefix cache. [USD/Mtok]"""
    return input_usd_per_mtok * recomputed_share


@formula(
    title="Blended cost per million tokens",
    unit="USD/Mtok",
    expression="(ratio·input_usd_per_mtok + output_usd_per_mtok) / (ratio + 1)",
    source="mean over a mix of input and output tokens",
)
def blended_usd_per_million(
    input_usd_per_mtok: Values, output_usd_per_mtok: Values, input_per_output: Values
) -> Values:
    """Price of a million tokens of a mix with `input_per_output` input tokens for each output token. [USD/Mtok]"""
    return (input_per_output * input_usd_per_mtok + output_usd_per_mtok) / (input_per_output + 1)


@formula(
    title="Cost per request",
    unit="USD",
    expression="input·(1 − cached)·price + input·cached·cached price + output·price",
    source="tokens of each kind at their price",
)
def usd_per_request(
    input_tokens: Values,
    output_tokens: Values,
    cached_share: Values,
    input_usd_per_mtok: Values,
    cached_usd_per_mtok: Values,
    output_usd_per_mtok: Values,
) -> RequestCost:
    """Cost of one request, by kind of token; `cached_share` of the prompt is found in the prefix cache. [USD]"""
    return RequestCost(
        input_tokens * (1 - cached_share) * input_usd_per_mtok / TOKENS_PER_PRICE,
        input_tokens * cached_share * cached_usd_per_mtok / TOKENS_PER_PRICE,
        output_tokens * output_usd_per_mtok / TOKENS_PER_PRICE,
    )


@formula(
    title="Cost per user and month",
    unit="USD/month",
    expression="usd_per_request·requests_per_user_day·365/12",
    source="requests of a mean month",
)
def usd_per_user_month(usd_per_request: Values, requests_per_user_day: Values) -> Values:
    """What one user costs in a mean month. [USD/month]"""
    return usd_per_request * requests_per_user_day * DAYS_PER_MONTH


@formula(
    title="Fleet cost per million tokens",
    unit="USD/Mtok",
    expression="fleet_usd / tokens·10⁶",
    source="spare replicas and idle hours included",
)
def fleet_usd_per_million_tokens(fleet_usd: Values, tokens: Values) -> Values:
    """What a fleet cost over a period, per million tokens that it really served; infinite if none. [USD/Mtok]"""
    with np.errstate(divide="ignore"):
        usd_per_token: Values = np.asarray(fleet_usd, float) / np.asarray(tokens, float)
    return usd_per_token * TOKENS_PER_PRICE
