#!/usr/bin/env bash
# run.sh [--quick] [-d DEVICE]... [FOLDER]: on a machine with a GPU, from what pack.sh
# made: examples, the conformance table, random programs and benches on every DEVICE (cuda and vulkan).
# Writes into FOLDER (results) two files: GPU-DRIVER-DATE.txt, which is worth keeping, and
# log.txt, all that was printed.  A step is ok, FAIL, or skip with the reason; none stops the
# others.  Ends with 1 where one failed.
#
# --quick: few programs, a part of the table.  QD_GPU_LIMIT: seconds of a step, 1800.
set -u
export LC_ALL=C QD_CACHE=${QD_CACHE-0}
here=$(cd "$(dirname "$0")" && pwd)
quick='' devices=() limit=${QD_GPU_LIMIT-1800}
while [ $# -gt 0 ]; do
	case $1 in
	--quick) quick=1 ;;
	-d) devices+=("${2-}"); shift ;;
	-*) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	*) break ;;
	esac
	shift
done
[ ${#devices[@]} -gt 0 ] || devices=(cuda vulkan)
folder=${1-results}
[ -x "$here/bin/run" ] || { echo "run.sh: $here/bin/run is not there: run this from a folder that pack.sh made" >&2; exit 2; }
mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)
log=$folder/log.txt page=$folder/page.tmp
: >"$log" && : >"$page" || exit 2
n_ok=0 n_failed=0 n_skipped=0

# -- Where libraries are ---------------------------------------------------------------

has() { { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep "$1" >/dev/null; }
libs=$here/lib
# Containers have the driver's libraries in a folder of their own.
for d in /usr/local/nvidia/lib64 /usr/local/cuda/compat; do
	if ! has 'libcuda\.so\.1' && [ -e "$d/libcuda.so.1" ]; then libs=$libs:$d; break; fi
done
has 'libvulkan\.so\.1' || libs=$libs:$here/vulkan
icd=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -z "${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-}" ] && [ -f $icd ] &&
	[ -z "$(find /etc/vulkan/icd.d /usr/share/vulkan/icd.d -name 'nvidia*' 2>/dev/null)" ]; then
	export VK_DRIVER_FILES=$icd
fi
libs=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
ours() { env LD_LIBRARY_PATH="$libs" NO_COLOR=1 "$@"; }

# -- Steps -------------------------------------------------------------------------------

say() { printf '%s\n' "$1" | tee -a "$page"; }

skip() { # NAME REASON
	n_skipped=$((n_skipped + 1))
	say "$(printf 'skip  %-18s %s' "$1" "$2")"
	printf '\n==== %s: skip: %s\n' "$1" "$2" >>"$log"
}

step() { # NAME PROGRAM ARGUMENT...
	local name=$1 rc start=$SECONDS out=$folder/step.tmp last
	shift
	if [ ! -x "$here/bin/$1" ]; then
		skip "$name" "$1 is not in this folder"
		return
	fi
	printf '\n==== %s: %s\n' "$name" "$*" >>"$log"
	if command -v timeout >/dev/null; then
		ours timeout -k 10 "$limit" "$here/bin/$1" "${@:2}" >"$out" 2>&1 </dev/null
	else
		ours "$here/bin/$1" "${@:2}" >"$out" 2>&1 </dev/null
	fi
	rc=$?
	cat "$out" >>"$log"
	printf '==== %s: exit %d\n' "$name" $rc >>"$log"
	last=$(grep -v '^ *$' "$out" | tail -1 | sed 's/^ *//' | cut -c1-160)
	[ "$1" != qd-info ] || last="$(grep -c '^ *target ' "$out") devices"
	[ $rc -ne 124 ] || last="stopped after $limit seconds; $last"
	if [ $rc -eq 0 ]; then
		n_ok=$((n_ok + 1))
		say "$(printf 'ok    %-18s %5d s  %s' "$name" $((SECONDS - start)) "$last")"
	else
		n_failed=$((n_failed + 1))
		say "$(printf 'FAIL  %-18s %5d s  exit %d: %s' "$name" $((SECONDS - start)) $rc "$last")"
	fi
	return $rc
}

# The first of its lines go onto the page too.
bench() { # NAME PROGRAM ARGUMENT...
	if step "$@"; then sed '/^targets$/,$d; /^$/d; s/^/      /; 28q' "$folder/step.tmp" >>"$page"; fi
}

# -- The machine ----------------------------------------------------------------------------

{
	say "qd $(sed -n 1p "$here/made"), $(date -u '+%F %H:%M') UTC"
	say "$(uname -srm), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(getconf GNU_LIBC_VERSION 2>/dev/null)"
	if command -v nvidia-smi >/dev/null; then
		gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1)
	fi
	say "${gpu:-nvidia-smi tells of no GPU}"
	say ""
}
want=$(sed -n '2s/GLIBC_//p' "$here/made")
have=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/.* //')
if [ -n "$have" ] && [ "$(printf '%s\n%s\n' "$want" "$have" | sort -V | tail -1)" != "$have" ]; then
	say "FAIL  the C library is $have and this build wants $want: make it on an older system"
	n_failed=1
