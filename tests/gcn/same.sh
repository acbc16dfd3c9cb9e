#!/usr/bin/env bash
# same.sh [FILE]... -- PROGRAM [ARGUMENT]...: runs a program whose answer its bytes, its
# arguments and LLVM decide.  Where these and the FILEs are those of a run that went
# well, it prints what that one printed: such a run would say nothing new.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/scripts/known.sh
. "$(dirname "$0")/../scripts/known.sh"
while [ "$1" != -- ]; do
	cat "$1" >>"$tmp/inputs"
	shift
done
shift
for a in "$@"; do
	[ -f "$a" ] && cat "$a" >>"$tmp/inputs"
done
answer() {
	"$@" >"$tmp/said"
}
llvm=$(stat -Lc '%n %s-%Y' /usr/lib/llvm-22/lib/libLLVM*.so* /usr/lib/llvm-22/bin/llvm-mc 2>/dev/null)
known "$llvm" "$tmp/said" "$tmp/inputs" answer "$@"
rc=$?
cat "$tmp/said"
exit $rc
