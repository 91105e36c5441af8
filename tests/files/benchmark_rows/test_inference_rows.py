"""Rows of published inference results, read in the sense in which their sources state them."""

from __future__ import annotations

import pytest

from gpuplanner_gui.files.benchmark_rows import inference_rows
from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

ROW = {
    "case_id": "x-1",
    "source": "somewhere",
    "model": "Llama-3-8B",
    "gpu": "A100-SXM4-80GB",
    "n_gpus": "1",
    "engine": "vLLM",
    "engine_version": "0.6.1",
    "weight_precision": "fp16",
    "isl": "128",
    "osl": "256",
    "concurrency_or_batch": "16",
    "scenario": "fixed_batch",
    "metric": "total_tok_s",
    "unit": "tok/s",
    "value": "100",
}
CONTEST = {"source": "MLPerf Inference v4.0 results", "weight_precision": "", "isl": "", "osl": "",
           "concurrency_or_batch": "", "scenario": "offline_max_throughput", "unit": "samples/s",
           "metric": "samples_s"}  # fmt: skip


def read(**changes: str):
    return inference_rows.case({**ROW, **changes}, load_shipped_catalog(), load_calibration())


def case(**changes: str):
    return read(**changes)[0]


def test_a_fixed_batch_is_read_as_stated():
    found = case()
    assert (found.load, found.concurrency, found.prompt_tokens, found.output_tokens) == ("batch", 16, 128, 256)
    assert (found.engine, found.software) == ("vllm", "vllm-0.6")


@pytest.mark.parametrize(
    ("engine", "version", "software"),
    [
        ("vLLM", "0.11.0", "vllm-1"),
        ("vLLM", "", "vllm"),
        ("vLLM-Ascend", "0.9.1", "vllm-ascend"),
        ("vLLM (Splitwise profiling)", "", "vllm-0.2-profiled"),
        ("TensorRT", "TensorRT 9.0.0, CUDA 12.2", "tensorrt"),
        ("TensorRT-LLM", "TensorRT 10.2.0, CUDA 12.4", "trtllm-contest"),
        ("TensorRT-LLM", "0.9.0", "trtllm-0"),
        ("Ollama/llama.cpp", "2025", "llama.cpp-2025"),
        ("HF Transformers", "4.46.0", "hf-transformers"),
        ("Transformers NeuronX", "2.18.0", "neuronx"),
        ("DeepSpeed (optimum-habana)", "", "optimum-habana"),
        ("nobody's engine", "", "generic"),
    ],
)
def test_software_goes_by_its_generation(engine, version, software):
    assert case(engine=engine, engine_version=version).software == software


def test_engines_that_give_each_device_its_own_layers_are_pipelines():
    stated = {"n_gpus": "4", "tp": "4", "pp": "1"}
    split = case(**stated, engine="llama.cpp").layout
    assert (split.tensor_parallel, split.pipeline_parallel, split.replicas) == (1, 4, 1)
    shared = case(**stated).layout
    assert (shared.tensor_parallel, shared.pipeline_parallel) == (4, 1)


def test_one_request_uses_all_devices_where_no_layout_is_stated():
    found = case(n_gpus="4", scenario="single_stream", concurrency_or_batch="1").layout
    assert (found.tensor_parallel, found.replicas) == (4, 1)
    assert case(n_gpus="4").layout.replicas == 0


def test_a_peak_that_a_client_saw_is_more_than_runs_at_once():
    notes = "100 requests (arrival setting in doc), concurrency = peak concurrent requests seen by client"
    seen = {"scenario": "concurrency", "concurrency_or_batch": "11"}
    found, remarks = read(**seen, notes=notes)
    assert found.load == "steady"
    assert 1 < found.concurrency < 11
    assert remarks
    assert case(**seen, notes=f"workload BS=2; {notes}").concurrency == 2


def test_requests_that_come_together_are_a_run():
    found = case(
        scenario="offline_max_throughput", concurrency_or_batch="1000", notes="workload ShareGPT; 1000 requests"
    )
    assert (found.load, found.concurrency) == ("offline", 1000)
    assert found.output_spread > 0
    assert case(scenario="offline_max_throughput", concurrency_or_batch="").concurrency == 0


def test_a_stated_largest_batch_limits_without_ending():
    found = case(scenario="offline_max_throughput", concurrency_or_batch="256", notes="concurrency = max batch")
    assert (found.concurrency, found.max_sequences) == (0, 256)


def test_drafts_are_read_from_the_notes():
    assert case(notes="--speculative-algorithm EAGLE3").speculates
    assert not case().speculates


def test_samples_of_a_contest_are_those_of_its_data_set():
    bert, remarks = read(**CONTEST, model="BERT-Large", notes="benchmark bert-99.9")
    assert (bert.load, bert.prompt_tokens, bert.needs_accuracy) == ("samples", 178, True)
    assert "mlperf-bert" in remarks[0]
    assert not case(**CONTEST, model="BERT-Large", notes="benchmark bert-99").needs_accuracy
    drawn = case(**CONTEST, model="SDXL")
    assert drawn.sample_flop == pytest.approx(20 * 2 * 6.761e12 + 10.47e12, rel=0.001)
    heard = case(**CONTEST, model="Whisper-Large-v3")
    assert (heard.load, heard.counts_tokens, heard.output_tokens) == ("samples", True, 85)


def test_samples_outside_a_contest_are_as_stated():
    found = case(model="BERT-Large", isl="384", osl="", metric="samples_s", unit="samples/s")
    assert (found.load, found.prompt_tokens, found.sample_flop, found.counts_tokens) == ("samples", 384, 0, False)


def test_part_of_a_larger_unit_is_refused():
    with pytest.raises(RowProblem, match="8 devices of a unit whose experts are spread over 144"):
        read(model="DeepSeek-R1", n_gpus="8", ep="144")


def test_rates_of_tokens_are_not_defined_for_images():
    with pytest.raises(RowProblem, match="without tokens"):
        read(model="ResNet-50")


@pytest.mark.parametrize(
    ("gpu", "locator", "counted"),
    [
        ("CPU EPYC 7R13", "results@closed/C/results/aws_inf2.xlarge-reference-cpu/resnet50/offline", False),
        ("CPU Xeon 8481C", "results@closed/C/results/gcp.c3_standard_8-reference-cpu/resnet50/offline", False),
        ("CPU Xeon 8380", "results@closed/N/results/Triton_CPU_2S_8380x1/bert-99/Offline", True),
        ("T4-16GB", "results@closed/C/results/gcp_t4-nvidia_original-gpu/resnet50/offline", True),
    ],
)
def test_a_processor_of_a_rented_machine_is_judged_by_nobody(gpu, locator, counted):
    """It has a part of the socket's cores, and the row does not say how many."""
    assert inference_rows.counts({"gpu": gpu, "source_locator": locator}) is counted
    assert not inference_rows.counts({"gpu": gpu, "source_locator": locator, "suspect": "mixed up"})
