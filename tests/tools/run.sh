#!/usr/bin/env bash
# run.sh QD-RUN SOURCE: qd-run's streams and exit codes; files are written completely or not at all.
# mistakes.sh tests the messages for wrong command lines.
set -u
run=$(realpath "$1") src=$(realpath "$2")
cd "$src/tests/tools" || exit 2
# shellcheck source=tests/tools/expect.sh
. ./expect.sh
ex=$src/docs/examples

expect "demo" 0 "dst: 0 1 3 6 4 9 15 22" "" "$run" -d ref:8 "$ex/demo.qdk" src=iota:8 dst=zero:8
expect "options after operands" 0 "a: 0 2 4" "" "$run" two.qdk a=iota:3 --kernel twice --device=ref:4
expect "templates" 0 "x: 5 6 7 8 5 6" "" "$run" -d ref:32 two.qdk -k fill -D T=u32 -D L=2 n=5 x=zero:6
expect "a list" 0 "a: -2 4 2147483646" "" "$run" -d ref:4 two.qdk -k twice a=-1,2,1073741823
expect "json" 0 '{"schema":"qd.run/1"*"name":"a"*"values":?0,2?*}' "" "$run" -d ref:4 --json two.qdk -k twice a=iota:2
printf '\001\000\000\000\377\377\377\377' >"$tmp/raw"
printf '\002\000\000\000\376\377\377\377' >"$tmp/twice2"
printf '\001\000\300\377\000\000\300\177' >"$tmp/nans"
printf 'kernel k(a: in f32[], o: out f32[]) block(32) { for i in grid(o.len) { let x, y = a.load2(2000000000); o[i] = x - y; } }' >"$tmp/far.qdk"
expect "adjacent elements at a large constant" 0 "o: 0 0" "*a?4000000000? is out of bounds*" "$run" -d ref:4 "$tmp/far.qdk" a=iota:4 o=zero:2
expect "raw file" 0 "a: 2 -2" "" "$run" -d ref:4 two.qdk -k twice "a=@$tmp/raw"
expect "which kernel" 2 "" "*twice*fill*" "$run" -d ref:4 two.qdk a=iota:2
expect "no such kernel" 2 "" "*" "$run" -d ref:4 two.qdk -k nothing a=iota:2
expect "template missing" 2 "" "*T=VALUE*u32, f32*" "$run" -d ref:4 two.qdk -k fill -D L=1 n=0 x=zero:2
expect "template out of range" 2 "" "*0..=3*" "$run" -d ref:32 two.qdk -k fill -D T=u32 -D L=9 n=0 x=zero:2
expect "parameter missing" 2 "" "*" "$run" -d ref:4 two.qdk -k twice
expect "unknown option" 2 "" "qd-run: unknown option '--kernal'; did you mean '--kernel'?*" "$run" --kernal x
expect "syntax error" 1 "" "bad.qdk:3:34: error: expected ')', found '0'*" "$run" -d ref:4 bad.qdk a=iota:4
expect "a later language" 1 "" "later.qdk:1:5: error: *help: write 'qdk 2;', or read it with a newer qd" "$run" -d ref:4 later.qdk
expect "all errors, uncounted" 1 "" "*unknown name 'p'*unknown name 'q'*as a parameter" "$run" -d ref:4 twice.qdk a=zero:2
# Imports: in the directory of the importing file, then in those of -I, each file once.
mkdir -p "$tmp/im/lib"
printf 'import "lib/a.qdk" as a;\nimport "b.qdk" as b;\nkernel k(x: u32[]) { for i in grid(x.len) { x[i] = a.f(i) + b.f(i); } }\n' >"$tmp/im/main.qdk"
printf 'import "b.qdk" as b;\nfn f(x: u32) -> u32 { return 10 * b.f(x); }\n' >"$tmp/im/lib/a.qdk"
printf 'fn f(x: u32) -> u32 { return x + 1; }\n' >"$tmp/im/lib/b.qdk"
printf 'fn f(x: u32) -> u32 { return x + 2; }\n' >"$tmp/im/b.qdk"
expect "imports beside their file" 0 "x: 12 23" "" "$run" -d ref:4 "$tmp/im/main.qdk" x=zero:2
rm "$tmp/im/b.qdk"
expect "an import that is not there" 1 "" "$tmp/im/main.qdk:2:8: error: cannot import 'b.qdk': it is not in the directory of this file; -I adds directories*" "$run" -d ref:4 "$tmp/im/main.qdk" x=zero:2
expect "an import in a directory of -I" 0 "x: 11 22" "" "$run" -d ref:4 -I "$tmp" -I "$tmp/im/lib" "$tmp/im/main.qdk" x=zero:2
printf 'import "main.qdk";\n' >"$tmp/im/lib/b.qdk"
expect "a cycle by another path" 1 "" "*lib/b.qdk:1:8: error: the import of '$tmp/im/main.qdk' closes a cycle*" "$run" -d ref:4 -I "$tmp/im/lib/.." "$tmp/im/main.qdk" x=zero:2
mkfifo "$tmp/im/b.qdk"
for file in "b.qdk" "/dev/zero" "/dev/tty"; do
	printf 'import "%s";\nkernel k(x: u32[]) { for i in grid(x.len) { x[i] = 1; } }\n' "$file" >"$tmp/im/main.qdk"
	expect "an import of $file" 1 "" "*main.qdk:1:8: error: cannot import '$file': *" timeout 20 "$run" -d ref:4 "$tmp/im/main.qdk" x=zero:2
