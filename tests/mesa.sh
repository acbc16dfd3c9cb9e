#!/usr/bin/env bash
# mesa.sh SUITE: unpacks lavapipe of a Debian suite (bookworm, trixie) with its libraries into
# a folder and prints the folder's name on the last line.  Nothing is installed.  With
# QD_TEST_MESA=FOLDER driver.sh runs its configurations lvp4, lvp8 and lvp16 on that lavapipe.
#
# The folder is FOLDER/SUITE, with FOLDER from QD_TEST_MESAS (default: qd-test in the user's
# cache folder), and is reused if it is complete; remove it to get newer packages.  If
# the packages cannot be had, prints why and exits 77.
#
# QD_TEST_MIRROR: where the packages are (default: http://deb.debian.org/debian).
set -euo pipefail
suite=${1:?mesa.sh SUITE, for example trixie}
mirror=${QD_TEST_MIRROR:-http://deb.debian.org/debian}
folders=${QD_TEST_MESAS:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/qd-test}
folder=$folders/$suite

skip() {
	echo "SKIP lavapipe of Debian's $suite: $1"
	exit 77
}

# The file "made" is written last.
if [ -f "$folder/made" ]; then
	cat "$folder/made"
	echo "$folder"
	exit
fi
for tool in apt-get dpkg-deb; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f $keys ] || skip "$keys is not installed (debian-archive-keyring)"

mkdir -p "$folders"
new=$(mktemp -d "$folders/$suite.XXXXXX")
trap 'rm -rf "$new"' EXIT
mkdir -p "$new"/apt/{state/lists/partial,cache/archives/partial,etc}
: >"$new/apt/status"
echo "deb [signed-by=$keys] $mirror $suite main" >"$new/apt/etc/sources.list"
# Lists and downloads of its own, and no package counts as installed: all dependencies come
# from the suite.
get() {
	apt-get -q -o Dir::State="$new/apt/state" -o Dir::State::status="$new/apt/status" \
		-o Dir::Cache="$new/apt/cache" -o Dir::Etc::SourceList="$new/apt/etc/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
		-o APT::Sandbox::User=root -o APT::Architecture="$(dpkg --print-architecture)" -o APT::Install-Recommends=false \
		-o Acquire::Languages=none -o Acquire::Retries=2 -o Acquire::http::Timeout=20 \
		-o APT::Get::List-Cleanup=false -o APT::Update::Error-Mode=any "$@"
}
log=$new/apt/log
get update >"$log" 2>&1 || skip "$mirror does not answer: $(grep -m1 -E '^[EW]:' "$log" || tail -n 1 "$log")"
get install -y --download-only mesa-vulkan-drivers >"$log" 2>&1 || skip "$(grep -m1 '^E:' "$log" || tail -n 1 "$log")"

# A newer C library than this system's comes with its dynamic linker, which starts the
# programs; an older one is left out, since they need this system's.
debs=("$new"/apt/cache/archives/*.deb)
version() { dpkg-deb -f "$1" Version; }
libc=$(printf '%s\n' "${debs[@]}" | grep '/libc6_')
here=$(dpkg-query -W -f '${Version}\n' libc6 | head -n 1)
newer=1
dpkg --compare-versions "$(version "$libc")" gt "$here" || newer=
for deb in "${debs[@]}"; do
	case ${deb##*/} in
	libc6_* | libgcc-s1_* | libstdc++6_*) [ -n "$newer" ] || continue ;;
	lib*_* | mesa-vulkan-drivers_* | zlib1g_*) ;;
	*) continue ;; # what only an installation needs
	esac
	dpkg-deb -x "$deb" "$new"
done
mesa=$(version "$(printf '%s\n' "${debs[@]}" | grep '/mesa-vulkan-drivers_')")
driver=$(find "$new/usr/lib" -name libvulkan_lvp.so)
[ -f "$driver" ] || skip "mesa-vulkan-drivers $mesa has no libvulkan_lvp.so"
# driver.sh reads these: the driver, its libraries, the dynamic linker if there is one.
driver=$folder${driver#"$new"}
printf '{ "file_format_version": "1.0.0", "ICD": { "library_path": "%s", "api_version": "1.3.0" } }\n' "$driver" \
	>"$new/lvp_icd.json"
ln -s "${driver%/*}" "$new/libraries"
if [ -n "$newer" ]; then
	linker=$(find "$new" -name 'ld-linux*.so.*' | head -n 1)
	ln -s "$folder${linker#"$new"}" "$new/linker"
fi
rm -rf "${new:?}"/{apt,etc,usr/share} "$new"/usr/lib/*/{libvulkan_[!l]*.so,gconv,dri}
echo "lavapipe of Debian's $suite: mesa-vulkan-drivers $mesa" >"$new/made"
chmod 755 "$new"
rm -rf "$folder"
mv -T "$new" "$folder"
trap - EXIT
cat "$folder/made"
echo "$folder"
