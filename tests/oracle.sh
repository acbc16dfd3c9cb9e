#!/usr/bin/env bash
# oracle.sh FOLDER QD-DIS: every module that the tests emitted, through the
# field's own tools.  spirv-val accepts it; qd-dis's text assembles back to the
# same words but the generator's (word 2).  Prints how many modules and which
# opcodes; a folder without modules is a failure.
set -u
dir=$1
dis=$2
for tool in spirv-val spirv-as; do
	command -v $tool >/dev/null || {
		echo "oracle: $tool is not installed (spirv-tools)"
		exit 77
	}
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

check() { # module
	local m=$1 t=$tmp/$BASHPID
	if ! spirv-val --target-env vulkan1.3 "$m" >"$t.val" 2>&1; then
		echo "spirv-val: $m: $(head -1 "$t.val")"
		return
	fi
	if ! "$dis" -o "$t.s" --force "$m" 2>"$t.err"; then
		echo "qd-dis: $m: $(head -1 "$t.err")"
		return
	fi
	if ! spirv-as --preserve-numeric-ids --target-env spv1.5 "$t.s" -o "$t.spv" 2>"$t.err"; then
		echo "spirv-as: $m: $(head -1 "$t.err")"
		return
	fi
	# Bytes 8 to 11 hold the generator.
	if ! cmp -s <(head -c 8 "$m"; tail -c +13 "$m") <(head -c 8 "$t.spv"; tail -c +13 "$t.spv"); then
		echo "round trip: $m: other words"
	fi
	grep -oE '\bOp[A-Z][A-Za-z0-9]*' "$t.s" | sort -u >>"$tmp/ops.$BASHPID"
}

list=$(find "$dir" -name '*.spv' 2>/dev/null | sort)
n=$(printf '%s' "$list" | grep -c .)
if [ "$n" -eq 0 ]; then
	echo "oracle: no module in $dir" >&2
	exit 1
fi
# Two halves side by side.
{
	printf '%s\n' "$list" | awk 'NR % 2' | while read -r m; do check "$m"; done >"$tmp/bad.0" &
	printf '%s\n' "$list" | awk 'NR % 2 == 0' | while read -r m; do check "$m"; done >"$tmp/bad.1"
	wait
}
ops=$(sort -u "$tmp"/ops.* | wc -l)
echo "$n modules, $ops distinct opcodes:"
sort -u "$tmp"/ops.* | tr '\n' ' '
echo
if [ -s "$tmp/bad.0" ] || [ -s "$tmp/bad.1" ]; then
	head -20 "$tmp/bad.0" "$tmp/bad.1" >&2
	exit 1
fi
# The checks themselves can fail: a word of a module changed must be noticed.
m=$(printf '%s\n' "$list" | head -1)
cp "$m" "$tmp/planted.spv"
printf '\377\377' | dd of="$tmp/planted.spv" bs=1 seek=28 conv=notrunc 2>/dev/null
if [ -z "$(check "$tmp/planted.spv")" ]; then
	echo "oracle: a planted error was not found" >&2
	exit 1
fi
