#!/bin/bash
# Tries an upgrade and the way back: two builds in two folders that share a user's settings, data and projects.
#
#     packaging/try_upgrade.sh OLD_ARCHIVE.tar.gz NEW_ARCHIVE.tar.gz
#
# The user has settings, a project, a device of their own, a trusted key and a pack in force, all from the time of the
# old build. The new one must take them up, and leave them so that the old one finds them again.
# Needs the environment that `make package` made, which signs the pack: PYTHON names another one.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-$repository/.venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GPUPLANNER_HOME="$work/user" QT_QPA_PLATFORM=offscreen QT_LOGGING_RULES="*=false"
old=$work/old/gpuplanner new=$work/new/gpuplanner plan=$work/plans
say() { printf '%s: %s\n' "$1" "$2"; }
sums() { (cd "$work" && find user plans -type f ! -path '*/log/*' -print0 | sort -z | xargs -0 sha256sum); }
plan_of() { "$1/gpuplanner" plan "$plan/mine.gpuplan" --json | sha256sum | cut -c1-12; }
format_of() { grep -o '"version": [0-9]*' "$1" | head -1; }
refused() { if "$@" >"$work/said" 2>&1; then echo "It was not refused: $*" >&2; exit 1; fi; tail -1 "$work/said"; }

mkdir -p "$work/old" "$work/new" "$plan" "$GPUPLANNER_HOME/config/keys" "$GPUPLANNER_HOME/data/catalogs"
tar -C "$work/old" -xf "$1"
tar -C "$work/new" -xf "$2"
say "old" "$("$old/gpuplanner" --version)"
say "new" "$("$new/gpuplanner" --version)"
say "the old build on the new one" "$("$old/gpuplanner" verify "$new" | tail -1)"

# What the user has, by the old build.
"$python" "$repository/packaging/sign.py" key "$work/desk.key" desk --for prices >/dev/null
cp "$work/desk.pub" "$GPUPLANNER_HOME/config/keys/desk.pub"
cat >"$work/prices.json" <<'END'
{"format": "gpuplanner-pack", "version": 1, "name": "Prices", "issued_on": "2026-11-20", "issuer": "Purchasing",
 "offers": [{"id": "crusoe-mi300x-192gb-global", "on_demand_usd_per_h": 3.21, "as_of": "2026-11"}]}
END
"$python" "$repository/packaging/sign.py" pack "$work/prices.json" "$work/prices.gpupack" --key "$work/desk.key" >/dev/null
"$old/gpuplanner" pack apply "$work/prices.gpupack" --yes >/dev/null
"$python" - "$old" "$GPUPLANNER_HOME/data/catalogs/accelerators.json" <<'END'
import json, pathlib, sys
shipped = json.loads(next(pathlib.Path(sys.argv[1]).rglob("accelerators.json")).read_bytes())
entry = dict(next(one for one in shipped if one["id"] == "nvidia-t4"), id="desk-card", name="Desk Card")
pathlib.Path(sys.argv[2]).write_text(json.dumps([entry]), encoding="utf-8")
END
"$old/gpuplanner" new llama-3.1-8b -o "$plan/mine.gpuplan" --rate 20 >/dev/null
"$old/gpuplanner-gui" --smoke "$plan/mine.gpuplan" >/dev/null
before_plan=$(plan_of "$old")
sums >"$work/before"
say "the user's files" "$(wc -l <"$work/before")"

# Upgrade: the new build takes it all up.
say "packs in force, by the new build" "$("$new/gpuplanner" pack list | grep -c Prices)"
say "the user's own device, by the new build" "$("$new/gpuplanner" formats "Desk Card" | head -1)"
say "the project, by the new build" "$("$new/gpuplanner" check "$plan/mine.gpuplan" | head -1)"
"$new/gpuplanner-gui" --smoke "$plan/mine.gpuplan" >/dev/null && say "the window of the new build" "opened it"
"$new/gpuplanner" new llama-3.1-8b -o "$plan/newer.gpuplan" --rate 20 >/dev/null
sums >"$work/after"
say "files of the user that the new build changed" "$(diff "$work/before" "$work/after" | sed -n 's/^< [0-9a-f]*  //p' | xargs)"

# Rollback: the old build finds what it had.
say "the user's own device, by the old build again" "$("$old/gpuplanner" formats "Desk Card" | head -1)"
say "packs in force, by the old build again" "$("$old/gpuplanner" pack list | grep -c Prices)"
"$old/gpuplanner-gui" --smoke "$plan/mine.gpuplan" >/dev/null && say "the window of the old build" "opened it again"
[ "$(plan_of "$old")" = "$before_plan" ] && say "the plan of the old build" "the same, to the last digit"
if [ "$(format_of "$plan/mine.gpuplan")" != "$(format_of "$plan/newer.gpuplan")" ]; then
    say "the old build on a project of the new format" "$(refused "$old/gpuplanner" check "$plan/newer.gpuplan")"
else
    say "a project of the new build, by the old one" "$("$old/gpuplanner" check "$plan/newer.gpuplan" | head -1)"
fi
"$old/gpuplanner" pack restore --yes >/dev/null 2>&1 || "$old/gpuplanner" pack restore >/dev/null
say "packs in force once it is taken back" "$("$new/gpuplanner" pack list | grep -c Prices || true)"