done
printf 'import "lib";\n' >"$tmp/im/main.qdk"
expect "an import of a directory" 1 "" "*cannot import 'lib': '$tmp/im/lib' is a directory*" "$run" -d ref:4 "$tmp/im/main.qdk"
head -c 1048577 /dev/zero >"$tmp/im/lib/b.qdk"
printf 'import "lib/b.qdk";\n' >"$tmp/im/main.qdk"
expect "an import that is too large" 1 "" "*cannot import 'lib/b.qdk': '$tmp/im/lib/b.qdk' has 1048577 bytes, the limit is 1048576*" "$run" -d ref:4 "$tmp/im/main.qdk"
expect "no grid loop" 2 "" "*--grid=N*" "$run" -d ref:4 plain.qdk a=zero:6
expect "blocks" 0 "a: 7 7 7 7 0 0" "" "$run" -d ref:4 --grid=1 plain.qdk a=zero:6
expect "remark" 0 "a: 7 7" "*remark: store to a?2? is out of bounds*" "$run" -d ref:4 --grid=1 plain.qdk a=zero:2
expect "no file" 3 "" "*$tmp/none.qdk*" "$run" -d ref:4 "$tmp/none.qdk"
expect "finding" 1 "a: *" "*race*" "$run" -d ref:4 race.qdk a=zero:8
expect "lines of print" 0 "a: 1 0.5" "debug.qdk:3:5: print: i and a?i? 0 1 (kernel debug, block 0, thread 0)
debug.qdk:3:5: print: i and a?i? 1 0.5 (kernel debug, block 0, thread 1)" "$run" -d ref:4 debug.qdk a=1,0.5
expect "lines of print as json" 0 "*\"severity\":\"print\",\"code\":null,\"message\":\"i and a?i? 0 1 (kernel debug, block 0, thread 0)\"*" "*" "$run" -d ref:4 --json debug.qdk a=1
expect "an assert that fails" 1 "a: 1 2" "*debug.qdk:4:5: finding: assert fails in lane 1: less than two (kernel debug, block 0, thread 1)" "$run" -d ref:4 debug.qdk a=1,2
expect "no position is reported for running code" 0 "a: 1 2" "" "$run" -d emu:sm_70 debug.qdk a=1,2
expect "an endless loop" 1 "a: 0 *" "endless.qdk:3:3: finding: the loop has not ended after 5000 operations, *" env QD_REF_STEPS=5000 "$run" -d ref:4 --grid=9 endless.qdk a=zero:2
for steps in 0 5k -1 ' 7' 1e6 99999999999999999999; do
	expect "QD_REF_STEPS='$steps'" 2 "" "qd-run: error: QD_REF_STEPS='$steps'*" env QD_REF_STEPS="$steps" "$run" -d ref:4 --grid=1 plain.qdk a=zero:2
done
expect "done in time" 0 "a: 7 7 7 7" "" "$run" -d ref:4 --timeout=600 --grid=1 plain.qdk a=zero:4
expect "not done in time" 1 "" "qd-run: error: the launch did not finish within 0.25 seconds (--timeout)" env QD_REF_STEPS=999999999999 "$run" -d ref:4 --timeout=0.250 --grid=1 endless.qdk a=zero:2
for time in 0 0.000 .5 1.2.3 -1 0.0001 1e3 1000000.001 99999999999999999999 ''; do
	expect "a wrong time '$time'" 2 "" "qd-run: --timeout takes seconds from 0.001 to 1000000, not '$time'*" "$run" -d ref:4 "--timeout=$time" plain.qdk a=zero:2
done
expect "the longest time" 0 "a: 7 7 7 7" "" "$run" -d ref:4 --timeout=1000000 --grid=1 plain.qdk a=zero:4
# A CPU's Vulkan driver, which cannot be interrupted: the process must end anyway. The driver ends a
# loop after 65536 iterations, but there are many blocks.
bash "$src/tests/scripts/driver.sh" lvp8 true >"$tmp/out" 2>&1
case $? in
0) expect "Vulkan not done in time" 1 "" "qd-run: error: the launch did not finish within 0.5 seconds (--timeout)" bash "$src/tests/scripts/driver.sh" lvp8 "$run" -d vulkan --timeout=0.5 --grid=4000000000 endless.qdk a=zero:2 ;;
*) cat "$tmp/out" ;;
esac
expect "no such driver" 3 "" "*" "$run" -d nothing two.qdk -k twice a=iota:2
expect "no device" 3 "" "*ref:32*" env VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none "$run" two.qdk -k twice a=iota:2
# PCG32's published first number for seed 42 is a15c02b7; the result is twice that, wrapped.
expect "rand" 0 "a: 1119356270 *" "" "$run" -d ref:4 two.qdk -k twice a=rand:4:42
expect "help" 0 "Usage: qd-run *" "" "$run" --help
# The versions in meson.build, which packages have, and in qd.h are equal.
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$src/meson.build")
expect "version" 0 "qd-run $version
*" "" "$run" --version
expect "stdout closed" 3 "" "*cannot write*" bash -c "'$run' -d ref:4 --grid=1 plain.qdk a=zero:2 >&-"
expect "stdout full" 3 "" "*cannot write*" bash -c "'$run' -d ref:4 --grid=1 plain.qdk a=zero:6 >/dev/full"

