#!/usr/bin/env bash
# exact.sh PROGRAM GOLDEN: the bytes of images must not depend on the run, the number of threads,
# the locale, the directory or the environment, and must equal the reviewed ones. If GOLDEN changes,
# the emitter has changed: increase its version.
set -u
exe=$(realpath "$1") golden=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset QD_DUMP QD_DUMP_DIR
# shellcheck source=tests/scripts/locale.sh
. "$(dirname "$0")/locale.sh"
decimal_comma "$tmp" || { locale_missing=1; echo "SKIP the locale: a locale with a decimal comma cannot be created (locales)"; }
"$exe" bytes 1 >"$tmp/plain" || exit 1
"$exe" bytes 8 >"$tmp/threads"
LC_ALL=de_DE.UTF-8 "$exe" bytes 1 >"$tmp/german"
(cd "$tmp" && env -i "$exe" bytes 1) >"$tmp/elsewhere"
bad=0
for other in threads german elsewhere; do
	cmp -s "$tmp/plain" "$tmp/$other" || {
		echo "exact: other bytes: $other" >&2
		diff "$tmp/plain" "$tmp/$other" >&2
		bad=1
	}
done
if [ -n "${QD_GOLDEN_UPDATE-}" ]; then
	cp "$tmp/plain" "$golden"
fi
diff "$golden" "$tmp/plain" >&2 || {
	echo "exact: the bytes are not the reviewed ones; QD_GOLDEN_UPDATE=1 rewrites them" >&2
	bad=1
}
cat "$tmp/plain"
[ $bad -eq 0 ] && [ -n "${locale_missing-}" ] && exit 77
exit $bad
