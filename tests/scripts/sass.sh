#!/usr/bin/env bash
# sass.sh QD-DIS SOURCE: a copy of four floats at a time becomes one load and one store of 128 bits on NVIDIA GPUs.
# Without launch facts it has neither. Needs ptxas and nvdisasm.
set -euo pipefail
dis=$(realpath "$1") kernels=$2/tests/golden/wide.qdk
for tool in ptxas nvdisasm; do
	command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count() { # PATTERN TARGET: instructions of the kernel copy4
	"$dis" -k copy4 --no-source -t "$2" "$kernels" >"$tmp/k.ptx"
	ptxas -arch=sm_90 -o "$tmp/k.cubin" "$tmp/k.ptx"
	nvdisasm -c "$tmp/k.cubin" | grep -c "$1" || true
}
bad=0
expect() { # NUMBER PATTERN TARGET
	local n
	n=$(count "$2" "$3")
	[ "$n" = "$1" ] || { echo "sass: $n instructions $2 for $3, expected $1"; bad=1; }
}
expect 1 'LDG\.E\.128' ptx:sm_90:facts
expect 1 'STG\.E\.128' ptx:sm_90:facts
expect 0 '\.128' ptx:sm_90
exit $bad
