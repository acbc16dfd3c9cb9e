# steps.sh, sourced by .ci/run: functions and variables that commands of the table `steps` use.
# shellcheck shell=bash disable=SC2034,SC2154

gcc=$(command -v clang >/dev/null || echo 1) # the only compiler
# shellcheck source=/dev/null
other=$(. /etc/os-release && [ "${VERSION_CODENAME-}" = trixie ] && echo bookworm || echo trixie)

amd_devices=() # a target of each kind
for t in gfx906 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1030:w64 gfx1100:w64 gfx1150 gfx1201 gfx1201:w64; do
	amd_devices+=("emu:$t")
done
amd_targets=(gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010{,:w64} gfx1030{,:w64} gfx1100{,:w64} gfx1150{,:w64} gfx1201{,:w64})
ptx_targets=(ptx:sm_{50,52,53,60,61,62,70,72,75,80,86,87,88,89,90,100,103,110,120,121})

# Lavapipe allocates memory for each block of a launch. With ASan's default quarantine of 256 MiB
# each allocation gets new pages, which takes ten times as long as everything else.
export ASAN_OPTIONS=abort_on_error=1:detect_leaks=1:quarantine_size_mb=8:thread_local_quarantine_size_kb=64
export UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1:halt_on_error=1
export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp TSAN_OPTIONS=abort_on_error=1:halt_on_error=1:suppressions=$PWD/tests/tsan.supp
no_leaks=$ASAN_OPTIONS:detect_leaks=0
streams="stream pair report transfer" # families of units
# The lock-order detector supports 64 locks; the drivers' compilers hold more.
locks=$TSAN_OPTIONS:detect_deadlocks=0

# -- Builds --------------------------------------------------------------------------------

# A sanitizer finding ends the program (halt_on_error above), so code to continue after one is
# unnecessary. A report needs only line numbers. mold links in a fifth of the time.
ld=$(command -v mold >/dev/null && echo CC_LD=mold)
san_args="-fno-sanitize-recover=undefined -g1"
san=(-Dwerror=true -Doptimization=1 -Dtests=disabled -Db_lundef=false)
# gcc's variable tracking takes minutes on instrumented code, and gcc warns about code that the
# sanitizer inserts. The suite's build checks its warnings.
gcc_san=("${san[@]}" -Dwerror=false -Dbench=false -Dexamples=false -Dc_args="-fno-var-tracking $san_args")

# configure DIR OPTION...: keeps an existing build
configure() {
	[ -f "$1/build.ninja" ] || env $ld meson setup "$@"
}
build_asan() {
	if [ -z "$gcc" ]; then
		CC=clang configure build-asan -Db_sanitize=address,undefined "${san[@]}" -Dc_args="$san_args" && ninja -C build-asan
	else
		configure build-asan -Db_sanitize=address,undefined "${gcc_san[@]}" && ninja -C build-asan src/tools/qd-{dis,aot,run,conform} \
			tests/{run,faults,gcn_stress,disk,ptx_rows,fake_cuda/libcuda.so.1} tests/fuzz_{gcn,fatbin,cache,qdk,ir,ptx}_plain tests/amdgpu_fake/{injected,behaves}
	fi
}
build_tsan() {
	configure build-tsan -Db_sanitize=thread "${gcc_san[@]}" &&
		ninja -C build-tsan tests/{run,fake_cuda/libcuda.so.1} tests/amdgpu_fake/{injected,behaves} src/tools/qd-aot
}
# The release build of bootstrap.sh, without its packages.
build_rel() {
	configure build -Doptimization=2 -Ddebug=false -Db_ndebug=true -Dwerror=true && ninja -C build
}

# -- Commands of several runs -----------------------------------------------------------------

# units FAMILY...: each in a process of its own
units() {
	local f
	for f; do
		$on "$B/tests/run" --units --family "$f" || return
	done
}

# on_other COMMAND...: runs on lavapipe of the other Debian release
on_other() {
	QD_TEST_MESA=$mesa timeout 900 $on "$@"
}

# Follows the pages on adding a primitive, an instruction and a target literally. The pages
# change different files, so all use the same copy of the tree, which avoids rebuilds. The last one
# runs all units with the changes of all pages. After a failure, the next page starts with a fresh copy.
pages() {
	local page rc=0 top= later=later
	export QD_TEST_TREE=$PWD/build/pages QD_TEST_SOME=1
	for page in scripts/primitive emu/instruction scripts/instruction scripts/target scripts/amd_target; do
		[ $page != scripts/amd_target ] || later=
		if QD_TEST_ON_TOP=$top QD_TEST_UNITS=$later bash tests/$page.sh .; then top=1; else rc=1 top=; fi
	done
	return $rc
}

# every_target TARGETS COMMAND...: emits the kernels of the cells for the targets into a directory,
# which replaces DIR in the command that checks them
every_target() {
	local dir rc=0 also
	dir=$(mktemp -d) also=$(printf -- '--also %s ' $1)
	shift
	# shellcheck disable=SC2086
	QD_TEST_SOME=1 QD_DUMP=bin QD_DUMP_DIR=$dir "$B/tests/run" -d ref:32 $also && "${@/#DIR/$dir}" || rc=1
	rm -rf "$dir"
	return $rc
}
