"""SGLang bench_serving: one JSON object per run, appended; the rate may be a bare `Infinity`.

Older files name neither model nor device and hold only some of the latencies; newer ones carry `server_info`.
"""

from __future__ import annotations

import re

import msgspec

from gpuplanner_gui.domain.measurement import MeasurementContext
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, json_objects
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import JsonObject, is_infinite
from gpuplanner_gui.files.measurements.vllm_serve import context_of, figures_of_result, note_of
from gpuplanner_gui.files.model_names import precision_hint
from gpuplanner_gui.files.said import said

_FROM_NAME = re.compile(r"(?i)(llama|qwen|deepseek|mixtral|mistral|gemma|gpt-oss|glm|kimi|phi)")


def recognises(look: Look) -> bool:
    return look.has("dataset_name", "random_range_ratio", "completed", "duration")


def read(source: Source, look: Look) -> Findings:
    """Every run of the file."""
    findings = Findings()
    for line, result in json_objects(source, look, findings):
        if "completed" not in result:
            findings.remark(said("Line {line} is left out: it is no result.", line=line))
            continue
        findings.add(_context(result), figures_of_result(result), line, note_of(result))
    if _FROM_NAME.search(look.name) and not look.first.word("model_id", "model"):
        findings.remark(said("The file does not name the model; perhaps the name of the file does."))
    return findings


def _context(result: JsonObject) -> MeasurementContext:
    found = context_of(result)
    server = result.object("server_info")
    tp, pp = server.count("tp_size") or found.tensor_parallel, server.count("pp_size") or found.pipeline_parallel
    dp = server.count("dp_size")
    # With attention in groups these lie within the tensor-parallel devices; else each is a whole copy.
    copies = 1 if server.value("enable_dp_attention") is True else max(dp, 1)
    model = found.model_as_written or server.word("model_path")
    is_offline = is_infinite(result.value("request_rate")) and not result.positive("max_concurrency")
    return msgspec.structs.replace(
        found,
        model_as_written=model,
        weight_precision=found.weight_precision or server.word("quantization") or (precision_hint(model) or ""),
        engine=found.engine or "sglang",
        engine_version=found.engine_version or server.word("version"),
        tensor_parallel=tp,
        pipeline_parallel=pp,
        data_parallel=dp,
        expert_parallel=server.count("ep_size") or found.expert_parallel,
        devices=found.devices or tp * max(pp, 1) * copies,
        load="offline" if is_offline else found.load,
    )


IMPORTER = Importer("sglang_serving", "SGLang bench_serving", recognises, read, ('"random_range_ratio"',))
