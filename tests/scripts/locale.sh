# locale.sh, sourced: a locale with a decimal comma, for what must not care.

# decimal_comma DIR: names in LOCPATH the folder that has de_DE.UTF-8, and fails where
# none can be made.  It takes seconds to make, so QD_TEST_CACHE keeps it if it is set;
# else it comes into DIR.
decimal_comma() {
	local dir=${QD_TEST_CACHE:-$1}/locale made
	if [ ! -d "$dir/de_DE.UTF-8" ]; then
		[ -f /usr/share/i18n/locales/de_DE ] && mkdir -p "$dir" && made=$(mktemp -d "$dir/XXXXXX") || return
		localedef -i de_DE -f UTF-8 "$made/de_DE.UTF-8" >/dev/null 2>&1
		# Another may have been faster.
		mv -T "$made/de_DE.UTF-8" "$dir/de_DE.UTF-8" 2>/dev/null
		rm -rf "$made"
		[ -d "$dir/de_DE.UTF-8" ] || return
	fi
	export LOCPATH=$dir
}
