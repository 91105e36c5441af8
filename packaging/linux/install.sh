#!/bin/sh
# Adds GPU Planner to this user's menus and opens .gpuplan files with it; `install.sh --remove` takes that back.
# Nothing is copied: the folder stays where it is. Needs no rights beyond the user's own.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
desktop=$data/applications/gpuplanner.desktop
mime=$data/mime/packages/gpuplanner.xml
icon=$data/icons/hicolor/scalable/apps/gpuplanner.svg
refresh() {
    command -v update-mime-database >/dev/null && update-mime-database "$data/mime" || true
    command -v update-desktop-database >/dev/null && update-desktop-database "$data/applications" || true
}
if [ "${1:-}" = --remove ]; then
    rm -f "$desktop" "$mime" "$icon"
    refresh
    exit 0
fi
mkdir -p "$(dirname "$desktop")" "$(dirname "$mime")" "$(dirname "$icon")"
cp "$here/share/gpuplanner.xml" "$mime"
cp "$here/share/gpuplanner.svg" "$icon"
# In a desktop entry, a backslash, quote, dollar sign and backquote in a quoted word are escaped; % is doubled.
program=$(printf '%s' "$here/gpuplanner-gui" | sed -e 's/[\\"`$]/\\\\&/g' -e 's/%/%%/g')
while IFS= read -r line; do
    case $line in
        Exec=*) printf 'Exec="%s" %%f\n' "$program" ;;
        *) printf '%s\n' "$line" ;;
    esac
done <"$here/share/gpuplanner.desktop" >"$desktop"
refresh
echo "GPU Planner is in the menus. $here/install.sh --remove takes it out."
