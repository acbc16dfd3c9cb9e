#!/usr/bin/env bash
# ci.sh ROOT BUILD: the table of .ci/run: names are unique, and every program of a command is in the
# build. Then runs tables of artificial steps: a failure, a skip, a partial skip, a missing tool, a
# build before its step, a selection.
set -euo pipefail
root=$1 build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
wrong() { echo "ci: $1" >&2; exit 1; }
cd "$root"

.ci/run --list >"$tmp/names"
[ "$(wc -l <"$tmp/names")" -ge 150 ] || wrong "--list prints $(wc -l <"$tmp/names") names"
[ -z "$(sort "$tmp/names" | uniq -d)" ] || wrong "the same name twice: $(sort "$tmp/names" | uniq -d)"
ninja -C "$build" -t targets all | sed 's/:.*//' >"$tmp/targets"
each=launch n=0
while read -r path; do
	for f in $(eval "echo $path"); do
		n=$((n + 1))
		grep -qxF "$f" "$tmp/targets" || [ -e "$build/$f" ] || wrong ".ci/steps: there is no $f"
	done
done < <(grep '^[0-9]' .ci/steps | grep -oE '\$B/(tests|src|bench)/[^ )*]+' | grep -vE '/\$t$|tests/kernels|tests/fake_cuda|^\$B/src/tools$' | sed 's/^\$B\///' | sort -u)
[ $n -ge 30 ] || wrong "only $n programs are checked"

# The steps write their names in the order in which they start.
cat >"$tmp/steps" <<END
1 | =asan | | a build | sleep 1; echo build >>$tmp/order
2 | | one two | good {} | echo "2 passed, 0 failed"; echo \$each >>$tmp/order
5 | asan | | sanitized | echo \$B >>$tmp/order
9 | | | first | echo first >>$tmp/order; echo 'part skipped: a half: no half'
3 | | | bad | echo reason; false
4 | | | not here | echo 'SKIP: none is installed'; exit 77
1 | =tsan | | another build | echo unused >>$tmp/order
1 | =rel | | bootstrap.sh test | echo ' 7/9 qdgpu:exact / made OK 0.1s'; echo why; false
1 | =rel | | release build | echo release >>$tmp/order
1 | rel | | released | echo released >>$tmp/order
END
export QD_CI_STEPS=$tmp/steps
rc=0
.ci/run 'good*' sanitized first bad 'not here' >"$tmp/out" || rc=$?
[ $rc = 1 ] || wrong "a failed step ends with $rc"
for line in '^ok   good one: .* s, CPU ' '^2 passed, 0 failed$' '^FAIL bad: ' '^reason$' '^skip not here: SKIP: none is installed$' \
	'^skipped: first: a half: no half$' '^5 passed, 1 failed, 2 skipped$'; do
	grep -q "$line" "$tmp/out" || wrong "no line '$line' in
$(cat "$tmp/out")"
done
[ "$(tail -1 "$tmp/out")" = "5 passed, 1 failed, 2 skipped" ] || wrong "the last line is $(tail -1 "$tmp/out")"
got=$(tr '\n' ' ' <"$tmp/order")
[[ $got == "first "*"build build-asan "* && $got != *unused* && $got == *one* && $got == *two* ]] || wrong "the order is $got"
.ci/run 'good o*' >"$tmp/out" || wrong "$(cat "$tmp/out")"
[ "$(tail -1 "$tmp/out")" = "1 passed, 0 failed, 0 skipped" ] || wrong "a selection: $(cat "$tmp/out")"
if .ci/run 'bootstrap*' >"$tmp/out" 2>&1; then wrong "the suite fails: $(cat "$tmp/out")"; fi
for line in '^FAIL bootstrap.sh test: .* s, CPU ' '^why$' '7/9 qdgpu:exact / made OK' '^0 passed, 1 failed, '; do
	grep -q "$line" "$tmp/out" || wrong "no line '$line' in $(cat "$tmp/out")"
done
: >"$tmp/order"
.ci/run released >"$tmp/out" || wrong "$(cat "$tmp/out")"
[ "$(tr '\n' ' ' <"$tmp/order")" = "release released " ] || wrong "a build before its step: $(cat "$tmp/order")"
if .ci/run none >"$tmp/out" 2>&1 || ! grep -q "'none' is no step" "$tmp/out"; then wrong "an unknown step: $(cat "$tmp/out")"; fi
echo "$(wc -l <"$tmp/names") steps, $n programs"
