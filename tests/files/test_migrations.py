"""Steps that bring files of earlier formats up to date, on plain data."""

from gpuplanner_gui.files.migrations import searched_schedules


def test_a_schedule_that_nobody_chose_is_searched():
    untouched = {"schedule": "1f1b", "parallelism": {"pipeline": 0}}
    fixed = {"schedule": "1f1b", "parallelism": {"pipeline": 8}}
    chosen = {"schedule": "zero_bubble", "parallelism": {"pipeline": 0}}
    scenarios = [{"name": "chat"}, *({"training": one} for one in (untouched, fixed, chosen)), "damaged"]
    found = searched_schedules({"version": 2, "scenarios": scenarios})
    assert found["scenarios"][1] == {"training": untouched | {"schedule": "auto"}}
    assert found["scenarios"][:1] + found["scenarios"][2:] == scenarios[:1] + scenarios[2:]
    assert searched_schedules({"scenarios": "damaged"}) == {"scenarios": "damaged"}
