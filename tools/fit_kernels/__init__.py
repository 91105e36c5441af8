"""Fits the kernel and collective parameters of `catalogs/calibration_kernels.json` to measured timings.

    python -m tools.fit_kernels                    everything again, from the thinned timings in the repository
    python -m tools.fit_kernels.thin FOLDER SPECS  thin full tables first (needs pyarrow)

`prepared` says what a fit needs, and how it is done; `operations` and `special_operations` what each kind of kernel is
fitted with; `fit` and `collectives` run it; `catalogue` puts the file together; `transfer` measures what a
device without timings gets from its relatives.
"""
