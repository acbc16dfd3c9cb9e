#!/usr/bin/env bash
# Checks with LLVM 22 the images that a command stores: its disassembler must give qd's text for
# their bytes, its assembler their bytes for qd's text.
# image.sh GCN_IMAGE COMMAND [ARGUMENT]...   (QD_TEST_MUTATION=1: changes one byte of one image)
set -u
program=$1
shift
mc=
for c in llvm-mc-22 /usr/lib/llvm-22/bin/llvm-mc llvm-mc; do
	$c --version 2>/dev/null | grep -q 'version 22\.' && mc=$c && break
done
[ -n "$mc" ] || { echo "SKIP: llvm-mc of LLVM 22 is not installed"; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/images"
QD_TEST_IMAGES=$tmp/images "$@" >"$tmp/said" || { cat "$tmp/said"; exit 1; }

# Prints LLVM's text without directives, comments, and tabs around names.
text_of() {
	sed '/^\t\./d; s/^\t//; s/\t/ /g; s/ *\/\/.*//; s/ *; .*//' "$1"
}
n=0 failed=0
for kind in $(find "$tmp/images" -name '*.img' | sed -E 's/.*\/(.*)-[0-9a-f]+\.img$/\1/' | sort -u); do
	cpu=${kind%-*} wave=${kind##*-} attr=
	[ "$wave" = 64 ] && case $cpu in gfx9*) ;; *) attr=-mattr=+wavefrontsize64 ;; esac
	case $cpu in gfx12*) attr="$attr -mattr=+real-true16" ;; esac # halves of registers
	"$program" "$cpu" "$wave" "$tmp" "$tmp/images/$kind"-*.img || failed=1
	[ "${QD_TEST_MUTATION:-0}" = 1 ] && sed -i '1s/0x[0-9a-f]*/0x07/' "$tmp/bytes"
	# shellcheck disable=SC2086
	"$mc" -triple=amdgcn-amd-amdhsa -mcpu="$cpu" $attr --disassemble "$tmp/bytes" >"$tmp/its_text" 2>"$tmp/errors"
	# shellcheck disable=SC2086
	"$mc" -triple=amdgcn-amd-amdhsa -mcpu="$cpu" $attr --show-encoding "$tmp/text" >"$tmp/its_bytes" 2>>"$tmp/errors"
	text_of "$tmp/its_text" >"$tmp/a"
	sed -n 's/.*encoding: \[\(.*\)\].*/\1/p' "$tmp/its_bytes" >"$tmp/b"
	echo "$kind: $(find "$tmp/images" -name "$kind-*" | wc -l) images, $(wc -l <"$tmp/text") instructions"
	if [ -s "$tmp/errors" ] || ! diff "$tmp/a" "$tmp/text" >"$tmp/diff" || ! diff "$tmp/b" "$tmp/bytes" >>"$tmp/diff"; then
		cat "$tmp/errors" "$tmp/diff" | head -20
		failed=1
	fi
	n=$((n + 1))
done
[ $n -gt 0 ] || failed=1
exit $failed
