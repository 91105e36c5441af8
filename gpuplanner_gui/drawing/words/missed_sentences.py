"""The sentences for services that meet their targets on no candidate."""

MISSED_SENTENCES: dict[str, str] = {
    "service_misses_targets": (
        "No candidate meets every target: even a single request on the closest one takes {over} times a "
        "limit (TTFT p95 {ttft_s}, TPOT p95 {tpot_s})."
    ),
    "service_misses_full_batches": (
        "No candidate meets every target: even at the load that suits it best, the closest one takes {over} times a "
        "limit. With static batching a batch begins only when it is full."
    ),
    "service_misses_whole_answers": (
        "No candidate meets every target: even a single request takes {over} times a limit (E2E p95 {e2e_s})."
    ),
}
