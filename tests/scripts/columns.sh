#!/usr/bin/env bash
# columns.sh ROOT CC...: a row of op.def or sig.def that lacks any one column must not compile.
# Tests rows of every macro without each of their columns in turn, with and without the comma.
set -u
cd "$1" || exit 2
cc=("${@:2}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/scripts/known.sh
. tests/scripts/known.sh
cp src/ir/*.def src/ir/*.h "$tmp"
n=0 bad=0

compiles() {
	for f in ir eval build_lane; do
		"${cc[@]}" -Wfatal-errors -std=c11 -D_GNU_SOURCE -fsyntax-only -Werror=missing-prototypes -I"$tmp" -Isrc -Isrc/base "$tmp/$f.c" 2>/dev/null || return 1
	done
}

cp src/ir/ir.c src/ir/eval.c src/ir/build_lane.c "$tmp"

# try FILE ROW: ROW is the text up to the first comma of one line.
try() {
	local file=$1 row=$2
	python3 - "src/ir/$file" "$row" "$tmp/cases" <<'PY' || exit 1
import sys
name, row, out = sys.argv[1:]
lines = open(name).read().split("\n")
at = [i for i, l in enumerate(lines) if l.startswith(row) and l.rstrip().endswith(")")]
assert len(at) == 1, (row, at)
line = lines[at[0]]
start, end = line.index("(") + 1, line.rindex(")")
cols, depth, last, quoted = [], 0, start, False
for i in range(start, end):
    c = line[i]
    if c == '"' and line[i - 1] != "\\":
        quoted = not quoted
    if quoted:
        continue
    depth += (c == "(") - (c == ")")
    if c == "," and depth == 0:
        cols.append((last, i))
        last = i + 1
cols.append((last, end))
import os
os.makedirs(out, exist_ok=True)
for j, (a, b) in enumerate(cols):
    for how, text in (("empty", line[:a] + line[b:]), ("gone", line[:a] + line[b + 1:] if b < end else line[:a - 1] + line[b:])):
        new = lines[:]
        new[at[0]] = text
        open(f"{out}/{j}.{how}", "w").write("\n".join(new))
PY
	for c in "$tmp"/cases/*; do
		cp "$c" "$tmp/$file"
		n=$((n + 1))
		if compiles; then
			echo "columns: $file, $row: column ${c##*/} may be omitted" >&2
			bad=1
		fi
	done
	rm -rf "$tmp/cases"
	cp "src/ir/$file" "$tmp/$file"
}

all() {
	compiles || {
		echo "columns: the tables do not compile as they are" >&2
		return 1
	}
	try op.def 'COUNTED(CONST,'
	try op.def 'OP(BLOCK_IDX,'
	try op.def 'OP(STORE,'
	try op.def 'OP(BREAK,'
	try op.def 'LOW(PAIR,'
	try op.def 'SUBGROUP(REDUCE_MIN,'
	try op.def 'SUBGROUP(BALLOT_FIRST_N,'
	try op.def 'ALU(SUB,'
	try op.def 'ALU(SQRT,'
	try op.def 'APPROX(LOG,'
	try sig.def 'SIG(LANE_K,'
	try sig.def 'SIG(LOAD,'
	echo "$n damaged rows, none compiles" >"$tmp/said"
	return $bad
}
cat "$0" src/qd.h src/base/*.h src/ir/*.def src/ir/*.h "$tmp"/*.c >"$tmp/inputs"
known "$("${cc[@]}" --version)" "$tmp/said" "$tmp/inputs" all || exit 1
cat "$tmp/said"
