# locale.sh, sourced: a locale with a decimal comma, for tests that output does not depend on it.

# decimal_comma DIR: sets LOCPATH to a directory with de_DE.UTF-8; fails if it cannot be created.
# Making it takes seconds, so it is kept in QD_TEST_CACHE if that is set; otherwise it is in DIR.
decimal_comma() {
	local dir=${QD_TEST_CACHE:-$1}/locale made
	if [ ! -d "$dir/de_DE.UTF-8" ]; then
		[ -f /usr/share/i18n/locales/de_DE ] && mkdir -p "$dir" && made=$(mktemp -d "$dir/XXXXXX") || return
		localedef -i de_DE -f UTF-8 "$made/de_DE.UTF-8" >/dev/null 2>&1
		# Another process may have been faster.
		mv -T "$made/de_DE.UTF-8" "$dir/de_DE.UTF-8" 2>/dev/null
		rm -rf "$made"
		[ -d "$dir/de_DE.UTF-8" ] || return
	fi
	export LOCPATH=$dir
}
