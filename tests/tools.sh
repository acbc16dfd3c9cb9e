#!/usr/bin/env bash
# tools.sh QD-RUN QD-INFO QD-DIS SOURCE: the programs as a shell sees them: what
# goes to which stream, exit codes, files whole or not at all.
set -u
run=$1 info=$2 dis=$3 src=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
export NO_COLOR=1
unset QD_DEVICE QD_LOG QD_DUMP QD_DUMP_DIR

# expect NAME EXIT STDOUT-PATTERN STDERR-PATTERN COMMAND...: patterns are whole
# outputs as bash globs
expect() {
	local name=$1 want=$2 out=$3 err=$4 rc
	shift 4
	n=$((n + 1))
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	# shellcheck disable=SC2053
	if [ $rc -ne "$want" ] || [[ "$(cat "$tmp/out")" != $out ]] || [[ "$(cat "$tmp/err")" != $err ]]; then
		echo "tools: $name: exit $rc (want $want)" >&2
		echo "stdout:" >&2
		head -c 600 "$tmp/out" >&2
		echo "stderr:" >&2
		head -c 600 "$tmp/err" >&2
		bad=1
	fi
}

ex=$src/docs/examples
cat >"$tmp/two.qdk" <<'K'
kernel twice(a: i32[]) block(64) { for i in grid(a.len) { a[i] = a[i] * 2; } }
kernel fill<T in {f32, u32}, static L in 0..=3>(n: i32, x: out T[]) block(32) {
  for i in grid(x.len) { x[i] = T(subgroup.tile_lane(L) + n); }
}
K
cat >"$tmp/race.qdk" <<'K'
kernel race(a: u32[]) block(64) { for i in grid(a.len) { a[0] = i; } }
K
cat >"$tmp/plain.qdk" <<'K'
kernel plain(a: u32[]) block(4) { a[block.global_thread_idx()] = 7; }
K
cat >"$tmp/bad.qdk" <<'K'
kernel t(a: f32[]) block(64) {
  for i in grid(a.len) {
    a[i] = subgroup.shuffle(a[i] 0);
  }
}
K

# -- qd-run
expect "demo" 0 "dst: 0 1 3 6 4 9 15 22" "" "$run" -d ref:8 "$ex/demo.qdk" src=iota:8 dst=zero:8
expect "options after operands" 0 "a: 0 2 4" "" "$run" "$tmp/two.qdk" a=iota:3 --kernel twice --device=ref:4
expect "templates" 0 "x: 5 6 7 8 5 6" "" "$run" -d ref:32 "$tmp/two.qdk" -k fill -D T=u32 -D L=2 n=5 x=zero:6
expect "a list" 0 "a: -2 4 2147483646" "" "$run" -d ref:4 "$tmp/two.qdk" -k twice a=-1,2,1073741823
expect "json" 0 '{"schema":"qd.run/1"*"name":"a"*"values":?0,2?*}' "" "$run" -d ref:4 --json "$tmp/two.qdk" -k twice a=iota:2
printf '\001\000\000\000\377\377\377\377' >"$tmp/raw"
expect "raw file" 0 "a: 2 -2" "" "$run" -d ref:4 "$tmp/two.qdk" -k twice "a=@$tmp/raw"
expect "which kernel" 2 "" "*twice*fill*" "$run" -d ref:4 "$tmp/two.qdk" a=iota:2
expect "no such kernel" 2 "" "*" "$run" -d ref:4 "$tmp/two.qdk" -k nothing a=iota:2
expect "template missing" 2 "" "*T=VALUE*u32, f32*" "$run" -d ref:4 "$tmp/two.qdk" -k fill -D L=1 n=0 x=zero:2
expect "template out of range" 2 "" "*0..=3*" "$run" -d ref:32 "$tmp/two.qdk" -k fill -D T=u32 -D L=9 n=0 x=zero:2
expect "parameter missing" 2 "" "*" "$run" -d ref:4 "$tmp/two.qdk" -k twice
expect "unknown option" 2 "" "qd-run: unknown option '--kernal'; did you mean '--kernel'?*" "$run" --kernal x
expect "syntax error" 1 "" "$tmp/bad.qdk:3:34: error: expected ')', found '0'*" "$run" -d ref:4 "$tmp/bad.qdk" a=iota:4
expect "no grid loop" 2 "" "*--grid=N*" "$run" -d ref:4 "$tmp/plain.qdk" a=zero:6
expect "blocks" 0 "a: 7 7 7 7 0 0" "" "$run" -d ref:4 --grid=1 "$tmp/plain.qdk" a=zero:6
expect "remark" 0 "a: 7 7" "*remark: store to a?2? is out of bounds*" "$run" -d ref:4 --grid=1 "$tmp/plain.qdk" a=zero:2
expect "no file" 3 "" "*$tmp/none.qdk*" "$run" -d ref:4 "$tmp/none.qdk"
expect "finding" 1 "a: *" "*race*" "$run" -d ref:4 "$tmp/race.qdk" a=zero:8
expect "no such driver" 3 "" "*" "$run" -d nothing "$tmp/two.qdk" -k twice a=iota:2
expect "no device" 3 "" "*ref:32*" env VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none "$run" "$tmp/two.qdk" -k twice a=iota:2
# PCG32's published first number for seed 42 is a15c02b7; twice that, wrapped.
expect "rand" 0 "a: 1119356270 *" "" "$run" -d ref:4 "$tmp/two.qdk" -k twice a=rand:4:42
expect "help" 0 "Usage: qd-run *" "" "$run" --help
expect "version" 0 "qd-run 0.1.0*" "" "$run" --version
for program in "$run" "$info" "$dis"; do
	[ "$("$program" --help | awk 'length > 80' | wc -l)" -eq 0 ] || {
		echo "tools: $program --help is wider than 80 columns" >&2
		bad=1
	}
