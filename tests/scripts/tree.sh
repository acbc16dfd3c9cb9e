# shellcheck shell=bash
# tree.sh, sourced with ROOT as $1: a copy of the tree in which a script follows a page. Sets root,
# tmp and tree, and enters the copy.
#
# QD_TEST_TREE: the directory of the copy, which stays with its build, so the next page only
# compiles its own changes. QD_TEST_ON_TOP: the copy already has the changes of other pages.
# QD_TEST_UNITS=later: `units` does nothing, because a later page in the same copy runs them.
root=$(realpath "$1")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=${QD_TEST_TREE-$tmp/tree}
[ -n "${QD_TEST_ON_TOP-}" ] || python3 "$root/tests/scripts/copy_tree.py" "$root" "$tree"
cd "$tree"
export NO_COLOR=1
unset QD_DUMP QD_DUMP_DIR

configure() {
	[ -f build/build.ninja ] || meson setup build -Dwerror=true -Doptimization=0 -Ddebug=false -Dtests=disabled \
		-Dbench=false -Dexamples=false >"$tmp/log" 2>&1 || { tail -40 "$tmp/log"; exit 1; }
}

build() { # TARGET...
	configure
	ninja -C build "$@" >"$tmp/log" 2>&1 || { tail -40 "$tmp/log"; exit 1; }
}

# The page breaks no unit.
units() {
	if [ "${QD_TEST_UNITS-}" = later ]; then return; fi
	build/tests/run --units >"$tmp/units" 2>&1 || { grep -v skipped "$tmp/units" | tail -20; exit 1; }
	grep -oE '[0-9]+ passed, 0 failed.*' "$tmp/units"
}
