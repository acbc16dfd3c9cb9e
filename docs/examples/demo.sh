#!/usr/bin/env bash
# demo.sh BUILD: a cross-lane kernel on the Vulkan driver that is there, checked
# against the interpreter.
set -euo pipefail
build=$1
here=$(dirname "$0")
run=$build/src/tools/qd-run
"$build/src/tools/qd-info"
echo
echo "docs/examples/demo.qdk: running sums within each tile of four lanes, of 0..15"
for device in vulkan ref:8; do
	printf '%-8s ' "$device"
	"$run" -d "$device" -k prefix4 "$here/demo.qdk" src=iota:16 dst=zero:16
done
want="dst: 0 1 3 6 4 9 15 22 8 17 27 38 12 25 39 54"
got=$("$run" -d vulkan -k prefix4 "$here/demo.qdk" src=iota:16 dst=zero:16)
if [ "$got" != "$want" ]; then
	echo "demo: wrong answers; expected $want" >&2
	exit 1
fi
"$build/docs/examples/sum"
echo "right answers"
