#!/usr/bin/env bash
# target.sh ROOT: follows docs/add-a-target.md in a copy of the tree: first a minimal back end,
# which has code for a copy and reports everything else with its position, then lanes. The tools
# must print what the page shows.
set -euo pipefail
# shellcheck source=tests/scripts/tree.sh
. "$(dirname "$0")/tree.sh"
page=docs/add-a-target.md programs=(src/tools/qd-info src/tools/qd-dis tests/run)
wrong() { echo "target: $1" >&2; exit 1; }

# kernel NAME TYPE VALUE: writes a kernel that computes VALUE for each element
kernel() {
	printf 'qdk 2;\nkernel %s(src: in %s[], dst: out %s[]) block(64) {\n  for i in grid(src.len) { dst[i] = %s; }\n}\n' \
		"$1" "$2" "$2" "$3" >"$tmp/$1.qdk"
}
dis() { # TARGET NAME
	(cd "$tmp" && "$tree/build/src/tools/qd-dis" -t "$1" "$2.qdk" 2>&1)
}
# Prints the page's text block whose first line is this command, without that line.
shown() {
	awk -v cmd="\$ $1" -v nth="$2" '/^```/ { on = 0 } on { print } $0 == cmd { on = ++n == nth }' $page
}
same() { # COMMAND NTH TEXT
	[ "$(shown "$1" "$2")" = "$3" ] || wrong "$1 prints
$3
and the page shows
$(shown "$1" "$2")"
}
refused() { # TARGET NAME MESSAGE
	if dis "$1" "$2" >"$tmp/out"; then wrong "$2 is not refused"; fi
	grep -qF "$3" "$tmp/out" || wrong "$2 is refused with $(cat "$tmp/out"), not with '$3'"
}

kernel copy u32 'src[i]'
kernel sum u32 'subgroup.reduce_add(src[i])'
kernel tile u32 'subgroup.reduce_add_tiled(src[i], 2)'
kernel wide i64 'src[i] + 1'
kernel scaled f32 'src[i] * 1.5'
kernel double f64 'src[i]'
kernel vote i32 'subgroup.any_true(src[i] > 2)'

python3 tests/scripts/steps.py --steps 1-7 $page . >"$tmp/steps"
configure
if bash tests/scripts/layers.sh . 2>"$tmp/out" || ! grep -q "isa/toy has no line" "$tmp/out"; then wrong "layers.sh misses isa/toy: $(cat "$tmp/out")"; fi
python3 tests/scripts/steps.py --steps 8-8 $page . >>"$tmp/steps"
bash tests/scripts/layers.sh . || wrong "layers.sh fails"
build "${programs[@]}"
build/src/tools/qd-info | grep -E '^  .*\btoy\b' >/dev/null || wrong "qd-info does not list it"
build/src/tools/qd-info --primitives -t toy >"$tmp/out"
grep -q 'toy: native' "$tmp/out" || wrong "qd-info --primitives has no column of it"
same "qd-dis -t toy copy.qdk" 1 "$(dis toy copy)"
same "qd-dis -t toy sum.qdk" 1 "$(dis toy sum || true)"
dis toy wide >"$tmp/out" || wrong "$(cat "$tmp/out")"
grep -q 'load m0.hi' "$tmp/out" || wrong "64-bit integers are not two words"
refused toy scaled 'scaled.qdk:3:44: error: no lowering of mul on f32 for target toy [E0502]'
refused toy double 'target toy has no 64-bit floats, which load needs [E0501]'
refused toy:b16 copy 'block of 64 threads, but target toy:b16 runs 16 at most; use a smaller block [E0503]'
printf 'qdk 2;\nkernel k(a: u32[]) block(64) subgroup(16) {\n  for i in grid(a.len) { a[i] = 1; }\n}\n' >"$tmp/sized.qdk"
refused toy sized 'sized.qdk:2:39: error: the kernel accepts subgroup sizes 16; toy has 8 [E0504]'
refused toy:w8 copy "target 'toy' has no option 'w8'; it takes facts (the code relies on launch facts), bN"
if dis tomy copy >"$tmp/out" || ! grep -q "targets: .*, toy" "$tmp/out"; then
	wrong "an unknown target: $(cat "$tmp/out")"
fi

# Lanes, and operations that the hardware does better.
python3 tests/scripts/steps.py --steps 9-10 $page . >>"$tmp/steps"
build "${programs[@]}"
n=$(dis toy sum | grep -c 'subgroup.shuffle') || true
[ "$n" = 3 ] || wrong "a sum of 8 lanes has $n shuffles"
refused toy vote 'no lowering of subgroup.any_true on bool for target toy [E0502]'
python3 tests/scripts/steps.py --steps 11-12 $page . >>"$tmp/steps"
build "${programs[@]}"
shown "qd-dis -t toy sum.qdk" 2 | grep '=' >"$tmp/want"
dis toy sum >"$tmp/out" || wrong "$(cat "$tmp/out")"
[ "$(grep -cxFf "$tmp/want" "$tmp/out")" = 2 ] || wrong "a sum is $(cat "$tmp/out"), not $(cat "$tmp/want")"
n=$(dis toy tile | grep -c 'subgroup.shuffle') || true
[ "$n" = 2 ] || wrong "a sum of four lanes has $n shuffles"
bash tests/scripts/layers.sh . || wrong "layers.sh fails"
units
echo "$(wc -l <"$tmp/steps") steps of the page, a back end of $(cat isa/toy/* | wc -l) lines"
