from __future__ import annotations

from pathlib import Path

import pytest

from gpuplanner_gui import paths

REPOSITORY = Path(__file__).resolve().parent.parent


def test_checkout_is_read_from_its_top_level():
    assert paths.catalogs_dir() == REPOSITORY / "catalogs"
    assert paths.resources_dir() == REPOSITORY / "resources"


def test_installed_program_reads_what_lies_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "site" / "_catalogs").mkdir(parents=True)
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "site")
    assert paths.catalogs_dir() == tmp_path / "site" / "_catalogs"


def test_missing_folder_is_named_with_the_places_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "site")
    with pytest.raises(paths.IncompleteInstallationError, match="'resources'") as caught:
        paths.resources_dir()
    assert caught.value.searched == (tmp_path / "site" / "_resources", tmp_path / "resources")


def test_user_folders_follow_the_variable(user_home: Path):
    folders = {paths.user_data_dir(), paths.user_config_dir(), paths.log_dir()}
    assert {folder.parent for folder in folders} == {user_home}
    assert len(folders) == 3
    assert paths.user_catalogs_dir().parent == paths.user_data_dir()


def test_user_folders_are_the_platforms_without_the_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(paths.HOME_VARIABLE)
    assert paths.user_data_dir().name == paths.APPLICATION_NAME
    assert paths.user_data_dir().is_absolute()


@pytest.mark.parametrize(
    ("program", "folder"),
    [("planner/gpuplanner", "planner"), ("planner/GPU Planner.app/Contents/MacOS/gpuplanner", "planner")],
)
def test_build_is_the_folder_that_is_signed(program: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.frozen", True, raising=False)
    monkeypatch.setattr("sys.executable", str(tmp_path / program))
    assert paths.build_dir() == tmp_path.resolve() / folder
