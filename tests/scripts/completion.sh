#!/usr/bin/env bash
# completion.sh PAGE... -- COMPLETION... -- PROGRAM...: each program's --help, manual page and
# completion list the same options, and bash completes them.
set -u
pages=() files=() bad=0 n=0
while [ "$1" != -- ]; do pages+=("$1"); shift; done
shift
while [ "$1" != -- ]; do files+=("$1"); shift; done
shift

say() {
	echo "completion: $1" >&2
	bad=1
}
# Prints the file in a list that belongs to the program.
of() { # NAME FILE...
	local name=$1 f
	shift
	for f; do
		case $(basename "$f") in "$name" | "$name.1") echo "$f" ;; esac
	done
}
# WANT WORD...: a command line, whose last word is completed. WANT: all replies, or, with a
# trailing *, some of them.
completes() {
	local want=$1 got
	shift
	n=$((n + 1))
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_WORDBREAKS=$' \t\n"\'><=;|&(:' COMPREPLY=()
	"_${1//-/_}"
	got=" ${COMPREPLY[*]} "
	if [ "$want" = "${want%\*}" ]; then
		[ "$got" = " $want " ] || say "'$*' gives '${COMPREPLY[*]}', not '$want'"
	else
		[[ $got == *" ${want%\*} "* ]] || say "'$*' gives '${COMPREPLY[*]}', without '${want%\*}'"
	fi
}

for program; do
	name=$(basename "$program") page=$(of "$(basename "$program")" "${pages[@]}") file=$(of "$(basename "$program")" "${files[@]}")
	[ -n "$page" ] && [ -n "$file" ] || {
		say "$name has no page or no completion"
		continue
	}
	listed=$("$program" --help | sed -nE 's/^ {2,6}(-[A-Za-z], )?(--[a-z][a-z0-9-]*)(=[^ ]+)?.*/\2 \3/p' | sed -E 's/ =.*/=/; s/ $//' | sort)
	shown=$(sed -nE '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$page" | grep -A1 '^\.TP' | grep '^\\fB' |
		sed -E 's/\\f.//g; s/\\-/-/g; s/^-[A-Za-z], //; s/=.*/=/' | sort)
	. "$file"
	found=$(sed -n "s/^\tlocal options='\(.*\)'$/\1/p" "$file" | tr ' ' '\n' | grep '^--' | sort)
	[ "$(wc -l <<<"$listed")" -gt 4 ] || say "$name --help lists fewer than 5 options"
	[ "$listed" = "$shown" ] || say "$name: --help and the page differ: $(diff <(echo "$listed") <(echo "$shown"))"
	[ "$listed" = "$found" ] || say "$name: --help and the completion differ: $(diff <(echo "$listed") <(echo "$found"))"
	[ "$(complete -p "$name")" = "complete -F _${name//-/_} $name" ] || say "$name is not completed"
	# Checks every long option, and the single letters of --help.
	while read -r option; do completes "$option*" "$name" "${option%=}"; done <<<"$listed"
	for letter in $("$program" --help | sed -nE 's/^ {2,6}(-[A-Za-z]), .*/\1/p'); do completes "$letter*" "$name" -; done
	completes "json" "$name" --diag = j
	completes "auto always never" "$name" --color ""
done
completes "--diff" qd-dis --dif
completes "--emit=" qd-dis x.qdk --em
completes "qd llvm" qd-dis --style = ""
completes "--style=llvm" qd-dis --style=l
completes "dot" qd-dis --cfg d
completes "ptx:sm_90" qd-dis -t ptx:sm_9
completes "sm_90" qd-dis -t ptx : sm_9
completes "w64" qd-dis -t spirv : w6
completes "gfx1200 gfx1201" qd-dis --target = gfx120
completes "gfx906 gfx908 gfx90a" qd-dis --raw gfx90
completes "" qd-dis --raw ptx
completes "ref:4 ref:8 ref:16 ref:32 ref:64 ref:128" qd-run -d ref
completes "sm_121" qd-run -d emu : sm_121
completes "gfx942" qd-conform --device = emu : gfx94
completes "ptx:sm_75" qd-info -t ptx:sm_75
# Each offered target must be valid.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo 'qdk 2; kernel k(dst: out u32[]) block(128) { for i in grid(dst.len) { dst[i] = i; } }' >"$tmp/k.qdk"
for program; do [ "$(basename "$program")" = qd-dis ] && dis=$program; done
completes "all" qd-aot -t a
completes "qdir" qd-aot --target = qd
completes "cuda-fatbin" qd-aot --emit = c
completes "x86_64" qd-aot --host x
completes "list" qd-aot li
completes "verify*" qd-aot v
completes "stat list clear verify" qd-aot cache ""
completes "gfx942" qd-aot why x.o -d gfx94
completes "emu:gfx942*" qd-aot why -d ""
# The commands must be those of --help.
commands=$(for program; do [ "$(basename "$program")" != qd-aot ] || "$program" --help | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p'; done)
completes "$(paste -sd' ' <<<"$commands")*" qd-aot ""
completes "ref:w4*" qd-dis -t ""
for target in "${COMPREPLY[@]}"; do
	n=$((n + 1))
	"$dis" -t "$target" "$tmp/k.qdk" >/dev/null 2>"$tmp/said" || say "'$target' is offered, but: $(head -1 "$tmp/said")"
done
for program; do [ "$(basename "$program")" = qd-run ] && run=$program; done
completes "ref:4*" qd-run -d ""
for device in "${COMPREPLY[@]}"; do
	case $device in cuda* | vulkan*) continue ;; esac
	n=$((n + 1))
	"$run" -d "$device" "$tmp/k.qdk" dst=zero:4 >/dev/null 2>"$tmp/said" || say "'$device' is offered, but: $(head -1 "$tmp/said")"
done
# File names that contain spaces.
: >"$tmp/a b.qdk"
cd "$tmp" || exit 1
completes "a b.qdk" qd-dis a
completes "a b.qdk" qd-dis -o a
echo "completion: $n checks"
exit $bad
