#!/usr/bin/env bash
# run.sh [OPTION]... [FOLDER]: tries qd on the GPUs of this machine, from a directory that pack.sh created. Steps run
# in order of value; each has a time limit, none stops the others, and the results are in FOLDER (default: $OUT, else
# results in this folder) after every step: page.txt, results.jsonl, log.txt. Nothing else is written anywhere. A
# step is ok, FAIL, skip with the reason, or left because the budget does not cover it. Exits with 1 if one failed.
#
#   -d DEVICE    a device, as qd-run takes it; repeat for several. The default is cuda, vulkan and amdgpu, if they open
#   -s GLOB      only steps with such a name; repeat for several. The step open-DEVICE always runs
#   -f GLOB      only these cases of the conformance table, as qd-conform --filter takes them
#   -b SECONDS   of all steps together: $BUDGET, else 440
#   -j N         processes at a time: the processors, at most 12
#   -n LOG2      elements of the benchmarks' arrays: 28
#   -p N         random programs of each process: 100
#   --list       print the names of the steps
set -u
export LC_ALL=C QD_CACHE=0
here=$(cd "$(dirname "$0")" && pwd)
usage() { sed -n '2,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }
devices=() only=() filter='' budget=${BUDGET-440} jobs=$(nproc 2>/dev/null || echo 4) size=28 programs=100 listing=''
[ "$jobs" -le 12 ] || jobs=12
while [ $# -gt 0 ]; do
	case $1 in
	-[dsfbjnp]) [ $# -ge 2 ] || usage ;;&
	-d) devices+=("$2"); shift ;;
	-s) only+=("$2"); shift ;;
	-f) filter=$2; shift ;;
	-b) budget=$2; shift ;;
	-j) jobs=$2; shift ;;
	-n) size=$2; shift ;;
	-p) programs=$2; shift ;;
	--list) listing=1 ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -le 1 ] || usage
asked=${#devices[@]}
[ "$asked" -gt 0 ] || devices=(cuda vulkan amdgpu)
[ -x "$here/bin/run" ] || { echo "run.sh: $here/bin/run does not exist; run this script from a folder that pack.sh made" >&2; exit 2; }

folder=${1-${OUT-$here/results}}
if [ -n "$listing" ]; then
	work=/nonexistent
else
	mkdir -p "$folder/work" && folder=$(cd "$folder" && pwd) || exit 2
	work=$folder/work
	: >"$folder/page.txt" && : >"$folder/log.txt" && : >"$folder/results.jsonl" || exit 2
	trap 'end 2>/dev/null' EXIT
	# Drivers and compilers keep their caches and temporary files here.
	export HOME=$work TMPDIR=$work XDG_CACHE_HOME=$work/cache XDG_RUNTIME_DIR=$work CUDA_CACHE_PATH=$work/cuda __GL_SHADER_DISK_CACHE_PATH=$work
	chmod 700 "$work"
fi
cd "$here" || exit 2
# shellcheck source=tests/gpu/step.sh
. "$here/step.sh"
# shellcheck source=tests/gpu/machine.sh
. "$here/machine.sh"

# -- The machine -------------------------------------------------------------------------

machine() {
	local want have
	find_libraries
	find_vulkan_drivers
	find_cards
	say "qd $(sed -n 2p made), $(date -u '+%F %H:%M') UTC, $(uname -s) $(uname -r | sed 's/[^0-9.].*//') $(uname -m)"
	say "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1), $(nproc) processors, $(getconf GNU_LIBC_VERSION 2>/dev/null)"
	if [ -n "$nvidia" ]; then
		say "$(nvidia-smi --query-gpu=name,driver_version,compute_cap,clocks.sm,clocks.mem,clocks.max.sm,power.limit,compute_mode,mig.mode.current --format=csv,noheader)"
	elif [ -s "$work/cards" ]; then
		say "$(cat "$work/cards")"
	else
		say "no card found: nvidia-smi lists none, and $sys/class/drm has none of NVIDIA, AMD or Intel"
	fi
	want=$(sed -n '3s/GLIBC_//p' made)
	have=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/.* //')
	if [ -n "$have" ] && [ "$(printf '%s\n%s\n' "$want" "$have" | sort -V | tail -1)" != "$have" ]; then
		result FAIL libc 0 "the C library is $have, this pack requires $want or newer; build it on an older system"
	fi
}

# -- CUB, the reference for cuda ------------------------------------------------------------

# The program is in the pack if it was built for this card. Otherwise it is built here while the
# first steps run.
peer_begin() {
	local arch
	[ -z "$listing" ] || return 0
	arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .)
	peer=$here/bin/peer-sm_$arch
	[ ! -x "$peer" ] || return 0
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || return 0
	peer=$work/peer.program
	(
		timeout -k 5 200 nvcc -O3 -std=c++17 -arch="${arch:+sm_}${arch:-native}" -cudart static -o "$peer.new" peer.cu >"$work/nvcc" 2>&1 </dev/null &
		echo $! >"$work/nvcc.pid"
		wait $!
		echo $? 2>/dev/null >"$work/nvcc.end"
	) &
	disown # many waits for its own processes
}

