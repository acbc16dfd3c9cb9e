#!/usr/bin/env bash
# mesa.sh SUITE: unpacks lavapipe of a Debian suite (bookworm, trixie) with its libraries into a
# directory and prints the directory's name on the last line. Nothing is installed. With
# QD_TEST_MESA=FOLDER driver.sh runs its configurations lvp4, lvp8 and lvp16 on that lavapipe.
#
# If the packages are not available, prints the reason and exits with 77. unpack.sh describes the directory.
#
# QD_TEST_MIRROR: location of the packages (default: http://deb.debian.org/debian).
set -euo pipefail
suite=${1:?mesa.sh SUITE, for example trixie}
mirror=${QD_TEST_MIRROR:-http://deb.debian.org/debian}
what="lavapipe of Debian's $suite"
# shellcheck source=tests/scripts/unpack.sh
. "$(dirname "$0")/unpack.sh"
begin "$suite"

keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f $keys ] || skip "$keys is not installed (debian-archive-keyring)"

echo "deb [signed-by=$keys] $mirror $suite main" >"$new/apt/etc/sources.list"
# No package counts as installed, so all dependencies come from the suite.
get() {
	own_apt -o Dir::Etc::SourceList="$new/apt/etc/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null "$@"
}
get update >"$log" 2>&1 || skip "$mirror does not answer: $(reason)"
get install -y --download-only mesa-vulkan-drivers >"$log" 2>&1 || skip "$(reason)"

# A newer C library than this system's is unpacked with its dynamic linker, which then starts the
# programs. An older one is omitted, since the programs need this system's.
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
rm -rf "${new:?}"/{etc,usr/share} "$new"/usr/lib/*/{libvulkan_[!l]*.so,gconv,dri}
finish "lavapipe of Debian's $suite: mesa-vulkan-drivers $mesa"
