#!/usr/bin/env bash
# man.sh PAGE... -- PROGRAM...: each program has a manual page with exactly the options of its
# --help, and groff reports no warning.
set -u
pages=()
while [ "$1" != -- ]; do pages+=("$1"); shift; done
shift
bad=0

say() {
	echo "man: $1" >&2
	bad=1
}

for program; do
	name=$(basename "$program") page=
	for p in "${pages[@]}"; do
		[ "$(basename "$p")" = "$name.1" ] && page=$p
	done
	[ -n "$page" ] || {
		say "$name has no page"
		continue
	}
	listed=$("$program" --help | sed -nE 's/^ {2,6}(-[A-Za-z], )?(--[a-z][a-z0-9-]*(=[^ ]+)?).*/\1\2/p' | sort)
	found=$(sed -nE '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$page" | grep -A1 '^\.TP' | grep '^\\fB' |
		sed -E 's/\\f.//g; s/\\-/-/g' | sort)
	[ "$(wc -l <<<"$listed")" -gt 4 ] || say "$name --help lists fewer than 5 options"
	[ "$listed" = "$found" ] || say "$name: --help and the page differ:
$(diff <(echo "$listed") <(echo "$found"))"
	# The page must contain the examples of --help, in any line breaks.
	text() { tr -s ' \n' '  ' | sed 's/\\-/-/g; s/\\&//g; s/\\f.//g; s/\\e/\\/g'; }
	while read -r word; do
		text <"$page" | grep -F -- "$word" >/dev/null || say "$name's page lacks '$word'"
	done < <("$program" --help | sed -n '/^Examples:/,$s/^  //p')
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		grep -qx "\.SH $section" "$page" || say "$name's page has no section $section"
	done
	if command -v groff >/dev/null; then
		warnings=$(groff -man -ww -z "$page" 2>&1)
		[ -z "$warnings" ] || say "groff on $name's page: $warnings"
	fi
	echo "$name: $(wc -l <<<"$found") options"
done
command -v groff >/dev/null || echo "groff is not installed: the pages were not checked by it"
exit $bad
