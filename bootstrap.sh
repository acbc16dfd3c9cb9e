#!/usr/bin/env bash
# bootstrap.sh [test]: on a fresh Debian or Ubuntu, installs what is missing,
# builds, and runs the demo; with `test` it runs the whole suite instead.
#
# Everything comes from the distribution's packages.  What is installed, and why,
# is said before it is done; sudo is used only when you are not root.
set -euo pipefail
cd "$(dirname "$0")"
build=${QD_BUILD_DIR:-build}
mode=${1:-demo}

case $mode in
demo | test) ;;
-h | --help)
	sed -n '2,6s/^# \{0,1\}//p' "$0"
	exit 0
	;;
*)
	echo "bootstrap.sh: '$mode' is neither 'demo' nor 'test'" >&2
	exit 2
	;;
esac

# package: why
needs="
gcc: the C compiler
libc6-dev: the C library's headers
meson: the build system
ninja-build: runs the build
pkg-config: finds libraries
libxxhash-dev: hashes of cache keys
libzstd-dev: compressed offload bundles, which qd-dis reads
libvulkan-dev: Vulkan's headers; the loader is opened at run time
libvulkan1: the Vulkan loader
mesa-vulkan-drivers: lavapipe, a Vulkan driver that runs on the CPU
"
test_needs="
g++: qd.h must compile as C++ too
libcriterion-dev: the test framework
spirv-tools: spirv-val and spirv-as, which check every emitted module
vulkan-validationlayers: says what a Vulkan call did wrong
locales: a locale with a decimal comma, which output must not depend on
chromium: carries SwiftShader, the second Vulkan driver
"
# Ubuntu's chromium is a snap without the library; SwiftShader is then skipped.
if grep -qi '^ID=ubuntu' /etc/os-release 2>/dev/null; then
	test_needs=$(printf '%s\n' "$test_needs" | grep -v '^chromium:')
fi
[ "$mode" = test ] && needs="$needs$test_needs"

missing=()
while IFS=: read -r package why; do
	[ -n "$package" ] || continue
	if ! dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed'; then
		[ ${#missing[@]} -eq 0 ] && echo "bootstrap: these packages are missing:"
		printf '  %-24s %s\n' "$package" "${why# }"
		missing+=("$package")
	fi
done <<<"$needs"

if [ ${#missing[@]} -gt 0 ]; then
	command -v apt-get >/dev/null || {
		echo "bootstrap: no apt-get here; install them by your own means" >&2
		exit 3
	}
	sudo=
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || {
			echo "bootstrap: not root and no sudo; run as root: apt-get install ${missing[*]}" >&2
			exit 3
		}
		sudo=sudo
	fi
	echo "bootstrap: installing them with ${sudo:+sudo }apt-get"
	$sudo apt-get update -q
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

if [ ! -f "$build/build.ninja" ]; then
	meson setup "$build" ${QD_MESON_ARGS:-}
elif [ ${#missing[@]} -gt 0 ]; then
	# What was not there when the build was set up is looked for again.
	meson setup --wipe "$build" ${QD_MESON_ARGS:-}
fi
ninja -C "$build"

if [ "$mode" = test ]; then
	# What earlier runs emitted is not what this run is judged by.
	rm -rf "$build/tests/modules"
	meson test -C "$build" --print-errorlogs
else
	bash docs/examples/demo.sh "$build"
fi
