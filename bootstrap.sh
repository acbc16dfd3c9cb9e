#!/usr/bin/env bash
# bootstrap.sh [demo | test | packages [demo | test]], on Debian or Ubuntu:
#
#   demo      (default) installs the packages that are missing, makes a release build in
#             build/, and runs a kernel
#   test      the same, with what the test suite needs, and runs the suite; what demo
#             compiled is not compiled again
#   packages  prints the packages that demo or test needs and the sources offer, and installs
#             nothing
#
# All packages are the distribution's. The script prints what it installs and why; it uses
# sudo if it is not run as root.
#
# QD_BUILD_DIR: the build directory (default: build). QD_MESON_ARGS: more options for meson.
set -euo pipefail
cd "$(dirname "$0")"
build=${QD_BUILD_DIR:-build}
mode=${1:-demo} print=

case $mode in
-h | --help)
	sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
	exit 0
	;;
packages) print=1 mode=${2:-demo} ;;
esac
case $mode in
demo | test) ;;
*)
	echo "bootstrap.sh: '$mode' is neither 'demo' nor 'test'" >&2
	exit 2
	;;
esac

# When, package, purpose. build: in both modes; test: for the suite. Packages with a ? are
# installed if the package sources offer them; otherwise the tests that need them are skipped
# and name them. Everything below that installs or prints packages reads this table.
table='
build  gcc                      C compiler
build  libc6-dev                headers of the C library
build  meson                    build system
build  ninja-build              runs the build
build  pkg-config               finds libraries
build  libxxhash-dev            hashes of cache keys
build  libzstd-dev              compressed fatbins and offload bundles
build  libelf-dev               writes fatbins and AMD code objects
build  libvulkan-dev            headers of Vulkan; the loader is opened at run time
build  libvulkan1               the Vulkan loader
build  mesa-vulkan-drivers      lavapipe, a Vulkan driver that runs on the CPU
test   g++                      qd.h must compile as C++ too
test   libcriterion-dev         test framework
test   spirv-tools              validates and assembles every emitted module
test   vulkan-validationlayers  reports wrong Vulkan calls
test   locales                  a locale with a decimal comma, which output must not depend on
test   cmake                    builds the examples for CMake
test   python3-numpy            arrays for the Python module
test   groff-base               formats the manual pages
test   make                     reads the dependency files that qd-aot writes
test?  llvm-22                  llvm-mc and llvm-objdump, whose text AMD code is compared with
test?  llvm-22-dev              its disassembler as a library
test?  clang-22                 compiles the kernels that qd-dis must read
test?  lld-22                   links them
test?  valgrind                 counts the instructions that readers of files take
test?  glslang-tools            compiles GLSL, with which bench/driver_stats.py compares kernels
'

# Complete answers are read before they are searched: `grep -q` ends at the first match, the
# writer is killed, and pipefail would report a package as missing.
installed() {
	[ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = "install ok installed" ]
}
offered() {
	local policy
	policy=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null) && grep -q '^ *Candidate: [0-9]' <<<"$policy"
}

# look: sets has to the installed packages of the table; needs and wants to the missing ones of
# this mode, of which the latter are optional; missing to both, with their purpose.
needs=() wants=() has=() missing=()
look() {
	local when package purpose
	needs=() wants=() has=() missing=()
	while read -r when package purpose; do
		[ -n "$package" ] || continue
		if installed "$package"; then
			has+=("$package")
			continue
		fi
		case $when/$mode in
		build/* | test/test) needs+=("$package") ;;
		build\?/* | test\?/test) wants+=("$package") ;;
		*) continue ;;
		esac
		missing+=("$(printf '%-24s %s' "$package" "$purpose")")
	done <<<"$table"
}

# from_wants: moves the wanted packages that the sources offer to `offers`.
offers=()
from_wants() {
	local package rest=()
	offers=()
	for package in "${wants[@]}"; do
		if offered "$package"; then offers+=("$package"); else rest+=("$package"); fi
	done
	wants=("${rest[@]}")
}

if [ -n "$print" ]; then
	installed() { false; }
	look
	from_wants
	printf '%s\n' "${needs[@]}" "${offers[@]}"
	exit
fi

look
if [ ${#missing[@]} -gt 0 ]; then
	echo "bootstrap: these packages are missing:"
	printf '  %s\n' "${missing[@]}"
fi

# Why nothing can be installed, if so.
cannot='' sudo=
if ! command -v apt-get >/dev/null; then
	cannot="apt-get is not available; install the packages in another way"
elif [ "$(id -u)" -ne 0 ]; then
	sudo=sudo
	command -v sudo >/dev/null || cannot="not root and no sudo"
fi
install="apt-get install -y -q --no-install-recommends"
if [ $((${#needs[@]} + ${#wants[@]})) -eq 0 ]; then
	:
elif [ -n "$cannot" ]; then
	from_wants
	all=("${needs[@]}" "${offers[@]}")
	if [ -n "$sudo" ] && [ ${#all[@]} -gt 0 ]; then
		cannot="$cannot; run as root: apt-get update && $install ${all[*]}"
	fi
	if [ ${#needs[@]} -gt 0 ]; then
		echo "bootstrap: $cannot" >&2
		exit 3
	fi
	all=("${offers[@]}" "${wants[@]}")
	echo "bootstrap: continuing without ${all[*]}: $cannot"
elif ! $sudo apt-get update -q; then
	[ ${#needs[@]} -eq 0 ] || exit 3
	echo "bootstrap: no package source answers; continuing without ${wants[*]}"
else
	from_wants
	for package in "${wants[@]}"; do
		echo "bootstrap: no package source here has $package; the tests that need it are skipped"
	done
	all=("${needs[@]}" "${offers[@]}")
	if [ ${#all[@]} -gt 0 ]; then
		echo "bootstrap: installing with ${sudo:+sudo }apt-get: ${all[*]}"
		# shellcheck disable=SC2086
		DEBIAN_FRONTEND=noninteractive $sudo $install "${all[@]}"
		look
	fi
fi
if [ "$mode" = test ] && [ ! -f /usr/lib/chromium/vk_swiftshader_icd.json ]; then
	echo "bootstrap: SwiftShader, a second Vulkan driver, from the package chromium-common (30 MB), which is not installed"
	bash tests/scripts/swiftshader.sh || echo "bootstrap: the tests that need SwiftShader are skipped"
fi

# Both modes have one configuration: meson's release build, with -O2, which compiles faster than
# its -O3. If other packages than before are installed, meson looks
# for all dependencies again, and what is compiled already stays.
if [ ! -f "$build/build.ninja" ]; then
	# shellcheck disable=SC2086
	meson setup "$build" -Doptimization=2 -Ddebug=false -Db_ndebug=true ${QD_MESON_ARGS:-}
elif [ "${has[*]}" != "$(cat "$build/bootstrap.packages" 2>/dev/null)" ]; then
	meson configure "$build" --clearcache
	# shellcheck disable=SC2086
	meson setup --reconfigure "$build" ${QD_MESON_ARGS:-}
fi
if [ -d "$build" ]; then
	echo "${has[*]}" >"$build/bootstrap.packages"
fi

if [ "$mode" = test ]; then
	ninja -C "$build"
	# Modules that an earlier run emitted are not part of this run.
	rm -rf "$build/tests/modules"
	# Some tests wait, so one more test than processors runs at once.
	meson test -C "$build" --print-errorlogs --num-processes $(($(nproc) + 1))
else
	ninja -C "$build" demo
	bash docs/examples/demo.sh "$build"
fi