done
expect "stdout closed" 3 "" "*cannot write*" bash -c "'$run' -d ref:4 --grid=1 '$tmp/plain.qdk' a=zero:2 >&-"
expect "stdout full" 3 "" "*cannot write*" bash -c "'$run' -d ref:4 --grid=1 '$tmp/plain.qdk' a=zero:6 >/dev/full"
localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" >/dev/null 2>&1 ||
	echo "no locale with a decimal comma can be made (locales)"
LOCPATH=$tmp LC_ALL=de_DE.UTF-8 "$run" -d ref:32 "$ex/demo.qdk" src=0.5,0.25 dst=zero:2 >"$tmp/out" 2>"$tmp/err"
[ "$(cat "$tmp/out")" = "dst: 0.5 0.75" ] || {
	echo "tools: floats: $(cat "$tmp/out" "$tmp/err")" >&2
	bad=1
}

# -- qd-info
expect "info" 0 "*ref:32*" "" "$info"
expect "info without a driver" 0 "*ref:32*" "" env VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none "$info"
expect "info json" 0 '{"schema":"qd.info/1"*' "" "$info" --json
expect "info env" 0 "*QD_DEVICE*ref:8*" "" env QD_DEVICE=ref:8 "$info" --env

# -- qd-dis
expect "dis IR" 0 "kernel \"prefix4\"*subgroup.inclusive_add*" "" "$dis" "$ex/demo.qdk"
expect "dis target" 0 "*OpGroupNonUniformShuffle*" "" "$dis" -t spirv:w8 "$ex/demo.qdk"
expect "dis to a file" 0 "" "" "$dis" -t spirv:w8 --emit=bin -o "$tmp/demo.spv" "$ex/demo.qdk"
expect "dis a module" 0 "*OpGroupNonUniformShuffle*" "" "$dis" "$tmp/demo.spv"
head -c 101 "$tmp/demo.spv" >"$tmp/cut.spv"
expect "dis a truncated module" 1 "*" "*" "$dis" "$tmp/cut.spv"
expect "dis nothing known" 1 "" "qd-dis: '$tmp/raw' is neither .qdk text nor printed IR*" "$dis" "$tmp/raw"
expect "dis unknown template" 2 "" "*no kernel here has a template parameter 'Q'*" "$dis" -D Q=1 "$ex/demo.qdk"
expect "dis to - is stdout" 0 "kernel \"prefix4\"*" "" "$dis" -o - "$ex/demo.qdk"
expect "dis, later kernel wants a template" 2 "" "*T=VALUE*" "$dis" "$tmp/two.qdk"
expect "dis IR text" 0 "kernel \"prefix4\"*" "" bash -c "'$dis' '$ex/demo.qdk' >'$tmp/demo.ir' && '$dis' '$tmp/demo.ir'"
cmp -s "$tmp/demo.ir" <("$dis" "$tmp/demo.ir") || {
	echo "tools: printed IR does not print as itself" >&2
	bad=1
}
# A failure leaves no file behind.
"$dis" -t spirv:w8 --emit=bin -o "$tmp/never.spv" "$tmp/bad.qdk" >/dev/null 2>&1
[ -e "$tmp/never.spv" ] && {
	echo "tools: qd-dis left a file after an error" >&2
	bad=1
}
[ -z "$(find "$tmp" -name '*.tmp*')" ] || {
	echo "tools: a temporary file is left" >&2
	bad=1
}
echo "$n calls"
exit $bad