# -- Profiles
profile=(--profile --grid=4 "$ex/transpose.qdk" src=iota:4096 dst=zero:4096 n=64 -k)
expect "a profile" 0 "dst: *
profile of 'tile' on emu:gfx1100: 32 waves of 32 lanes, clock model gfx11
  class *
  lds                   192         6.00
*
  all *
  memory       32768 bytes in 256 cache lines of 128 bytes (100 %)
  lds          32768 bytes, 3968 bank conflicts
  round trips  2.00 to memory and 2.00 to lds, per wave
*" "" "$run" -d emu:gfx1100 "${profile[@]}" tile
expect "a profile without conflicts" 0 "*  lds          32768 bytes, 0 bank conflicts*" "" "$run" -d emu:sm_90 "${profile[@]}" padded
expect "a profile of lines" 0 "*
  line *
  27 *     3968 *" "" "$run" -d emu:gfx906 --lines "${profile[@]}" tile
expect "a latency" 0 "*  one wave     1502 cycles*" "" "$run" -d emu:gfx1100 --latency vmem=900 --latency=lds=10 "${profile[@]}" tile
expect "a profile as json" 0 '*"profile":{"model":"gfx11","launches":"2","waves":"64",*"conflicts":"7936",*"places":?{"line":*' "*" "$run" -d emu:gfx1100 --json --lines --repeat=2 "${profile[@]}" tile
expect "a profile of a code object" 0 "arg2: 0 2 4 0
profile of 'add' on emu:gfx1100: *
  offset *
  0x*" "" "$run" --profile --lines -d emu:gfx1100 --grid=1 "$ex/add.hsaco" arg0=iota:4 arg1=iota:4 arg2=zero:4 arg3=3
expect "a profile of PTX" 0 "arg1: 8128 24512
profile of 'block_sum' on emu:sm_90: 8 waves of 32 lanes, clock model sm_90
*
  line *" "" "$run" --profile --lines -d emu:sm_90 -k block_sum --grid=2 --block=128 "$ex/cuda.ptx" arg0=i32:iota:256 arg1=i32:zero:2 -o arg0=/dev/null
expect "a device that cannot profile" 3 "" "qd-run: error: device 'ref:8' cannot profile; use emu:TARGET, such as emu:gfx1100 or emu:sm_90" "$run" -d ref:8 "${profile[@]}" tile
expect "lines without a profile" 2 "" "qd-run: --lines needs --profile*" "$run" -d emu:gfx1100 --lines two.qdk -k twice a=iota:2
expect "an unknown latency" 2 "" "qd-run: --latency takes NAME=CYCLES, *not 'dram=9'*" "$run" --profile --latency dram=9 two.qdk -k twice a=iota:2
expect "a profile beside bytes" 2 "" "qd-run: --output: 'a' cannot be written to the standard output with --profile*" "$run" --profile -o a=- two.qdk -k twice a=iota:2
# same DEVICE ARGUMENT...: results and findings must not depend on --profile.
same() {
	local seed
	for seed in 0 1 2 3 4; do
		QD_EMU_SEED=$seed "$run" -d "$@" >"$tmp/plain" 2>"$tmp/plain.err"
		QD_EMU_SEED=$seed "$run" --profile -d "$@" 2>"$tmp/profiled.err" | sed '/^profile/,$d' >"$tmp/profiled"
		sed -i 's/0x[0-9a-f]*//g' "$tmp/plain.err" "$tmp/profiled.err" # addresses of the host
		cmp -s "$tmp/plain" "$tmp/profiled" && cmp -s "$tmp/plain.err" "$tmp/profiled.err" ||
			fail "a profile changes what $* prints, seed $seed"
	done
}
for device in emu:gfx1100 emu:gfx942 emu:sm_70; do
	same $device -k padded --grid=4 "$ex/transpose.qdk" src=iota:4096 dst=zero:4096 n=64
done
same emu:sm_90 -k unwritten --grid=1 --block=64 "$ex/cuda.ptx" arg0=i32:zero:64
same emu:sm_90 -k beyond --grid=3 --block=64 "$ex/cuda.ptx" arg0=i32:1,2 arg1=i32:zero:2

# -- Sizes: the count of the grid loop, if it is known
expect "zero is as long as the grid" 0 "b: 1 2 3" "" "$run" -d ref:4 add.qdk a=iota:3 b=zero n=3 x=1
expect "and so is iota" 0 "b: 0 1 2 3 4" "" "$run" -d ref:4 add.qdk a=iota b=zero n=5 x=0
expect "the length of another buffer" 0 "dst: 0 1 3 6" "" "$run" -d ref:8 "$ex/demo.qdk" src=iota:4 dst=zero
expect "a negative grid" 0 "b:" "" "$run" -d ref:4 add.qdk a=iota b=zero n=-5 x=0
expect "no blocks run nothing" 0 "a: 0 1 2" "" "$run" -d ref:4 --grid=0 two.qdk -k twice a=iota:3

# -- Floats
expect "small and large" 0 "b: 10 110 0.1 123456790 0.0001 1e-05 1e+16 1000000000000000 -0 inf -inf nan" "" \
	"$run" -d ref:4 -k copy_f32 copy.qdk a=1e1,110,0.1,123456789,1e-4,0.00001,1e16,1e15,-0,inf,-inf,nan b=zero
