#!/usr/bin/env bash
# mistakes.sh QD-RUN SOURCE: qd-run's complete messages for wrong command lines: the value seen, the
# value allowed, what to do.
set -u
run=$(realpath "$1") src=$(realpath "$2")
cd "$src/tests/tools" || exit 2
# shellcheck source=tests/tools/expect.sh
. ./expect.sh
help="
'qd-run --help' lists the options"

# mistake EXIT MESSAGE ARGUMENT...: for exit status 2, a hint at --help follows the program's own
# messages
mistake() {
	local want=$1 message=$2
	shift 2
	n=$((n + 1))
	[ "$want" -ne 2 ] || [[ "$message" = "qd-run: error: "* ]] || message=$message$help
	"$run" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	local rc=$?
	if [ $rc -ne "$want" ] || [ -s "$tmp/out" ] || [ "$(cat "$tmp/err")" != "$message" ]; then
		fail "qd-run $*: exit $rc (want $want)
$(cat "$tmp/out" "$tmp/err")
-- want
$message"
	fi
}

# -- Options and files
mistake 2 "qd-run: no input file"
mistake 2 "qd-run: unknown option '--devise'; did you mean '--device'?" --devise ref:8 add.qdk
mistake 2 "qd-run: unknown option '-x'" -x add.qdk
mistake 2 "qd-run: option '-d' needs a value" add.qdk -d
mistake 2 "qd-run: --grid takes a number from 0 to 4294967294, not 'many'" --grid=many add.qdk
mistake 2 "qd-run: --repeat takes a number from 1 to 1000000, not '0'" --repeat=0 add.qdk
mistake 2 "qd-run: 'two.qdk' is a second file after 'add.qdk'; only one is allowed" add.qdk two.qdk
mistake 2 "qd-run: '5' does not have the form PARAM=VALUE" add.qdk 5
mistake 2 "qd-run: --list runs nothing; remove 'a=iota:4'" --list add.qdk a=iota:4
mistake 3 "qd-run: cannot open 'none.qdk': No such file or directory" none.qdk

# -- Code objects
co=../emu/gcn/object.gfx942.co
mistake 2 "qd-run: --block applies to kernels in code objects and PTX; 'add.qdk' defines it itself" --block=64 add.qdk
mistake 2 "qd-run: --shared applies to kernels in code objects and PTX; 'add.qdk' defines it itself" --shared=64 add.qdk
mistake 2 "qd-run: --block takes at most 3 numbers, not '1,2,3,4'" --block=1,2,3,4 $co
mistake 2 "qd-run: --block takes a number from 1 to 1024, not '0'" --block=0 $co
mistake 2 "qd-run: '$co' is a code object, whose kernels have no templates; remove 'L'" -D L=1 -k empty $co
mistake 2 "qd-run: '$co' is a code object without IR, which --check needs; use --expect" --check -k empty $co
mistake 2 "qd-run: kernel 'plane' has no grid loop; set the number of blocks with --grid=N" -k plane $co
mistake 1 "qd-run: error: $co: kernel 'sizes' does not state its block size (no .reqd_workgroup_size); pass it in the options
qd-run: note: set the block size with --block=N" -k sizes --grid=1 $co
mistake 1 "qd-run: error: $co: kernel 'plane' has blocks of 8 x 16 x 1 threads (.reqd_workgroup_size); the options have 64 x 1 x 1" -k plane --block=64 --grid=1 $co
mistake 1 "qd-run: error: $co: offset 0xd5c: kernel 'local_sizes': argument 2 is shared memory; pass its size in the options, which have 0 sizes
qd-run: note: set the bytes with --shared=N,N" -k local_sizes --grid=1 $co
mistake 2 "qd-run: kernel 'values' needs arg11=VALUE, 16 bytes; arg12=VALUE, 16 bytes" -k values --grid=1 $co arg0=zero:1 arg1=0 arg2=0 \
	arg3=0 arg4=0 arg5=0 arg6=0 arg7=0 arg8=0 arg9=0 arg10=0
mistake 2 "qd-run: arg11: '7' is not a value of 16 bytes; write @FILE with a file of that size" -k values --grid=1 $co arg0=zero:1 arg1=0 arg2=0 \
	arg3=0 arg4=0 arg5=0 arg6=0 arg7=0 arg8=0 arg9=0 arg10=0 arg11=7 arg12=7

# -- Devices
mistake 3 "qd-run: error: device selector 'vulcan': no driver 'vulcan'; drivers: cuda, amdgpu, vulkan, ref, emu; did you mean 'vulkan'?
qd-run: note: -d ref:32 runs on any machine; qd-info lists devices" -d vulcan add.qdk a=iota:4 b=zero n=4 x=1
mistake 2 "qd-run: error: device selector 'ref:7': the subgroup size must be one of 4, 8, 16, 32, 64, 128" \
	-d ref:7 add.qdk a=iota:4 b=zero n=4 x=1
