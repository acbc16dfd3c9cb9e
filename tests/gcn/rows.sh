#!/bin/bash
# Runs samples of every row of the AMD tables through LLVM's assembler and disassembler,
# which must convert qd's bytes to qd's text, and qd's text to qd's bytes.
# rows.sh PROGRAM SAMPLES SEED [TARGET[:WAVE]]...   (no target: all, both waves)
set -u
rows=$1 samples=$2 seed=$3
shift 3
mc=
for c in llvm-mc-22 /usr/lib/llvm-22/bin/llvm-mc llvm-mc; do
	$c --version 2>/dev/null | grep -q 'version 22\.' && mc=$c && break
done
[ -n "$mc" ] || { echo "SKIP: llvm-mc of LLVM 22 is not installed"; exit 77; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

one() {
	local target=$1 dir=$folder/$1 attr= status=0
	local cpu=${target%%:*}
	mkdir "$dir"
	case $target in *:64) attr=-mattr=+wavefrontsize64 ;; esac
	case $cpu in gfx12*) attr="$attr -mattr=+real-true16" ;; esac # halves of registers
	"$rows" write "$target" "$samples" "$seed" "$dir" >"$dir/log" || status=1
	"$mc" -triple=amdgcn-amd-amdhsa -mcpu="$cpu" $attr --disassemble "$dir/bytes" >"$dir/bytes.out" 2>"$dir/bytes.err"
	[ $? -lt 128 ] || { echo "llvm-mc crashed disassembling for $target" >>"$dir/log"; status=1; }
	"$mc" -triple=amdgcn-amd-amdhsa -mcpu="$cpu" $attr --show-encoding "$dir/text.s" >"$dir/text.out" 2>"$dir/text.err"
	[ $? -lt 128 ] || { echo "llvm-mc crashed assembling for $target" >>"$dir/log"; status=1; }
	"$rows" compare "$target" "$dir" >>"$dir/log" || status=1
	echo $status >"$dir/status"
}

[ $# -gt 0 ] || set -- $("$rows" targets)
echo "rows: $samples samples of each row, seed $seed, $# targets"
for target in "$@"; do
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
	one "$target" &
done
wait
failed=0
for target in "$@"; do
	echo "== $target"
	cat "$folder/$target/log"
	[ "$(cat "$folder/$target/status")" = 0 ] || failed=1
done
exit $failed
