#!/bin/bash
# Tries a build on a system image that has no Python: unpacked under a path with spaces and non-ASCII letters, mounted
# read-only, without any network interface, as a user without a home folder, on a display of its own, beside a second copy.
#
#     sudo packaging/try_on_clean_image.sh IMAGE ARCHIVE.tar.gz
#
# IMAGE is a folder that holds a root file system, such as
#     debootstrap --variant=minbase --include=libegl1,libgl1,libxcb1,libx11-6,libx11-xcb1,fonts-dejavu-core bookworm IMAGE
# Needs root, Xvfb, xdotool and strace here, nothing in the image but what Qt's display plugin loads.
set -euo pipefail
image=$(realpath "$1")
archive=$(realpath "$2")
display=":$((200 + RANDOM % 700))"
place="/opt/gpu planner ä"
work=$(mktemp -d)
say() { printf '%s: %s\n' "$1" "$2"; }
clean_up() {
    kill "${xvfb:-0}" 2>/dev/null || true
    for mount in "$image$place" "$image/tmp/.X11-unix" "$image/proc"; do
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

walked="$image/tmp/work/walked ü.gpuplan"
cp "$work/gpuplanner/_internal/gpuplanner_gui/_resources/examples/70b-chat.gpuplan" "$walked"
chown 65534:65534 "$walked"
before=$(sha256sum <"$walked")
inside "$place/gpuplanner-gui" "/tmp/work/walked ü.gpuplan" --separate &
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
