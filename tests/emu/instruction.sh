#!/usr/bin/env bash
# instruction.sh ROOT: follows docs/emu.md in a copy of the tree: removes the instruction that the
# page adds, checks that it is unknown, applies the page's steps, and checks that it works.
set -euo pipefail
root=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=${QD_TEST_TREE-$tmp/tree} page=docs/emu.md
[ -n "${QD_TEST_ON_TOP-}" ] || python3 "$root/tests/scripts/copy_tree.py" "$root" "$tree"
python3 "$root/tests/scripts/steps.py" --undo "$tree/$page" "$tree"
cd "$tree"
[ -f build/build.ninja ] || meson setup build -Dwerror=true -Doptimization=0 -Ddebug=false -Dtests=disabled -Dbench=false -Dexamples=false >"$tmp/log" 2>&1
build() { # TARGET...
	ninja -C build "$@" >"$tmp/log" 2>&1 || {
		tail -40 "$tmp/log"
		exit 1
	}
}
ask() {
	build/tests/ptx_rows --ask 9.0 sm_90 'szext.clamp.s32 %b0, %b1, 8;'
}
build tests/ptx_rows
ask | grep 'unknown instruction szext' >/dev/null || {
	echo "szext is known before it is there: $(ask)"
	exit 1
}
python3 "$root/tests/scripts/steps.py" "$page" .
for f in runtime/emu/ptx tests/unit/emu/t_emu_ptx_find.c; do
	diff -r "$root/$f" "$f" # the page contains exactly these rows
done
build tests/ptx_rows tests/run
ask
build/tests/run --units --family 'emu*' | tail -1
python3 tests/emu/legal.py build/tests/ptx_rows 8 5 | tail -1
