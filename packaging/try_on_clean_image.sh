#!/bin/bash
# Tries a build on a system image that has no Python: unpacked under a path with spaces and non-ASCII letters, mounted
# read-only, without any network interface, as a user without a home folder, on a display of its own, beside a second copy.
#
#     sudo packaging/try_on_clean_image.sh IMAGE ARCHIVE.tar.gz [OTHER_ARCHIVE.tar.gz]
#
# OTHER_ARCHIVE is another version of the program, to run at the same time with the same settings and data.
# IMAGE is a folder that holds a root file system, such as
#     debootstrap --variant=minbase --include=libegl1,libgl1,libxcb1,libx11-6,libx11-xcb1,fonts-dejavu-core bookworm IMAGE
# Needs root, Xvfb, xdotool and strace here, nothing in the image but what Qt's display plugin loads.
set -euo pipefail
image=$(realpath "$1")
archive=$(realpath "$2")
other=${3:+$(realpath "$3")}
display=":$((200 + RANDOM % 700))"
place="/opt/gpu planner ä"
place_of_other="/opt/another version"
work=$(mktemp -d)
say() { printf '%s: %s\n' "$1" "$2"; }
clean_up() {
    kill "${xvfb:-0}" 2>/dev/null || true
    for mount in "$image$place" "$image$place_of_other" "$image/tmp/.X11-unix" "$image/proc"; do
        mountpoint -q "$mount" && umount "$mount"
    done
    rm -rf "$work"
}
trap clean_up EXIT

if [ -n "$(find "$image/usr" -name 'python3*' -print -quit)" ]; then
    echo "The image holds a Python." >&2
    exit 1
fi
tar -C "$work" -xf "$archive"
mkdir -p "$image$place" "$image/tmp/.X11-unix" "$image/tmp/work"
chmod 1777 "$image/tmp" "$image/tmp/work"
mount --bind "$work/gpuplanner" "$image$place"
mount -o remount,bind,ro "$image$place"
if [ -n "$other" ]; then
    mkdir -p "$work/other" "$image$place_of_other"
    tar -C "$work/other" -xf "$other"
    mount --bind "$work/other/gpuplanner" "$image$place_of_other"
    mount -o remount,bind,ro "$image$place_of_other"
fi
mountpoint -q "$image/proc" || mount -t proc proc "$image/proc"
Xvfb "$display" -screen 0 1280x800x24 -nolisten tcp >/dev/null 2>&1 &
xvfb=$!
sleep 2
mount --bind /tmp/.X11-unix "$image/tmp/.X11-unix"

# No interface at all, not even the loopback; nobody's user id; no folder that could be a home.
inside() {
    unshare -n chroot --userspec=65534:65534 "$image" /usr/bin/env -i PATH=/usr/bin:/bin LANG=C.UTF-8 \
        HOME=/nonexistent DISPLAY="$display" TMPDIR=/tmp/work "$@"
}
example="$place/_internal/gpuplanner_gui/_resources/examples/70b-chat.gpuplan"

inside "$place/gpuplanner" --version
inside "$place/gpuplanner" verify | tail -2
inside "$place/gpuplanner" check "$example"
inside "$place/gpuplanner" report "$example" -o /tmp/work/plan.html >/dev/null
test -s "$image/tmp/work/plan.html" && say report "written"
inside "$place/gpuplanner-gui" "$example" --smoke && say "window, no home, read-only folder" "computed and closed"

inside "$place/gpuplanner-gui" "$example" --smoke &
first=$!
inside "$place/gpuplanner-gui" "$example" --smoke && wait "$first" && say "two at once" "both computed and closed"

if [ -n "$other" ]; then
    rm -rf "$image/tmp/work/home"
    inside "$place_of_other/gpuplanner" --version
    inside GPUPLANNER_HOME=/tmp/work/home "$place_of_other/gpuplanner-gui" "$example" --smoke &
    first=$!
    inside GPUPLANNER_HOME=/tmp/work/home "$place/gpuplanner-gui" "$example" --smoke && wait "$first"
    say "beside another version, same settings" "both computed and closed"
fi

walked="$image/tmp/work/walked ü.gpuplan"
cp "$work/gpuplanner/_internal/gpuplanner_gui/_resources/examples/70b-chat.gpuplan" "$walked"
chown 65534:65534 "$walked"
before=$(sha256sum <"$walked")
# Here with a folder for data, so that there is a log to look into.
rm -rf "$image/tmp/work/home"
inside GPUPLANNER_HOME=/tmp/work/home "$place/gpuplanner-gui" "/tmp/work/walked ü.gpuplan" --separate &
program=$!
window=$(DISPLAY=$display timeout 120 xdotool search --sync --onlyvisible --name 'GPU Planner' | head -1)
sleep "${SETTLE_S:-30}"
press() { DISPLAY=$display xdotool windowfocus "$window" key --delay 300 "$@"; sleep 2; }
press ctrl+1 ctrl+2 ctrl+3 ctrl+4 ctrl+5
press ctrl+d
DISPLAY=$display import -window root "${PICTURE:-$work/walked.png}" || true
press ctrl+s
sleep 3
press ctrl+q
wait "$program" && say "walk by keys" "closed in good order"
[ "$before" != "$(sha256sum <"$walked")" ] && inside "$place/gpuplanner" check "/tmp/work/walked ü.gpuplan"
names=$(grep -oE '"(name|notes)": *"[^"]{6,}"' "$walked" | sed -E 's/^[^:]*: *"(.*)"$/\1/' | sort -u)
say "words of the project in $(cat "$image"/tmp/work/home/log/* | wc -l) lines of the logs" "$(
    grep -cFf <(printf '%s\n' "$names") "$image"/tmp/work/home/log/gpuplanner.log || true
)"

sockets() {
    local name=$1
    shift
    DISPLAY="$display" HOME=/nonexistent GPUPLANNER_HOME="$work/home" strace -f -qq --seccomp-bpf -e trace=socket \
        -o "$work/sockets" "$work/gpuplanner/$name" "$@" >/dev/null
    say "$name, sockets" "$(grep -c 'socket(' "$work/sockets" || true) local ones, of the network $(
        grep 'socket(' "$work/sockets" | grep -vcE 'AF_(UNIX|LOCAL)' || true
    )"
}
sockets gpuplanner plan "$work/gpuplanner/_internal/gpuplanner_gui/_resources/examples/70b-chat.gpuplan"
sockets gpuplanner-gui "$work/gpuplanner/_internal/gpuplanner_gui/_resources/examples/70b-chat.gpuplan" --smoke
