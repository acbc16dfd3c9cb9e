#!/usr/bin/env bash
# test.sh BUILD: tests pack.sh and run.sh without a GPU. Every step runs on the fakes of libcuda and libdrm and on
# lavapipe, and a fault injected into each step must be found. Without drivers each device is a skip with its reason,
# unless a card is present. If this is root, also runs in a root directory with only the C library and a shell's tools,
# where only the results may be written.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin # chroot
here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
pack=$tmp/pack
wrong() { echo "gpu: $1" >&2; exit 1; }
has() { grep -qE -- "$2" <<<"$1" || wrong "'$2' is missing in
$1"; }
hasnt() { if grep -qE -- "$2" <<<"$1"; then wrong "there is '$2' in
$1"; fi; }

# -- The pack --------------------------------------------------------------------------------

bash "$here/pack.sh" "$build" "$pack"
# Packing again replaces its own files and leaves others alone.
echo mine >"$pack/mine"
mkdir "$pack/results"
echo mine >"$pack/results/page.txt"
echo old >"$pack/step.sh"
echo gone >"$pack/docs/gone" && echo docs/gone >>"$pack/made"
bash "$here/pack.sh" --libraries none "$build" "$pack" >/dev/null
[ "$(cat "$pack/mine" "$pack/results/page.txt")" = $'mine\nmine' ] || wrong "packing again lost a file of another"
cmp -s "$here/step.sh" "$pack/step.sh" || wrong "packing again kept an old file"
[ ! -e "$pack/docs/gone" ] && [ ! -e "$pack/x11" ] && [ ! -e "$pack/vulkan" ] || wrong "packing again left old files"
rm -r "$pack"
mkdir "$tmp/other"
echo mine >"$tmp/other/made"
if bash "$here/pack.sh" "$build" "$tmp/other" 2>"$tmp/out"; then wrong "the directory of another was packed into"; fi
has "$(cat "$tmp/out")" "other exists and is not a pack"
[ "$(ls "$tmp/other")" = made ] || wrong "a refused directory was changed"
mkdir "$tmp/empty"
if bash "$here/pack.sh" "$tmp/empty" "$tmp/new" 2>"$tmp/out"; then wrong "an empty build was packed"; fi
has "$(cat "$tmp/out")" "tests/run does not exist; build it with: ninja -C"
[ ! -e "$tmp/new" ] || wrong "a failed pack left a directory"
bash "$here/pack.sh" "$build" "$pack" >/dev/null
if bash "$here/run.sh" "$tmp/none" 2>/dev/null; then wrong "run.sh ran without a pack"; fi

# -- Scripts in place of NVIDIA's programs ----------------------------------------------------

# They fail if FAULT names them.
mkdir "$tmp/nv"
cat >"$tmp/nv/nvidia-smi" <<'END'
#!/bin/sh
case "$*" in
*query-gpu=compute_cap*) echo 9.0 ;;
*query-gpu=name,driver_version*) echo "Played GPU, 580.1" ;;
esac
END
cat >"$tmp/nv/nvcc" <<'END'
#!/bin/sh
case " $FAULT " in *" nvcc "*) echo "peer.cu(1): error: on purpose"; exit 2 ;; esac
case "$*" in *-arch=sm_90*) ;; *) echo "error: $*"; exit 1 ;; esac
while [ "$1" != -o ]; do shift; done
cat >"$2" <<'PEER'
#!/bin/sh
case " $FAULT " in *" peer "*) echo '{"who":"peer","error":"on purpose"}'; exit 1 ;; esac
echo '{"who":"peer","name":"copy1 u32","n":4096,"us":10,"least":10,"gbps":1.0}'
echo '{"who":"peer","name":"radix sort of 32 bits","n":4096,"us":7.5,"least":7.5,"gbps":1.0}'
PEER
chmod +x "$2"
END
cat >"$tmp/nv/compute-sanitizer" <<'END'
#!/bin/sh
[ "$1 $3 $4" = "--tool --error-exitcode 7" ] || { echo "error: $*"; exit 1; }
case " $FAULT " in *" $2 "*)
	for at in 10 10 20; do
		echo "========= Error: Race reported between Write access at on_purpose+0x$at"
		echo "=========     and Read access at on_purpose+0x80 [40 hazards]"
		echo "=========     and Write access at on_purpose+0x90 [1 hazard]"
		echo "========= "
	done
	echo "========= Invalid __shared__ write of size 4 bytes"
	echo "=========     at on_purpose+0x30"
	echo "=========     by thread (1,0,0) in block (0,0,0)"
	echo "========= "
	echo "========= ERROR SUMMARY: 7 errors"
	exit 7 ;;