fi

bench devices qd-info
step conform-ref qd-conform -d ref:32 --filter law
for d in "${devices[@]}"; do
	# What does not open is skipped, with what the library says of it; but for cuda where
	# the driver's own program tells of a GPU.
	ours "$here/bin/qd-run" -d "$d" "$here/demo.qdk" src=iota:8 dst=zero >"$folder/step.tmp" 2>&1 </dev/null
	if [ $? -eq 3 ] && ! { [ -n "${gpu-}" ] && [ "${d%%:*}" = cuda ]; }; then
		why=$(head -1 "$folder/step.tmp" | sed 's/^qd-run: error: //' | cut -c1-160)
		for s in demo together lookback conform programs launch free start shuffle compile; do skip "$s-$d" "$why"; done
		continue
	fi
	step "demo-$d" qd-run --check -d "$d" "$here/demo.qdk" src=rand:100000:1 dst=zero -o dst=/dev/null
	step "together-$d" together "$here" "$d"
	QD_TEST_ITERATIONS=25 step "lookback-$d" lookback "$here" "$d"
	if [ -n "$quick" ]; then
		bench "conform-$d" qd-conform -d "$d" --filter law
		step "programs-$d" run -d "$d" --family program
	else
		bench "conform-$d" qd-conform -d "$d"
		step "programs-$d" run -d "$d" --family program --programs 1000
	fi
	bench "launch-$d" bench-launch "$d"
	bench "free-$d" bench-free "$d"
	bench "start-$d" bench-start "$d"
	bench "shuffle-$d" bench-shuffle-vs-shared "$d"
	target=$(ours "$here/bin/qd-info" 2>/dev/null | awk -v d="${d%%:*}" '$1 ~ "^" d { on = 1 } on && $1 == "target" { print $2; exit }')
	bench "compile-$d" bench-compile ${target:+"$target"}
done
bench lookup bench-lookup

# -- The page ----------------------------------------------------------------------------------

say ""
say "$n_ok ok, $n_failed failed, $n_skipped skipped"
if [ -z "${gpu-}" ]; then
	# The first device that one of them opens.
	gpu=$(ours "$here/bin/qd-info" 2>/dev/null |
		awk '/^  (cuda|vulkan):/ { $1 = ""; name = $0 } name && $1 == "driver" { $1 = ""; print name "-" $0; exit }' |
		sed 's/([^)]*)//g')
fi
name=$(printf '%s' "${gpu:-no-gpu}" | tr 'A-Z ,/()' 'a-z-----' | tr -cd 'a-z0-9._-' | sed -E 's/-+/-/g; s/^-|-$//g')
mv "$page" "$folder/$name-$(date -u +%F).txt"
rm -f "$folder/step.tmp"
echo "$folder/$name-$(date -u +%F).txt"
[ $n_failed -eq 0 ]
