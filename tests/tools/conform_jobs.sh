#!/usr/bin/env bash
# conform_jobs.sh QD-CONFORM INJECTED DRIVER.SH: runs the cases in several processes. The report,
# the JSON and the exit status must equal those of one process. If a process fails, only the cells
# that it ran fail, and they are named. INJECTED is a mutated program that flips one bit of a result.
# It also kills or hangs a process as the environment requests (src/tools/conform/conform_worker.c).
set -u
conform=$(realpath "$1") injected=$(realpath "$2") driver=$(realpath "$3")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset QD_DEVICE QD_LOG
bad=0 n=0

fail() {
	echo "conform_jobs: $1" >&2
	bad=$((bad + 1))
}

# run CODE COMMAND...: stores the output in $tmp/out and $tmp/err
run() {
	local want=$1 rc
	shift
	n=$((n + 1))
	"$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	[ $rc -eq "$want" ] || fail "${*:1}: exit $rc, not $want: $(cat "$tmp/out" "$tmp/err")"
}

has() {
	grep -qF -- "$1" "$tmp/out" "$tmp/err" || fail "no '$1' in: $(cat "$tmp/out" "$tmp/err")"
}

# The report, the JSON and the file are the same for any number of processes.
on_fake() {
	bash "$driver" fakecuda "$@"
}
same() { # RUNNER DEVICE FILTER PROCESSES-FOR-TEXT PROCESSES-FOR-JSON
	local as=$1 device=$2 filter=$3 text_jobs=$4 json_jobs=$5
	run 0 "$as" "$conform" -d "$device" --filter "$filter"
	cp "$tmp/out" "$tmp/text"
	run 0 "$as" "$conform" -d "$device" --filter "$filter" --json
	cp "$tmp/out" "$tmp/json"
	run 0 "$as" "$conform" -d "$device" --filter "$filter" --jobs $text_jobs --report "$tmp/report"
	cmp "$tmp/text" "$tmp/out" || fail "$device: the text of $text_jobs processes differs"
	tail -n +2 "$tmp/report" | cmp - "$tmp/text" || fail "$device: the report of $text_jobs processes differs"
	[ ! -s "$tmp/err" ] || fail "$device: messages: $(cat "$tmp/err")"
	run 0 "$as" "$conform" -d "$device" --filter "$filter" "-j$json_jobs" --json --report "$tmp/report"
	cmp "$tmp/json" "$tmp/out" || fail "$device: the JSON of $json_jobs processes differs"
	tail -n +2 "$tmp/report" | cmp - "$tmp/text" || fail "$device: the report written with --json differs"
	run 0 "$as" "$conform" -d "$device" --filter "$filter" --timeout 600
	cmp "$tmp/text" "$tmp/out" || fail "$device: the text of a single process differs"
}
same env ref:8 '[cov]*' 2 4
same env emu:sm_90 '[gpt]*' 4 2
same env emu:gfx1100 vote 3 4
same on_fake cuda '[acdp]*' 2 3
# Skipped cells and their reasons, in the order of the cells.
same env emu:sm_70:w4 '[gt]*' 4 2
grep -q '^skipped: ' "$tmp/text" || fail "nothing was skipped: $(cat "$tmp/text")"

# A flipped bit is reported once, whichever process runs the cell.
run 1 "$injected" -d ref:4 --filter reduce
cp "$tmp/out" "$tmp/text"
run 1 "$injected" -d ref:4 --filter reduce -j3
cmp "$tmp/text" "$tmp/out" || fail "a flipped bit is reported differently"
grep -q '1 failed' "$tmp/out" || fail "a flipped bit is not found"

# If a process dies or hangs, its cells fail by name; all others pass.
cells=$("$conform" -d ref:4 --filter reduce | awk '$1 == "reduce" { print $2 }')
for jobs in 1 2 4; do
	export QD_TEST_DIE='subgroup.reduce_mul f32 block=64'
	run 1 "$injected" -d ref:4 --filter reduce --jobs $jobs --timeout 600
	has 'reduce/subgroup.reduce_mul f32: the process that ran it was killed by signal 6 (Aborted), in subgroup.reduce_mul f32 block=64; its 252 cells fail'
	has "$((cells - 252)) passed, 252 failed, 0 skipped"
	unset QD_TEST_DIE
	export QD_TEST_HANG='subgroup.reduce_mul f32 block=64'
	run 1 "$injected" -d ref:4 --filter reduce --jobs $jobs --timeout 1.5
	has 'took longer than 1500 ms (--timeout) and was ended, in subgroup.reduce_mul f32 block=64; its 252 cells fail'
	has "$((cells - 252)) passed, 252 failed, 0 skipped"
	unset QD_TEST_HANG