expect "f64" 0 "b: 123456789 0.30000000000000004 5e-324 1.7976931348623157e+308 1.5e+20" "" \
	"$run" -d ref:4 -k copy_f64 copy.qdk a=123456789,0.30000000000000004,4e-324,0x1.fffffffffffffp1023,1.5e20 b=zero
expect "f16" 0 "b: 10 65500 6e-08 0.1 nan -inf" "" "$run" -d ref:4 -k copy_f16 copy.qdk a=10,65504,6e-8,0.1,nan,-inf b=zero
expect "bf16" 0 "b: 10 3.39e+38 0.1 -0" "" "$run" -d ref:4 -k copy_bf16 copy.qdk a=10,3.39e38,0.1,-0 b=zero
expect "integers" 0 "b: -9223372036854775808 9223372036854775807 0 -1" "" \
	"$run" -d ref:4 -k copy_i64 copy.qdk a=-9223372036854775808,9223372036854775807,0,-1 b=zero
expect "small integers" 0 "b: -128 127 0 -1" "" "$run" -d ref:4 -k copy_i8 copy.qdk a=-128,127,0,-1 b=zero
expect "u64" 0 "b: 18446744073709551615 0 10" "" "$run" -d ref:4 -k copy_u64 copy.qdk a=0xffffffffffffffff,0,10 b=zero
expect "json" 0 '*"values":?10,1e-05,"nan","-inf",-0?*' "" "$run" --json -d ref:4 -k copy_f32 copy.qdk a=10,1e-5,nan,-inf,-0 b=zero
expect "json of 64 bits" 0 '*"values":?"-1","5"?*' "" "$run" --json -d ref:4 -k copy_i64 copy.qdk a=-1,5 b=zero
expect "python's floats" 0 "" "" python3 floats.py "$run" 20000

# -- Files
expect "to a raw file" 0 "" "" "$run" -d ref:4 two.qdk -k twice "a=@$tmp/raw" -o "a=$tmp/twice"
[ "$(od -An -tx1 "$tmp/twice")" = " 02 00 00 00 fe ff ff ff" ] || fail "-o wrote $(od -An -tx1 "$tmp/twice")"
expect "to the standard output" 0 "8" "" bash -c "'$run' -d ref:4 two.qdk -k twice a=iota:2 -o a=- | wc -c"
expect "a read-only buffer" 0 "b: 1 2 3" "" "$run" -d ref:4 add.qdk a=iota:3 b=zero n=3 x=1 --output "a=$tmp/read"
[ "$(od -An -tx1 "$tmp/read")" = " 00 01 02" ] || fail "-o of an input wrote $(od -An -tx1 "$tmp/read")"
expect "to no folder" 3 "" "qd-run: cannot create '$tmp/none/x': No such file or directory" "$run" -d ref:4 two.qdk -k twice a=iota:2 -o "a=$tmp/none/x"
expect "to a full disk" 3 "" "qd-run: cannot write '/dev/full': No space left on device" "$run" -d ref:4 two.qdk -k twice a=iota:2 -o a=/dev/full
printf 'as before' >"$tmp/kept"
expect "to a disk that becomes full" 3 "" "*cannot write '$tmp/kept'*" bash -c "ulimit -f 8; trap '' XFSZ; '$run' -d ref:4 --grid=0 two.qdk -k twice a=iota:100000 -o 'a=$tmp/kept'"
[ "$(cat "$tmp/kept")" = "as before" ] || fail "a file is neither whole nor as it was"
expect "a kernel that fails" 1 "" "*" "$run" -d ref:4 bad.qdk a=iota:4 -o "a=$tmp/never"
[ -e "$tmp/never" ] && fail "a file remains after an error"
python=python3
"$python" -c 'import numpy' 2>/dev/null || ! /usr/bin/python3 -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
expect "npy" 0 "" "" "$python" npy.py "$run" "$tmp"
expect "json of files" 0 '*"name":"a","type":"i32","elements":2,"file":"'"$tmp/twice"'"*' "" "$run" --json -d ref:4 two.qdk -k twice a=iota:2 -o "a=$tmp/twice"

# -- Comparing
expect "as expected" 0 "a: 0 2 4" "" "$run" -d ref:4 two.qdk -k twice a=iota:3 --expect a=0,2,4
expect "as in a file" 0 "a: 2 -2" "" "$run" -d ref:4 two.qdk -k twice "a=@$tmp/raw" --expect "a=@$tmp/twice2"
expect "as iota" 0 "b: 0 1 2" "" "$run" -d ref:4 add.qdk a=iota b=zero n=3 x=0 --expect b=iota
expect "not as expected" 1 "a: 0 2 4" "qd-run: error: 'a' differs in 2 of 3 elements
  a?0?: got 0, want 1
  a?2?: got 4, want -4" "$run" -d ref:4 two.qdk -k twice a=iota:3 --expect a=1,2,-4
expect "in many places" 1 "*" "qd-run: error: 'a' differs in 99 of 100 elements
  a?1?: got 2, want 0
*
  a?8?: got 16, want 0
  and 91 more" "$run" -d ref:4 two.qdk -k twice a=iota:100 --expect a=zero
