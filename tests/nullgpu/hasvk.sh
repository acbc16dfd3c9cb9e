#!/usr/bin/env bash
# hasvk.sh DRIVER.SH PIPELINES: checks the note on hasvk in docs/targets.md. spill.qdk crashes its compiler
# at 32 lanes and compiles at 16 lanes; ANV compiles it at 32; its module is valid.
# QD_TEST_MUTATION=1 asks for 16 lanes instead of 32; the script must then fail.
set -u
driver=$1 pipelines=$2 folder=$(dirname "$0")
rc=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

compile() { # CONFIG DEVICE WANTED-STATUS WANTED-TEXT
	local out status
	out=$(QD_DUMP=bin QD_DUMP_DIR=$dir bash "$driver" "$1" "$pipelines" -d "$2" --group examples --examples "$folder")
	status=$?
	if [ $status -eq 77 ]; then
		echo "$out"
		exit 77
	fi
	if [ $status -eq "$3" ] && grep -q "$4" <<<"$out"; then
		echo "$1 $2: $(grep "$4" <<<"$out")"
	else
		echo "FAIL $1 $2: status $status; expected $3 and '$4'. Check docs/targets.md. It printed:"
		echo "$out"
		rc=1
	fi
}

wide=vulkan:0
[ -z "${QD_TEST_MUTATION-}" ] || wide=vulkan:0:w16
compile bdw $wide 1 'FAIL examples/1 spill.qdk: spill: the process ended by signal'
compile bdw vulkan:0:w16 0 ' 1 pipelines, 0 failed'
compile skl vulkan:0 0 ' 1 pipelines, 0 failed'
if command -v spirv-val >/dev/null; then
	for module in "$dir"/*.spv; do
		spirv-val --target-env vulkan1.3 "$module" || rc=1
	done
else
	echo "part skipped: spirv-val is not installed (spirv-tools)"
fi
exit $rc
