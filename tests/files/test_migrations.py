"""Steps that bring files of earlier formats up to date, on plain data."""

from gpuplanner_gui.files.migrations import chosen_by_nobody

ASKED = {"hardware": {"licensed_for_data_centres": True}}


def test_a_schedule_that_nobody_chose_is_searched():
    untouched = {"schedule": "1f1b", "parallelism": {"pipeline": 0}}
    fixed = {"schedule": "1f1b", "parallelism": {"pipeline": 8}}
    chosen = {"schedule": "zero_bubble", "parallelism": {"pipeline": 0}}
    serving = {"name": "chat"} | ASKED
    scenarios = [serving, *({"training": one} | ASKED for one in (untouched, fixed, chosen)), "damaged"]
    found = chosen_by_nobody({"version": 2, "scenarios": scenarios})
    assert found["scenarios"][1] == {"training": untouched | {"schedule": "auto"}} | ASKED
    assert found["scenarios"][:1] + found["scenarios"][2:] == scenarios[:1] + scenarios[2:]
    assert chosen_by_nobody({"scenarios": "damaged"}) == {"scenarios": "damaged"}


def test_files_that_never_asked_for_a_licence_allow_every_device():
    bare, short = {"name": "chat"}, {"hardware": {"air_gapped": True}}
    found = chosen_by_nobody({"scenarios": [bare, short, {"hardware": "damaged"}]})["scenarios"]
    assert found[0]["hardware"] == {"licensed_for_data_centres": False}
    assert found[1]["hardware"] == {"air_gapped": True, "licensed_for_data_centres": False}
    assert found[2] == {"hardware": "damaged"}
