#!/usr/bin/env bash
# watchdog.sh PROGRAM...: a unit or kernel that never returns must end the program with a failure
# that names it. QD_TEST_MUTATION=none: nothing hangs, which this test must notice.
set -u
export QD_TEST_LIMIT=1
[ "${QD_TEST_MUTATION-}" = none ] || export QD_TEST_MUTATION=hang

expect() { # TEXT COMMAND...
	local text=$1 out rc
	shift
	out=$(timeout 60 "$@" 2>&1)
	rc=$?
	if [ $rc -eq 0 ] || [ $rc -ge 124 ] || ! grep -q "FAIL $text: not finished after 1 s" <<<"$out"; then
		echo "$*: exit status $rc, without 'FAIL $text: not finished'"
		tail -5 <<<"$out"
		exit 1
	fi
	echo "$text: named"
}

expect "scalar on ref:4: [a-z]* [a-z0-9]* block=[0-9]*" "$1" -d ref:4 --family scalar
expect "flow on ref:4: kernel 1" "$1" -d ref:4 --family flow
expect "number/[a-z_.]*" "$1" --units --family number
[ $# -lt 2 ] || expect "scalar on ref:4: [a-z]* [a-z0-9]* block=[0-9]*" "$2" --filter 'ref_4/scalar'