end() {
	[ ! -f "$work/nvcc.pid" ] || [ -f "$work/nvcc.end" ] || kill "$(cat "$work/nvcc.pid")"
	rm -rf "$work"
	anonymous "$page" "$rows"
}

# Removes the names of this machine's folders from the results.
anonymous() {
	local file text
	for file in "$@"; do
		text=$(cat "$file") || continue
		text=${text//"$folder"/results}
		printf '%s\n' "${text//"$here"/gpu}" >"$file"
	done
}

peer_wait() { # prints nvcc's messages
	for _ in $(seq 200); do
		[ ! -f "$work/nvcc.end" ] || break
		sleep 1
	done
	cat "$work/nvcc"
	[ "$(cat "$work/nvcc.end")" = 0 ] && mv "$peer.new" "$peer"
}

peer_steps() {
	if [ -n "$listing" ] || [ -f "$work/nvcc.pid" ]; then
		export -f peer_wait
		export work peer
		step peer-build 30 200 bash -c peer_wait || { [ -n "$listing" ] || return; }
	fi
	if [ -n "$listing" ] || [ -x "$peer" ]; then
		step peer 10 60 "${peer:-peer}" "$size" && grep '^{' "$(file_of peer)" >>"$rows"
	else
		skip peer "there is no nvcc, and the pack was not made with pack.sh --peer for this card"
	fi
}

# -- Conformance, random programs -----------------------------------------------------------

# The parts of the table that run side by side: families, and the cases of the longest family.
parts_of() { # DEVICE
	local split='^block/'
	[ -z "$listing" ] || return 0
	if [ -n "$filter" ]; then
		ours bin/qd-conform --list --filter "$filter"
		return
	fi
	case $1 in amdgpu*) split='^$' ;; esac # each process runs the bring-up steps
	# The small parts run last and fill the gaps.
	ours bin/qd-conform --list | awk -v apart="$split" '$0 ~ apart { rest = rest $0 "\n"; next } { sub("/.*", "") } !seen[$0]++ { print } END { printf "%s", rest }'
}
conform_part() { ours timeout -k 2 "$1" bin/qd-conform -d "$device" --seed "$seed" --filter "$2"; }
programs_part() { ours timeout -k 2 "$1" bin/run -d "$device" --family program --programs "$programs" --seed "$2"; }

# conform NAME SELECTOR SEED
conform() {
	local device=$2 seed=$3 parts
	mapfile -t parts <<<"$(parts_of "$2")"
	many "$1" 20 150 conform_part "${parts[@]}"
}

# -- One device ---------------------------------------------------------------------------

