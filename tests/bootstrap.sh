#!/usr/bin/env bash
# bootstrap.sh SOURCE: what bootstrap.sh installs, with a pretended machine around it:
# apt-cache, which says more than a pipe holds, dpkg-query, which has nothing, and
# programs that note how they were called.
set -u
source=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
mkdir "$tmp/bin"

pretend() { # NAME: its text from stdin
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

# boot NAME EXIT WORDS... -- ARGS: what it prints and what it calls has each of these
boot() {
	local name=$1 want=$2 words=() rc
	shift 2
	while [ "$1" != -- ]; do words+=("$1"); shift; done
	shift
	n=$((n + 1))
	: >"$tmp/log"
	PATH=$tmp/bin:/usr/bin:/bin PRETEND_LOG=$tmp/log QD_BUILD_DIR=$tmp/build bash "$source/bootstrap.sh" "$@" >"$tmp/out" 2>&1
	rc=$?
	cat "$tmp/out" >>"$tmp/log"
	[ $rc -eq "$want" ] || words=("(exit $want, not $rc)")
	for w in "${words[@]}"; do
		grep -qF -- "$w" "$tmp/log" || {
			echo "bootstrap: $name: no '$w' in:" >&2
			cat "$tmp/log" >&2
			bad=1
			return
		}
	done
}

# Ten times: a package that is lost is lost by chance.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	boot "all that is wanted" 0 'install -y -q --no-install-recommends gcc libc6-dev' \
		'llvm-22 llvm-22-dev clang-22 lld-22' 'meson test -C' -- test
done
LANG=de_DE.UTF-8 boot "in another language" 0 'llvm-22 llvm-22-dev clang-22 lld-22' -- test
PRETEND_LACKS='llvm-22 clang-22' boot "what no source has" 0 'no package source here has llvm-22;' \
	'no package source here has clang-22;' ' llvm-22-dev lld-22' -- test
PRETEND_LACKS='libmsgpack-c-dev' boot "an older name" 0 'libelf-dev libmsgpack-dev llvm-22 ' -- test
PRETEND_LACKS='libmsgpack-c-dev libmsgpack-dev' boot "neither name" 0 \
	'no package source here has libmsgpack-c-dev|libmsgpack-dev;' 'libelf-dev llvm-22 ' -- test
# (Nothing is built here, so the demo that follows has no programs: 127.)
PRETEND_HAVE='gcc libc6-dev meson ninja-build pkg-config libxxhash-dev libzstd-dev libvulkan-dev libvulkan1 mesa-vulkan-drivers' \
	boot "for the demo" 127 'install -y -q --no-install-recommends libelf-dev libmsgpack-c-dev' "ninja -C $tmp/build" --
grep -q 'llvm-22' "$tmp/log" && {
	echo "bootstrap: the demo installs what tests want" >&2
	bad=1
}
PRETEND_HAVE='gcc libc6-dev meson ninja-build pkg-config libxxhash-dev libzstd-dev libvulkan-dev libvulkan1 mesa-vulkan-drivers' \
	PRETEND_OFFLINE=1 boot "for the demo, without a network" 127 'goes on without libelf-dev libmsgpack-c-dev|libmsgpack-dev' "ninja -C $tmp/build" --
PRETEND_OFFLINE=1 boot "without a network" 3 'these packages are missing' --
PRETEND_HAVE=all boot "nothing is missing" 0 "meson setup $tmp/build" "meson test -C $tmp/build" -- test
grep -q apt-get "$tmp/log" && {
	echo "bootstrap: apt-get is called though nothing is missing" >&2
	bad=1
}
PRETEND_UID=1000 boot "as a user" 0 'sudo apt-get update' 'sudo apt-get install' -- test
rm "$tmp/bin/sudo"
if [ ! -e /usr/bin/sudo ] && [ ! -e /bin/sudo ]; then
	PRETEND_UID=1000 boot "as a user without sudo" 3 'run as root: apt-get install gcc' -- test
else
	echo "sudo is installed: being without it was not checked"
fi
boot "what it does not know" 2 "'tests' is neither" -- tests
echo "$n calls"
exit $bad
