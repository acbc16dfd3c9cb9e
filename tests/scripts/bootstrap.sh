#!/usr/bin/env bash
# bootstrap.sh SOURCE: tests which packages bootstrap.sh installs, what it prints and what it
# builds, on a simulated machine: apt-cache, whose answers exceed a pipe's buffer, dpkg-query
# without packages, and programs that log their arguments.
set -u
source=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
mkdir -p "$tmp/bin" "$tmp/tools" "$tmp/drivers/swiftshader"
echo SwiftShader >"$tmp/drivers/swiftshader/made"
# The other programs of this machine, without sudo.
ln -s /usr/bin/* /bin/* "$tmp/tools" 2>/dev/null
rm -f "$tmp/tools/sudo"

pretend() { # NAME: the script is read from stdin
	{ echo '#!/bin/bash'; cat; } >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
pretend id <<<'echo "${PRETEND_UID:-0}"'
pretend apt-get <<<'echo "apt-get $*" >>"$PRETEND_LOG"; [ "$1 ${PRETEND_OFFLINE-}" != "update 1" ]'
pretend sudo <<<'echo -n "sudo " >>"$PRETEND_LOG"; "$@"'
pretend meson <<<'echo "meson $*" >>"$PRETEND_LOG"'
pretend ninja <<<'echo "ninja $*" >>"$PRETEND_LOG"'
pretend dpkg-query <<'E2'
case " ${PRETEND_HAVE:-} " in *" ${*: -1} "* | " all ") printf "install ok installed" ;; *) exit 1 ;; esac
E2
pretend apt-cache <<'E2'
case " ${PRETEND_LACKS:-} " in *" $2 "*) exit 0 ;; esac
word=Candidate:
[ "${LC_ALL:-${LANG:-C}}" = C ] || word=Installationskandidat:
printf '%s:\n  Installed: (none)\n  %s 1:22.1\n  Version table:\n' "$2" "$word"
printf '     1:22.1.%s 500\n' {0..3999}
E2

# boot NAME EXIT WORDS... -- ARGS: its output and its calls must contain each of the words
boot() {
	local name=$1 want=$2 words=() rc
	shift 2
	while [ "$1" != -- ]; do words+=("$1"); shift; done
	shift
	n=$((n + 1))
	: >"$tmp/log"
	PATH=$tmp/bin:$tmp/tools PRETEND_LOG=$tmp/log QD_BUILD_DIR=$tmp/build QD_TEST_MESAS=$tmp/drivers bash "$source/bootstrap.sh" "$@" >"$tmp/out" 2>&1
	rc=$?
	cat "$tmp/out" >>"$tmp/log"
	[ $rc -eq "$want" ] || words=("(exit $rc, expected $want)")
	for w in "${words[@]}"; do
		grep -qF -- "$w" "$tmp/log" || {
			echo "bootstrap: $name: no '$w' in:" >&2
			cat "$tmp/log" >&2
			bad=1
			return
		}
	done
}

# Ten times, because a race may lose a package only sometimes.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	boot "all required packages" 0 'install -y -q --no-install-recommends gcc libc6-dev' \
		'llvm-22 llvm-22-dev clang-22 lld-22' 'meson test -C' -- test
done
LANG=de_DE.UTF-8 boot "in another language" 0 'llvm-22 llvm-22-dev clang-22 lld-22' -- test
PRETEND_LACKS='llvm-22 clang-22' boot "a package without a source" 0 'no package source here has llvm-22;' \
	'no package source here has clang-22;' ' llvm-22-dev lld-22' -- test
# (Nothing is built here, so the following demo has no programs: 127.)
most='gcc libc6-dev meson ninja-build pkg-config libxxhash-dev libzstd-dev libvulkan-dev libvulkan1 mesa-vulkan-drivers'
PRETEND_HAVE=$most boot "for the demo" 127 'install -y -q --no-install-recommends libelf-dev' "ninja -C $tmp/build demo" --
PRETEND_HAVE="$most libelf-dev" boot "for the demo, with all" 127 "meson setup $tmp/build -Doptimization=2 -Ddebug=false -Db_ndebug=true" --
grep -q 'apt-get\|llvm-22' "$tmp/log" && {
	echo "bootstrap: the demo installs what tests need" >&2
	bad=1
}
PRETEND_OFFLINE=1 boot "without a network" 3 'these packages are missing' --
PRETEND_HAVE="$most libelf-dev g++ libcriterion-dev spirv-tools vulkan-validationlayers locales cmake python3-numpy groff-base make" \
	PRETEND_OFFLINE=1 boot "optional packages without a network" 0 \
	'continuing without llvm-22 llvm-22-dev clang-22 lld-22 valgrind' "ninja -C $tmp/build" -- test
PRETEND_HAVE=all boot "nothing is missing" 0 "meson setup $tmp/build" "meson test -C $tmp/build" -- test
grep -q apt-get "$tmp/log" && {
	echo "bootstrap: apt-get is called although no package is missing" >&2
	bad=1
}
# Without Chromium SwiftShader is unpacked; the suite runs even if that fails.
if [ ! -f /usr/lib/chromium/vk_swiftshader_icd.json ]; then
	rm "$tmp/drivers/swiftshader/made"
	PRETEND_HAVE=all boot "without SwiftShader" 0 'download chromium-common' 'the tests that need SwiftShader are skipped' \
		"meson test -C $tmp/build" -- test
	echo SwiftShader >"$tmp/drivers/swiftshader/made"
fi
PRETEND_UID=1000 boot "as a user" 0 'sudo apt-get update' 'sudo apt-get install' -- test
rm "$tmp/bin/sudo"
PRETEND_UID=1000 boot "as a user without sudo" 3 \
	'run as root: apt-get update && apt-get install -y -q --no-install-recommends gcc' --
PRETEND_UID=1000 PRETEND_HAVE="$most libelf-dev g++ libcriterion-dev spirv-tools vulkan-validationlayers locales cmake python3-numpy groff-base make" \
	boot "optional packages as a user without sudo" 0 'continuing without llvm-22' \
	'run as root: apt-get update && apt-get install -y -q --no-install-recommends llvm-22' "ninja -C $tmp/build" -- test

# Root installs the same packages that `packages` prints and that a user without sudo is advised to
# have installed.
names() { # the packages in a line of apt-get
	sed -n 's/.*apt-get install -y -q --no-install-recommends //p' "$1" | head -n 1 | tr -s ' ' '\n' | sort
}
for mode in demo test; do
	PRETEND_LACKS='lld-22 clang-22' boot "$mode as root" "$([ $mode = demo ] && echo 127 || echo 0)" 'apt-get update' -- $mode
	names "$tmp/log" >"$tmp/installed"
	PRETEND_LACKS='lld-22 clang-22' PRETEND_UID=1000 boot "$mode as a user" 3 'run as root' -- $mode
	names "$tmp/log" >"$tmp/listed"
	PRETEND_LACKS='lld-22 clang-22' PRETEND_HAVE=all boot "packages $mode" 0 'libelf-dev' -- packages $mode
	sort "$tmp/out" >"$tmp/printed"
	for list in listed printed; do
		diff "$tmp/installed" "$tmp/$list" || {
			echo "bootstrap: $mode: $list differs from the installed packages" >&2
			bad=1
		}
	done
	grep -qx libelf-dev "$tmp/installed" || {
		echo "bootstrap: $mode: libelf-dev is not installed" >&2
		bad=1
	}
done

# The suite's packages are installed after the demo; meson searches for them once, in the same build
# directory.
pretend apt-get <<<'echo "apt-get $*" >>"$PRETEND_LOG"; [ "$1" != install ] || touch "$PRETEND_LOG.done"'
pretend dpkg-query <<'E2'
case " ${PRETEND_HAVE:-} " in *" ${*: -1} "*) ;; *) [ -f "$PRETEND_LOG.done" ] || exit 1 ;; esac
printf "install ok installed"
E2
mkdir "$tmp/build"
export PRETEND_HAVE="$most libelf-dev"
boot "the demo" 127 "meson setup $tmp/build -Doptimization=2 -Ddebug=false -Db_ndebug=true" -- demo
touch "$tmp/build/build.ninja"
boot "the demo again" 127 "ninja -C $tmp/build" -- demo
grep -q '^meson' "$tmp/log" && {
	echo "bootstrap: the same demo is configured again" >&2
	bad=1
}
boot "then the suite" 0 "meson setup --reconfigure $tmp/build" "meson test -C $tmp/build" -- test
grep -q -- '--wipe' "$tmp/log" && {
	echo "bootstrap: the suite wipes the build" >&2
	bad=1
}
boot "the suite again" 0 "meson test -C $tmp/build" -- test
grep -q '^meson setup' "$tmp/log" && {
	echo "bootstrap: the same suite is configured again" >&2
	bad=1
}
boot "an unknown argument" 2 "'tests' is neither" -- tests
echo "$n calls"
exit $bad
