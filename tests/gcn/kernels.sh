#!/usr/bin/env bash
# kernels.sh [--mutate] BUILD: compiles the kernels of tests/gcn/kernels with clang for every
# target below. qd-dis --style=llvm and llvm-objdump must print the same lines.
# Prints the kernels, instructions and differing lines of each target, and the totals.
# Checks that qd-dis --hazards finds nothing and that each instruction's text encodes to its
# words.
# --mutate flips one bit of one object, for qd-dis only. The run then fails if it finds
# exactly that instruction.
set -u
inject=
if [ "${1-}" = --mutate ]; then
	inject=1
	shift
fi
build=$(realpath "${1:?kernels.sh [--mutate] BUILD}")
here=$(dirname "$(realpath "$0")")
script=$here/kernels.sh sources=$here/kernels
dis=$build/src/tools/qd-dis
out=$build/tests/kernels

targets="gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1030-w64 gfx1100 gfx1100-w64 gfx1151
gfx1200 gfx1200-w64 gfx1250 gfx1251 gfx9-4-generic"
# TARGET:KIND without a kernel: these targets have no matrix instructions.
missing="gfx906:matrix gfx1010:matrix gfx1030:matrix gfx1030-w64:matrix"

for tool in clang-22 ld.lld-22 llvm-objdump-22 llvm-readelf-22 llvm-objcopy-22; do
	command -v $tool >/dev/null || {
		echo "kernels: $tool is not installed"
		exit 77
	}
done
unset QD_DUMP QD_DUMP_DIR
export NO_COLOR=1 LC_ALL=C
mkdir -p "$out" && cd "$out" || exit 1
tmp=$out
# shellcheck source=tests/scripts/known.sh
. "$here/../scripts/known.sh"

# -O2 without a library; unused functions are dropped.
flags="--target=amdgcn-amd-amdhsa -O2 -nogpulib -x cl -cl-std=CL2.0 -Wall -Werror
-fno-crash-diagnostics -mllvm -amdgpu-internalize-symbols"

# Prints the instructions of a listing without addresses, words and symbols.
text_only() {
	sed -n 's@ *// .*@@; /^\t/p' "$1"
}

# Prints the lines of the first file that the second lacks, with -, and vice versa with +.
differences() {
	cmp -s "$1" "$2" || diff -U0 "$1" "$2" | tail -n +3 | grep -v '^@@'
}

ours() { # OBJECT LISTING [OPTION]...
	local object=$1 listing=$2
	shift 2
	"$dis" --style=llvm "$@" -o "$listing" "$object" 2>"$listing.err" ||
		echo "qd-dis: $(head -1 "$listing.err")" >"$listing"
}

build_one() { # TARGET KIND: builds the object, and LLVM's listings of it
	local target=$1 stem=$1/$2 source=$sources/$2.cl wave= halves=
	[ "$stem.notes" -nt "$source" ] && [ "$stem.notes" -nt "$sources/kernel.h" ] && return
	[ "$target" != "${target%-w64}" ] && wave=-mwavefrontsize64
	[ "$target" = "${target#gfx12}" ] || halves=--mattr=+real-true16 # which qd-dis prints
	# shellcheck disable=SC2086
	clang-22 $flags -mcpu="${target%-w64}" $wave -o "$stem.hsaco" "$source" 2>"$stem.err" || {
		echo "clang-22, $source for $target: $(grep -m1 error "$stem.err")"
		return 1
	}
	llvm-objdump-22 -d $halves "$stem.hsaco" >"$stem.llvm"
	if [ -n "$wave" ]; then
		# llvm-objdump assumes the target's default wave size.
		llvm-objdump-22 -d $halves --mattr=+wavefrontsize64 "$stem.hsaco" | text_only - >"$stem.w64"
		llvm-objcopy-22 -O binary --only-section=.text "$stem.hsaco" "$stem.bin"
	fi
	llvm-readelf-22 --notes "$stem.hsaco" >"$stem.notes"
}

