#!/usr/bin/env bash
# strict.sh PROGRAM: a process on the fake that causes an error prints it when it ends. With
# strict it also fails; otherwise its exit status is unchanged.
set -u
bad=0

try() { # config, status
	local text status=0
	text=$("$program" --leave "$1" 2>&1) || status=$?
	if [ "$status" != "$2" ] || ! grep -q '^fake amdgpu: unmap: amdgpu_bo_cpu_unmap: ' <<<"$text" ||
		! grep -q '^fake amdgpu: not freed at the end: 1 of devices, 4 of buffers' <<<"$text"; then
		echo "strict.sh: with '$1' it ends with $status, expected $2, and prints: $text" >&2
		bad=1
	fi
}

program=$1
try strict=1 86
try strict=0 "${QD_TEST_MUTATION:-0}"
exit $bad
