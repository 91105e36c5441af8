"""Published measurements that ship with the program, as a compact table: what ran, on what, and what came out."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.measurement import MeasuredLoad, Measurement, MeasurementContext, figure


class EvidenceRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One published figure with its context; a row of the table."""

    source: Annotated[int, about("Source", "", "Place in the table's sources.", minimum=0)]
    model: Annotated[str, about("Model", "", "Catalogue id.")]
    accelerator: Annotated[str, about("Accelerator", "", "Catalogue id.")]
    devices: Annotated[int, about("Devices", minimum=1)]
    precision: Annotated[str, about("Precision")]
    engine: Annotated[str, about("Engine")]
    parallel: Annotated[tuple[int, int, int, int], about("TP, PP, DP, EP")]
    load: Annotated[MeasuredLoad, about("Load", "", "Empty for training.")]
    concurrency: Annotated[float, about("Concurrency", "", "Requests at once; the global batch in training.")]
    prompt_tokens: Annotated[float, about("Prompt", "tok", "The sequence length in training.", minimum=0)]
    output_tokens: Annotated[float, about("Answer", "tok", minimum=0)]
    quantity: Annotated[str, about("Quantity")]
    value: Annotated[float, about("Value", "", "In the SI unit of the quantity.", above=0)]

    @property
    def measurement(self) -> Measurement:
        """The row as if it had been imported."""
        tensor, pipeline, data, expert = self.parallel
        common = MeasurementContext(
            model=self.model, accelerator=self.accelerator, devices=self.devices, weight_precision=self.precision,
            engine=self.engine, tensor_parallel=tensor, pipeline_parallel=pipeline, data_parallel=data,
            expert_parallel=expert,
        )  # fmt: skip
        if self.load:
            context = msgspec.structs.replace(
                common, load=self.load, concurrency=self.concurrency, prompt_tokens=self.prompt_tokens,
                output_tokens=self.output_tokens,
            )  # fmt: skip
        else:
            context = msgspec.structs.replace(
                common, sequence_length=round(self.prompt_tokens), global_batch=round(self.concurrency)
            )
        return Measurement(context=context, figures=(figure(self.quantity, self.value),))


class EvidenceTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """Published measurements and where they stand."""

    date: Annotated[str, about("As of")]
    sources: Annotated[tuple[str, ...], about("Sources")]
    rows: Annotated[tuple[EvidenceRow, ...], about("Rows")]
