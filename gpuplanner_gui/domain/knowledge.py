"""All that measurements have taught the program: kernel efficiency, what serving engines and frameworks add."""

from __future__ import annotations

import msgspec

from gpuplanner_gui.domain.calibration import KernelCalibration, OwnEfficiency
from gpuplanner_gui.domain.hardware import UseTerms
from gpuplanner_gui.domain.local_calibration import ErrorHierarchy, LocalCalibration
from gpuplanner_gui.domain.measurement import EvidenceTable
from gpuplanner_gui.domain.phase_gain import MeasuredGain
from gpuplanner_gui.domain.precision_support import PrecisionSupport
from gpuplanner_gui.domain.preset import EconomicsPresets, UncertaintyDefaults
from gpuplanner_gui.domain.serving_engine import DeviceFamily, EngineFacts, InferenceStacks
from gpuplanner_gui.domain.training_calibration import TrainingCalibration


class Calibration(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What a plan rests on beside the catalogue; `digest` is recorded in every plan."""

    kernels: KernelCalibration
    engines: tuple[EngineFacts, ...]
    families: tuple[DeviceFamily, ...] = ()
    """The first that a device belongs to says how kernels do on it while serving."""
    """How far closed loops and pools lie from measurements that the fit had not seen."""
    errors: ErrorHierarchy
    """How far installations that nobody has measured lie from predictions."""
    published: EvidenceTable | None = None
    """Published runs that ship: which devices, engines and formats have been seen."""
    stacks: InferenceStacks
    """What software on families of devices makes of kernels, as published inference results show."""
    training: TrainingCalibration
    economics: EconomicsPresets
    """Owners' usual terms, what a machine's price buys, energy by region."""
    uncertainty: UncertaintyDefaults
    """How uncertain each input usually is."""
    digest: str
    formats: PrecisionSupport = PrecisionSupport()
    """Which number formats serving engines run on which accelerators."""
    use_terms: UseTerms = UseTerms()
    """Where devices may be used."""
    gains: tuple[MeasuredGain, ...] = ()
    """Published ratios of two accelerators in the same configuration; predictions do not use them."""
    own: tuple[OwnEfficiency, ...] = ()
    """What the planner's own timings of single operations changed in `kernels`."""
    local: LocalCalibration | None = None
    """What the planner's own measurements add; None: nothing."""

    def engine(self, name: str) -> EngineFacts:
        """Facts of one engine. Raises KeyError for one that is not described."""
        for facts in self.engines:
            if facts.engine == name:
                return facts
        raise KeyError(name)
