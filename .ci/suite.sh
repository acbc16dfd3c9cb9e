# suite.sh, sourced by .ci/run: installs packages, runs the test suite with the command of the README,
# and prints its results.
# shellcheck shell=bash disable=SC2034,SC2154

suite="bootstrap.sh test" # its step

# Installs packages that this script needs in addition to bootstrap.sh's: the second compiler,
# and the fuzzer's run-time library if the package sources have it.
install_compilers() {
	local need= p policy
	for p in clang libclang-rt-22-dev clang-tools-22 mold; do
		[ "$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null)" = "install ok installed" ] || need="$need $p"
	done
	if [ -n "$need" ] && [ "$(id -u)" -eq 0 ]; then
		apt-get update -q >/dev/null
		for p in $need; do
			policy=$(LC_ALL=C apt-cache policy "$p")
			grep -q 'Candidate: [0-9]' <<<"$policy" || continue
			echo "installing $p"
			DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$p" >/dev/null
		done
	fi
}

# complete: all packages of bootstrap.sh are installed, so other steps can run beside the suite
complete() {
	# shellcheck disable=SC2046
	! dpkg-query -W -f '${Status}\n' $(./bootstrap.sh packages test) 2>&1 | grep -qv '^install ok installed$'
}

run_suite() {
	rm -rf build
	env -u ASAN_OPTIONS -u UBSAN_OPTIONS -u LSAN_OPTIONS -u TSAN_OPTIONS ./bootstrap.sh test
}

# Prints the reason that a skipped test of the suite gives.
why() {
	awk -v name="$1" '/^=+ [0-9]+\/[0-9]+ =+$/ { on = 0 }
		$1 == "test:" { on = $NF == name }
		on && /SKIP|not installed/ { print; exit }' build/meson-logs/testlog.txt
}

# suite_results STATUS LOG TIME
suite_results() {
	local name part
	if [ "$1" -eq 0 ]; then
		note_pass "bootstrap.sh test: $3"
	else
		note_fail "bootstrap.sh test: $3"
		tail -80 "$2"
	fi
	grep -E '^ *[0-9]+/[0-9]+ |^Ok:|^Fail:|^Skipped:|^Expected Fail:' "$2"
	while read -r name; do
		[ -n "$name" ] && note_skip "$name: $(why "$name")"
	done < <(grep -E '^ *[0-9]+/[0-9]+ .*SKIP' "$2" | sed -E 's@^ *[0-9]+/[0-9]+ +[^/]*/ +([^ ]+).*@\1@')
	# Parts of tests that were skipped because a tool is not installed.
	while read -r part; do
		note_skip "$part"
	done < <(sed -nE 's/^part skipped: //p; / is not installed: .* (was|were) not (compared|checked)/p' build/meson-logs/testlog.txt | sort -u)
	# The reasons that the tests print.
	grep -hE '^(1\.\.0 # )?SKIP |: SKIP |# SKIP|is not installed' build/meson-logs/testlog.txt |
		grep -v 'SKIP test was skipped' | sort -u # Criterion prints this for tests that --filter excludes
	# Counts that the oracles print.
	grep -hE 'modules, .* distinct opcodes|warm compiles without|^[a-z]+: alloc: |golden texts|^[0-9]+ symbols|^[0-9]+ calls' build/meson-logs/testlog.txt
}
