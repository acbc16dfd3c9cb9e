#!/bin/bash
# Checks the rules of explain.def: the words that they attribute to LLVM must be invalid.
# LLVM's assembler must reject the texts that its disassembler gave, or encode them as
# other words, except for rules with RULE_BOTH. Every rule must have its note in
# docs/amdgcn-notes.md.
# explained.sh PROGRAM [WORDS] [SEED]   (llvm_diff)
set -u
mc=
for c in llvm-mc-22 /usr/lib/llvm-22/bin/llvm-mc llvm-mc; do
	$c --version 2>/dev/null | grep 'version 22\.' >/dev/null && mc=$c && break
done
here=$(dirname "$0")
for rule in $(sed -n 's/^RULE\(_[A-Z]*\)*(\([a-z0-9_]*\),.*/\2/p' "$here/explain.def"); do
	grep -q "\`$rule\`" "$here/../../docs/amdgcn-notes.md" || { echo "$rule is not in docs/amdgcn-notes.md"; exit 1; }
done
[ -n "$mc" ] || { echo "SKIP: llvm-mc of LLVM 22 is not installed"; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
for mode in words rows; do
	"$1" $mode -c -x -l 0 -m 0 -n "${2:-600}" -s "${3:-1}"
done | sed -n 's/^example //p' | sort -u >"$dir/all"
for target in $(cut -d' ' -f3 "$dir/all" | sort -u); do
	attr=
	case $target in *:64) attr=-mattr=+wavefrontsize64 ;; esac
	case $target in gfx12*) attr="$attr -mattr=+real-true16" ;; esac # halves of registers
	awk -v t="$target" '$3 == t' "$dir/all" >"$dir/$target"
	# An s_nop after each text separates rejected lines.
	cut -d' ' -f5- "$dir/$target" | sed 'a s_nop 0' >"$dir/text"
	"$mc" -triple=amdgcn-amd-amdhsa -mcpu="${target%%:*}" $attr --show-encoding "$dir/text" 2>/dev/null |
		awk '/^\ts_nop 0 / {print (words ? words : "-"); words = ""}
			/encoding:/ && !/^\ts_nop 0 / {gsub(/.*\[|\].*/, ""); n = split($0, b, ",")
				for (i = 1; i <= n; i++) words = words substr(b[i - (i - 1) % 4 + 3 - (i - 1) % 4], 3)}' |
		paste -d' ' - "$dir/$target"
done >"$dir/verdicts"
# Columns: words from the assembler (or nothing), rule, one or both, target, words, text.
awk '{verdict = $1 == "-" ? "refused" : $1 == $5 ? "same" : "other"
		n[$2]++; v[$2, verdict]++; kind[$2] = $3; if (!((verdict, $2) in first)) first[verdict, $2] = $0}
	END {for (r in n) {
		printf "%-24s %3d texts: %d refused, %d other words, %d the same words\n", r, n[r], v[r, "refused"], v[r, "other"], v[r, "same"]
		if (kind[r] == "one" && v[r, "same"]) {printf "  LLVM agrees with itself: %s\n", first["same", r]; bad = 1}
	} exit bad}' "$dir/verdicts"
