#!/usr/bin/env bash
# readme.sh SOURCE BUILD: tests the installation that README.md describes. Installs into an empty
# prefix, extracts the C example from README.md, compiles it as C11 and C++17 through pkg-config,
# links it shared and static, and runs it on the interpreter; then the commands of its line "From
# the shell".
set -eu
source=$1 build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

DESTDIR= meson install -C "$build" --no-rebuild --quiet --destdir "$tmp/root" >"$tmp/log" 2>&1 || {
	cat "$tmp/log"
	exit 1
}
pc=$(find "$tmp/root" -name qdgpu.pc)
prefix=$(sed -n 's/^prefix=//p' "$pc")
export PKG_CONFIG_PATH=${pc%/*}
pkg() {
	pkg-config --define-variable=prefix="$tmp/root$prefix" "$@" qdgpu
}

awk '/^```c / { on = 1; next } /^```$/ { on = 0 } on' "$source/README.md" >"$tmp/prefix.c"
lines=$(wc -l <"$tmp/prefix.c")
[ "$lines" -gt 10 ] || {
	echo "readme: no C example in README.md" >&2
	exit 1
}
cp "$tmp/prefix.c" "$tmp/prefix.cpp"
want="1 3 6 10 5 11 18 26 "

check() { # NAME PROGRAM
	local got
	got=$("$2")
	if [ "$got" != "$want" ]; then
		echo "readme: $1 printed '$got', not '$want'" >&2
		exit 1
	fi
	echo "$1: $got"
}

libdir=$(dirname "$(find "$tmp/root" -name 'libqdgpu.so')")
export LD_LIBRARY_PATH=$libdir
# shellcheck disable=SC2046
cc -std=c11 -Wall -Werror "$tmp/prefix.c" $(pkg --cflags --libs) -o "$tmp/shared"
check "C11, shared" "$tmp/shared"
if command -v c++ >/dev/null; then
	c++ -std=c++17 -Wall -Werror "$tmp/prefix.cpp" $(pkg --cflags --libs) -o "$tmp/cpp"
	check "C++17, shared" "$tmp/cpp"
else
	echo "C++17 skipped: no C++ compiler"
fi
cc -std=c11 "$tmp/prefix.c" $(pkg --cflags) "$libdir/libqdgpu.a" -lxxhash -lm -ldl -lpthread -o "$tmp/static"
LD_LIBRARY_PATH= check "C11, static" "$tmp/static"

bin=$(dirname "$(find "$tmp/root" -name qd-run -perm -u+x)")
n=0
while read -r line; do
	(cd "$source" && PATH=$bin:$PATH QD_DEVICE=ref:8 bash -c "$line" </dev/null >"$tmp/log" 2>&1) || {
		echo "readme: '$line' fails:" >&2
		cat "$tmp/log" >&2
		exit 1
	}
	n=$((n + 1))
done < <(sed -n 's/^From the shell: //p' "$source/README.md" | grep -oE '`qd-[^`]*`' | tr -d '`')
[ "$n" -gt 0 ] || {
	echo "readme: no line 'From the shell' in README.md" >&2
	exit 1
}
echo "$n commands"
