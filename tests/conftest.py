"""What every test gets: no screen needed, no real user's folders touched, the same Hypothesis cases in CI."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

from gpuplanner_gui import api
from gpuplanner_gui.drawing.shown_money import DOLLARS, use_shown_money
from gpuplanner_gui.paths import HOME_VARIABLE
from tests.kept_plans import kept_plan
from tests.short_runs import REQUESTS, WHOLE

REPOSITORY = Path(__file__).resolve().parent.parent
SMALL_CHAT = REPOSITORY / "tests" / "small" / "chat-on-two-devices.gpuplan"
"""Chat of a 70B model, as the example, at 8 requests a second on one of two devices: planned in a third of its time."""

# Set while pytest starts: Qt reads these when it is imported, and subprocesses inherit them.
if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("ci" if os.environ.get("CI") else "local")

_session_home = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Give the session a home of its own: ours by variable, Qt's and others' by the XDG ones."""
    home = tempfile.mkdtemp(prefix="gpuplanner-tests-")
    config.stash[_session_home] = home
    os.environ[HOME_VARIABLE] = str(Path(home, "gpuplanner"))
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        os.environ[variable] = str(Path(home, variable.lower()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long walks are taken by `make test-deep` alone."""
    deep = [] if "GPUPLANNER_DEEP" in os.environ else [item for item in items if item.get_closest_marker("deep")]
    config.hook.pytest_deselected(items=deep)
    items[:] = [item for item in items if item not in set(deep)]


def with_deep(paths: Iterable[Path], *slow: str) -> list[Path | ParameterSet]:
    """Files as parameters of a test, some of them by their names for `make test-deep` alone."""
    return [pytest.param(path, marks=pytest.mark.deep) if path.stem in slow else path for path in paths]


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_session_home], ignore_errors=True)


@pytest.fixture(autouse=True)
def amounts_are_in_dollars() -> None:
    """What one test's window showed amounts in is nothing to the next test."""
    use_shown_money(DOLLARS)


@pytest.fixture(scope="module")
def short_simulations() -> Iterator[None]:
    """Recommended fleets are simulated with a tenth of the requests, by the same way to the same kinds of answer.

    For tests that say what comes of a plan, whichever it is: most of a plan's time is spent on these requests. Tests
    of the simulation, and of figures that hang on it, leave it as it is.
    """
    with pytest.MonkeyPatch.context() as patched:
        for module, name, most in REQUESTS:
            patched.setattr(module, name, most)
        yield


@pytest.fixture
def whole_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program's own number of requests for one test of a module that is content with fewer."""
    for module, name, most in WHOLE:
        monkeypatch.setattr(module, name, most)


@pytest.fixture
def plans_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands on one file share its plan; `plan` and `report` of it need not make it each."""
    monkeypatch.setattr(api, "plan", kept_plan)


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty user folders for one test that reads or writes there."""
    home = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    return home


@pytest.fixture(scope="session")
def screenshots_dir() -> Path:
    """Where tests leave pictures for a person to look at."""
    folder = REPOSITORY / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
