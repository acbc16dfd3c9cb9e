#!/usr/bin/env bash
# conform.sh QD-CONFORM INJECTED: output and exit codes of qd-conform. INJECTED is the same program,
# but flips one bit of a result.
set -u
conform=$(realpath "$1") injected=$(realpath "$2")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset QD_DEVICE QD_LOG
bad=0

say() {
	echo "conform: $1" >&2
	bad=1
}

# run CODE COMMAND...: stores the output in $out and the messages in $err
run() {
	local want=$1
	shift
	out=$("$@" 2>"$tmp/err")
	rc=$?
	err=$(cat "$tmp/err")
	[ $rc -eq "$want" ] || say "$(basename "$1") ${*:2}: exit $rc, not $want: $err"
}

run 0 "$conform" --list
[ "$(wc -l <<<"$out")" -gt 50 ] || say "--list names few cases"
[ "$(sort <<<"$out" | uniq -d)" = "" ] || say "--list names a case twice"
for name in scan/subgroup.inclusive_add program atomic; do
	grep -q "^$name" <<<"$out" || say "--list has no $name"
done
run 0 "$conform" --list --filter 'scan/*add*'
grep -qv '^scan/.*add' <<<"$out" && say "--filter lists others"

run 0 "$conform" -d ref:4 --filter 'scan/*add*'
[ "$(tail -1 <<<"$out")" = "$(awk '$1 == "scan" { print $3 " passed, 0 failed, 0 skipped" }' <<<"$out")" ] ||
	say "the last line is not the family's: $out"
[ -z "$err" ] || say "messages without a reason: $err"
run 0 "$conform" -d ref:4 --filter reduce --seed 7 --json
python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["schema"] == "qd.conform/1" and r["device"] == "ref:4" and r["seed"] == "7", r
assert [f["name"] for f in r["families"]] == ["reduce"] and r["families"][0]["cells"] == r["passed"] > 0, r
assert not r["failures"] and not r["failed"] and not r["skipped"], r' <<<"$out" || say "--json: $out"
run 1 "$injected" -d ref:4 --filter reduce
tail -1 <<<"$out" | grep -q ' passed, 1 failed, 0 skipped$' || say "a flipped bit: $(tail -1 <<<"$out")"
run 1 "$injected" -d ref:4 --filter reduce --json
python3 -c '
import json, sys
r = json.load(sys.stdin)
assert r["failed"] == 1 and r["failures"] and "reduce" in r["failures"][0], r' <<<"$out" || say "--json of a flipped bit: $out"

run 2 "$conform" --filter nothing
[ "$(head -1 <<<"$err")" = "qd-conform: --filter: no case matches 'nothing'; --list prints the names" ] || say "$err"
run 2 "$conform" --list -d ref:4
[ "$(head -1 <<<"$err")" = "qd-conform: --list needs no device and prints only names" ] || say "$err"
run 2 "$conform" ref:4
run 2 "$conform" -d ref:33
run 0 "$conform" -d ref:4 --filter subgroup.all_true
run 3 "$conform" -d nothing:0
grep -q "no driver 'nothing'" <<<"$err" || say "$err"
exit $bad