done
QD_TEST_DIE='kernel 3 of family control' run 1 "$injected" -d ref:4 --filter 'control' --jobs 2 --json
python3 - "$tmp/out" <<'END' || fail "--json of a process that died: $(cat "$tmp/out")"
import json, sys
o = json.load(open(sys.argv[1]))
assert o["failed"] == o["families"][0]["cells"] == 50 and o["passed"] == 0, o
assert len(o["failures"]) == 1 and "signal 6 (Aborted), in kernel 3 of family control" in o["failures"][0], o
END
QD_TEST_DIE=close run 1 "$injected" -d ref:4 --filter vote --jobs 2
has 'FAIL ref:4: a process that ran no case was killed by signal 6 (Aborted)'
QD_TEST_DIE=open run 3 "$injected" -d ref:4 --filter vote --jobs 2
has 'a process that opened the device was killed by signal 6 (Aborted)'

# If the device admits only one process, that process runs all cells.
QD_TEST_ALONE=$tmp/alone run 1 "$injected" -d ref:4 --filter reduce --jobs 3
cmp "$tmp/text" "$tmp/out" || fail "with three processes, the report differs"
has 'warning: fewer than 3 processes ran the cases: another process uses the device exclusively'

# If a kernel loses the device, its cells fail, and the next process opens the device again.
QD_FAKE_CUDA='fail=kernel:40:700' run 1 on_fake "$conform" -d cuda --filter reduce --jobs 2
has CUDA_ERROR_ILLEGAL_ADDRESS
awk 'END { exit !($1 > 2 * $3 && $3 > 0) }' "$tmp/out" || fail "a lost device: $(tail -1 "$tmp/out")"

# A missing device is reported exactly as by one process.
for device in nothing:0 ref:33 cuda:7; do
	"$conform" -d $device >"$tmp/text" 2>&1
	rc=$?
	run $rc "$conform" -d $device --jobs 3 --report "$tmp/report"
	cat "$tmp/out" "$tmp/err" | cmp - "$tmp/text" || fail "$device: $(cat "$tmp/out" "$tmp/err")"
	grep -q '^error: ' "$tmp/report" || fail "$device: the report does not contain the error: $(cat "$tmp/report")"
done

# The bring-up steps run before all cases, in a separate process.
on_amd() {
	bash "$driver" fakeamd "$@"
}
run 0 on_amd "$conform" -d amdgpu --filter 'vote/*any_true' --report "$tmp/report"
cp "$tmp/out" "$tmp/text"
run 0 on_amd "$conform" -d amdgpu --filter 'vote/*any_true' --jobs 2 --report "$tmp/report"
cmp "$tmp/text" "$tmp/out" || fail "the bring-up of two processes: $(cat "$tmp/out")"
tail -n +2 "$tmp/report" | cmp - "$tmp/text" || fail "the bring-up of two processes in the report: $(cat "$tmp/report")"
run 0 on_amd "$conform" -d amdgpu --filter 'vote/*any_true' --json
cp "$tmp/out" "$tmp/text"
run 0 on_amd "$conform" -d amdgpu --filter 'vote/*any_true' --jobs 2 --json
cmp "$tmp/text" "$tmp/out" || fail "the JSON of the bring-up of two processes: $(cat "$tmp/out")"
for more in "" --json; do
	# shellcheck disable=SC2086
	QD_FAKE_AMDGPU='strict=0 job=5:62:guilty' run 1 on_amd "$conform" -d amdgpu $more
	cp "$tmp/out" "$tmp/text"
	# shellcheck disable=SC2086
	QD_FAKE_AMDGPU='strict=0 job=5:62:guilty' run 1 on_amd "$conform" -d amdgpu --jobs 2 $more
	cmp "$tmp/text" "$tmp/out" || fail "bring-up that fails: $(cat "$tmp/out")"
done
QD_FAKE_AMDGPU='access=0' run 3 on_amd "$conform" -d amdgpu --jobs 2
has 'cannot be used'

# Invalid combinations of options.
run 2 "$conform" --jobs 0
has '--jobs takes a number from 1 to 256'
run 2 "$conform" --list --jobs 2
has 'prints only names'
run 2 "$conform" -d amdgpu --bringup --jobs 2
has '--bringup runs no case; it cannot be combined with --jobs and --timeout'

echo "conform_jobs: $n runs, $bad wrong"
[ $bad -eq 0 ]
