#!/usr/bin/env bash
# swiftshader.sh: unpacks SwiftShader, the Vulkan driver that Chromium contains, into a directory and
# prints the directory's name on the last line. Nothing is installed: the library only needs libc, libm
# and libgcc_s, while the package that contains it, chromium-common, also needs X11's programs, and
# chromium needs GTK and CUPS. `driver.sh sws` uses this directory's driver if the package is not
# installed.
#
# If the package is not available, prints the reason and exits with 77. unpack.sh describes the directory.
set -euo pipefail
what=SwiftShader
# shellcheck source=tests/scripts/unpack.sh
. "$(dirname "$0")/unpack.sh"
begin swiftshader

# Uses the system's package lists, or own ones if the system has none.
package=chromium-common apt=apt-get
policy=$(LC_ALL=C apt-cache policy $package 2>/dev/null) || policy=
if ! grep -q '^ *Candidate: [0-9]' <<<"$policy"; then
	apt=own_apt
	own_apt update >"$log" 2>&1 || skip "no package source answers: $(reason)"
fi
(cd "$new/apt" && $apt -q -o APT::Sandbox::User=root download $package) >"$log" 2>&1 || skip "$package: $(reason)"
debs=("$new/apt/$package"_*.deb)
[ -f "${debs[0]}" ] || skip "$package was not downloaded"
version=$(dpkg-deb -f "${debs[0]}" Version)
dpkg-deb -x "${debs[0]}" "$new/apt/files"
files=("$new/apt/files/usr/lib/chromium/"{libvk_swiftshader.so,vk_swiftshader_icd.json})
# The .json refers to the library next to it.
mv "${files[@]}" "$new" 2>"$log" || skip "$package $version has no SwiftShader"
finish "SwiftShader of $package $version"
