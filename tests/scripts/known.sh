# known.sh, sourced: what an outside tool said of the same bytes is not asked again,
# and what a program of ours said, bit for bit the same one, beside it (gcn/same.sh).
# Kept below QD_TEST_CACHE; without it everything is asked.
known_dir=
if [ -n "${QD_TEST_CACHE-}" ]; then
	known_dir=$QD_TEST_CACHE/known
	mkdir -p "$known_dir"
fi

# known TOOLS OUTPUT INPUT COMMAND...: runs COMMAND, which makes the file OUTPUT of the
# file INPUT and says nothing if it goes well; or takes what it made before.  TOOLS: what
# the tools are, with their versions.  Names below $tmp do not count.
known() {
	local tools=$1 out=$2 in=$3 key
	shift 3
	if [ -z "$known_dir" ]; then
		"$@"
		return
	fi
	key=$({
		printf '%s\n' "$tools" "${@//"$tmp"/}"
		cat "$in"
	} | md5sum)
	key=$known_dir/${key%% *}
	if [ -e "$key" ]; then
		cp "$key" "$out"
		return
	fi
	"$@" || return
	cp "$out" "$key.$BASHPID" && mv "$key.$BASHPID" "$key"
}
