#!/usr/bin/env bash
# without_emu.sh QD-RUN QD-INFO QD-AOT SOURCE: the programs of a build with -Demu=disabled. They must run kernels on
# ref, check images, and name the option where they need an emulator.
set -u
run=$(realpath "$1") info=$(realpath "$2") aot=$(realpath "$3") src=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() { echo "without_emu: $*" >&2; bad=1; }
# Runs a command that must fail with a message that names the option.
refuse() {
	if text=$("$@" 2>&1); then
		fail "$*: succeeds"
	elif ! grep -qF -e '-Demu=disabled' <<<"$text"; then
		fail "$*: $text"
	fi
}
cat >"$tmp/twice.qdk" <<'K'
kernel twice(x: u32[]) { for i in grid(x.len) { x[i] = x[i] * 2; } }
K
text=$("$run" -d ref:8 --expect x=0,2,4,6 "$tmp/twice.qdk" x=0,1,2,3 2>&1) || fail "ref:8: $text"
for selector in emu emu:sm_90 emu:gfx1100:w64; do
	refuse "$run" -d $selector "$tmp/twice.qdk" x=0,1,2,3
done
refuse "$run" -d ref:8 --profile "$tmp/twice.qdk" x=0,1,2,3
refuse "$run" --list "$src/tests/emu/wide.sm_75.ptx"
"$info" >"$tmp/info" 2>&1 || fail "qd-info: $(cat "$tmp/info")"
grep -qF -e '-Demu=disabled' "$tmp/info" || fail "qd-info: $(cat "$tmp/info")"
text=$(cd "$tmp" && "$aot" -t sm_90 -t gfx1100 twice.qdk -o twice.o 2>&1 && "$aot" verify twice.o 2>&1) || fail "qd-aot: $text"
exit $bad
