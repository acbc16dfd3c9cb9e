#!/usr/bin/env bash
# Compares optimization levels: results, and every message of the log, which contains findings and
# remarks, must be the same.
# usage: opt.sh RUN
set -euo pipefail
run=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Messages without process ids and places in emitted code.
messages() {
	sed -E 's/^qd\[[0-9.]+\] //; s/ \(line [0-9]+ of the PTX of kernel [^)]*\)//; s/ \(offset 0x[0-9a-f]+[^)]*\)//' "$1"
}

cases=(-d ref:8 -d emu:sm_90 -d emu:gfx1100 --programs 100)
[ "${QD_TEST_MUTATION-}" ] && cases=(-d ref:8 --family nvvm) # enough remarks
for level in 0 1 2; do
	if ! QD_OPT=$level QD_LOG=info QD_TEST_SOME=1 "$run" "${cases[@]}" \
		>"$tmp/out" 2>"$tmp/log"; then
		echo "level $level: cases fail"
		grep FAIL "$tmp/out" | head
		exit 1
	fi
	messages "$tmp/log" >"$tmp/log$level"
done
[ "${QD_TEST_MUTATION-}" ] && sed -i '0,/remark/s//finding/' "$tmp/log0"
n=$(grep -c -E 'remark|finding' "$tmp/log2")
[ "$n" -ge 100 ] || { echo "only $n findings and remarks are compared"; exit 1; }
for level in 0 1; do
	cmp -s "$tmp/log$level" "$tmp/log2" && continue
	echo "level $level has other messages than level 2:"
	diff "$tmp/log$level" "$tmp/log2" | head
	exit 1
done
echo "$n findings and remarks are the same at 3 levels"
