#!/usr/bin/env bash
# symbols.sh LIBRARY DIS-LIBRARY: each shared library must export exactly the functions that its
# header declares. libqdgpu must contain none of the analyses and the assembler of AMD code, which
# belong to libqdgpu-dis. The latter must not need libqdgpu.
set -u
src=$(dirname "$0")/../../src
bad=0

wrong() {
	echo "symbols: $1" >&2
	bad=1
}

exports() { # HEADER LIBRARY
	local text want got
	text=$(tr '\n' ' ' <"$1" | sed 's/;/;\n/g')
	want=$(grep -oE '\bqd_[a-z0-9_]+\(' "$1" | tr -d '(' | sort -u |
		while read -r name; do grep -qE "QD_API [^;]*\b$name\(" <<<"$text" && echo "$name"; done)
	got=$(nm -D --defined-only "$2" | awk '$2 ~ /^[TDRB]$/ { sub(/@.*/, "", $3); print $3 }' | grep -v '^QDGPU' | sort -u)
	[ "$want" = "$got" ] || wrong "$1 (<) and $2 (>) differ:
$(diff <(echo "$want") <(echo "$got"))"
	echo "$(wc -l <<<"$got") symbols in ${2##*/}"
}

exports "$src/qd.h" "$1"
exports "$src/public/qdgpu/dis.h" "$2"
for name in gcn_hazards gcn_waits gcn_live gcn_flow_read gcn_assemble gcn_parse spv_dis; do
	nm "$1" | grep -q " $name\$" && wrong "$1 contains $name"
done
readelf -d "$2" | grep -q 'NEEDED.*libqdgpu' && wrong "$2 needs libqdgpu"
exit $bad
