"""A catalogue pack in the window: seen before it counts, in force at once, taken back with one click."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest
from nacl.signing import SigningKey
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.price_list import PackDialog
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.files.packs.pack_file import applied_packs
from gpuplanner_gui.files.signatures import PublicKey, key_line, signature_line, signed_bytes, user_keys_dir

T4 = "nvidia-t4"
RESULT_WAIT_MS = 60_000


@pytest.fixture
def pack(user_home: Path, tmp_path: Path) -> Path:
    key = SigningKey(b"k" * 32)
    user_keys_dir().mkdir(parents=True)
    (user_keys_dir() / "site.pub").write_text(key_line(PublicKey("site", bytes(key.verify_key))), encoding="ascii")
    stated = {
        "format": "gpuplanner-pack", "name": "Prices of <b>November</b> 2026", "issued_on": "2026-11-20",
        "issuer": "Purchasing", "notes": "Quotes of three dealers.",
        "accelerators": [{"id": T4, "tdp_w": 71}, {"id": "nvidia-a2", "price": {"usd": 900, "as_of": "2026-11"}}],
        "offers": [{"id": "own-t4", "provider": "Own", "market": "own", "instance": "t4", "accelerator_id": T4,
                    "accelerator_count": 1, "on_demand_usd_per_h": 0.4}],
    }  # fmt: skip
    payload = msgspec.json.encode(stated)
    path = tmp_path / "november.gpupack"
    path.write_bytes(signature_line(key.sign(signed_bytes("pack", payload)).signature).encode() + payload)
    return path


@pytest.fixture
def window(answered_window: MainWindow) -> MainWindow:
    return answered_window


def answer_dialog(accept: bool, seen: list[str], screenshot: Path | None = None) -> None:
    dialog = QApplication.activeModalWidget()
    if dialog is None:  # The pack is still being read.
        QTimer.singleShot(20, lambda: answer_dialog(accept, seen, screenshot))
        return
    assert isinstance(dialog, PackDialog)
    model = dialog.model
    for row in range(model.rowCount()):
        seen.append(" ".join(str(model.index(row, column).data()) for column in range(model.columnCount())))
    if screenshot is not None:
        dialog.grab().save(str(screenshot))
    dialog.accept() if accept else dialog.reject()


@pytest.mark.slow
def test_pack_is_shown_then_in_force_then_taken_back(
    window: MainWindow, pack: Path, qtbot: QtBot, screenshots_dir: Path
) -> None:
    before = window.compute.catalog.accelerators[T4].tdp_w
    seen: list[str] = []
    QTimer.singleShot(0, lambda: answer_dialog(False, seen, screenshots_dir / "catalogue-pack.png"))
    window.commands.open_path(pack)
    qtbot.waitUntil(lambda: bool(seen) and not window.packs.is_reading, timeout=RESULT_WAIT_MS)
    assert any(line.startswith("accelerator nvidia-t4") and "71 W" in line for line in seen)
    assert any(line.startswith("offer own-t4") and " new " in line for line in seen)
    assert applied_packs() == ()

    QTimer.singleShot(0, lambda: answer_dialog(True, seen))
    with qtbot.waitSignals([window.compute.catalog_ready, window.compute.completed], timeout=RESULT_WAIT_MS):
        window.commands.open_path(pack)
    assert window.compute.catalog.accelerators[T4].tdp_w == 71
    assert "Now in use" in window.messages.text.text()

    with qtbot.waitSignals([window.compute.catalog_ready, window.compute.completed], timeout=RESULT_WAIT_MS):
        window.messages.action.click()
    assert window.compute.catalog.accelerators[T4].tdp_w == before
    assert applied_packs() == ()


@pytest.mark.slow
def test_changed_pack_is_refused_with_a_sentence(window: MainWindow, pack: Path, qtbot: QtBot) -> None:
    pack.write_bytes(pack.read_bytes().replace(b"71", b"17"))
    window.commands.open_path(pack)
    qtbot.waitUntil(lambda: "no known key" in window.messages.text.text(), timeout=RESULT_WAIT_MS)
    window.packs.take_back()
    assert "No catalogue pack is in use" in window.messages.text.text()


@pytest.mark.slow
def test_a_revocation_names_what_the_key_had_signed(window: MainWindow, pack: Path, qtbot: QtBot) -> None:
    seen: list[str] = []
    owner, site = SigningKey(b"o" * 32), SigningKey(b"k" * 32)
    line = key_line(PublicKey("owner", bytes(owner.verify_key), ("keys",)))
    (user_keys_dir() / "owner.pub").write_text(line, encoding="ascii")
    revoked = {"fingerprint": PublicKey("site", bytes(site.verify_key)).fingerprint, "revoked_on": "2026-11-20"}
    payload = msgspec.json.encode(
        {"format": "gpuplanner-pack", "name": "Revocation", "issued_on": "2026-11-20", "revoked_keys": [revoked]}
    )
    revocation = pack.with_name("revocation.gpupack")
    signature = owner.sign(signed_bytes("pack", payload)).signature
    revocation.write_bytes(signature_line(signature).encode() + payload)
    for path in (pack, revocation):
        QTimer.singleShot(0, lambda: answer_dialog(True, seen))
        with qtbot.waitSignals([window.compute.catalog_ready, window.compute.completed], timeout=RESULT_WAIT_MS):
            window.commands.open_path(path)
    assert "Remove packs that a revoked key signed: Prices of" in window.messages.text.text()


@pytest.mark.slow
def test_packs_that_come_together_are_shown_one_after_another(window: MainWindow, pack: Path, qtbot: QtBot) -> None:
    shown: list[list[str]] = [[], []]
    QTimer.singleShot(0, lambda: answer_dialog(False, shown[0]))
    window.commands.open_paths([pack, pack])
    qtbot.waitUntil(lambda: bool(shown[0]), timeout=RESULT_WAIT_MS)
    QTimer.singleShot(0, lambda: answer_dialog(False, shown[1]))
    qtbot.waitUntil(lambda: bool(shown[1]) and not window.packs.is_reading, timeout=RESULT_WAIT_MS)
    assert shown[0] == shown[1]
    assert applied_packs() == ()


@pytest.mark.slow
def test_reading_a_pack_can_be_given_up(window: MainWindow, pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpuplanner_gui.files.packs.powers.looked_at", lambda *_: time.sleep(0.2))
    window.commands.open_paths([pack, pack])
    window.update_cancel()
    window.menus.actions["cancel"].trigger()
    assert not window.packs.is_reading
    assert QApplication.activeModalWidget() is None
