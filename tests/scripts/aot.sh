#!/usr/bin/env bash
# aot.sh QD-AOT SOURCE BUILD CC...: compiles one .qdk file to one object for all targets. Programs
# linked with it, by each linker and in each way, find their code on every kind of device with
# QD_JIT=0, and compute the same results as plain C (aot/host.c).
set -u
aot=$(realpath "$1") src=$(realpath "$2") build=$(realpath "$3")
shift 3
cc=("$@")
# shellcheck source=tests/tools/expect.sh
. "$src/tests/tools/expect.sh"
rm -rf "$tmp"
# Below the build directory, where driver.sh finds the fakes.
tmp=$(mktemp -d "$build/tests/aot.XXXXXX")
lib=$build/runtime
export QD_JIT=0 LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
cd "$tmp" || exit 2
mkdir qdgpu
cp "$src/src/qd.h" qdgpu

"$aot" "$src/docs/examples/tile_sum.qdk" -q -o sums.o || exit 1
"$aot" "$src/docs/examples/tile_min.qdk" -q -o leasts.o || exit 1
"${cc[@]}" -std=c11 -O1 -Wall -Wextra -Werror -fPIE -I. -c "$src/tests/aot/host.c" -o host.o || exit 1
"${cc[@]}" -std=c11 -O1 -Wall -Wextra -Werror -fPIE -I. -DLEASTS -c "$src/tests/aot/host.c" -o both.o || exit 1
"${cc[@]}" -std=c11 -O1 -Wall -Wextra -Werror -fPIE -I. -DFROM_LIBRARY -c "$src/tests/aot/host.c" -o from.o || exit 1
expect "qd-run of a fatbin" 1 "" "qd-run: 'sums.o' is a qd fatbin or a program with one, which programs load *" "$build/src/tools/qd-run" -k sum4 sums.o
echo '#include "sums.h"
const void *sums_fatbin(void); const void *sums_fatbin(void) { return qd_fatbin_sums; }' >give.c
"${cc[@]}" -fPIC -I. -c give.c || exit 1
echo 'int main(void) { return 0; }' >none.c
"${cc[@]}" -fPIE -c none.c || exit 1

# -- On every kind of device
link() { # OUTPUT ARGUMENT...: links without a message
	local said
	n=$((n + 1))
	said=$("${cc[@]}" -o "$@" -L"$lib" -lqdgpu 2>&1) && [ -z "$said" ] && return
	fail "cc -o $*:
$said"
	return 1
}
link host host.o sums.o || exit 1
link both both.o sums.o leasts.o || exit 1
for d in ref:8:8 ref:64:64 emu:sm_60:32 emu:sm_70:32 emu:sm_90:32 emu:gfx906:64 emu:gfx90a:64 emu:gfx942:64 \
	emu:gfx1030:32 emu:gfx1100:32 emu:gfx1103:32 emu:gfx1201:32; do
	size=${d##*:} d=${d%:*}
	functions=19
	[ "$size" -ge 32 ] || functions=13
	expect "host on $d" 0 "$d: $functions functions, 0 wrong" "" ./host "$d"
done
expect "two fatbins" 0 "ref:32: 37 functions, 0 wrong" "" ./both ref:32
expect "two fatbins, AMD" 0 "emu:gfx1100: 37 functions, 0 wrong" "" ./both emu:gfx1100
on() { # CONFIG FUNCTIONS PROGRAM DEVICE
	bash "$src/tests/scripts/driver.sh" "$1" "$3" "$4" >out 2>err
	case $? in
	77) cat out ;;
	0)
		n=$((n + 1))
		[ "$(cat out)" = "$4: $2 functions, 0 wrong" ] || fail "$3 on $4 ($1): $(cat out err)"
		;;
	*) fail "$3 on $4 ($1): $(cat out err)" ;;
	esac
}
on lvp4 10 ./host vulkan:0
on lvp8 13 ./host vulkan:0
on lvp16 16 ./host vulkan:0
# A device with an unusual target, which -t native names.
if bash "$src/tests/scripts/driver.sh" sws "$aot" "$src/docs/examples/tile_sum.qdk" -q -t native -o own.o --stem sums >out; then
	link own host.o own.o && on sws 10 ./own vulkan:0
