#!/usr/bin/env bash
# test.sh BUILD: pack.sh and run.sh without a GPU: with nothing of the caller's environment and
# no driver every step of a device is a skip with its reason; in a root folder that has the C
# library, a shell and its tools alone, if this is root; on lavapipe as "vulkan"; and a step
# that fails is seen, and stops none.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # chroot
here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
wrong() { echo "gpu: $1" >&2; exit 1; }
page() { # FOLDER: the one page of it
	local files=("$1"/*-[0-9]*.txt)
	[ ${#files[@]} -eq 1 ] && [ -f "$1/log.txt" ] || wrong "$1 has not one page and a log: $(ls "$1")"
	cat "${files[0]}"
}
has() { grep -qE "$2" <<<"$1" || wrong "there is no '$2' in
$1"; }
hasnt() { if grep -qE "$2" <<<"$1"; then wrong "there is '$2' in
$1"; fi; }

bash "$here/pack.sh" "$build" "$tmp/pack"
if bash "$here/pack.sh" "$build" "$tmp/pack" 2>/dev/null; then wrong "a folder that is there was packed into"; fi
if bash "$here/run.sh" "$tmp/none" 2>/dev/null; then wrong "run.sh ran without a pack"; fi

clean=(env -i HOME="$tmp" PATH=/usr/bin:/bin VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none)
(cd / && "${clean[@]}" "$tmp/pack/run.sh" --quick "$tmp/none") >"$tmp/out" || wrong "$(cat "$tmp/out")"
p=$(page "$tmp/none")
hasnt "$p" '^FAIL'
for s in demo together lookback conform programs launch free start shuffle compile; do
	has "$p" "^skip  $s-vulkan  *.*no Vulkan driver"
	has "$p" "^(skip  $s-cuda  *.|ok    $s-cuda)"
done
has "$p" '^ok    conform-ref .* 0 failed'
has "$p" '^ok    devices '

# What a pack lacks is a skip; what fails is said, and the rest goes on.
mv "$tmp/pack/bin/bench-lookup" "$tmp"
printf '#!/bin/sh\necho broken on purpose\nexit 5\n' >"$tmp/pack/bin/qd-conform"
if (cd / && "${clean[@]}" bash "$tmp/pack/run.sh" --quick "$tmp/bad") >"$tmp/out"; then wrong "a failure ended well"; fi
p=$(page "$tmp/bad")
has "$p" '^FAIL  conform-ref .*exit 5: broken on purpose'
has "$p" '^skip  lookup .*bench-lookup is not in this folder'
has "$p" '1 failed'
mv "$tmp/bench-lookup" "$tmp/pack/bin"
rm "$tmp/pack/bin/qd-conform"
strip -o "$tmp/pack/bin/qd-conform" "$build/src/tools/qd-conform"

# A root of its own: nothing but the C library and a shell's tools.
if [ "$(id -u)" = 0 ] && command -v chroot >/dev/null; then
	root=$tmp/root
	mkdir -p "$root/tmp" "$root/usr/bin" "$root/lib64" "$root/lib" "$root/dev" "$root/proc"
	ln -s usr/bin "$root/bin"
	for t in bash env awk sed grep sort head tail cut tr date tee uname mkdir mv rm cat find dirname getconf timeout printf; do
		f=$(command -v "$t" || true)
		case $f in /*) cp -L "$f" "$root/usr/bin/$t" ;; *) cp -L "/usr/bin/$t" "$root/usr/bin/$t" ;; esac
		ldd "$root/usr/bin/$t" 2>/dev/null | grep -oE '/[^ ]+\.so[^ ]*' || true
	done | sort -u >"$tmp/libs"
	ldd "$tmp/pack/bin/run" "$tmp/pack/bin/qd-run" | grep -oE '/[^ ]+/(libc|libm|libdl|libpthread|ld-linux[^ /]*)\.so[^ ]*' >>"$tmp/libs"
	sort -u "$tmp/libs" | while read -r f; do
		mkdir -p "$root$(dirname "$f")"
		cp -L "$f" "$root$f"
	done
	: >"$root/dev/null"
	cp -r "$tmp/pack" "$root/pack"
	if ! chroot "$root" /usr/bin/env -i PATH=/usr/bin /usr/bin/bash /pack/run.sh --quick /tmp/results >"$tmp/out" 2>&1; then
		wrong "in a root of its own: $(cat "$tmp/out")"
	fi
	p=$(page "$root/tmp/results")
	hasnt "$p" '^FAIL'
	has "$p" '^ok    conform-ref .* 0 failed'
	has "$p" '^skip  conform-vulkan '
	echo "in a root of its own: $(tail -1 <<<"$p")"
else
	echo "part skipped: only root has a root of its own (chroot)"
fi

rc=0
bash "$here/../driver.sh" lvp8 bash "$tmp/pack/run.sh" --quick -d vulkan "$tmp/lvp" >"$tmp/out" || rc=$?
if [ $rc -eq 77 ]; then
	cat "$tmp/out"
else
	[ $rc -eq 0 ] || wrong "on lavapipe: $(cat "$tmp/out")"
	p=$(page "$tmp/lvp")
	for s in demo together lookback conform programs free start shuffle compile; do has "$p" "^ok    $s-vulkan"; done
	has "$p" 'free/used by one stream'
	[ -n "$(ls "$tmp"/lvp/llvmpipe-*.txt)" ] || wrong "the page has no GPU's name"
	echo "on lavapipe: $(tail -1 <<<"$p")"
fi
