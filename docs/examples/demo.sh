#!/usr/bin/env bash
# demo.sh BUILD: runs a kernel on the default device, and on the interpreter for comparison.
set -euo pipefail
build=$1
run=$build/src/tools/qd-run
file=$(dirname "$0")/demo.qdk
call=("$run" -k prefix4 "$file" src=iota:16 dst=zero:16)
want="dst: 0 1 3 6 4 9 15 22 8 17 27 38 12 25 39 54"

about=$("${call[@]}" --json) || {
	"${call[@]}" || exit # prints why
}
field() {
	sed -E 's/.*"'"$1"'":"?([^"]*[^",])"?,"'"$2"'".*/\1/' <<<"$about"
}
got=$("${call[@]}")
echo
echo "device   $(field device device_name): $(field device_name subgroup_size), subgroups of $(field subgroup_size block_dim)"
echo "kernel   prefix4 in $file: running sums of each four values"
sed -n '/^kernel/,$s/^/           /p' "$file"
echo "run      ${call[*]}"
echo "result   $got"
if [ "$got" != "$want" ] || [ "$("${call[@]}" -d ref:8)" != "$want" ]; then
	echo "demo: wrong result; expected $want" >&2
	exit 1
fi
echo "         right, and the interpreter ref:8 has the same"
next() {
	printf '%-8s %-40s %s\n' "$@"
}
echo
next next docs/first-hour.md "kernels of your own, with $build/src/tools in PATH"
next '' "meson install -C $build --no-rebuild" "installs qd to /usr/local (as root)"
next '' "./bootstrap.sh test" "runs the test suite"
