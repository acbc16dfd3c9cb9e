#!/usr/bin/env bash
# primitive.sh ROOT: follows docs/add-a-primitive.md in a copy of the tree, builds it, and runs the
# page's commands: the new cells on the interpreter and, if available, on Vulkan drivers; the
# primitive from .qdk; the units. An injected fault must be detected. The same tree then gets the
# operations of shapes/steps.md, whose shapes no existing operation has, and runs shapes/t_shapes.c.
set -euo pipefail
# shellcheck source=tests/scripts/tree.sh
. "$(dirname "$0")/tree.sh"
python3 "$root/tests/scripts/steps.py" docs/add-a-primitive.md . >"$tmp/steps"
cat "$tmp/steps"
python3 "$root/tests/scripts/steps.py" tests/shapes/steps.md .
cp tests/shapes/made.c src/prim
cp tests/shapes/t_shapes.c tests/unit/prim
build tests/run src/tools/qd-run src/tools/qd-info src/tools/qd-dis

# The reference lacks the new primitive, which docs.py must report; then docs.py --write adds it.
if python3 "$root/tests/scripts/docs.py" --only-table . build >"$tmp/out" 2>&1 || ! grep -q 'reduce_xnor(v)' "$tmp/out"; then
	echo "docs.py did not miss the new primitive"
	exit 1
fi
python3 "$root/tests/scripts/docs.py" --write . build
python3 "$root/tests/scripts/docs.py" --only-table . build

count() { "$@" | sed -nE 's/^.*: ([0-9]+) cells.*/\1/p' | tail -1; }

before=$("$root/${2:-build}/tests/run" -d ref:8 --count --family reduce 2>/dev/null | sed -nE 's/^ +reduce +([0-9]+) cells/\1/p')
after=$(build/tests/run -d ref:8 --count --family reduce | sed -nE 's/^ +reduce +([0-9]+) cells/\1/p')
echo "reduce: $before cells before, $after with reduce_xnor"
[ "$after" -gt "$before" ]
for d in ref:4 ref:8 ref:64; do
	build/tests/run -d $d --family reduce | tail -1
done
for c in lvp4 lvp8 sws; do
	rc=0
	bash tests/scripts/driver.sh $c build/tests/run -d vulkan --family reduce >"$tmp/out" || rc=$?
	[ $rc -eq 77 ] || { tail -1 "$tmp/out"; [ $rc -eq 0 ]; }
done
if build/tests/run -d ref:8 --family reduce --mutate >/dev/null; then
	echo "an injected fault was not found"
	exit 1
fi
for c in lvp4 lvp8 lvp16 sws; do
	rc=0
	bash tests/scripts/driver.sh $c build/tests/run --units --family shapes >"$tmp/out" || rc=$?
	[ $rc -eq 77 ] || { tail -20 "$tmp/out" | cut -c1-300; [ $rc -eq 0 ]; }
done
units
# Random programs contain the primitive. Operations of shapes/steps.md have no name in .qdk.
build/tests/run -d ref:8 --family program --programs 2000 --count >"$tmp/out" || true
if grep -E 'no program has' "$tmp/out" | grep -v ' made\.'; then exit 1; fi
grep -oE '[1-9][0-9]* subgroup.reduce_xnor' "$tmp/out"

# 1 xnor 2 xnor 4 xnor 8 = ~(15) with three nors: ~0x0000000f
cat >"$tmp/x.qdk" <<'QDK'
kernel x(src: in u32[], dst: out u32[]) block(4) {
  for i in grid(src.len) { dst[i] = subgroup.reduce_xnor_tiled(src[i], 2) ^ subgroup.reduce_all_xnor(src[i]); }
}
QDK
got=$(build/src/tools/qd-run -d ref:4 "$tmp/x.qdk" src=1,2,4,8 dst=zero:4)
echo "$got"
[ "$got" = "dst: 0 0 0 0" ]