expect "fewer than expected" 1 "a: 0 2" "qd-run: error: 'a' has 2 elements, --expect has 3" "$run" -d ref:4 two.qdk -k twice a=iota:2 --expect a=0,2,4
expect "any NaN is as good" 0 "*" "" "$run" -d ref:4 -k copy_f32 copy.qdk "a=@$tmp/nans" b=zero --expect b=nan,nan
expect "zeros have a sign" 1 "b: 0" "*b?0?: got 0, want -0" "$run" -d ref:4 -k copy_f32 copy.qdk a=0 b=zero --expect b=-0
expect "json of a difference" 1 '*"exit":1,"diagnostics":?{*"severity":"error",*differs in 1 of 1 elements*}' "*" "$run" --json -d ref:4 two.qdk -k twice a=1 --expect a=1
expect "as on ref" 0 "a: 0 2 4" "" "$run" -d ref:4 --check two.qdk -k twice a=iota:3

# -- Time
expect "repeated from the same values" 0 "a: 0 2 4" "qd-run: note: 5 launches of 'twice' on ref:4, median *.* ms, least *.* ms, * (24 bytes, device time)" "$run" -d ref:4 --repeat=5 two.qdk -k twice a=iota:3
expect "once, timed" 0 "a: 0 2 4" "qd-run: note: compile and load *.* ms, launch *.* ms (device time)" "$run" -d ref:4 --time two.qdk -k twice a=iota:3
expect "json of times" 0 '*"launches":3,"median_ns":"*","least_ns":"*","bytes":"16","clock":"device"*' "*" "$run" --json -d ref:4 --repeat=3 two.qdk -k twice a=iota:2
expect "a finding ends it" 1 "*" "*race*qd-run: note: 1 launch of*" "$run" -d ref:4 --repeat=3 race.qdk a=zero:8

# -- Vulkan on a CPU: it ends a loop after 65535 iterations and reports that; ref continues.
if bash "$src/tests/scripts/driver.sh" lvp8 true >"$tmp/out" 2>&1; then
	# shellcheck disable=SC2317
	lvp() { bash "$src/tests/scripts/driver.sh" lvp8 "$run" -d vulkan "$@"; }
	expect "Vulkan as ref" 0 "dst: 0 1 3 6 4 9 15 22" "" lvp --check "$ex/demo.qdk" src=iota:8 dst=zero
	# Mesa 22 ends long loops. Later versions continue as ref does, so there is no difference to
	# test.
	if [ "$(lvp --grid=1 count.qdk n=100000 b=zero:1 2>/dev/null)" != "b: 100000" ]; then
		expect "Vulkan not as ref" 1 "b: [0-9]*" "qd-run: error: count.qdk:3:3: finding: *
qd-run: error: 'b' differs in 1 of 1 elements
  b?0?: vulkan:0 gives *, ref:8 100000" lvp --check --grid=1 count.qdk n=100000 b=zero:1
	else
		echo "a driver that ends long loops is not installed: a difference from ref was not checked"
	fi
	expect "Vulkan's clock" 0 "a: 0 2 4" "qd-run: note: 4 launches of 'twice' on vulkan:0, median *.* ms, least *.* ms, *.* GB/s (24 bytes, device time)" lvp --repeat=4 two.qdk -k twice a=iota:3
else
	cat "$tmp/out"
fi

# -- Listing
expect "list" 0 "kernel twice
  a=VALUE              i32[[]]
kernel fill
  -D T=VALUE           one of the types u32, f32
  -D L=VALUE           an integer 0..=3
  n=VALUE              i32
  x=VALUE              out T[[]]" "" "$run" --list two.qdk
expect "list without a grid loop" 0 "kernel plain
  a=VALUE              u32[[]]
  --grid=N             the number of blocks, because there is no grid loop" "" "$run" --list plain.qdk
expect "list of an instantiation" 0 "*kernel tile_min_f32_*
  src=VALUE            in f32[[]]
  dst=VALUE            out f32[[]]" "" "$run" --list "$ex/tile_min.qdk"

# -- A thread's index that is constant only after folding
for d in ref:8 emu:sm_90 emu:gfx1100; do
	expect "a folded thread on $d" 0 "o: 6 6 6 6 6 6 6 6" "" "$run" -d "$d" folded.qdk a=iota:8 o=zero:8 n=3
done

# -- A lane's index that is constant, but not by a constant expression in the source
for d in ref:8 vulkan:w8 emu:sm_90 emu:gfx1100:w64 emu:gfx942; do
	for k in s b g t; do
		expect "a folded lane in $k on $d" 0 "o: 6 6 6 6 6 6 6 6" "" "$run" -d "$d" -k "$k" folded_lane.qdk a=iota:8 o=zero:8 n=3
	done
done
expect "a template's lane" 1 "" "*:15:33: error: lane 70 is outside 0..7: ref:8 has 8 lanes *" "$run" -d ref:8 -k l folded_lane.qdk -D L=33 a=iota:8 o=zero:8
expect "a template's thread" 1 "" "*:18:33: error: thread 70 is outside 0..63: the block has 64 threads *" "$run" -d ref:8 -k m folded_lane.qdk -D L=33 a=iota:8 o=zero:8

