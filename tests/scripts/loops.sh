#!/usr/bin/env bash
# Compares the results of loops at optimization levels 0 and 2, where AMD code and PTX make copies of them.
# usage: loops.sh QD-RUN KERNEL
set -euo pipefail
qd_run=$1 kernel=$2
n=0
sums() { # DEVICE LEVEL SEED
	QD_OPT=$2 "$qd_run" -d "$1" "$kernel" c=rand:16:"$3" o=zero:400
}
want=$(sums ref:8 0 1)
for device in emu:gfx906 emu:gfx1100 emu:gfx1201 emu:sm_90; do
	for level in 0 2; do
		[ "$(sums $device $level "${QD_TEST_MUTATION-1}")" = "$want" ] || { echo "$device, level $level: other sums"; exit 1; }
		n=$((n + 1))
	done
done
echo "$n runs have the sums of the interpreter"
