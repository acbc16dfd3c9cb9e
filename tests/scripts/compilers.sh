#!/usr/bin/env bash
# compilers.sh BUILD-A BUILD-B: two builds of one tree, by different compilers, emit
# the same.  Both run the same cells and random programs, side by side; every IR and
# every module that either dumps must be there twice, with the same bytes.  A
# dump's name holds a hash of its contents, so what differs is missing by name.
set -u
here=$(dirname "$(realpath "$0")")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
builds=("$(realpath "$1")" "$(realpath "$2")")
bad=0 missing=

# side NAME BUILD FOLDER COMMAND...: a run that dumps below FOLDER; its exit status
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

# both NAME COMMAND...: RUN stands for each build's tests/run
both() {
	local name=$1 rc other
	shift
	side "$name" "${builds[0]}" "$tmp/$name/a" "$@" &
	side "$name" "${builds[1]}" "$tmp/$name/b" "$@"
	rc=$?
	wait $!
	other=$?
	# What is not there is there for neither.
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

# The interpreter's IR is what was built; of the devices one has no 64-bit types.
both ref RUN -d ref:4 -d ref:128
both sws bash "$here/driver.sh" sws RUN -d vulkan
both lvp8 bash "$here/driver.sh" lvp8 bash -c \
	'for f in program scalar cast storage; do RUN -d vulkan --family $f || exit; done'
[ $bad -eq 0 ] && [ -n "$missing" ] && exit 77
exit $bad
