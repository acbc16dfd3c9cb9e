# shellcheck shell=bash disable=SC2154
# unpack.sh, sourced by mesa.sh and swiftshader.sh: packages of a distribution, unpacked into a
# directory of the user's cache. Nothing is installed, and no privileges are needed.
#
# The directory is FOLDERS/NAME, with FOLDERS from QD_TEST_MESAS (default: qd-test in the user's
# cache directory; driver.sh looks there too). It is reused if it is complete; remove it to get
# newer packages. The caller sets `what`, which messages name.
folders=${QD_TEST_MESAS:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/qd-test}

skip() {
	echo "SKIP $what: $1"
	exit 77
}

# begin NAME: prints an existing directory and ends the script. Otherwise the script fills the
# directory $new, which becomes $folder in `finish`.
begin() {
	folder=$folders/$1
	# The file "made" is written last.
	if [ -f "$folder/made" ]; then
		cat "$folder/made"
		echo "$folder"
		exit
	fi
	for tool in apt-get dpkg-deb; do
		command -v $tool >/dev/null || skip "$tool is not installed"
	done
	mkdir -p "$folders"
	new=$(mktemp -d "$folders/$1.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	mkdir -p "$new"/apt/{state/lists/partial,cache/archives/partial,etc}
	: >"$new/apt/status"
	log=$new/apt/log
}

# own_apt ARGS...: apt-get with lists and downloads of its own, for which no package is
# installed; other options may name the package sources.
own_apt() {
	apt-get -q -o Dir::State="$new/apt/state" -o Dir::State::status="$new/apt/status" -o Dir::Cache="$new/apt/cache" \
		-o APT::Sandbox::User=root -o APT::Architecture="$(dpkg --print-architecture)" -o APT::Install-Recommends=false \
		-o Acquire::Languages=none -o Acquire::Retries=2 -o Acquire::http::Timeout=20 \
		-o APT::Get::List-Cleanup=false -o APT::Update::Error-Mode=any "$@"
}

# Prints the reason from the log of apt-get.
reason() {
	grep -m1 -E '^[EW]:' "$log" || tail -n 1 "$log"
}

# finish TEXT: completes the directory; prints TEXT and, on the last line, the directory's name.
finish() {
	rm -rf "${new:?}/apt"
	echo "$1" >"$new/made"
	chmod 755 "$new"
	rm -rf "$folder"
	mv -T "$new" "$folder"
	trap - EXIT
	cat "$folder/made"
	echo "$folder"
}
