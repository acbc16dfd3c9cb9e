#!/usr/bin/env bash
# run.sh TARGET SECONDS [LIBFUZZER-OPTION]...: builds the fuzz target in build-fuzz with clang's libFuzzer, ASan and UBSan, and runs it that long
# from its seeds. The corpus stays in build-fuzz/corpus-TARGET, a crashing input in build-fuzz/crash-*. QD_TEST_FUZZ_O is the optimization level of
# a new build, default 1. Exits with 77 if no clang has libFuzzer; libFuzzer's own 77, for a crashing input, becomes 1.
# run.sh --cc: prints the clang. run.sh --build NINJA-TARGET...: only builds these.
set -eu
usage() {
	echo "usage: run.sh TARGET SECONDS [LIBFUZZER-OPTION]... | --build NINJA-TARGET... | --cc" >&2
	exit 2
}
target=${1-} seconds=
case $target in
--cc) ;;
--build) shift ;;
*)
	[ $# -ge 2 ] || usage
	seconds=$2
	shift 2
	;;
esac
cd "$(dirname "$0")/../.."
for cc in clang-22 clang clang-14 ""; do
	[ -n "$cc" ] || {
		echo "no clang with -fsanitize=fuzzer: SKIP (install clang-22 and libclang-rt-22-dev)"
		exit 77
	}
	command -v $cc >/dev/null || continue
	echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n ? 0 : 0; }' |
		$cc -x c -fsanitize=fuzzer,address - -o /dev/null 2>/dev/null && break
done
if [ "$target" = --cc ]; then
	echo $cc
	exit
fi
[ -f build-fuzz/build.ninja ] || CC=$cc meson setup build-fuzz -Db_sanitize=address,undefined -Doptimization="${QD_TEST_FUZZ_O-1}" -Db_lundef=false \
	-Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined -gline-tables-only' -Dtests=disabled -Dbench=false -Dexamples=false >/dev/null
if [ "$target" = --build ]; then
	ninja -C build-fuzz "$@"
	exit
fi
ninja -C build-fuzz "tests/fuzz_$target" "tests/fuzz_${target}_plain" >/dev/null
corpus=build-fuzz/corpus-$target
mkdir -p "$corpus"
"build-fuzz/tests/fuzz_${target}_plain" --seeds "$corpus"
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# -timeout is wall-clock time, hence generous for a busy machine. The targets themselves limit the
# CPU time of a call.
"build-fuzz/tests/fuzz_$target" -max_total_time="$seconds" -max_len=32768 -timeout=60 -rss_limit_mb=4096 \
	-error_exitcode=1 -artifact_prefix=build-fuzz/crash- -print_final_stats=1 "$@" "$corpus"