else
	cat out
fi
on lvp8 25 ./both vulkan:0
on fakecuda 19 "$tmp/host" cuda:0
QD_FAKE_CUDA="sm=61" on fakecuda 19 "$tmp/host" cuda:0
on fakecuda 37 "$tmp/both" cuda:0
# The mutation test.
QD_TEST_MUTATION=1 expect "injected" 1 "ref:8: 13 functions, 13 wrong" "tile_sum of f32, 2^0 lanes, on ref:8: element 7 is*" ./host ref:8

# -- Each way of linking
entries() { # FILE
	"$aot" list "$1" | tail -n 1
}
all="$(entries sums.o)"
check_linked() { # PROGRAM ENTRIES: sections, symbols, relocations
	n=$((n + 1))
	[ "$(entries "$1")" = "$2" ] || fail "$1 has $(entries "$1"), not $2"
	readelf -lW "$1" | grep -E 'GNU_STACK .* RWE' && fail "$1 has an executable stack"
	# The location of the index: it has no dynamic relocation.
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' | awk '$1 ~ /^qd_/ { print $1, $3, $5, $7 }' >parts
	# readelf may show R (retain) as o if the linker did not set the OS ABI.
	[ "$(awk '{ sub(/[Ro]$/, "", $4); print $1, $4 }' parts)" = "qd_fatbin A
qd_image A" ] || fail "$1: $(cat parts)"
	while read -r name at size _; do
		readelf -rW "$1" | grep -oE '^[0-9a-f]{8,}' | while read -r r; do
			((16#$r >= 16#$at && 16#$r < 16#$at + 16#$size)) && echo "$r in $name"
		done
	done <parts >inside
	[ ! -s inside ] || fail "$1 has dynamic relocations in the fatbin: $(cat inside)"
	readelf --dyn-syms -W "$1" | grep -E ' qd_fatbin_(sums|leasts)' && fail "$1 exports its fatbin"
	return 0
}
runs() { # PROGRAM FUNCTIONS
	for d in ref:32 emu:gfx1100 emu:sm_90; do
		expect "$1 on $d" 0 "$d: $2 functions, 0 wrong" "" "$1" "$d"
	done
}
linkers="bfd"
for l in lld gold mold; do
	if "${cc[@]}" "-fuse-ld=$l" none.o -o none 2>/dev/null; then
		linkers="$linkers $l"
	else
		echo "part skipped: no linker $l"
	fi
done
for l in $linkers; do
	ld=-fuse-ld=$l
	link "pie-$l" "$ld" -pie host.o sums.o && check_linked "pie-$l" "$all" && runs "./pie-$l" 19
	link "no-$l" "$ld" -no-pie host.o sums.o && check_linked "no-$l" "$all" && runs "./no-$l" 19
	link "gc-$l" "$ld" -Wl,--gc-sections both.o sums.o leasts.o && check_linked "gc-$l" "$(entries both)" && runs "./gc-$l" 37
	link "icf-$l" "$ld" -Wl,--gc-sections none.o sums.o && check_linked "icf-$l" "$all" && expect "$l, not requested" 0 "" "" "./icf-$l"
	strip "gc-$l" -o "strip-$l" && check_linked "strip-$l" "$(entries both)" && runs "./strip-$l" 37
	link "libsums-$l.so" "$ld" -shared give.o sums.o && check_linked "libsums-$l.so" "$all" &&
		link "from-$l" "$ld" from.o "./libsums-$l.so" && runs "./from-$l" 19
	[ "$(entries "from-$l" 2>&1 | head -n 1)" = "qd-aot: error: from-$l: the file has no fatbin: no section qd_fatbin" ] ||
		fail "from-$l: $(entries "from-$l" 2>&1)"
done
[ "$(entries both)" != "$all" ] || fail "both has no more than host"

# With link-time optimization, if the compiler supports it with this linker.
"${cc[@]}" -std=c11 -O2 -flto -fPIE -I. -c "$src/tests/aot/host.c" -o lto.o && "${cc[@]}" -O2 -flto -fPIE -c none.c -o lone.o || exit 1
for l in $linkers; do
	if ! "${cc[@]}" -O2 -flto "-fuse-ld=$l" lone.o -o lone 2>/dev/null; then
		echo "part skipped: ${cc[*]} does not optimize a whole program with $l"
		continue
	fi
	link "lto-$l" -O2 -flto "-fuse-ld=$l" -Wl,--gc-sections lto.o sums.o && check_linked "lto-$l" "$all" && runs "./lto-$l" 19
done

# Another host machine: its linker must fill in the same distances.
"$aot" "$src/docs/examples/tile_sum.qdk" -q --no-header --host aarch64 -t gfx1100,ptx:sm_80,qdir -o arm.o --stem sums || exit 1
"$aot" "$src/docs/examples/tile_sum.qdk" -q --no-header -t gfx1100,ptx:sm_80,qdir -o here.o --stem sums || exit 1
n=$((n + 1))
readelf -h arm.o | grep -q 'Machine: *AArch64' || fail "arm.o is for another machine"
arms=0
for l in "ld.lld -m aarch64linux" "aarch64-linux-gnu-ld -m aarch64linux"; do
	command -v "${l%% *}" >/dev/null || continue
	arms=$((arms + 1))
	# shellcheck disable=SC2086
	expect "$l" 0 "" "" $l -shared arm.o -o arm.so
	rm -rf arm here
	expect "what $l linked" 0 "" "" "$aot" extract -q arm.so --emit=files:arm
	expect "the same for this machine" 0 "" "" "$aot" extract -q here.o --emit=files:here
	n=$((n + 1))
	diff -r arm here >differ || fail "$l: $(cat differ)"
	[ "$(readelf -rW arm.so | grep -c R_AARCH64)" = 0 ] || fail "$l leaves relocations: $(readelf -rW arm.so)"
done
[ $arms -gt 0 ] || echo "part skipped: no linker for aarch64 (ld.lld, aarch64-linux-gnu-ld)"

# Two objects merged with ld -r by each linker.
for l in ld ld.lld ld.gold; do
	command -v $l >/dev/null || continue
	expect "$l -r" 0 "" "" $l -r sums.o leasts.o -o "one-$l.o"
	n=$((n + 1))
	[ "$(entries "one-$l.o")" = "$(entries both)" ] || fail "$l -r: $(entries "one-$l.o")"
	"$aot" list one-$l.o >one.txt
	{ "$aot" list sums.o; "$aot" list leasts.o; } | grep -v ' entries$' | sort >two.txt
	grep -v ' entries$' one.txt | sort | cmp -s - two.txt || fail "$l -r: the entries are others"
	link "r-$l" both.o "one-$l.o" && runs "./r-$l" 37
done

# -- The object in other programs
n=$((n + 1))
readelf -SW sums.o | sed 's/^ *\[ *[0-9]*\] *//' | awk '/^(qd_|\.note|\.rela)/ { print $1, $2, $7 == "0" ? "-" : $7, $NF }' | uniq >sections
[ "$(cat sections)" = "qd_fatbin PROGBITS AR 64
qd_image PROGBITS A 16
.relaqd_fatbin RELA I 8
.note.qd NOTE A 4
.note.GNU-stack PROGBITS - 1" ] || fail "sections: $(cat sections)"
groups=$(readelf -SW sums.o | grep -c ' qd_image ')
[ "$(readelf -rW sums.o | grep -cE 'R_(X86_64_PC64|AARCH64_PREL64) ')" = "$groups" ] || fail "relocations: $(readelf -rW sums.o)"
nm -S sums.o >symbols
[ "$(wc -l <symbols)" = $((groups + 1)) ] || fail "symbols: $(cat symbols)"
[ "$(grep -c ' R qd_fatbin_sums$' symbols)" = 1 ] || fail "symbols: $(cat symbols)"
[ "$(grep -cE '^0{16} [0-9a-f]{16} r (tile_sum|sum4)\$(spirv|ptx|amd|ir)\$[0-9]+$|^0{16} [0-9a-f]{16} r sum4\$\$qdir$' symbols)" = "$groups" ] || fail "symbols: $(cat symbols)"
readelf -sW sums.o | grep -q 'OBJECT  GLOBAL HIDDEN .* qd_fatbin_sums$' || fail "qd_fatbin_sums is not hidden"

# -- No entry that the device can run
"$aot" "$src/docs/examples/tile_sum.qdk" -q -t gfx1100,ptx:sm_90 -o sums.o || exit 1
link few host.o sums.o
refused() { # DEVICE TEXT
	expect "few on $1" 1 "" "$2" ./few "$1" tile_sum
}
refused emu:gfx906 "sums: kernel 'tile_sum' (T=f32;L=2): no entry runs on this device
  device: emu:gfx906 (AMD wave emulator), target gfx906, subgroups of 64
  fix: build the fatbin with '--target gfx906', or 'qdir'
  gfx1100: it is for another processor; the device is gfx906
  ptx:sm_90: it is code of 'ptx', and the device takes 'amdgcn'"
refused emu:sm_60 "sums: kernel 'tile_sum' (T=f32;L=2): no entry runs on this device
  device: emu:sm_60 (PTX interpreter), target ptx:sm_60, subgroups of 32
  fix: build the fatbin with '--target ptx:sm_60', or 'qdir'
  ptx:sm_90: it is for later processors; the device is sm_60
  gfx1100: it is code of 'amdgcn', and the device takes 'ptx'"
refused ref:8 "sums: kernel 'tile_sum' (T=f32;L=2): no entry runs on this device
  device: ref:8 (IR interpreter), target ref:w8, subgroups of 4, 8, 16, 32, 64, 128
  fix: build the fatbin with '--target qdir'
  ptx:sm_90: it is code of 'ptx', and the device is 'ref'
  gfx1100: it is code of 'amdgcn', and the device is 'ref'"
expect "no such kernel" 1 "" "sums: *'tile_som'*" ./few emu:gfx1100 tile_som
expect "few where it runs" 0 "emu:gfx1100: 1 functions, 0 wrong" "" ./few emu:gfx1100 tile_sum
QD_TARGET=gfx1100 expect "asked for" 0 "emu:gfx1100: 1 functions, 0 wrong" "" ./host emu:gfx1100 tile_sum
QD_TARGET=gfx1101 expect "requested another" 1 "" "sums: kernel 'tile_sum' (T=f32;L=2): no entry runs on this device
  device: emu:gfx1100 *
  fix: QD_TARGET requests 'gfx1101'; unset it
  gfx1101: it is for another processor; the device is gfx1100
*" ./host emu:gfx1100 tile_sum
QD_TARGET=nothing expect "asked for none" 1 "" "QD_TARGET='nothing' is not a target" ./host emu:gfx1100 tile_sum
# With the IR in the fatbin, the kernel is compiled unless QD_JIT=0.
"$aot" "$src/docs/examples/tile_sum.qdk" -q -t qdir -o sums.o || exit 1
link jit host.o sums.o
expect "no compiling" 1 "" "sums: kernel 'tile_sum' (T=f32;L=2): no entry runs on this device
  device: emu:gfx1100 (AMD wave emulator), target gfx1100, subgroups of 32, 64
  fix: build the fatbin with '--target gfx1100', or 'qdir'
  qdir: QD_JIT=0 forbids compilation" ./jit emu:gfx1100 tile_sum
QD_JIT=1 expect "compiling" 0 "emu:gfx1100: 19 functions, 0 wrong" "" ./jit emu:gfx1100
echo "$n checks"
exit $bad
