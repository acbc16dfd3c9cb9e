#!/usr/bin/env bash
# compilers.sh BUILD-A BUILD-B: two builds of one tree, by different compilers, must emit the same
# bytes. Both run the same cells and random programs in parallel; every IR and every module that
# either build dumps must be dumped by both. A dump's name contains a hash of its contents, so a
# difference shows as a missing name.
set -u
here=$(dirname "$(realpath "$0")")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
builds=("$(realpath "$1")" "$(realpath "$2")")
bad=0 missing=

# side NAME BUILD FOLDER COMMAND...: runs with dumps below FOLDER; returns the exit status
side() {
	local name=$1 run=$2/tests/run dir=$3
	shift 3
	mkdir -p "$dir"
	QD_DUMP=ir,bin QD_DUMP_DIR=$dir "${@//RUN/$run}" >"$dir.log" 2>&1
	local rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 77 ] || {
		echo "compilers: $name: $run ends with $rc" >&2
		tail -40 "$dir.log" >&2
	}
	return $rc
}

# both NAME COMMAND...: RUN is replaced by each build's tests/run
both() {
	local name=$1 rc other
	shift
	side "$name" "${builds[0]}" "$tmp/$name/a" "$@" &
	side "$name" "${builds[1]}" "$tmp/$name/b" "$@"
	rc=$?
	wait $!
	other=$?
	# A driver that is not available is missing for both builds.
	if [ $rc -eq 77 ] && [ $other -eq 77 ]; then
		missing=1
		echo "SKIP $(sed -n 's/.*# SKIP //p' "$tmp/$name/a.log" | head -1)"
		return
	fi
	[ $rc -eq 0 ] && [ $other -eq 0 ] || bad=1
	diff -rq "$tmp/$name/a" "$tmp/$name/b" >"$tmp/$name/diff" || {
		echo "compilers: $name: $(wc -l <"$tmp/$name/diff") files are not the same" >&2
		head -10 "$tmp/$name/diff" >&2
		bad=1
	}
	echo "$name: $(find "$tmp/$name/a" -name '*.ir' | wc -l) IR texts, $(find "$tmp/$name/a" -name '*.spv' | wc -l) modules"
	[ -n "$(find "$tmp/$name/a" -type f)" ] || {
		echo "compilers: $name: nothing was emitted" >&2
		bad=1
	}
}

# ref dumps the IR as built. SwiftShader has no 64-bit types; lavapipe has them.
both ref RUN -d ref:4 -d ref:128
both sws bash "$here/driver.sh" sws RUN -d vulkan
both lvp8 bash "$here/driver.sh" lvp8 bash -c \
	'for f in program scalar cast storage; do RUN -d vulkan --family $f || exit; done'
[ $bad -eq 0 ] && [ -n "$missing" ] && exit 77
exit $bad
