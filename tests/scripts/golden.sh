#!/usr/bin/env bash
# golden.sh QD-DIS SOURCE: compares the code of a few kernels with the reviewed texts next to them.
# For SPIR-V, the texts of one width are stored; spirv/hashes.txt has the SHA-256 of the others. For PTX,
# the texts of sm_90 are stored, and what differs for sm_70.
# QD_GOLDEN_UPDATE=1 rewrites the texts and hashes; review the diff.
set -u
dis=$(realpath "$1") src=$2
bad=0
export NO_COLOR=1
unset QD_DUMP QD_DUMP_DIR
check() { # GOLDEN COMMAND...
	local golden=$src/tests/golden/$1 got
	shift
	got=$("$@") || bad=1
	if [ -n "${QD_GOLDEN_UPDATE-}" ]; then
		mkdir -p "$(dirname "$golden")"
		printf '%s\n' "$got" >"$golden"
	fi
	diff "$golden" <(printf '%s\n' "$got") || bad=1
}
# Compares the hash of a text. After a difference, the listing of both commits shows the change.
hash() { # NAME COMMAND...
	local name=$1 got
	shift
	got=$(set -o pipefail && "$@" | sha256sum | cut -d' ' -f1) || bad=1
	echo "$got  $name" >>"$hashes"
	grep -qxF "$got  $name" spirv/hashes.txt || [ -n "${QD_GOLDEN_UPDATE-}" ] || {
		echo "golden: the text of $name has changed: $*"
		bad=1
	}
}
# Prints how a text differs from the stored text of sm_90.
difference() { # STEM COMMAND...
	local stem=$1
	shift
	diff -U0 --label "$stem.sm_90" --label "$stem.sm_70" "ptx/$stem.sm_90.ptx" <("$@")
	[ $? -lt 2 ]
}
# Prints the IR that the back end receives, for each kernel of a file.
dump=$(mktemp -d)
hashes=$(mktemp)
trap 'rm -rf "$dump" "$hashes"' EXIT
legal() { # TARGET FILE
	rm -f "$dump"/*
	QD_DUMP=ir QD_DUMP_DIR=$dump "$dis" -t "$1" "$2" >/dev/null && cat "$dump"/*.ir
}
cd "$src/tests/golden" || exit 1
n=0
for k in *.qdk; do
	stem=${k%.qdk}
	check "ir/$stem.ir" "$dis" "$k"
	check "spirv/$stem.w32.spvasm" "$dis" -t spirv:w32 "$k"
	for t in w8:-i64:-f64 w16:+hidezero; do
		hash "$stem.$t" "$dis" -t "spirv:$t" "$k"
	done
	check "ptx/$stem.sm_90.ptx" "$dis" -t ptx:sm_90 "$k"
	check "ptx/$stem.sm_70.diff" difference "$stem" "$dis" -t ptx:sm_70 "$k"
	for t in gfx942 gfx1100; do
		check "gcn/$stem.$t.s" "$dis" -t "$t" "$k"
	done
	n=$((n + 8))
done
# Loops that a driver may terminate.
check "spirv/control.w8,+looplimit.spvasm" "$dis" -t spirv:w8:+looplimit control.qdk
n=$((n + 1))
# Vectors, which need launch facts.
check "ptx/wide.sm_90,facts.ptx" "$dis" -t ptx:sm_90:facts wide.qdk
check "spirv/wide.w32,facts.spvasm" "$dis" -t spirv:w32:facts wide.qdk
n=$((n + 2))
[ $n -gt 0 ] || bad=1
[ -z "${QD_GOLDEN_UPDATE-}" ] || cp "$hashes" spirv/hashes.txt
[ "$(wc -l <spirv/hashes.txt)" -eq "$(wc -l <"$hashes")" ] || bad=1
for t in spirv:w8 spirv:w64 ptx:sm_70; do
	check "legal/barriers.${t#*:}.ir" legal $t legal/barriers.qdk
	n=$((n + 1))
done
echo "$n golden texts"
exit $bad
