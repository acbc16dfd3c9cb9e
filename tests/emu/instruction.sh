#!/usr/bin/env bash
# instruction.sh ROOT: follows docs/emu.md in a copy of the tree: removes the instruction that the
# page adds, checks that it is unknown, applies the page's steps, and checks that it works.
set -euo pipefail
# shellcheck source=tests/scripts/tree.sh
. "$(dirname "$0")/../scripts/tree.sh"
page=docs/emu.md
python3 "$root/tests/scripts/steps.py" --undo $page .
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
