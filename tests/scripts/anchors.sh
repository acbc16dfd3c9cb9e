#!/usr/bin/env bash
# anchors.sh ROOT: applies the steps of the pages on adding a primitive, an instruction and a
# target to a copy of the tree, without a build. It fails if a line that a step names is missing.
set -euo pipefail
root=$(realpath "$1")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
python3 "$root/tests/scripts/copy_tree.py" "$root" "$tree"
steps() { python3 "$root/tests/scripts/steps.py" "$@" "$tree" >"$tree/log" || { echo "anchors: ${*: -1}"; exit 1; }; }
for page in docs/add-an-instruction.md docs/emu.md; do # the tree contains the additions of these pages
	steps --undo "$root/$page"
	steps "$root/$page"
done
for page in docs/add-a-primitive.md tests/shapes/steps.md docs/add-a-target.md; do
	steps "$root/$page"
done
# A step that names a missing line must be found.
sed 's/`SUBGROUP(REDUCE_XOR`/`SUBGROUP(REDUCE_NONE`/' "$root/docs/add-a-primitive.md" >"$tree/page.md"
(steps "$tree/page.md") >/dev/null 2>"$tree/err" || true
grep -qF "'SUBGROUP(REDUCE_NONE' occurs in 0 lines" "$tree/err" || {
	echo "anchors: a missing line was not found"
	exit 1
}
