#!/usr/bin/env bash
# symbols.sh LIBRARY: the shared library must export exactly the functions that qd.h declares.
set -u
here=$(dirname "$0")
want=$(grep -oE '\bqd_[a-z0-9_]+\(' "$here/../../src/qd.h" | tr -d '(' | sort -u |
	while read -r name; do
		grep -qE "QD_API [^;]*\b$name\(" <(tr '\n' ' ' <"$here/../../src/qd.h" | sed 's/;/;\n/g') && echo "$name"
	done)
got=$(nm -D --defined-only "$1" | awk '$2 ~ /^[TDRB]$/ { sub(/@.*/, "", $3); print $3 }' | grep -v '^QDGPU' | sort -u)
if [ "$want" != "$got" ]; then
	echo "symbols: qd.h (<) and the library (>) differ" >&2
	diff <(echo "$want") <(echo "$got") >&2
	exit 1
fi
echo "$(echo "$got" | wc -l) symbols"
