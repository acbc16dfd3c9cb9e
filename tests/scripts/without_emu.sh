#!/usr/bin/env bash
# without_emu.sh SOURCE: builds the library and the programs without emulators, in a temporary directory, and runs the
# tests in tests/without_emu.
set -eu
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
meson setup "$build" "$1" -Demu=disabled -Doptimization=2 -Ddebug=false -Db_ndebug=true -Dwerror=true -Dexamples=false \
	>"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
rm -f "$build.log"
ninja -C "$build" >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
meson test -C "$build" --no-rebuild --print-errorlogs
grep -h '^bytes: ' "$build/meson-logs/testlog.txt"