# opens DEVICE: returns whether its steps can run. A device that does not open is a failure if it was requested or a
# matching card is present; otherwise it is a skip.
opens() {
	local d=$1 card reason
	[ -z "$listing" ] || { echo "open-$d"; return 0; }
	card=$(expects "$d")
	if ! reason=$(name_of "$d"); then
		if [ -n "$card" ] || [ "$asked" -gt 0 ]; then
			result FAIL "open-$d" 0 "${card:+there is a card ($card), but }$d does not open: $reason"
			case $d in vulkan*) vulkan_reason >"$(file_of "open-$d")"; cut -c1-300 "$(file_of "open-$d")" | sed 's/^/        /' | tee -a "$log" >>"$page" ;; esac
		else
			result skip "open-$d" 0 "$reason"
		fi
		return 1
	fi
	case $d-$reason in
	vulkan*llvmpipe* | vulkan*SwiftShader*)
		if [ -n "$card" ]; then
			result FAIL "open-$d" 0 "there is a card ($card), but Vulkan has only a CPU driver: $reason"
			vulkan_reason | cut -c1-300 | sed 's/^/        /' | tee -a "$log" >>"$page"
			return 1
		fi
		if [ "$asked" = 0 ]; then
			result skip "open-$d" 0 "only a CPU driver: $reason; -d $d runs the steps on it"
			return 1
		fi
		;;
	esac
	local keep=("${only[@]}") rc=0
	only=()
	QD_LOG=warning step "open-$d" 0 60 bin/qd-run --check -d "$d" demo.qdk src=rand:100000:1 dst=zero -o "dst=$work/demo.out" || rc=1
	only=("${keep[@]}")
	[ $rc -ne 0 ] || say "        $reason"
	return $rc
}

correctness() { # DEVICE
	local d=$1 device=$1
	case $d in amdgpu*) step "bringup-$d" 3 60 bin/qd-conform --bringup -d "$d" ;; esac
	conform "conform-$d" "$d" 1
	step "together-$d" 2 40 bin/together . "$d"
	step "lookback-$d" 3 60 env QD_TEST_ITERATIONS="${QD_TEST_ITERATIONS-25}" bin/lookback . "$d"
	step "lookback-load-$d" 3 60 env QD_TEST_ITERATIONS="${QD_TEST_ITERATIONS-10}" QD_TEST_LOAD=8 bin/lookback . "$d"
	step "nan-$d" 1 30 bin/gpu-nan "$d" &&
		show "nan-$d" 9 ' '
	many "programs-$d" 10 90 programs_part {1..8}
}

times() { # DEVICE
	local d=$1
	case $d in cuda*) [ -n "${peer_done-}" ] || peer_steps; peer_done=1 ;; esac
	step "bench-$d" 10 90 bin/gpu-bench "$d" "$size" bench.qdk
	[ ! -f "$(file_of "bench-$d")" ] || grep -a '^{' "$(file_of "bench-$d")" >>"$rows"
	case $d in
	vulkan* | cuda*)
		if [ -n "$listing" ] || [[ $d == cuda* ]] || [ -x bin/gpu-facts ]; then
			step "launch-$d" 5 40 bin/bench-launch "$d" &&
				show "launch-$d" 16
		else
			skip "launch-$d" "this pack was built without Vulkan's headers"
		fi
		;;
	esac
	step "free-$d" 4 40 bin/bench-free "$d" &&
		show "free-$d" 4
	step "shuffle-$d" 3 40 bin/bench-shuffle-vs-shared "$d" &&
		show "shuffle-$d" 9
	# Switches off the driver's own cache, so that only qd's counts.
	step "start-$d" 6 60 env CUDA_CACHE_DISABLE=1 bin/bench-start --rounds 5 "$d" &&
		show "start-$d" 3
}

# -- NVIDIA's checkers ------------------------------------------------------------------------

# racecheck does not model ordering by fences and atomic flags. The kernel publish of docs/examples/block.qdk
# synchronizes in that way, and so do three shapes of tests/cases/order.c.
flags="it synchronizes by an atomic flag, which racecheck does not model"
no_flags=(--skip publish --because "$flags")
sanitizer_part() {
	local skips=() shape
	if [ "$tool" = racecheck ]; then
		# shellcheck disable=SC2053 # a pattern
		for shape in publish counted 'by buffer'; do [[ order != $2 ]] || skips+=(--skip "order/$shape" --because "$flags"); done
	fi
	ours env QD_TEST_SOME=1 timeout -k 2 "$1" compute-sanitizer --tool "$tool" --error-exitcode 7 bin/run -d "$device" --family "$2" "${skips[@]}"
}

