"""Fits what serving engines add to kernels to published results, whole groups left out to judge the fit.

`python -m tools.fit_serving` fits on all development tables and writes `catalogs/serving_engines.json` and
`catalogs/serving_devices.json`; the fidelity report repeats the fit without each group.
"""
