#!/usr/bin/env bash
# hazards.sh [--mutate] BUILD: compiles the pairs of hazards.txt with LLVM 22's code
# generator twice, without and with its passes that resolve hazards. qd-dis --hazards
# must find each hazard in the first result, by name and with the number of wait
# states that LLVM inserts. It must find nothing in the second result. Then it checks clang's code
# for tests/gcn/kernels, if kernels.sh has left it in BUILD/tests/kernels. This code
# must have no hazard and no use of a result before a wait for it. When a nop or wait is
# removed, the rules must report a hazard wherever LLVM would insert it again
# (hazard_random -c, if it is built).
# --mutate looks for the first pair in the code where it has been resolved.
set -u
inject=
if [ "${1-}" = --mutate ]; then
	inject=1
	shift
fi
build=$(realpath "${1:?hazards.sh [--mutate] BUILD}")
here=$(dirname "$(realpath "$0")")
dis=$build/src/tools/qd-dis
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NO_COLOR=1 LC_ALL=C

for tool in llc-22 llvm-mc-22 llvm-objdump-22 llvm-objcopy-22; do
	command -v $tool >/dev/null || {
		echo "hazards: $tool is not installed"
		exit 77
	}
done

# GROUP.mir has the pairs of a target as functions fN. Pairs of a wave64 target are a group each,
# because their code is read without the names of functions. The file `pairs` has the expectations.
awk -v dir="$work" '
function finish() { if (n) body[group] = body[group] "    S_ENDPGM 0\n...\n" }
/^#/ || /^$/ { next }
/^[a-z0-9-]+ [a-z0-9_]+ [0-9-]+$/ {
	finish()
	n++
	group = $1 ($1 ~ /-w64$/ ? "." n : "")
	print n, group, $0 > (dir "/pairs")
	head[group] = head[group] "  define amdgpu_kernel void @f" n "() { ret void }\n"
	body[group] = body[group] "---\nname: f" n "\nbody: |\n  bb.0:\n"
	next
}
{ body[group] = body[group] "  " $0 "\n" }
END {
	finish()
	for (group in head) printf "--- |\n%s...\n%s", head[group], body[group] > (dir "/" group ".mir")
}
' "$here/hazards.txt"

code() { # FILE TARGET PASS RESULT: compiles FILE.mir to FILE.RESULT.o, beginning with PASS
	local cpu=${2%-w64} wave=
	[ "$2" != "$cpu" ] && wave=-mattr=+wavefrontsize64,-wavefrontsize32
	# shellcheck disable=SC2086
	llc-22 -mtriple=amdgcn-amd-amdhsa -mcpu="$cpu" $wave -start-before="$3" -filetype=obj \
		-o "$1.$4.o" "$1.mir" 2>"$1.err"
}

found() { # FILE [TARGET-w64]: prints "function rule missing" for each hazard
	local file=$1 raw= target=${2-}
	if [ "${target%-w64}" != "$target" ]; then
		llvm-objcopy-22 -O binary --only-section=.text "$1" "$1.bin"
		file=$1.bin raw="--raw ${target%-w64}:w64"
	fi
	# shellcheck disable=SC2086
	"$dis" --hazards $raw "$file" 2>&1 | awk '
		/ on gfx[^ ]*: / { sub(/ on gfx.*/, ""); rule = $NF; name = NF > 1 ? $(NF - 1) : "-"; sub(/:$/, "", name) }
		/^  needs [0-9]+ more/ { print name, rule, $2 }
		/^  needs [^0-9]/ { print name, rule, "-" }'
}

bad=0 n=0
for mir in "$work"/*.mir; do
	stem=${mir%.mir}
	group=${stem##*/}
	target=${group%%.*}
	if ! code "$stem" "$target" branch-relaxation bare || ! code "$stem" "$target" post-RA-hazard-rec fixed; then
		echo "$target: $(grep -m1 error "$stem.err")"
		bad=$((bad + 1))
		continue
	fi
	found "$stem.bare.o" "$target" >"$stem.have"
	found "$stem.fixed.o" "$target" >"$stem.left"
	llvm-objdump-22 -d "$stem.fixed.o" | awk '
		/^[0-9a-f]+ <f[0-9]+>:/ { name = substr($2, 2, length($2) - 3); n = 0 }
		name && /s_endpgm/ { print name, n ? n : "-"; name = "" }
		name && /\ts_nop / { n += $2 + 1 }' >"$stem.put"