esac
shift 4
"$@" || exit
echo "========= ERROR SUMMARY: 0 errors"
END
chmod +x "$tmp"/nv/*

# -- Runs ----------------------------------------------------------------------------------------

# on DEVICE-KIND RESULTS ARGUMENT...: runs run.sh on a fake or CPU driver of this kind; returns its
# exit status.
no_vulkan=(VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none)
short=(-f 'co[pr]*' -n 12 -p 1 -j 2 -b 300)
on() {
	local kind=$1 folder=$2
	shift 2
	export QD_TEST_ITERATIONS=1
	case $kind in
	cuda) env "${no_vulkan[@]}" PATH="$tmp/nv:/usr/bin:/bin" QD_FAKE_CUDA="devices=1 version=13000 ${QD_FAKE_CUDA-}" LD_LIBRARY_PATH="$build/tests/fake_cuda" \
		bash "$pack/run.sh" "${short[@]}" "$@" "$folder" ;;
	amdgpu) env "${no_vulkan[@]}" QD_FAKE_AMDGPU="gpu=gfx1100 strict=1 ${QD_FAKE_AMDGPU-}" LD_LIBRARY_PATH="$build/tests/amdgpu_fake" \
		bash "$pack/run.sh" "${short[@]}" "$@" "$folder" ;;
	vulkan) bash "$here/../scripts/driver.sh" lvp8 bash "$pack/run.sh" "${short[@]}" "$@" "$folder" ;;
	esac >"$tmp/out" 2>&1
}
clean=(env -i HOME="$tmp" PATH=/usr/bin:/bin "${no_vulkan[@]}" QD_TEST_SYS="$tmp/sys")

# all STATUS PAGE STEP...: each step has that status.
all() {
	local status=$1 p=$2 s
	shift 2
	for s in "$@"; do has "$p" "^$status +$s +[0-9]+ s  "; done
}

# broken PROGRAM SCRIPT: replaces a program of the pack; the original is PROGRAM.real.
broken() {
	mv "$pack/bin/$1" "$pack/bin/$1.real"
	printf '#!/bin/sh\n%s\n' "$2" >"$pack/bin/$1"
	chmod +x "$pack/bin/$1"
}
mend() { for f in "$pack"/bin/*.real; do mv "$f" "${f%.real}"; done; }

# Injects a fault into every step, one at a time.
inject() {
	broken qd-conform "exec \"$build/tests/conform-injected\" \"\$@\""
	broken run 'case "$*" in *--programs*) exec "$0.real" --mutate "$@" ;; esac; exec "$0.real" "$@"'
	for b in bench-free bench-start bench-shuffle-vs-shared bench-launch; do
		[ ! -x "$pack/bin/$b" ] || broken $b 'echo "error: on purpose"; exit 5'
	done
	export QD_TEST_MUTATION=bit FAULT="peer racecheck synccheck memcheck initcheck"
}
heal() {
	mend
	unset QD_TEST_MUTATION FAULT
}

for kind in cuda vulkan amdgpu; do
	mapfile -t steps < <(bash "$pack/run.sh" --list -d $kind)
	rc=0
	# Ten thousand launches per sample would take minutes on a fake.
	broken bench-launch 'exec "$0.real" --check "$@"'
	on $kind "$tmp/$kind" -d $kind || rc=$?
	mend
	if [ $rc -eq 77 ]; then
		cat "$tmp/out"
		continue
	fi
	p=$(cat "$tmp/$kind/page.txt")
	[ $rc -eq 0 ] || wrong "on $kind: $p"
	[ -x "$pack/bin/gpu-facts" ] || has "$p" '^skip +vulkan-facts .*this pack has no bin/gpu-facts'
	for s in "${steps[@]}"; do
		case $s in vulkan-facts | launch-vulkan) [ -x "$pack/bin/gpu-facts" ] || continue ;; esac
		all ok "$p" "$s"
		has "$(cat "$tmp/$kind/results.jsonl")" "^\{\"step\":\"$s\",\"status\":\"ok\""
	done
	has "$p" "^scan of all .* \|"
	has "$p" "^ok +bench-$kind .*13 of 13 rows are correct"
	has "$p" "^[0-9]+ ok, 0 failed, 0 skipped, 0 left"
	[ ! -e "$tmp/$kind/work" ] || wrong "the work directory is not removed"
	hasnt "$p" "$tmp|uuid "
	hasnt "$(cat "$tmp/$kind/results.jsonl")" "$tmp"
	has "$p" "^ +start/$kind/empty +n=5 "
	if [ $kind != amdgpu ]; then has "${steps[*]}" "launch-$kind"; else hasnt "${steps[*]}" launch; fi
	if [ $kind = cuda ]; then
		has "$p" '^ +launch/bare CUDA/100 per sync '
		has "$p" '^cuda: a function is compiled and loaded in .* from the driver.s cache in [0-9.]+ ms \(mean of 15\)'
		has "$p" '^copy1 u32 +10\.00 \| +[0-9.]+ +[0-9]+\.[0-9]{2} '
		has "$p" '^radix sort of 32 bits +7\.50'
		has "$p" '^ +publish is left out: it synchronizes by an atomic flag, which'
		has "$p" '^ +ERROR SUMMARY: 0 errors|= ERROR SUMMARY: 0 errors'
	fi

	inject
	if on $kind "$tmp/$kind-bad" -d $kind; then wrong "failures on $kind ended well"; fi
	p=$(cat "$tmp/$kind-bad/page.txt")
	for s in "${steps[@]}"; do
		case $s in
		info | vulkan-facts | open-* | bringup-* | peer-build) continue ;; # below
		launch-vulkan) [ -x "$pack/bin/gpu-facts" ] || continue ;;
		esac
		all FAIL "$p" "$s"
	done
	heal
	# Failures of a kind are counted, and three are printed in full.
	has "$p" '^ +1 of copy$'
	has "$p" '^ +FAIL .*: copy i32 .* got .*, want '
	has "$p" '^ +16 of program$'
	[ "$(grep -cE '^ +FAIL .* seed=(1[1-9]|2[0-6]): program ' <<<"$p")" = 3 ] || wrong "not 3 failures of a kind: $p"
	if [ $kind = cuda ]; then
		has "$p" '^ +2 of .*: Race reported between Write access at on_purpose\+0x10 and Read access at on_purpose\+0x80$'
		has "$p" '^ +1 of .*: Race reported between Write access at on_purpose\+0x20 and Write access at on_purpose\+0x90$'
		has "$p" '^ +1 of .*: Invalid __shared__ write of size 4 bytes at on_purpose\+0x30$'
		has "$p" '^ +Race reported between Write access at on_purpose\+0x10 and Read access at on_purpose\+0x80$'
		hasnt "$p" ' of (and|Error:|ERROR)$'
	fi
	echo "on $kind: ${#steps[@]} steps pass, and find a fault each"
done

# Only racecheck omits the cases that synchronize by flags.
on cuda "$tmp/order" -d cuda -f order -s 'open*' -s 'racecheck-cases*' -s 'synccheck-cases*' || wrong "$(cat "$tmp/out")"
p=$(cat "$tmp/order/page.txt")
has "$p" '^ok +racecheck-cases-cuda +[0-9]+ s  36 passed, 0 failed, 12 skipped'
for s in publish counted 'by buffer'; do has "$p" "^ +order/$s is left out, 4 cells: it synchronizes by an atomic flag"; done
has "$p" '^ok +synccheck-cases-cuda +[0-9]+ s  48 passed, 0 failed, 0 skipped'
[ "$(grep -c 'is left out' <<<"$p")" = 3 ] || wrong "not 3 cases are left out: $p"

# The page contains no directory name of the machine.
broken lookback 'echo "error: on purpose, in $TMPDIR/x and $PWD/y"; exit 5'
if on cuda "$tmp/bad" -d cuda -s lookback-cuda; then wrong "a failure ended well"; fi
mend
p=$(cat "$tmp/bad/page.txt" "$tmp/bad/results.jsonl")
has "$p" '^FAIL +lookback-cuda .*error: on purpose, in results/work/x and gpu/y$'
hasnt "$p" "$tmp"

# The table.
cat >"$tmp/rows" <<'END'
{"step":"peer","status":"ok","s":3,"text":"us"}
{"who":"peer","name":"memcpy device to device","n":10,"us":700.5,"least":1,"gbps":3000}
{"who":"peer","name":"scan of all","n":10,"us":800,"least":1,"gbps":2000}
{"who":"cuda","name":"get scan_all","us":2500,"registers":1}
{"who":"cuda","name":"get scan_all","us":4,"registers":1}
{"who":"cuda","name":"get again scan_all","us":500,"registers":1}
{"who":"cuda","name":"scan of all","n":10,"us":1000,"least":1,"gbps":1500}
{"who":"vulkan:1","name":"copy4 u32","n":10,"us":2000,"least":1,"gbps":400.0}
{"who":"vulkan:1","name":"scan of all","n":10,"us":400,"least":1,"gbps":100.0}
{"who":"vulkan:1","error":"copy1 u32: wrong result"}
{"who":"vulkan:1","skip":"scan_all: no 64-bit atomics"}
END
p=$(awk -f "$here/ratios.awk" "$tmp/rows")
has "$p" '^scan of all +800\.00 \| +1000\.00 +1\.25 +1500 +0\.50 \| +400\.00 +0\.50 +100 +0\.25$'
has "$p" '^memcpy device to device +700\.50 \| +\| *$'
has "$p" '^! vulkan:1: copy1 u32: wrong result$'
has "$p" '^- vulkan:1: scan_all: no 64-bit atomics$'
has "$p" '^cuda: a function is compiled and loaded in 2\.5 ms \(mean of 1\), 2\.5 at most; again from the driver.s cache in 0\.5 ms \(mean of 1\), 0\.5 at most$'

# The other steps: if one fails, the device's later steps are omitted.
broken qd-info 'echo "error: on purpose"; exit 5'
if on cuda "$tmp/bad" -d cuda -s info; then wrong "info did not fail"; fi
all FAIL "$(cat "$tmp/bad/page.txt")" info
mend
if QD_FAKE_CUDA="fail=kernel:1:700" on cuda "$tmp/bad" -d cuda; then wrong "open-cuda did not fail"; fi
p=$(cat "$tmp/bad/page.txt")
all FAIL "$p" open-cuda
hasnt "$p" '(ok|FAIL) +conform-cuda'
if FAULT=nvcc on cuda "$tmp/bad" -d cuda -s 'peer*'; then wrong "peer-build did not fail"; fi
p=$(cat "$tmp/bad/page.txt")
all FAIL "$p" peer-build
has "$p" 'error: on purpose'
# A peer program in the pack has priority over nvcc.
printf '#!/bin/sh\necho carried\n' >"$pack/bin/peer-sm_90"
chmod +x "$pack/bin/peer-sm_90"
FAULT=nvcc on cuda "$tmp/carried" -d cuda -s 'peer*' || wrong "$(cat "$tmp/out")"
p=$(cat "$tmp/carried/page.txt")
has "$p" '^ok +peer .*carried'
hasnt "$p" 'peer-build'
rm "$pack/bin/peer-sm_90"
if QD_FAKE_AMDGPU="job=1:62:guilty" on amdgpu "$tmp/bad" -d amdgpu -s 'bringup*'; then wrong "the bring-up did not fail"; fi
has "$(cat "$tmp/bad/page.txt")" '^FAIL +(bringup|open)-amdgpu'
if [ -x "$pack/bin/gpu-facts" ]; then
	if on cuda "$tmp/bad" -d vulkan -s vulkan-facts; then wrong "vulkan-facts did not fail"; fi
	all FAIL "$(cat "$tmp/bad/page.txt")" vulkan-facts open-vulkan
fi

# Limits: a hanging step is stopped; steps beyond the budget are left.
broken lookback 'exec sleep 100'
if on cuda "$tmp/slow" -d cuda -b 12 -s lookback-cuda -s nan-cuda -s 'start-cuda'; then wrong "a step that hangs ended well"; fi
p=$(cat "$tmp/slow/page.txt")
has "$p" '^FAIL +lookback-cuda .*stopped after [0-9]+ s'
has "$p" '^left +(nan|start)-cuda .*of the budget are left'
mend

# -- The parts of the table ----------------------------------------------------------------------

# Together the parts are the table, with each case once.
broken qd-conform 'case "$*" in --list*) exec "$0.real" "$@" ;; esac; echo "filter ${5-} ${6-} ${7-}"; echo "0 passed, 0 failed, 0 skipped"'
on cuda "$tmp/parts" -d cuda -s conform-cuda -f '' || wrong "$(cat "$tmp/out")"
mend
sed -n 's/^filter --filter //p' "$tmp/parts/log.txt" | while read -r f; do "$pack/bin/qd-conform" --list --filter "$f"; done | sort >"$tmp/got"
LD_LIBRARY_PATH=$pack/lib "$pack/bin/qd-conform" --list | sort >"$tmp/want"
cmp "$tmp/got" "$tmp/want" || wrong "the parts of the table are not the table: $(diff "$tmp/got" "$tmp/want")"

# -- No driver, and cards without one ---------------------------------------------------------------

mkdir -p "$tmp/sys/class/drm"
"${clean[@]}" bash "$pack/run.sh" "$tmp/nothing" >"$tmp/out" || wrong "$(cat "$tmp/out")"
p=$(cat "$tmp/nothing/page.txt")
all skip "$p" open-vulkan open-amdgpu vulkan-facts
has "$p" '^skip +open-vulkan .*no Vulkan driver'
all ok "$p" info
card() { # VENDOR DRIVER
	mkdir -p "$tmp/sys/class/drm/renderD128/device"
	echo "$1" >"$tmp/sys/class/drm/renderD128/device/vendor"
	ln -sfn "../../drivers/$2" "$tmp/sys/class/drm/renderD128/device/driver"
}
card 0x8086 i915
if "${clean[@]}" bash "$pack/run.sh" -s none "$tmp/intel" >"$tmp/out"; then wrong "a card without a Vulkan driver is not a failure"; fi
p=$(cat "$tmp/intel/page.txt")
has "$p" '^FAIL +open-vulkan .*there is a card \(0x8086 i915 Intel\), but vulkan does not open: .*no Vulkan driver'
all skip "$p" open-amdgpu
card 0x1002 amdgpu
if "${clean[@]}" bash "$pack/run.sh" -s none "$tmp/amd" >"$tmp/out"; then wrong "an AMD card without a driver is not a failure"; fi
all FAIL "$(cat "$tmp/amd/page.txt")" open-vulkan open-amdgpu
rm -r "$tmp/sys/class/drm/renderD128"
# A driver whose library lacks another: the loader's messages and the missing library are on the page.
echo '{"file_format_version":"1.0.0","ICD":{"library_path":"libGLX_none.so.0","api_version":"1.3.0"}}' >"$tmp/none.json"
if env -i PATH="$tmp/nv:/usr/bin:/bin" VK_DRIVER_FILES="$tmp/none.json" VK_ICD_FILENAMES="$tmp/none.json" bash "$pack/run.sh" -s none "$tmp/nodriver" >"$tmp/out"; then
	wrong "an NVIDIA card whose driver does not load is not a failure"
fi
p=$(cat "$tmp/nodriver/page.txt")
has "$p" '^FAIL +open-vulkan .*there is a card \(0x10de nvidia Played GPU, 580.1\), but vulkan does not open'
has "$p" 'none.json: libGLX_none.so.0 is not found'
all FAIL "$p" open-cuda
# Only a CPU driver, although there is a card.
rc=0
PATH="$tmp/nv:$PATH" bash "$here/../scripts/driver.sh" lvp8 bash "$pack/run.sh" -s none -d vulkan "$tmp/cpu" >"$tmp/out" 2>&1 || rc=$?
if [ $rc -ne 77 ]; then
	[ $rc -eq 1 ] || wrong "a CPU driver passes for a card: $(cat "$tmp/out")"
	has "$(cat "$tmp/cpu/page.txt")" '^FAIL +open-vulkan .*Vulkan has only a CPU driver: llvmpipe'
fi

# Temporary files are in TMPDIR, which run.sh sets.
if TMPDIR=$tmp/none LD_LIBRARY_PATH=$pack/lib "$pack/bin/bench-start" ref:8 2>"$tmp/out"; then wrong "bench-start does not use TMPDIR"; fi
has "$(cat "$tmp/out")" "$tmp/none/qd-start-"

# -- A root directory with the C library and a shell's tools ---------------------------------------------

if [ "$(id -u)" = 0 ] && command -v chroot >/dev/null; then
	root=$tmp/root
	mkdir -p "$root/tmp" "$root/usr/bin" "$root/lib64" "$root/lib" "$root/dev" "$root/proc"
	ln -s usr/bin "$root/bin"
	for t in bash env awk sed grep sort uniq head tail cut tr tee date uname mkdir mv rm cat find dirname getconf timeout printf chmod seq ln nproc readlink paste ls; do
		f=$(command -v "$t" || true)
		case $f in /*) cp -L "$f" "$root/usr/bin/$t" ;; *) cp -L "/usr/bin/$t" "$root/usr/bin/$t" ;; esac
		ldd "$root/usr/bin/$t" 2>/dev/null | grep -oE '/[^ ]+\.so[^ ]*' || true
	done | sort -u >"$tmp/libs"
	ldd "$pack/bin/run" "$pack/bin/qd-run" | grep -oE '/[^ ]+/(libc|libm|libdl|libpthread|ld-linux[^ /]*)\.so[^ ]*' >>"$tmp/libs"
	sort -u "$tmp/libs" | while read -r f; do
		mkdir -p "$root$(dirname "$f")"
		cp -L "$f" "$root$f"
	done
	: >"$root/dev/null"
	chmod 666 "$root/dev/null"
	cp -r "$pack" "$root/pack"
	cp "$build/tests/fake_cuda/libcuda.so.1" "$root/lib64"
	touch -d '1 hour ago' "$root/dev/null"
	find "$root" -exec touch -d '1 hour ago' {} +
	if ! chroot "$root" /usr/bin/env -i PATH=/usr/bin QD_FAKE_CUDA="devices=1" LD_LIBRARY_PATH=/lib64 OUT=/tmp/results QD_TEST_ITERATIONS=1 /usr/bin/bash /pack/run.sh "${short[@]}" -s "[!fsl]*" -s "lo*" >"$tmp/out" 2>&1; then
		wrong "in a root of its own: $(cat "$tmp/out")"
	fi
	p=$(cat "$root/tmp/results/page.txt")
	all ok "$p" open-cuda conform-cuda together-cuda programs-cuda bench-cuda
	all skip "$p" open-vulkan open-amdgpu peer racecheck-cuda
	has "$p" '^scan of all'
	new=$(find "$root" -newermt '30 minutes ago' ! -path "$root/tmp/results*" ! -path "$root/tmp" ! -path "$root/dev/null" ! -type l)
	[ -z "$new" ] || wrong "written outside the results: $new"
	[ "$(ls "$root/tmp/results" | tr '\n' ' ')" = "log.txt page.txt results.jsonl " ] || wrong "the results are $(ls "$root/tmp/results")"
	echo "in a root of its own: $(tail -1 <<<"$p")"
else
	echo "part skipped: only root can use chroot"
fi
