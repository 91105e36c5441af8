"""Facts of an engine as they were at a stated release."""

from __future__ import annotations

import re

import msgspec

from gpuplanner_gui.domain.serving_engine import EngineFacts

_NUMBERS = re.compile(r"^v?(\d{1,6}(?:\.\d{1,6}){0,3})")


def release_numbers(release: str) -> tuple[int, ...]:
    """A release's numbers, 0.7.3 for `v0.7.3.post1`; empty where it does not begin with any."""
    found = _NUMBERS.match(release.strip())
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def engine_of_release(engine: EngineFacts, release: str) -> EngineFacts:
    """The facts with what releases before a known change did otherwise; as they are where nothing is known."""
    numbers = release_numbers(release)
    for older in engine.older:
        if numbers and numbers < release_numbers(older.before):
            return msgspec.structs.replace(
                engine,
                mixes_prefill=older.mixes_prefill,
                captured_tokens=older.captured_tokens,
                max_sequences=older.max_sequences,
                decode_step_host_s=older.decode_step_host_s,
                sequence_host_s=older.sequence_host_s,
                delivery_steps=older.delivery_steps,
            )
    return engine
