# shellcheck shell=bash
# expect.sh, sourced: functions for the scripts that test programs. Sets tmp, a directory that is
# removed when the shell exits; counts checks in n; bad is 1 after a failure.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
export NO_COLOR=1 QD_CACHE=0
unset QD_DEVICE QD_LOG QD_DUMP QD_DUMP_DIR QD_REF_STEPS QD_EMU_STEPS QD_EMU_SEED

fail() {
	echo "tools: $*" >&2
	# shellcheck disable=SC2034
	bad=1
}

# expect NAME EXIT STDOUT-PATTERN STDERR-PATTERN COMMAND...: the patterns are bash globs for the
# whole output
expect() {
	local name=$1 want=$2 out=$3 err=$4 rc
	shift 4
	n=$((n + 1))
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	# shellcheck disable=SC2053
	if [ $rc -ne "$want" ] || [[ "$(cat "$tmp/out")" != $out ]] || [[ "$(cat "$tmp/err")" != $err ]]; then
		fail "$name: exit $rc (expected $want)"
		echo "stdout:" >&2
		head -c 600 "$tmp/out" >&2
		echo "stderr:" >&2
		head -c 600 "$tmp/err" >&2
	fi
}
