#!/usr/bin/env bash
# bringup.sh QD-CONFORM INJECTED DRIVER.SH: the bring-up steps before the cases on AMD devices, on
# the fake of tests/amdgpu_fake. All steps pass on every simulated device. After an injected
# failure, the step that it belongs to fails and is the last one to run.
set -u
conform=$(realpath "$1") injected=$(realpath "$2") driver=$(realpath "$3")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0

fail() {
	echo "$1"
	bad=$((bad + 1))
}

# on WORDS COMMAND...: runs on a fake with this configuration; the output is in $tmp/out and
# $tmp/err
on() {
	local words=$1
	shift
	QD_FAKE_AMDGPU=$words bash "$driver" fakeamd "$@" >"$tmp/out" 2>"$tmp/err"
}

names=($("$conform" --list --bringup | awk '{ print $2 }'))
[ ${#names[@]} -ge 17 ] || fail "--list --bringup names ${#names[@]} steps"

for gpu in gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1102 gfx1150 gfx1200 gfx1201 "gfx1100 page=65536"; do
	n=$((n + 1))
	on "gpu=$gpu" "$conform" -d amdgpu --bringup
	rc=$?
	ok=$(grep -c '^ *[0-9]* [a-z0-9]* *ok ' "$tmp/out")
	if [ $rc -ne 0 ] || [ "$ok" -ne ${#names[@]} ] || ! grep -q "${gpu%% *}: graphics core" "$tmp/out"; then
		fail "$gpu: exit $rc, $ok steps ok: $(cat "$tmp/out" "$tmp/err")"
	fi
done

# failed_at STEP WHAT COMMAND...: this step failed with this message, no later step ran, no case ran
failed_at() {
	local step=$1 what=$2 rc=$3
	n=$((n + 1))
	local last
	last=$(grep -E '^ *[0-9]+ [a-z0-9]+ ' "$tmp/out" | tail -1)
	if [ "$rc" -ne 1 ] || ! grep -qE "^ *[0-9]+ $step +failed " <<<"$last" || ! grep -qF "$what" "$tmp/out" ||
		! grep -q '^no case is run' "$tmp/out" || grep -q 'passed' "$tmp/out"; then
		fail "$step should fail with '$what': exit $rc: $(cat "$tmp/out" "$tmp/err")"
	fi
}

# Each call of the first steps, and each submission: its number and the step that makes it.
while read -r step word what; do
	on "strict=0 ${word//;/ }" "$conform" -d amdgpu
	failed_at "$step" "$what" $?
done <<'END'
open fail=drmOpenRender:2:13 drmOpenRender failed: EACCES (-13)
open fail=amdgpu_device_initialize:2:9 amdgpu_device_initialize failed: EBADF (-9)
open fail=amdgpu_cs_ctx_create2:1:12 amdgpu_cs_ctx_create2 failed: ENOMEM (-12)
memory fail=amdgpu_bo_alloc:1:12 amdgpu_bo_alloc failed: ENOMEM (-12)
memory fail=amdgpu_va_range_alloc:2:12 amdgpu_va_range_alloc failed: ENOMEM (-12)
memory fail=amdgpu_bo_va_op_raw:3:22 amdgpu_bo_va_op_raw failed: EINVAL (-22)
memory fail=amdgpu_bo_cpu_map:2:12 amdgpu_bo_cpu_map failed: ENOMEM (-12)
memory fail=amdgpu_bo_list_create:1:12 amdgpu_bo_list_create failed: ENOMEM (-12)
idle fail=amdgpu_cs_submit:1:22 amdgpu_cs_submit failed: EINVAL (-22)
idle job=1:62:guilty the context: reset, by its own submission
write job=2:62:guilty WRITE_DATA
caches job=3:62:guilty ACQUIRE_MEM
end job=4:62:guilty DISPATCH_DIRECT
constant job=5:62:guilty DISPATCH_DIRECT
ids job=6:61:guilty failed: ENODATA (-61)
ids3 job=7:62:guilty DIM_Z: 0x6
ids gpu=gfx942;dies=8 word 64 is 0x0, and should be 0x10000; of 200 blocks 25 stored the expected values and 175 nothing
shared job=8:62:guilty LDS_SIZE
chain job=9:62:guilty DISPATCH_DIRECT
recode job=11:62:guilty DISPATCH_DIRECT
atomics job=12:62:innocent the context: reset
registers job=13:62:guilty DISPATCH_DIRECT
flight job=17:62:guilty DISPATCH_DIRECT
waves job=18:62:guilty DISPATCH_DIRECT
copies job=20:62:guilty 0000: 00000001
END

# Each kernel's results are checked; kernels are numbered as in bringup_kernel.h.
while read -r step kernel; do
	QD_TEST_MUTATION=$kernel on "" "$injected" -d amdgpu
	failed_at "$step" ', and should be 0x' $?
done <<'END'
constant 1
recode 2
ids 3
ids3 4
shared 5
chain 6
atomics 7
registers 8
waves 9
END

# The report contains the printed text, and the JSON the same steps.
on "strict=0 job=5:62:guilty" "$conform" -d amdgpu --report "$tmp/report"
n=$((n + 1))
tail -n +2 "$tmp/report" | cmp -s - "$tmp/out" || fail "--report differs from the output"
head -1 "$tmp/report" | grep -q '^qd-conform [0-9]' || fail "--report does not begin with the version"
on "strict=0 job=5:62:guilty" "$conform" -d amdgpu --json
n=$((n + 1))
python3 - "$tmp/out" <<'END' || fail "--json: $(cat "$tmp/out")"
import json, sys
o = json.load(open(sys.argv[1]))
l = o["bringup"]
assert [s["state"] for s in l] == ["ok"] * 6 + ["failed"], l
assert l[-1]["step"] == "constant" and any("DISPATCH_DIRECT" in d for d in l[-1]["details"])
assert o["families"] == [] and o["passed"] == 0
END
on "" "$conform" -d amdgpu --filter 'vote/*any_true' --json
n=$((n + 1))
python3 - "$tmp/out" <<'END' || fail "--json: $(cat "$tmp/out" "$tmp/err")"
import json, sys
o = json.load(open(sys.argv[1]))
assert len(o["bringup"]) == 17 and o["passed"] > 0 and o["failed"] == 0
END

# Without a device the report contains the reason, however the device was requested.
while read -r which words; do
	on "$words" "$conform" $which --report "$tmp/report"
	rc=$?
	n=$((n + 1))
	if [ $rc -ne 3 ] || [ "$(tail -n +2 "$tmp/report")" != "$(sed 's/^qd-conform: //' "$tmp/err")" ] ||
		! grep -q 'cannot be used' "$tmp/report"; then
		fail "--report of no device: exit $rc: $(cat "$tmp/report" "$tmp/err")"
	fi
done <<'END'
-damdgpu access=0
-damdgpu:0 rings=0
--bringup access=0
END
on "access=0" "$conform" -d ref:3000 --report "$tmp/report"
n=$((n + 1))
grep -q "^error: .*ref:3000" "$tmp/report" || fail "--report of no device: $(cat "$tmp/report")"

# A report that cannot be written is an error with its reason.
on "" "$conform" -d amdgpu --bringup --report /dev/full
[ $? -eq 3 ] && grep -q "'/dev/full' could not be written: No space left on device" "$tmp/err" ||
	fail "--report /dev/full: $(cat "$tmp/err")"
on "" "$conform" -d amdgpu --bringup --report "$tmp/no/report"
[ $? -eq 3 ] && [ ! -s "$tmp/out" ] && grep -q "no/report': No such file or directory" "$tmp/err" ||
	fail "--report into no folder: $(cat "$tmp/out" "$tmp/err")"
n=$((n + 2))

# The bring-up steps are only for amdgpu devices.
n=$((n + 1))
"$conform" --bringup -d ref:8 >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && grep -q "is for devices of the driver amdgpu, not for 'ref:8'" "$tmp/err" ||
	fail "--bringup on ref:8: $(cat "$tmp/err")"

echo "bringup: $n checks, $bad failed"
[ $bad -eq 0 ]
