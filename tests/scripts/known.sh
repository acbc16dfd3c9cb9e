# known.sh, sourced: caches results of external tools for the same input bytes, and of qd's own
# programs for the same program and input (gcn/same.sh). The cache is below QD_TEST_CACHE; without
# that variable nothing is cached.
known_dir=
if [ -n "${QD_TEST_CACHE-}" ]; then
	known_dir=$QD_TEST_CACHE/known
	mkdir -p "$known_dir"
fi

# known TOOLS OUTPUT INPUT COMMAND...: runs COMMAND, which creates the file OUTPUT from the file
# INPUT and prints nothing on success, or restores an earlier OUTPUT. TOOLS: names and versions of
# the tools. Names below $tmp are not part of the key.
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