# -- A buffer shorter than the grid loop's count, on devices that do not report stores
for d in vulkan emu:sm_90 emu:gfx1100; do
	expect "a short output on $d" 0 "b: 0 1 2 3" "short.qdk:3:26: remark: the grid loop counts to 8, but 'b' has 4 elements: stores past its end do nothing; pass 8 elements (kernel copy)" "$run" -d "$d" -k copy short.qdk a=iota:8 b=zero:4
	expect "as long as it counts on $d" 0 "b: 0 1 2 3 4 5 6 7" "" "$run" -d "$d" -k copy short.qdk a=iota:8 b=zero:8
	for k in own guarded left; do
		expect "a short output that is meant: $k on $d" 0 "b: *" "" "$run" -d "$d" -k $k short.qdk a=iota:8 b=zero:4
	done
done
# -- The scalar half of a condition: scc chooses between the other half's mask and a constant
for t in gfx906 gfx942 gfx1030 gfx1100:w64 gfx1201; do
	for n in 1 3 5 9; do
		expect "a scalar half on $t, n=$n" 0 "*" "" "$run" -d "emu:$t" --check scalar.qdk o=zero:3 p=1,5,7 n=$n
		expect "another on $t, n=$n" 0 "*" "" "$run" -d "emu:$t" --check scalar.qdk o=zero:3 p=5,2,8 n=$n
	done
done
# -- A wait that formerly only random programs needed
for t in gfx1100:w64 gfx1150:w64 gfx1201; do
	expect "a branch on vcc on $t" 0 "o: 2 1" "" "$run" -d "emu:$t" branch.qdk o=1,5 p=2 n=3
done

# -- Code objects compiled by clang
gcn=$src/tests/emu/gcn
expect "a code object" 0 "arg1: 0 1 2 3 4 5 6 7" "" "$run" -k copy --grid=1 "$gcn/basic.gfx1100.co" arg0=iota:8 arg1=zero:8 arg2=8
expect "a buffer from the standard input" 0 "arg1: 5 6 0 0" "" bash -c "'$run' -d emu:gfx942 -k copy --grid=1 - arg0=5,6,7,8 arg1=zero:4 arg2=2 <'$gcn/basic.gfx942.co'"
expect "its block, in waves of 64" 0 "arg0: 4 1 8 2 1 0 1 0 *" "" "$run" -k sizes --block=4 --grid=2 "$gcn/object.gfx1100-w64.co" arg0=zero:64
expect "two dimensions" 0 "arg0: 4 2 4 1 1 0 2 0 *" "" "$run" -k sizes --block=4,2 --grid=1 "$gcn/object.gfx942.co" arg0=zero:32
expect "shared memory" 0 "arg1: 131 133 123 125 *" "" "$run" -k local_sizes --shared=256,512 --grid=1 "$gcn/object.gfx942.co" arg0=iota:64 arg1=zero:64
head -c 16 /dev/zero >"$tmp/sixteen"
expect "bytes" 0 "arg0: 4294967295 200 2 3 5 *" "" "$run" -k values --grid=1 "$gcn/object.gfx1100.co" arg0=zero:384 arg1=-1 arg2=200 \
	arg3=2 arg4=3 arg5=4 arg6=1 arg7=0 arg8=0 arg9=0.5 arg10=1 "arg11=@$tmp/sixteen" "arg12=@$tmp/sixteen"
expect "expected" 1 "arg1: 0 1" "*'arg1' differs in 1 of 2 elements*" "$run" -k copy --grid=1 "$gcn/basic.gfx1100.co" arg0=iota:2 arg1=zero:2 arg2=2 --expect arg1=0,2
expect "a finding in it" 1 "arg1: *" "*kernel 'copy': finding: *are outside the memory that the launch may *" "$run" -k copy --grid=1 "$gcn/basic.gfx1100.co" arg0=iota:2 arg1=zero:2 arg2=3
expect "list of a code object" 0 "*kernel sizes
  arg0=VALUE           u32[[]]
  --grid=N             the number of blocks, because there is no grid loop
  --block=N            the threads of a block, which the kernel does not fix
*kernel local_sizes
  arg0=VALUE           in u32[[]]
  arg1=VALUE           u32[[]]
  --grid=N             the number of blocks, because there is no grid loop
  --shared=N           bytes of its shared memory, 2 numbers
*" "" "$run" --list "$gcn/object.gfx942.co"
expect "list of one as json" 0 '*{"name":"plane","templates":?],"params":?{"name":"arg0","type":"u32","access":"inout"}],"grid_loop":false}*"exit":0,*' "" "$run" --list --json "$gcn/object.gfx942.co"
head -c 1000 "$gcn/basic.gfx1100.co" >"$tmp/cut.co"
expect "a code object cut short" 1 "" "qd-run: error: $tmp/cut.co: offset 0x28: section header table at 0x2bc8 is past the end of the file" "$run" --grid=1 "$tmp/cut.co"
{ head -c 8 "$gcn/basic.gfx1100.co" && printf '\0' && tail -c +10 "$gcn/basic.gfx1100.co"; } >"$tmp/v2.co"
expect "a code object of version 2" 1 "" "qd-run: error: $tmp/v2.co: offset 0x8: a code object of version 2, whose arguments are described in YAML; versions 3 to 6 are supported" "$run" -k copy --grid=1 "$tmp/v2.co"

