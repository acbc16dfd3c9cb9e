#!/usr/bin/env bash
# faults.sh DRIVER.SH PIPELINES CONFIG...: a fault that is injected into the creation of one pipeline is
# reported once, with the kernel's name, and the kernels that follow are compiled.
# QD_TEST_MUTATION=1 injects no fault; the script must then fail.
set -u
export QD_FACTS=none # one pipeline for each kernel
driver=$1 pipelines=$2
shift 2
rc=0

check() { # CONFIG FAULT MESSAGE
	local out status n name='[a-z0-9]+/[0-9]+ [^:]+ [^:]+'
	local fault=(--mutate "$2")
	[ -n "${QD_TEST_MUTATION-}" ] && fault=()
	out=$(bash "$driver" "$1" "$pipelines" --group '[bv]*' --most 8 --limit 3 "${fault[@]}")
	status=$?
	if [ $status -eq 77 ]; then
		echo "$out"
		exit 77
	fi
	n=$(grep -c '^FAIL ' <<<"$out")
	if [ $status -ne 1 ] || [ "$n" -ne 1 ] || ! grep -qE "^FAIL $name: .*$3" <<<"$out" ||
		! grep -qE ', 23 pipelines, 1 failed$' <<<"$out"; then
		echo "FAIL $1, fault '$2': status $status (expected 1), $n failures (expected 1), of them one with" \
			"'$3'; and 23 pipelines. It printed:"
		echo "$out"
		rc=1
	else
		grep '^FAIL ' <<<"$out" | sed "s/^FAIL/$1, fault '$2', found:/"
	fi
}

for config in "$@"; do
	check "$config" error 'VK_ERROR_UNKNOWN'
	check "$config" invalid 'in the driver.s compiler$'
	check "$config" crash 'signal 6 .*in the driver.s compiler$'
	check "$config" hang 'not compiled after 3 s of processor time$'
done
exit $rc
