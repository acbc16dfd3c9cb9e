#!/usr/bin/env bash
# amd_target.sh ROOT: in a copy of the tree, removes the row of gfx1036 from isa/amd_abi.def, adds it
# again, and then adds a target before gfx1100. Each change is one line of one file. All units run
# after each, and `amdgcn` is always gfx1100.
set -euo pipefail
root=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=${QD_TEST_TREE-$tmp/tree} table=isa/amd_abi.def
[ -n "${QD_TEST_ON_TOP-}" ] || python3 "$root/tests/scripts/copy_tree.py" "$root" "$tree"
cd "$tree"
cp $table "$tmp/before"
unset QD_DUMP QD_DUMP_DIR
wrong() { echo "amd_target: $1" >&2; exit 1; }
[ -f build/build.ninja ] || meson setup build -Dwerror=true -Doptimization=0 -Ddebug=false -Dtests=disabled -Dbench=false -Dexamples=false >"$tmp/log" 2>&1 || {
	tail "$tmp/log"
	exit 1
}

# units WHAT TARGETS: builds, checks the number of AMD targets, runs all units
units() {
	ninja -C build src/tools/qd-info src/tools/qd-dis tests/run >"$tmp/log" 2>&1 || {
		tail -40 "$tmp/log"
		exit 1
	}
	[ "$(build/src/tools/qd-info --targets | grep -c ^gfx)" = "$2" ] || wrong "$1: $(build/src/tools/qd-info --targets)"
	cmp <(build/src/tools/qd-dis -t amdgcn docs/examples/demo.qdk) <(build/src/tools/qd-dis -t gfx1100 docs/examples/demo.qdk) ||
		wrong "$1: amdgcn is not gfx1100"
	build/tests/run --units >"$tmp/units" 2>&1 || wrong "$1: units fail: $(grep -v skipped "$tmp/units" | tail -20)"
	echo "$1: $(diff "$tmp/before" $table | grep -c '^[<>]') line of $table differs; $(grep -oE '[0-9]+ passed, 0 failed' "$tmp/units")"
}

n=$(grep -c '^AMD_TARGET(gfx' $table)
row=$(grep '^AMD_TARGET(gfx1036,' $table)
sed -i '/^AMD_TARGET(gfx1036,/d' $table
units "without gfx1036" $((n - 1))
if build/src/tools/qd-dis -t gfx1036 docs/examples/demo.qdk >/dev/null 2>&1; then wrong "gfx1036 is still a target"; fi

sed -i "/^AMD_TARGET(gfx1035,/a $row" $table
cmp "$tmp/before" $table
units "with gfx1036" "$n"
build/src/tools/qd-dis -t gfx1036 docs/examples/demo.qdk >"$tmp/text"
grep -q s_endpgm "$tmp/text" || wrong "no code for gfx1036"

sed -i '/^AMD_TARGET(gfx1100,/i AMD_TARGET(gfx1039, gfx1030, 0x5b, AMD_IP(10, 3, 9), 0, AMD_REV(149, 0x80), 0)' $table
units "with gfx1039 before gfx1100" $((n + 1))
sed -i '/^AMD_TARGET(gfx1039,/d' $table