# -- Code objects of HIP, with variables and constants; buffers whose type is not in the file
expect "variables of the program" 0 "arg0: 0 1 2 3
arg1: 107 112 122 130" "" "$run" -k weigh --grid=1 --block=4 "$gcn/hip.gfx1100.co" arg0=u32:0,1,2,3 arg1=u32:zero:4
expect "a table of addresses" 0 "*arg1: 2013 2021 17034 7013" "" "$run" -k follow --grid=1 --block=4 "$gcn/hip.gfx942.co" arg0=u32:0,1,2,0 arg1=u32:zero:4
expect "a type of another size" 2 "" "qd-run: arg2: u64 has 8 bytes; the parameter has 4*" "$run" -k histogram --grid=1 --block=4 "$gcn/hip.gfx942.co" arg0=u32:0 arg1=u32:0 arg2=u64:3
expect "list of HIP's" 0 "kernel ticket
  arg0=VALUE           u8[[]]
  --grid=N             the number of blocks, because there is no grid loop
  --block=N            the threads of a block, which the kernel does not fix
*kernel histogram
  arg0=VALUE           u8[[]]
  arg1=VALUE           u8[[]]
  arg2=VALUE           4 bytes
*" "" "$run" --list "$gcn/hip.gfx1200.co"
# Compressed for two processors, and the same in a host program.
if ! "$run" --list "$gcn/hip.hipfb" 2>&1 | grep -q zstd; then
	expect "a compressed bundle" 0 "arg0: 3967065 3973567 3980069 3993073" "" "$run" -d emu:gfx942 -k draw --grid=1 --block=4 "$gcn/hip.hipfb" arg0=u32:zero:4
	expect "list of one" 0 "kernel ticket*kernel draw*" "" "$run" --list "$gcn/hip.hipfb"
	if command -v objcopy >/dev/null; then
		objcopy --add-section .hip_fatbin="$gcn/hip.hipfb" --set-section-flags .hip_fatbin=alloc,readonly "$run" "$tmp/host" 2>/dev/null
		expect "a host program" 0 "arg0: 3967065 3973567 3980069 3993073" "" "$run" -d emu:gfx1100 -k draw --grid=1 --block=4 "$tmp/host" arg0=u32:zero:4
	fi
fi
# A rejected kernel: the message has the reason, even with other options, and its parameters.
LC_ALL=C sed 's/hidden_global_offset_x/hidden_hostcall_buffer/' "$gcn/hip.gfx1100.co" >"$tmp/refused.co"
expect "list of a refused kernel" 0 "*kernel weigh
  arg0=VALUE           u8[[]]
  arg1=VALUE           u8[[]]
  --grid=N             the number of blocks, because there is no grid loop
  --block=N            the threads of a block, which the kernel does not fix
  cannot be run: $tmp/refused.co: offset 0x*: kernel 'weigh': it needs a host that answers its calls (printf, assert, malloc) (hidden_hostcall_buffer), which launches do not provide
*" "" "$run" --list "$tmp/refused.co"
expect "list of one as json" 0 '*{"name":"weigh","templates":?],"params":?{"name":"arg0",*],"refused":"*: kernel '"'weigh'"': it needs a host *","grid_loop":false}*' "" "$run" --list --json "$tmp/refused.co"

# -- PTX from nvcc: ten kernels with CUB, cooperative groups, shared memory, atomics, a look-back scan
cu=$src/docs/examples/cuda.ptx
iota() { # N START STEP: prints N numbers with blanks between
	seq -s ' ' "$2" "$3" $(($2 + ($1 - 1) * $3))
}
sums() { # N: inclusive sums of 0..N-1
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) { s += i; printf "%s%d", i ? " " : "", s } }'
}
of_32() { # exclusive sums of 0..127 within each 32
	awk 'BEGIN { for (i = 0; i < 128; i++) { if (i % 32 == 0) s = 0; printf "%s%d", i ? " " : "", s; s += i } }'
}
cuda() { # WANT KERNEL BLOCK GRID VALUE...: compares the line of the last buffer
	local want=$1 kernel=$2 block=$3 grid=$4
	shift 4
	expect "CUDA's $kernel" 0 "*
$want" "" "$run" -d emu:sm_90 -k "$kernel" --block="$block" --grid="$grid" "$cu" "$@"
}
cuda "arg1: 8128 24512" block_sum 128 2 arg0=i32:iota:256 arg1=i32:zero:2
cuda "arg1: $(sums 128)" block_scan 128 1 arg0=i32:iota:128 arg1=i32:zero:128
cuda "arg1: $(iota 128 1 1)" block_sort 128 1 "arg0=u32:$(seq -s, 128 -1 1)" arg1=u32:zero:128
cuda "arg1: 31 63 95 127" warp_max 128 1 arg0=i32:iota:128 arg1=i32:zero:4
cuda "arg1: $(of_32)" warp_scan 128 1 arg0=f32:iota:128 arg1=f32:zero:128
cuda "arg1: 28 28 28 28 28 28 28 28 92 92 92 92 92 92 92 92" tile_sum 16 1 arg0=i32:iota:16 arg1=i32:zero:16
cuda "arg1: 0 4 0 104 0 204 0 304" coalesced 8 1 arg0=i32:iota:8 arg1=i32:zero:8
cuda "arg1: $(for i in $(seq 0 15); do iota 16 "$i" 16; done | paste -sd' ')" transpose 16,16 1 arg0=f32:iota:256 arg1=f32:zero:256 arg2=16
cuda "arg1: 13 13 13 13 13 13 13 13 12 12 12 12 12 12 12 12" histogram 64 3 arg0=iota:200 arg1=u32:zero:16 arg2=200
cuda "arg1: $(sums 256)
arg2: *
arg3: 4" look_back 64 4 arg0=u32:iota:256 arg1=u32:zero:256 arg2=u64:zero:4 arg3=u32:0
expect "a divergent barrier" 1 "*" "*finding: *barrier*of its PTX)*" "$run" -k divergent --block=64 --grid=1 "$cu" arg0=i32:zero:64
expect "an unwritten byte" 1 "*" "*finding: *the stored value was never written*" "$run" -k unwritten --block=64 --grid=1 "$cu" arg0=i32:zero:64
expect "an address out of bounds" 1 "*" "*finding: *are outside the launch's memory*" "$run" -k beyond --block=64 --grid=1 "$cu" arg0=i32:zero:64 arg1=i32:zero:64
expect "list of PTX" 0 "*kernel transpose
  arg0=VALUE           u64, or a buffer
  arg1=VALUE           u64, or a buffer
  arg2=VALUE           u32
  --grid=N             the number of blocks, because there is no grid loop
  --block=N            the threads of a block, which the kernel does not fix
