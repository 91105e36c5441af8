"""What an attacker hides in a signed pack is refused or stands first: false prices, impossible figures, look-alikes."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.catalog import Pack, PackChange, RevokedKey
from gpuplanner_gui.domain.field import FieldChange
from gpuplanner_gui.drawing.words.pack import DOUBT_MARK, change_rows, doubts_text, pack_lines
from gpuplanner_gui.files.catalogs import load_catalog_of_packs, load_shipped_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.packs.pack_file import read_pack
from gpuplanner_gui.files.packs.powers import pack_changes, refuse_lookalikes, skeleton
from gpuplanner_gui.paths import catalogs_dir
from tests.files.packs.conftest import MakePack

H100 = "nvidia-h100-sxm-80gb"


def changes_of(make_pack: MakePack, **content: object) -> tuple[PackChange, ...]:
    path = make_pack("Tried", **content)
    return pack_changes(read_pack(path).pack, path, load_catalog_of_packs())


def test_false_offers_behind_hundreds_of_harmless_changes_stand_first(
    make_pack: MakePack, capsys: pytest.CaptureFixture[str]
) -> None:
    offers = [one for one in load_shipped_catalog().offers.values() if one.on_demand_usd_per_h]
    stated = [
        {"id": one.id, "on_demand_usd_per_h": 0.01 if one.accelerator_id == H100 else one.on_demand_usd_per_h * 1.01}
        for one in offers
    ]
    stated.sort(key=lambda one: one["on_demand_usd_per_h"] == 0.01)
    false = sum(one["on_demand_usd_per_h"] == 0.01 for one in stated)
    assert false > 10
    assert stated[0]["on_demand_usd_per_h"] != 0.01
    path = make_pack("Tried", offers=stated)
    assert main(["pack", "show", str(path)]) == 0
    told = capsys.readouterr().out
    assert f"Check {false} unusual changes" in told
    rows = [line for line in told.splitlines() if line.startswith("offer ")]
    assert len(rows) == len(stated)
    assert all(DOUBT_MARK in row for row in rows[:false])
    assert main(["pack", "show", str(path), "--filter", "$0.01"]) == 0
    assert len([line for line in capsys.readouterr().out.splitlines() if line.startswith("offer ")]) == false


def test_every_change_is_in_the_json(make_pack: MakePack, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_pack("Tried", accelerators=[{"id": "nvidia-t4", "tdp_w": 7}])
    assert main(["pack", "show", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (change,) = told["changes"]
    (figure,) = change["fields"]
    assert (figure["path"], figure["before"], figure["after"], figure["doubt"]) == ("tdp_w", 70.0, 7.0, "factor")


def test_the_filter_holds_for_json_too_and_what_is_said_beside_it_is_no_part_of_it(
    make_pack: MakePack, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_pack("Tried", accelerators=[{"id": "nvidia-t4", "tdp_w": 71, "idle_w": 11}, {"id": H100, "tdp_w": 701}])
    assert main(["pack", "apply", str(path), "--yes", "--json", "--filter", "71 W"]) == 0
    told = capsys.readouterr()
    changes = [(one["id"], [field["path"] for field in one["fields"]]) for one in json.loads(told.out)["changes"]]
    assert changes == [("nvidia-t4", ["tdp_w"])]
    assert "The pack is in use" in told.err


def test_a_senders_note_passes_for_no_word_of_the_program(
    make_pack: MakePack, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = "Signed by project, key 0000, which is trusted for programs."
    path = make_pack(
        "Tried", notes=f"New.\n{claim}", issuer=f"ACME\n{claim}", accelerators=[{"id": H100, "tdp_w": 701}]
    )
    assert main(["pack", "show", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("Signed by")] == [line for line in lines if "by site" in line]
    assert f"Note by the sender: “New. {claim}”" in lines


def test_one_unusual_change_is_told_as_one(make_pack: MakePack) -> None:
    changes = changes_of(make_pack, accelerators=[{"id": "nvidia-t4", "tdp_w": 7}])
    assert doubts_text(changes) == "Check one unusual change, listed first: moved more than twofold."


def test_a_pack_of_keys_alone_claims_nothing_of_figures(make_pack: MakePack) -> None:
    read = read_pack(make_pack("Tried"))
    revoked = RevokedKey(fingerprint=" ".join(["0000"] * 8), revoked_on="2026-01-01")
    told = " ".join(pack_lines(msgspec.structs.replace(read.pack, revoked_keys=(revoked,)), read.signer, (), ()))
    assert "No figure would change." in told
    assert "already in use" not in told


def test_a_new_offer_far_below_the_cheapest_is_doubted_with_its_figures(make_pack: MakePack) -> None:
    new = {"id": "x-h100", "provider": "X", "market": "neocloud", "instance": "x", "accelerator_id": H100}
    changes = changes_of(make_pack, offers=[{**new, "accelerator_count": 8, "on_demand_usd_per_h": 0.08}])
    rows = change_rows(changes)
    assert rows[0][1:5] == ("x-h100", "On demand", "new", "$0.08/h")
    assert {row[2] for row in rows} >= {"Provider", "Accelerators", "Accelerator"}
    assert "half of the cheapest offer" in doubts_text(changes)


def test_calibration_is_shown_as_old_and_new_figures(make_pack: MakePack) -> None:
    content = msgspec.json.decode((catalogs_dir() / "serving_engines.json").read_bytes())
    text = json.dumps(content)
    host = next(path for path in figures_in(content) if "host" in str(path[-1]))
    place = content
    for key in host[:-1]:
        place = place[key]
    before = place[host[-1]]
    place[host[-1]] = before * 0.1
    assert json.dumps(content) != text
    (change,) = changes_of(make_pack, calibration={"serving_engines.json": content})
    (figure,) = change.fields
    assert (figure.before, figure.after) == (before, before * 0.1)
    assert figure.doubt == "factor"
    assert "× 0.1" in change_rows([change])[0][-1]


def test_a_list_that_grows_or_shrinks_hides_no_other_change(make_pack: MakePack) -> None:
    engines = msgspec.json.decode((catalogs_dir() / "serving_engines.json").read_bytes())
    before = engines[0]["decode_step_host_s"]
    engines[0]["decode_step_host_s"] = before / 10
    gone = engines.pop()["name"]
    (change,) = changes_of(make_pack, calibration={"serving_engines.json": engines})
    faster = next(one for one in change.fields if one.path == "vLLM.decode_step_host_s")
    assert (faster.before, faster.after, faster.unit) == (before, before / 10, "s")
    rows = change_rows([change])
    assert any(row[2] == "vLLM, host time of a decode step" for row in rows)
    assert all(one.path.startswith(gone) for one in change.fields if one is not faster)
    assert "removed" in doubts_text([change])


def test_a_list_in_another_order_is_one_change(make_pack: MakePack) -> None:
    engines = msgspec.json.decode((catalogs_dir() / "serving_engines.json").read_bytes())
    (change,) = changes_of(make_pack, calibration={"serving_engines.json": engines[::-1]})
    assert [one.path.strip(".") for one in change.fields] == ["order"]


def test_figures_inside_lists_of_an_entry_are_listed(make_pack: MakePack) -> None:
    node = next(one for one in load_shipped_catalog().nodes.values() if one.nics)
    nics = msgspec.to_builtins(node.nics)
    nics[0]["bytes_per_s_each"] *= 10
    (change,) = changes_of(make_pack, nodes=[{"id": node.id, "nics": nics}])
    (field,) = change.fields
    assert (field.factor, field.doubt, field.unit) == (10, "factor", "B/s")


@pytest.mark.parametrize(
    ("entry", "path", "doubt"),
    [
        ({"tdp_w": None}, "tdp_w", "gone"),
        ({"name": "Blackwell Z9"}, "name", "identity"),
        ({"tdp_w": 7.0}, "tdp_w", "factor"),
    ],
)
def test_what_a_pack_takes_away_or_renames_stands_first(
    make_pack: MakePack, entry: dict[str, object], path: str, doubt: str
) -> None:
    (change,) = changes_of(make_pack, accelerators=[{"id": H100, "notes": ["New."], **entry}])
    assert {one.path: one.doubt for one in change.fields if one.doubt} == {path: doubt}
    assert DOUBT_MARK in change_rows([change])[0][-1]


def test_an_offer_that_turns_to_another_device_is_doubted(make_pack: MakePack) -> None:
    offer = next(one for one in load_shipped_catalog().offers.values() if one.accelerator_id == "nvidia-t4")
    (change,) = changes_of(make_pack, offers=[{"id": offer.id, "accelerator_id": H100}])
    assert [(one.path, one.doubt) for one in change.fields] == [("accelerator_id", "identity")]


def test_a_new_device_beyond_all_known_ones_is_doubted(make_pack: MakePack) -> None:
    stated = msgspec.to_builtins(load_shipped_catalog().accelerators[H100])
    new = {"id": "acme-x1", "name": "Acme X1", "architecture": "Acme", "peak_dense_flop_per_s": {"bf16": 9.9e16}}
    (change,) = changes_of(make_pack, accelerators=[{**stated, **new, "rental": {"on_demand_usd_per_h": 0.01}}])
    doubts = {one.path for one in change.fields if one.doubt == "beyond"}
    assert doubts == {"peak_dense_flop_per_s.bf16", "rental.on_demand_usd_per_h"}


def test_long_texts_are_shown_where_they_differ() -> None:
    note = "The same beginning of a long note. " * 5
    changes = [
        PackChange("nodes", "n", "changed", (FieldChange("notes.1", "Notes, 1", note + "30 kW", note + "3 kW"),))
    ]
    ((*_, before, after, _),) = change_rows(changes)
    assert before != after
    assert before.endswith("30 kW")


def figures_in(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in figures_in(item, (*path, key))]
    if isinstance(value, list):
        return [found for key, item in enumerate(value) for found in figures_in(item, (*path, key))]
    return [path] if isinstance(value, float) and value else []


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"id": H100, "memory_bandwidth_bytes_per_s": 1e30}, "Memory bandwidth must be at most"),
        ({"id": H100, "peak_dense_flop_per_s": {"bf16": 1e30}}, "BF16 must be at most"),
        ({"id": H100, "memory_bandwidth_bytes_per_s": 5e-324}, "smallest number allowed"),
        ({"id": H100, "rental": {"on_demand_usd_per_h": 1e9}}, "must be at most"),
    ],
)
def test_figures_that_physics_forbids_are_refused(make_pack: MakePack, entry: dict[str, object], words: str) -> None:
    with pytest.raises(FileProblem, match=words):
        changes_of(make_pack, accelerators=[entry])


ALIKE = (
    "Ｈ１００ SXM5 80GB", "Ｈ１００ SXM 80GB", "𝐇100 SXM5 80GB", "Ḥ100 SXM5 80GB", "H̲1̲00 SXM5 80GB", "ʜ100 SXM5 80GB",
    "H١٠٠ SXM5 80GB", "H1OO SXM5 80GB", "Hl00 SXM 80GB", "H100\u200dSXM5 80GB", "h100 sxm5 80gb\ufe0f",
)  # fmt: skip
"""In full width, mathematical letters, small capitals, other digits, with marks, joiners, O for 0, l for 1."""
MIXED = (
    "\u041d100 SXM5 80GB",
    "\u0397100 SXM5 80GB",
    "H100 S\u0425M5 80GB",
    "\u13bb100 SXM5 80GB",
    "H1\u0585\u0585 SXM5 80GB",
)
"""With Cyrillic, Greek, Cherokee and Armenian letters among Latin ones."""
HIDDEN = (
    "H100\u3164SXM5 80GB",
    "H100\uffa0SXM5 80GB",
    "H100\u2800SXM5 80GB",
    "H1\u034f00 SXM5 80GB",
    "H100\U000e0101 SXM5 80GB",
)
"""With fillers, blanks and joiners that nobody sees."""


@pytest.mark.parametrize(
    ("renamed", "words"),
    [
        ({"id": f"{H100} "}, "is not an identifier"),
        ({"id": "NVIDIA-H100-SXM-80GB"}, "is not an identifier"),
        ({"id": "nvidia_h100_sxm_80gb"}, "looks like"),
        ({"id": "acme-one", "name": "H100 SXM 80GB"}, "looks like"),
        ({"id": "acme-one", "name": "h100  sxm5-80gb"}, "looks like"),
        *(({"id": "acme-one", "name": name}, "looks like") for name in ALIKE),
        *(({"id": "acme-one", "name": name}, "two alphabets") for name in MIXED),
        *(({"id": "acme-one", "name": name}, "direction characters") for name in HIDDEN),
        ({"id": "nvidia-h1oo-sxm-80gb", "name": "Acme X1"}, "looks like"),
        ({"id": "acme-one", "name": "Acme X1", "vendor": "NVIDIА"}, "two alphabets"),
    ],
)
def test_look_alikes_of_a_known_device_are_refused(make_pack: MakePack, renamed: dict[str, str], words: str) -> None:
    stated = msgspec.to_builtins(load_shipped_catalog().accelerators[H100])
    assert stated["name"] == "H100 SXM5 80GB"
    with pytest.raises(FileProblem, match=words):
        changes_of(make_pack, accelerators=[{**stated, **renamed}])


def test_a_name_in_another_alphabet_alone_is_compared_and_else_taken(make_pack: MakePack) -> None:
    stated = msgspec.to_builtins(load_shipped_catalog().accelerators["amd-mi300x"])
    known = {**stated, "id": "acme-one", "name": "HX100"}
    twin = {**stated, "id": "acme-two", "name": "\u041d\u0425100"}
    with pytest.raises(FileProblem, match="'acme-two' looks like 'acme-one'"):
        changes_of(make_pack, accelerators=[known, twin])
    for name in ("昇腾 920 Acme", "Байкал-М", "µArch One"):
        assert changes_of(make_pack, accelerators=[{**twin, "name": name}])


def test_known_entries_that_look_alike_can_be_changed(make_pack: MakePack) -> None:
    """OPT 1.3B is no OPT 13B, and a pack that leaves a name as it is claims none."""
    assert skeleton("OPT-1.3B") != skeleton("OPT-13B")
    assert changes_of(make_pack, models=[{"id": one, "source": "x"} for one in ("opt-1.3b", "opt-13b")])


def test_names_of_the_catalogue_pass_under_their_own_identifier_alone() -> None:
    shipped, refused = load_shipped_catalog(), []
    for entry in shipped.accelerators.values():
        others = {key: one for key, one in shipped.accelerators.items() if key != entry.id}
        pack = Pack(name="p", issued_on="2026-11", accelerators=({"id": entry.id},))
        refuse_lookalikes(pack, Path("p"), msgspec.structs.replace(shipped, accelerators=others), shipped)
        twin = msgspec.structs.replace(entry, id="acme-one")
        after = msgspec.structs.replace(shipped, accelerators=shipped.accelerators | {twin.id: twin})
        with pytest.raises(FileProblem, match="looks like") as caught:
            refuse_lookalikes(
                Pack(name="p", issued_on="2026-11", accelerators=({"id": twin.id},)), Path("p"), shipped, after
            )
        refused.append(entry.id in str(caught.value))
    assert len(refused) > 100
    assert all(refused)


@pytest.mark.parametrize("date", ["9999-12-31", "2999", "2100-01"])
def test_a_pack_of_a_day_to_come_is_refused(make_pack: MakePack, date: str) -> None:
    with pytest.raises(FileProblem, match="in the future"):
        changes_of(make_pack, issued_on=date, accelerators=[{"id": "nvidia-t4", "tdp_w": 71}])


@pytest.mark.parametrize(
    "content",
    [
        {"accelerators": [{"id": H100, "date": "2999-01"}]},
        {"accelerators": [{"id": H100, "price": {"usd": 30_000, "as_of": "2999-01"}}]},
        {"offers": [{"id": "aws-p5-48xlarge-us-east-1", "as_of": "2999-01-01"}]},
        {"revoked_keys": [{"fingerprint": " ".join(["0000"] * 8), "revoked_on": "2999-01-01"}]},
    ],
)
def test_figures_of_a_day_to_come_are_refused(make_pack: MakePack, content: dict[str, object]) -> None:
    with pytest.raises(FileProblem, match=r"2999.*in the future"):
        changes_of(make_pack, **content)


@pytest.mark.parametrize("date", ["2026-11-21", "2026-11", "2026"])
def test_a_clock_that_is_a_day_slow_refuses_no_honest_pack(make_pack: MakePack, date: str) -> None:
    path = make_pack("Tried", issued_on=date, accelerators=[{"id": "nvidia-t4", "tdp_w": 71}])
    today = datetime.date(2026, 11, 20)
    assert pack_changes(read_pack(path).pack, path, load_catalog_of_packs(), today)