one() { # TARGET KIND
	local target=$1 stem=$1/$2
	build_one "$1" "$2" >"$stem.failed" || return
	rm "$stem.failed"
	# Skips an object whose results are newer than the object, the tool and this script.
	[ "$stem.done" -nt "$stem.notes" ] && [ "$stem.done" -nt "$dis" ] && [ "$stem.done" -nt "$script" ] && return
	if [[ " $missing " == *" $target:$2 "* ]]; then
		# An object without code must be rejected, with its offset.
		"$dis" --hazards "$stem.hsaco" 2>&1 | grep "': offset 0x.* has no bytes$" >"$stem.err" ||
			echo "+ an object without code is not rejected" >"$stem.diff"
		: >>"$stem.diff"
		: >"$stem.hazards"
		: >"$stem.done"
		return
	fi
	ours "$stem.hsaco" "$stem.ours"
	differences "$stem.llvm" "$stem.ours" >"$stem.diff"
	"$dis" --hazards "$stem.hsaco" >"$stem.hazards" 2>&1 || echo "exit status $?" >>"$stem.hazards"
	if [ "$target" != "${target%-w64}" ]; then
		ours "$stem.bin" "$stem.ours" --raw "${target%-w64}:w64" --no-addr --no-hex
		sed -i 's@ *$@@' "$stem.ours"
		differences "$stem.w64" "$stem.ours" >>"$stem.diff"
	fi
	: >"$stem.done"
}

# Flips a bit of the word in the middle of an object's code. Prints the difference of the listings.
injected() {
	local object=gfx1100/copy.hsaco at size
	read -r at size < <(llvm-readelf-22 -S --wide $object |
		awk '/ \.text / { sub(/.*PROGBITS/, ""); print $2, $3 }')
	at=$((16#$at + 16#$size / 8 * 4))
	cp $object injected.hsaco
	printf '%b' "\\x$(printf %02x $(($(od -An -tu1 -j $at -N 1 $object) ^ 1)))" |
		dd of=injected.hsaco bs=1 seek=$at conv=notrunc status=none
	ours injected.hsaco injected.ours
	sed -i '2s@injected@gfx1100/copy@' injected.ours
	differences gfx1100/copy.llvm injected.ours
}

# Exactly one line of LLVM's must be missing, and one must be new.
inject_found() {
	[ "$(grep -c '^-' <<<"$1")" = 1 ] && [ "$(grep -c '^+' <<<"$1")" = 1 ]
}

if [ -n "$inject" ]; then
	mkdir -p gfx1100
	one gfx1100 copy
	found=$(injected)
	echo "$found"
	inject_found "$found" && exit 1
	exit 0
fi

export -f build_one differences one ours text_only
kinds=$(cd "$sources" && ls ./*.cl | sed 's@^\./@@; s@\.cl$@@')
export script sources dis flags kinds missing
printf '%s\n' $targets | xargs -P 2 -L 1 bash -c 'mkdir -p "$0"; for kind in $kinds; do one "$0" "$kind"; done'

bad=0
files=() hazards=()
for target in $targets; do
	for kind in $kinds; do
		if [ -e "$target/$kind.failed" ]; then
			cat "$target/$kind.failed"
			bad=1
		else
			files+=("$target/$kind".{notes,llvm,diff})
			hazards+=("$target/$kind.hazards")
		fi
	done
done
awk -v missing="$missing" -f "$here/kernels.awk" "${files[@]}" || bad=1
if ! inject_found "$(injected)"; then
	echo "kernels: an injected difference was not found"
	bad=1
fi
# The compiler must have resolved all hazards.
if [ "$(cat "${hazards[@]}" | wc -c)" = 0 ]; then
	echo "no hazard in ${#hazards[@]} objects"
else
	echo "kernels: hazards"
	find "${hazards[@]}" -size +0 -exec head -n 4 {} + | head -40
	bad=1
fi
echo
back() { # TARGET
	"$build/tests/gcn_back" "$1"/*.hsaco >back
}
for target in $targets; do
	printf '%-16s ' "$target"
	cat "$build/tests/gcn_back" "$target"/*.hsaco >back.inputs
	known '' back back.inputs back "$target" || bad=1
	tail -1 back
	head -n -1 back
done
# Prints the differing lines, one for each instruction.
for f in "${files[@]}"; do
	case $f in
	*.diff) [ -s "$f" ] && sed "s@^@$f: @" "$f" ;;
	esac
done >different
if [ -s different ]; then
	awk '!seen[$2 $3]++' different | head -20
	bad=1
fi
exit $bad