mistake 2 "qd-run: error: device selector 'ref:8:w9': 'w9' is not a subgroup size; use w4, w8, w16, w32, w64 or w128" \
	-d ref:8:w9 add.qdk a=iota:4 b=zero n=4 x=1
mistake 1 "large.qdk:1:24: error: block of 4096 threads, but ref:8 runs 1024 at most; use a smaller block [E0503]
    1 | kernel large(a: u32[]) block(4096) { for i in grid(a.len) { a[i] = i; } }
      |                        ^~~~~" -d ref:8 large.qdk a=zero:4

# -- Kernels and templates
mistake 2 "qd-run: 'two.qdk' has 2 kernels, choose one with -k: twice, fill" two.qdk a=iota:2
mistake 2 "qd-run: 'two.qdk' has no kernel 'twise'; did you mean 'twice'?" two.qdk -k twise a=iota:2
mistake 2 "qd-run: 'two.qdk' has no kernel 'sum'; it has twice, fill" two.qdk -k sum a=iota:2
mistake 2 "qd-run: kernel 'fill' needs -D T=VALUE: one of the types u32, f32" two.qdk -k fill -D L=1 n=1 x=zero:4
mistake 2 "qd-run: kernel 'fill' does not accept -D T=f64: expected one of the types u32, f32" \
	two.qdk -k fill -D T=f64 -D L=1 n=1 x=zero:4
mistake 2 "qd-run: kernel 'fill' does not accept -D L=9: expected an integer 0..=3" \
	two.qdk -k fill -D T=f32 -D L=9 n=1 x=zero:4
mistake 2 "qd-run: -D L: 'big' is not a type or an integer" two.qdk -k fill -D T=f32 -D L=big n=1 x=zero:4
mistake 2 "qd-run: no kernel has a template parameter 'M'; there are T, L" \
	two.qdk -k fill -D T=f32 -D M=2 n=1 x=zero:4
mistake 2 "qd-run: no kernel has a template parameter 'T'; it has none" two.qdk -k twice -D T=f32 a=iota:3
mistake 2 "qd-run: -D takes NAME=VALUE, not 'T'" two.qdk -k fill -D T n=1 x=zero:4
mistake 2 "qd-run: -D T is given twice" two.qdk -k fill -D T=f32 -D T=u32 n=1 x=zero:4

# -- Parameters
forms="a buffer takes iota:N, zero:N, rand:N:SEED, @FILE or 1,2,3"
mistake 2 "qd-run: kernel 'twice' needs a=VALUE, a buffer of i32; write for example a=zero:64; $forms" two.qdk -k twice
mistake 2 "qd-run: kernel 'add' needs b=VALUE, a buffer of u8; n=VALUE, a number of type i32; write for example b=zero n=1; zero has as many elements as the grid loop counts; $forms" \
	add.qdk a=iota:4 x=1
mistake 2 "qd-run: kernel 'add' needs n=VALUE, a number of type i32; write for example n=1" add.qdk a=iota:4 b=zero x=1
mistake 2 "qd-run: kernel 'wide' has no parameter 'widht'; did you mean 'width'?" wide.qdk widht=3
mistake 2 "qd-run: kernel 'add' has no parameter 'c'; it has a, b, x, n" add.qdk a=iota:4 c=3
mistake 2 "qd-run: parameter 'n' is given twice, '4' and '5'" add.qdk a=iota:4 b=zero n=4 n=5 x=1
mistake 2 "qd-run: n: '1.5' is not an integer; it is a scalar, and i32 takes integers from -2147483648 to 2147483647" \
	add.qdk a=iota:4 b=zero n=1.5 x=1
mistake 2 "qd-run: n: 'iota:4' is not an integer; it is a scalar, and i32 takes integers from -2147483648 to 2147483647" \
	add.qdk a=iota:4 b=zero n=iota:4 x=1
mistake 2 "qd-run: n: '3000000000' does not fit; it is a scalar, and i32 takes integers from -2147483648 to 2147483647" \
	add.qdk a=iota:4 b=zero n=3000000000 x=1
mistake 2 "qd-run: x: 'abc' is not a number; it is a scalar, and f32 takes numbers such as 10, -0.5, 1e-3, 0x1p-4, inf and nan" \
	add.qdk a=iota:4 b=zero n=4 x=abc
mistake 2 "qd-run: x: '1e39' does not fit; it is a scalar, and f32 takes numbers such as 10, -0.5, 1e-3, 0x1p-4, inf and nan" \
	add.qdk a=iota:4 b=zero n=4 x=1e39