sanitizers() { # DEVICE
	local device=$1 tool skips families=(block atomic sort order grid copy)
	[ -z "$filter" ] || families=("${filter%%/*}")
	PATH=$PATH:/usr/local/cuda/bin
	for tool in racecheck synccheck memcheck initcheck; do
		skips=()
		[ $tool != racecheck ] || skips=("${no_flags[@]}")
		if [ -z "$listing" ] && ! command -v compute-sanitizer >/dev/null; then
			skip "$tool-$device" "compute-sanitizer is not installed"
			skip "$tool-cases-$device" "compute-sanitizer is not installed"
			continue
		fi
		step "$tool-$device" 3 60 compute-sanitizer --tool $tool --error-exitcode 7 bin/together "${skips[@]}" . "$device" &&
			show "$tool-$device" 3 'is left out|SUMMARY'
		many "$tool-cases-$device" 15 60 sanitizer_part "${families[@]}"
	done
}

# -- More of the same, while time is left ------------------------------------------------------

again() { # DEVICE
	local d=$1 device=$1 sizes size_
	conform "conform-seed2-$d" "$d" 2
	many "programs-more-$d" 20 120 programs_part {11..26}
	[ -z "$listing" ] || return 0
	# The other subgroup sizes of the device.
	sizes=$(ours bin/run -d "$d" --family canonical_order --count 2>/dev/null | sed -n 's/.*subgroup size //p' | head -1)
	for size_ in 8 16 32 64; do
		[[ $size_ != "$sizes" && $d != *:w* && $d != cuda* ]] || continue
		grep -A5 "^  ${d%%:*}:" "$(file_of info)" 2>/dev/null | sed -n 's/.*subgroup [0-9]* (\([0-9]*\) to \([0-9]*\)).*/\1 \2/p' | head -1 | {
			read -r least most && [ "$size_" -ge "$least" ] && [ "$size_" -le "$most" ]
		} && conform "conform-$d:w$size_" "$d:w$size_" 1
	done
	return 0
}

# -- Main -----------------------------------------------------------------------------------

peer=
opened=()
[ -n "$listing" ] || machine
if [[ " ${devices[*]}" == *" cuda"* ]] && { [ "$asked" -gt 0 ] || [ -n "$(expects cuda)" ]; }; then peer_begin; fi
step info 1 30 bash -c 'set -o pipefail; bin/qd-info | awk "{ print } /^ *target /{ n++ } END { print n + 0, \"devices\" }"'
[ -n "$listing" ] || awk '/^  [a-z]/ { on = $1 ~ /^(cuda|vulkan|amdgpu)/ } /^targets/ { exit } on && !/^ *uuid/ { print "      " $0 }' "$(file_of info)" >>"$page" 2>/dev/null
if [[ " ${devices[*]}" == *" vulkan"* ]]; then
	if [ -n "$listing" ] || [ -n "$(expects vulkan)" ] || [ "$asked" -gt 0 ]; then
		step vulkan-facts 1 30 bin/gpu-facts &&
			show vulkan-facts 90 '^[^ ]|^  .* = .{0,120}$'
	else
		skip vulkan-facts "no card is known"
	fi
fi
for d in "${devices[@]}"; do
	opens "$d" || continue
	opened+=("$d")
	correctness "$d"
	times "$d"
done
if [ -z "$listing" ] && grep -q '"who"' "$rows"; then awk -f ratios.awk "$rows" | tee -a "$page"; fi
for d in "${opened[@]}"; do
	case $d in cuda*) sanitizers "$d" ;; esac
done
for d in "${opened[@]}"; do again "$d"; done
[ -z "$listing" ] || exit 0

say ""
say "$n_ok ok, $n_failed failed, $n_skipped skipped, $n_left left, $SECONDS s of $budget"
name=$(for d in "${opened[@]}"; do name_of "$d"; break; done)
name=$(printf '%s-%s' "${name:-no-gpu}" "$(sed -n 's/.*, //p' <<<"${nvidia%%$'\n'*}")" | tr 'A-Z ,/()' 'a-z-----' | tr -cd 'a-z0-9._-' | sed -E 's/-+/-/g; s/^-|-$//g')
echo "${folder##*/}: page.txt is worth keeping, as docs/results/$name-$(date -u +%F).txt, and results.jsonl beside it"
[ $n_failed -eq 0 ]
