#!/usr/bin/env bash
# deprecated.sh ROOT CC...: compilers warn about each deprecated name and state its replacement, in
# C and C++, through gcc's attribute and through the standard one. Other code, and code that sets
# QD_NO_DEPRECATED_WARNINGS, gets no warning.
set -u
src=$1/src
cc=("${@:2}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
say() {
	echo "deprecated: $1" >&2
	bad=1
}

# Old and new names, as paired in the header.
{ grep -A1 '^QD_DEPRECATED("use ' "$src/qd.h"; echo; } | sed '/^--$/d' | tr -d '\n' | sed 's/QD_DEPRECATED/\n&/g; $s/$/\n/' |
	sed -nE 's/^QD_DEPRECATED\("use (qd_\w+)"\)QD_API .*\b(qd_\w+)\(.*/\2 \1/p' >"$tmp/names"
n=$(wc -l <"$tmp/names")
if [ "$n" -lt 5 ] || [ "$n" -ne "$(grep -c '^QD_DEPRECATED(' "$src/qd.h")" ]; then
	say "$n names are not all of qd.h"
fi
{
	echo '#include "qd.h"'
	echo 'int main(void) {'
	while read -r old new; do
		# Both have the same type.
		echo "	if ($old == $new) return 1;"
	done <"$tmp/names"
	echo '	return 0;'
	echo '}'
} >"$tmp/calls.c"
cp "$tmp/calls.c" "$tmp/calls.cpp"
printf '#include "qd.h"\nint main(void) { return qd_version() == 0; }\n' >"$tmp/none.c"
cp "$tmp/none.c" "$tmp/none.cpp"

# A copy without gcc's attribute, to test the standard one.
mkdir "$tmp/std" && sed 's/defined(__GNUC__)$/0/' "$src/qd.h" >"$tmp/std/qd.h"
[ "$(diff "$src/qd.h" "$tmp/std/qd.h" | grep -c '^<')" -eq 2 ] || say "qd.h does not test __GNUC__ twice"

# warned INCLUDE STANDARD: each deprecated name causes one warning; nothing else does.
warned() {
	"${cc[@]}" "${args[@]}" -I"$1" "$tmp/calls.$ext" >"$tmp/warned" 2>&1 ||
		say "$2: it does not compile: $(head -n 3 "$tmp/warned")"
	while read -r old new; do
		grep -q "warning: .*$old.* is deprecated: use $new\b" "$tmp/warned" || say "$2: $old is not reported as $new"
	done <"$tmp/names"
	[ "$(grep -c 'warning:' "$tmp/warned")" -eq "$n" ] || say "$2: not $n warnings"
}

ways=0
for way in 'c99 c' 'c11 c' 'c2x c' 'c++11 cpp' 'c++14 cpp' 'c++17 cpp'; do
	read -r std ext <<<"$way"
	args=("-std=$std" -fsyntax-only -Wall -Wextra -Wpedantic -Wundef -Wno-address -Wno-tautological-compare)
	"${cc[@]}" "${args[@]}" -I"$src" "$tmp/none.$ext" 2>/dev/null || continue # C++ is missing, or the standard is too new
	ways=$((ways + 1))
	[ -z "$("${cc[@]}" "${args[@]}" -I"$src" "$tmp/none.$ext" 2>&1)" ] || say "$std: a program without deprecated calls is warned"
	[ -z "$("${cc[@]}" "${args[@]}" -I"$src" -DQD_NO_DEPRECATED_WARNINGS "$tmp/calls.$ext" 2>&1)" ] ||
		say "$std: QD_NO_DEPRECATED_WARNINGS does not silence the warnings"
	warned "$src" "$std"
	case $std in c2x | c++14 | c++17) warned "$tmp/std" "$std, [[deprecated]]" ;; esac
done
[ "$ways" -gt 1 ] || say "no standard was tried"
echo "$n names, in $ways standards"
exit $bad
