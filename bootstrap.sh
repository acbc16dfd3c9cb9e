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

# Whole answers are read before they are searched: who writes to a `grep -q` that has
# found what it wants is killed, and pipefail makes of that a package that is not there.
installed() {
	[ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = "install ok installed" ]
}
offered() {
	local policy
	policy=$(LC_ALL=C apt-cache policy "$1") && grep -q '^ *Candidate: [0-9]' <<<"$policy"
}

# package: why
needs="
gcc: the C compiler
libc6-dev: the C library's headers
meson: the build system
ninja-build: runs the build
pkg-config: finds libraries
libxxhash-dev: hashes of cache keys
libzstd-dev: compressed fatbins and offload bundles
libvulkan-dev: Vulkan's headers; the loader is opened at run time
libvulkan1: the Vulkan loader
mesa-vulkan-drivers: lavapipe, a Vulkan driver that runs on the CPU
"
test_needs="
g++: qd.h must compile as C++ too
libcriterion-dev: the test framework
spirv-tools: its library, with validator and assembler, checks every emitted module
vulkan-validationlayers: says what a Vulkan call did wrong
locales: a locale with a decimal comma, which output must not depend on
chromium: carries SwiftShader, the second Vulkan driver
cmake: builds the example that is for it
python3-numpy: arrays for the example in Python
groff-base: reads the manual pages
make: reads the dependency files that qd-aot writes
"
# Installed where the package sources have them (Debian 12: its security suite); what
# wants them says so when they are not there.  Of names with | between, the first there is.
wants="
libelf-dev: writes fatbins, and AMD code objects
libmsgpack-c-dev|libmsgpack-dev: writes what these say of their kernels
"
test_wants="
llvm-22: llvm-mc and llvm-objdump, whose text AMD code is compared with
llvm-22-dev: its disassembler as a library
clang-22: compiles the kernels that qd-dis must read
lld-22: links them
valgrind: counts the instructions that readers of files take
"
# Ubuntu's chromium is a snap without the library; SwiftShader is then skipped.
if grep -qi '^ID=ubuntu' /etc/os-release 2>/dev/null; then
	test_needs=$(printf '%s\n' "$test_needs" | grep -v '^chromium:')
fi
[ "$mode" = test ] && needs="$needs$test_needs" wants="$wants$test_wants"

missing=() wanted=()
while IFS=: read -r package why; do
	[ -n "$package" ] || continue
	if ! installed "$package"; then
		[ ${#missing[@]} -eq 0 ] && echo "bootstrap: these packages are missing:"
		printf '  %-24s %s\n' "$package" "${why# }"
		missing+=("$package")
	fi
done <<<"$needs"
while IFS=: read -r package why; do
	[ -n "$package" ] || continue
	for name in ${package//|/ }; do
		installed "$name" && continue 2
	done
	wanted+=("$package")
done <<<"$wants"

# Why nothing can be installed here, if so.
cannot= sudo=
if ! command -v apt-get >/dev/null; then
	cannot="no apt-get here; install them by your own means"
elif [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || cannot="not root and no sudo; run as root: apt-get install ${missing[*]}"
	sudo=sudo
fi
if [ ${#missing[@]} -gt 0 ] && [ -n "$cannot" ]; then
	echo "bootstrap: $cannot" >&2
	exit 3
fi
if [ -z "$cannot" ] && [ $((${#missing[@]} + ${#wanted[@]})) -gt 0 ]; then
	if ! $sudo apt-get update -q; then
		[ ${#missing[@]} -eq 0 ] || exit 3
		echo "bootstrap: no package source answers; this goes on without ${wanted[*]}"
		wanted=()
	fi
	for package in "${wanted[@]}"; do
		found=
		for name in ${package//|/ }; do
			offered "$name" && found=$name && break
		done
		if [ -n "$found" ]; then
			missing+=("$found")
		else
			echo "bootstrap: no package source here has $package; what wants it is left out"
		fi
	done
	if [ ${#missing[@]} -gt 0 ]; then
		echo "bootstrap: installing with ${sudo:+sudo }apt-get: ${missing[*]}"
		DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends "${missing[@]}"
	fi
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