*" "" "$run" --list "$cu"
expect "list of PTX as json" 0 '*{"name":"transpose","templates":?],"params":?{"name":"arg0","type":"u64","access":null},*"exit":0,*' "" "$run" --list --json "$cu"
expect "no block" 2 "" "*the PTX does not fix the block size; set it with --block=N*" "$run" -k beyond --grid=1 "$cu" arg0=i32:0 arg1=i32:0
expect "no such kernel" 2 "" "*has no kernel 'beyon'; did you mean 'beyond'?*" "$run" -k beyon --grid=1 --block=1 "$cu" arg0=i32:0 arg1=i32:0
sed 's/\<beyond\>/_Z6beyondPiS_/; s/\<unwritten\>/_Z9unwrittenILi1EEvPi/; s/\<divergent\>/_Z9unwrittenILi2EEvPi/' "$cu" >"$tmp/names.ptx"
expect "the demangled name of a kernel" 0 "*arg1: 2 3 0 0" "" "$run" -k beyond --grid=1 --block=2 "$tmp/names.ptx" arg0=i32:1,2,3,4 arg1=i32:zero:4
expect "an ambiguous name" 2 "" "*has 2 kernels 'unwritten': _Z9unwrittenILi2EEvPi, _Z9unwrittenILi1EEvPi; give one of these names with -k*" "$run" -k unwritten --grid=1 --block=2 "$tmp/names.ptx" arg0=i32:zero:2
expect "an older device" 1 "" "*the image is for ptx:sm_80, but emu:sm_75 accepts PTX up to ptx:sm_75*" "$run" -d emu:sm_75 -k beyond --grid=1 --block=1 "$cu" arg0=i32:0,0 arg1=i32:0
sed 's/cvta/cvtb/' "$cu" >"$tmp/bad.ptx"
expect "PTX that is wrong" 1 "" "*$tmp/bad.ptx:*: unknown instruction cvtb*" "$run" -k beyond --grid=1 --block=1 "$tmp/bad.ptx" arg0=i32:0 arg1=i32:0

# -- Files of code that cannot be run are named by their kind
printf '\177ELF\2\1\1%09d\2\0\276\0%040d' 0 0 >"$tmp/k.cubin"
printf '\3\2\43\7\0\0\1\0%016d' 0 >"$tmp/k.spv"
expect "a cubin" 1 "" "qd-run: '$tmp/k.cubin' is a cubin, machine code for NVIDIA GPUs, *; compile to PTX with nvcc -ptx" "$run" "$tmp/k.cubin"
expect "a SPIR-V module" 1 "" "qd-run: '$tmp/k.spv' is a SPIR-V module, which only qd-dis reads" "$run" --list "$tmp/k.spv"
expect "an object of a CPU's" 1 "" "qd-run: '$run' is an object or a program for a CPU, without code for a GPU *" "$run" "$run"

# -- A JSON object after any error
expect "json always" 0 "" "" python3 json_always.py "$run" "$ex/demo.qdk"

# -- Many elements: printed without a call for each; with progress on a terminal
expect "5 million floats in time" 0 "53137900" "" bash -c "timeout 60 '$run' -d ref:4 --grid=0 -k many_f32 copy.qdk a=rand:5000000:1 | wc -c"
expect "progress" 0 "" "" python3 progress.py "$run"

# shellcheck source=tests/scripts/locale.sh
. "$src/tests/scripts/locale.sh"
decimal_comma "$tmp" || echo "a locale with a decimal comma cannot be created (locales)"
LC_ALL=de_DE.UTF-8 "$run" -d ref:32 "$ex/demo.qdk" src=0.5,0.25 dst=zero:2 >"$tmp/out" 2>"$tmp/err"
[ "$(cat "$tmp/out")" = "dst: 0.5 0.75" ] || fail "floats: $(cat "$tmp/out" "$tmp/err")"

[ -z "$(find "$tmp" -name '*.tmp*')" ] || fail "a temporary file remains"
echo "$n calls"
exit $bad