done
of() { # FILE FUNCTION
	sed -n "s/^$2 //p" "$1"
}
while read -r number group target rule missing; do
	stem=$work/$group name=f$number
	n=$((n + 1))
	[ -e "$stem.put" ] || continue
	put=$(of "$stem.put" "$name")
	[ "$group" = "$target" ] || name='[^ ]*'
	have=$(of "$stem.have" "$name")
	left=$(of "$stem.left" "$name")
	if [ -n "$inject" ]; then
		echo "$target $rule: ${left:-nothing}"
		[ -z "$left" ] && exit 1
		exit 0
	fi
	if [ "$have" != "$rule $missing" ] || [ "$put" != "$missing" ] || [ -n "$left" ]; then
		echo "$target $rule $missing: found ${have:-nothing}, LLVM inserts $put, then ${left:-nothing} remains"
		bad=$((bad + 1))
	fi
done <"$work/pairs"
echo "hazards: $n pairs, $bad that differ from LLVM"

# branch_3f: LLVM's assembler pads such a branch. The unpadded code for gfx10.3
# must give a finding for gfx10.1 wherever the code for gfx10.1 is longer.
text() { # CPU WORDS: assembles a branch over WORDS words to branch.CPU
	printf 's_branch l\n.rept %d\ns_nop 0\n.endr\nl: s_endpgm\n' "$2" |
		llvm-mc-22 -triple=amdgcn -mcpu="$1" -filetype=obj -o "$work/branch.o" &&
		llvm-objcopy-22 -O binary --only-section=.text "$work/branch.o" "$work/branch.$1"
}
for n in 1 61 62 63 64 65; do
	text gfx1010 $n && text gfx1030 $n || { bad=$((bad + 1)) && continue; }
	padded=$(($(stat -c %s "$work/branch.gfx1010") - $(stat -c %s "$work/branch.gfx1030")))
	have=$("$dis" --hazards --raw gfx1010 "$work/branch.gfx1030" 2>&1 | grep -c branch_3f)
	[ $((padded / 4)) = "$have" ] && continue
	echo "branch over $n words: LLVM adds $padded bytes, $have found"
	bad=$((bad + 1))
done

objects=0 reported=0
for object in "$build"/tests/kernels/*/*.hsaco; do
	[ -e "$object" ] || continue
	objects=$((objects + 1))
	text=$(found "$object")
	[ -n "$text" ] || text=$("$dis" --waits "$object" | grep -m1 'may not have written')
	if [ -n "$text" ]; then
		echo "$object: $(head -1 <<<"$text")"
		reported=$((reported + 1))
	fi
done
echo "hazards: $objects objects of clang's, $reported with a finding"

# The sums are of the lines "TARGET F functions, I instructions; P inserted, G found, M missed, ..."
objects=0 differ=0
for dir in "$build"/tests/kernels/*/; do
	target=$(basename "$dir") codes=()
	for object in "$dir"*.hsaco; do
		[ -x "$build/tests/hazard_random" ] && [ -e "$object" ] || continue
		objects=$((objects + 1))
		code=${object##*/} code=$work/$target.${code%.hsaco}
		llvm-objcopy-22 -O binary --only-section=.text "$object" "$code" # a failure leaves no file to read
		codes+=("$code")
	done
	[ ${#codes[@]} -gt 0 ] || continue
	if ! "$build/tests/hazard_random" -c "${target/-w/:}" "${codes[@]}" >"$work/result" 2>&1; then
		grep -E 'not found|before a wait|not a target|^differs: ' "$work/result" | head -20
		differ=$((differ + 1))
	fi
	cat "$work/result" >>"$work/all"
done
if [ -e "$work/all" ]; then
	awk '/ functions, / { put += $6; found += $8; missed += $10 }
		END { printf "hazards: %d nops and waits of clang'"'"'s removed, %d found, %d missed that LLVM inserts\n", put, found, missed }' "$work/all"
	sed -n 's/^ \{4,\}\([0-9][0-9]* .*\)/\1/p' "$work/all" | awk '
		{ n = $1; sub(/^[0-9]+ /, ""); sum[$0] += n }
		END { for (why in sum) printf "    %7d %s\n", sum[why], why }' | sort -k2
else
	echo "part skipped: nops and waits of clang removed: hazard_random is not built"
fi
[ $bad = 0 ] && [ $reported = 0 ] && [ $differ = 0 ]
