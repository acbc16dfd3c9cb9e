#!/usr/bin/env bash
# amd_target.sh ROOT: in a copy of the tree, removes the row of gfx1036 from isa/amd_abi.def, adds it
# again, and then adds a target before gfx1100. Each change is one line of one file. All units run
# without gfx1036 and with the new target, and `amdgcn` is always gfx1100.
set -euo pipefail
# shellcheck source=tests/scripts/tree.sh
. "$(dirname "$0")/tree.sh"
table=isa/amd_abi.def
cp $table "$tmp/before"
wrong() { echo "amd_target: $1" >&2; exit 1; }

# targets WHAT NUMBER: builds and checks the number of AMD targets
targets() {
	build src/tools/qd-info src/tools/qd-dis tests/run
	[ "$(build/src/tools/qd-info --targets | grep -c ^gfx)" = "$2" ] || wrong "$1: $(build/src/tools/qd-info --targets)"
	cmp <(build/src/tools/qd-dis -t amdgcn docs/examples/demo.qdk) <(build/src/tools/qd-dis -t gfx1100 docs/examples/demo.qdk) ||
		wrong "$1: amdgcn is not gfx1100"
	echo "$1: $(diff "$tmp/before" $table | grep -c '^[<>]') line of $table differs"
}

n=$(grep -c '^AMD_TARGET(gfx' $table)
row=$(grep '^AMD_TARGET(gfx1036,' $table)
sed -i '/^AMD_TARGET(gfx1036,/d' $table
targets "without gfx1036" $((n - 1))
if build/src/tools/qd-dis -t gfx1036 docs/examples/demo.qdk >/dev/null 2>&1; then wrong "gfx1036 is still a target"; fi
units

sed -i "/^AMD_TARGET(gfx1035,/a $row" $table
cmp "$tmp/before" $table
targets "with gfx1036" "$n"
build/src/tools/qd-dis -t gfx1036 docs/examples/demo.qdk >"$tmp/text"
grep -q s_endpgm "$tmp/text" || wrong "no code for gfx1036"

sed -i '/^AMD_TARGET(gfx1100,/i AMD_TARGET(gfx1039, gfx1030, 0x5b, AMD_IP(10, 3, 9), 0, AMD_REV(149, 0x80), 0)' $table
targets "with gfx1039 before gfx1100" $((n + 1))
units
sed -i '/^AMD_TARGET(gfx1039,/d' $table