mistake 2 "qd-run: kernel 'plain' has no grid loop; set the number of blocks with --grid=N" plain.qdk a=zero:4

# -- Buffers
mistake 2 "qd-run: a: no value; $forms" add.qdk a= b=zero n=4 x=1
mistake 2 "qd-run: a: 'hello' is not an integer; u8 takes integers from 0 to 255, and $forms" \
	add.qdk a=hello b=zero n=4 x=1
mistake 2 "qd-run: a: 'zeros:4' is not an integer; did you mean 'zero'? $forms" add.qdk a=zeros:4 b=zero n=4 x=1
mistake 2 "qd-run: a: 'add.qdk' is not an integer; write '@add.qdk' to read a file" add.qdk a=add.qdk b=zero n=4 x=1
mistake 2 "qd-run: a: element 1 '256' does not fit; u8 takes integers from 0 to 255" add.qdk a=1,256 b=zero n=4 x=1
mistake 2 "qd-run: a: element 1 '' is not an integer; u8 takes integers from 0 to 255" add.qdk a=1,,2 b=zero n=4 x=1
mistake 2 "qd-run: a: '4x' is not a number of elements; write iota:N" add.qdk a=iota:4x b=zero n=4 x=1
mistake 2 "qd-run: a: '-4' is not a number of elements; write zero:N" add.qdk a=zero:-4 b=zero n=4 x=1
mistake 2 "qd-run: a: 'iota:4:2' has text after the number of elements; write iota:N" add.qdk a=iota:4:2 b=zero n=4 x=1
mistake 2 "qd-run: b: 5000000000 elements are too many; a buffer has at most 4294967295" \
	add.qdk a=iota:4 b=zero:5000000000 n=4 x=1
mistake 2 "qd-run: a: 'rand:4' has no seed; write rand:N:SEED" add.qdk a=rand:4 b=zero n=4 x=1
mistake 2 "qd-run: a: rand needs a number of elements and a seed; write rand:N:SEED" add.qdk a=rand b=zero n=4 x=1
mistake 2 "qd-run: a: the seed of rand takes a number from 0 to 18446744073709551615, not 'x'" \
	add.qdk a=rand:4:x b=zero n=4 x=1
mistake 2 "qd-run: a: no file after '@'" add.qdk a=@ b=zero n=4 x=1
mistake 3 "qd-run: cannot open 'none.bin': No such file or directory" add.qdk a=@none.bin b=zero n=4 x=1
mistake 2 "qd-run: b: another value already reads the standard input" add.qdk a=@- b=@- n=4 x=1
printf 'abc' >"$tmp/three"
mistake 1 "qd-run: a: '$tmp/three' has 3 bytes, which is not a multiple of f32 (4 bytes each)" copy.qdk -k copy_f32 "a=@$tmp/three" b=zero
cp "$tmp/three" "$tmp/three.npy"
mistake 1 "qd-run: a: '$tmp/three.npy': it is not a .npy file, it does not begin with \\x93NUMPY" \
	copy.qdk -k copy_f32 "a=@$tmp/three.npy" b=zero
mistake 2 "qd-run: a: the grid loop's count depends on a.len, so it cannot set the size; write zero:N or iota:N" \
	-d ref:8 two.qdk -k twice a=zero
mistake 2 "qd-run: a: kernel 'plain' has no grid loop that sets the size; write zero:N or iota:N" \
	-d ref:8 --grid=1 plain.qdk a=zero

# -- Output of buffers
mistake 2 "qd-run: --output takes NAME=FILE, not 'b'" -o b add.qdk
mistake 2 "qd-run: --output: 'b' is given twice, for 'x' and 'y'" add.qdk a=iota:4 b=zero n=4 x=1 -o b=x -o b=y
mistake 2 "qd-run: --output: 'b' and 'a' cannot both be written to 'x'" add.qdk a=iota:4 b=zero n=4 x=1 -o b=x -o a=x
mistake 2 "qd-run: --output: kernel 'add' has no parameter 'c'; it has a, b, x, n" \
	add.qdk a=iota:4 b=zero n=4 x=1 -o c=x
mistake 2 "qd-run: --output: no value after 'b='" add.qdk a=iota:4 b=zero n=4 x=1 -o b=
mistake 2 "qd-run: --expect: 'n' is a scalar, not a buffer" add.qdk a=iota:4 b=zero n=4 x=1 --expect n=4
mistake 2 "qd-run: --expect: kernel 'add' does not write 'a'" add.qdk a=iota:4 b=zero n=4 x=1 --expect a=1
mistake 2 "qd-run: --expect b: element 1 'x' is not an integer; u8 takes integers from 0 to 255" \
	add.qdk a=iota:4 b=zero n=4 x=1 --expect b=1,x
echo "$n mistakes"
exit $bad
