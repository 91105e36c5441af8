"""Units of a prefill and a decode pool as a service that can be simulated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.simulation.client_service import ClientService
from gpuplanner_gui.engine.simulation.disaggregated import KvTransfer, ReplicaPool, simulate_disaggregated
from gpuplanner_gui.engine.simulation.pool import Outage
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.requests import Requests
from gpuplanner_gui.engine.simulation.result import SimulationResult


@dataclass(frozen=True)
class PoolsService(ClientService):
    """Workers that decode, with the workers that prefill for them; `replicas` are units of both."""

    prefill: ClientService = field(kw_only=True)
    prefill_workers: int = field(kw_only=True)
    decode_workers: int = field(kw_only=True)
    transfer: KvTransfer = field(kw_only=True)
    entry_s: float = field(kw_only=True)
    """Router and start of a request in the second pool, beside the step that takes it in."""

    @property
    def has_closed_form(self) -> bool:
        """The closed form of one pool is not theirs."""
        return False

    def serve(
        self, requests: Requests, outages: Sequence[Outage] = (), control: RunControl = UNCONTROLLED
    ) -> SimulationResult:
        """See `Service.serve`; where a unit is out, all its workers are."""
        first, then = self.prefill_workers, self.decode_workers
        reading = ReplicaPool(self.prefill.table, self.prefill.settings, self.replicas * first, self.routing)
        writing = ReplicaPool(self.table, self.settings, self.replicas * then, self.routing)
        links = replace(self.transfer, links=self.replicas * first)
        out = (_of_workers(outages, first), _of_workers(outages, then))
        found = simulate_disaggregated(reading, writing, links, requests, self.traffic.seed, control, out)
        return self.seen(found.served)

    def seen(self, result: SimulationResult) -> SimulationResult:
        """See `ClientService.seen`; requests enter two pools."""
        found = super().seen(result)
        answered = float(result.is_finished.sum())
        return replace(
            found,
            sent_s=found.sent_s - self.entry_s,
            request_seconds=found.request_seconds + answered * self.entry_s,
        )

    def _places_per_replica(self) -> int:
        return super()._places_per_replica() * self.decode_workers


def _of_workers(outages: Sequence[Outage], workers: int) -> tuple[Outage, ...]:
    """Outages of units as those of each of their workers."""
    return tuple(
        replace(outage, replica=outage.replica * workers + worker) for outage in outages for worker in range(workers)
    )


def pools_service(
    prefill: ClientService,
    decode: ClientService,
    prefill_workers: int,
    decode_workers: int,
    transfer_s: float,
    engine: EngineFacts,
) -> PoolsService:
    """A service of units. `transfer_s` is what a mean prompt's cache takes on the link."""
    tokens = float(decode.traffic.requests.prompt_tokens.mean())
    return PoolsService(
        **{one.name: getattr(decode, one.name) for one in fields(ClientService)},
        prefill=prefill,
        prefill_workers=prefill_workers,
        decode_workers=decode_workers,
        transfer=KvTransfer(kv_bytes_per_token=transfer_s / tokens, bytes_per_s=1.0),
        entry_s=engine.pool_entry_s,
    )
