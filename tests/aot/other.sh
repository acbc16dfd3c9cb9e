#!/usr/bin/env bash
# other.sh QD-AOT SOURCE QD-DIS: qd-aot's output for other programs: files, bundles, CUDA's fatbins,
# headers, depfiles, JSON; and the results of verify for images and damaged fatbins.
set -u
aot=$(realpath "$1") src=$(realpath "$2") dis=$(realpath "$3")
# shellcheck source=tests/tools/expect.sh
. "$src/tests/tools/expect.sh"
unset QD_JIT QD_TARGET
export VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null
cd "$tmp" || exit 2
cp "$src/docs/examples/tile_sum.qdk" sums.qdk
have() {
	command -v "$1" >/dev/null || {
		echo "part skipped: $1 is not installed"
		return 1
	}
}
good() { # COMMAND...: must succeed; otherwise its output is shown
	n=$((n + 1))
	"$@" >out 2>&1 || fail "$*: $(head -c 500 out)"
}
good "$aot" -q sums.qdk -o sums.o
rows=$("$aot" list sums.o | sed -n '$s/ of .*//p')

# -- A file for each image
targets=gfx1100,gfx906,gfx1201:w64,ptx:sm_60,ptx:sm_80,spirv,spirv:w8,qdir
good "$aot" -q sums.qdk -t $targets --emit=files:all
good "$aot" -q sums.qdk -t $targets -o few.o
good "$aot" -q extract few.o --emit=files:again
diff -r all again >differ || fail "files and extracted ones differ: $(cat differ)"
n=$((n + 1))
[ "$(find all -type f | wc -l)" = "$("$aot" list few.o | sed -n '$s/ of .*//p')" ] || fail "files: $(ls all)"
[ -s all/sum4-gfx1100.hsaco ] && [ -s 'all/tile_sum-T=f32-L=5-ptx-sm_80.ptx' ] && [ -s all/sum4-spirv-w8.spv ] &&
	[ -s all/sum4-qdir.ir ] && [ -s all/sum4-gfx1201-w64.hsaco ] || fail "files: $(ls all)"
# -o receives the general code, or that of the option facts.
for target in spirv:w8 spirv:w8:facts; do
	good "$aot" -q extract few.o -k sum4 -t $target -o one.spv --force
	cmp -s one.spv "all/sum4-${target//:/-}.spv" || fail "extract of one entry for $target"
done
have spirv-val && for f in all/*.spv; do good spirv-val --target-env vulkan1.3 "$f"; done
readelf=
for r in llvm-readelf-22 llvm-readelf; do [ -n "$readelf" ] || readelf=$(command -v $r); done
if [ -n "$readelf" ]; then
	for f in all/*.hsaco; do
		good "$readelf" -hSn "$f"
		grep -q 'amdhsa.kernels' out || fail "$f: no notes: $(cat out)"
	done
else
	echo "part skipped: llvm-readelf is not installed"
fi
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null)
if [ -n "$ptxas" ]; then
	archs=$("$ptxas" --help | grep -oE "'sm_[0-9]+" | grep -oE '[0-9]+' | sort -n)
	for f in all/*.ptx; do
		want=${f##*sm_} want=${want%.ptx}
		good "$ptxas" -arch=sm_"$(for a in $archs; do [ "$a" -ge "$want" ] && echo "$a"; done | head -n 1)" -o /dev/null "$f"
	done
else
	echo "part skipped: ptxas is not installed"
fi
for f in all/*.hsaco all/*.spv; do
	good "$dis" "$f"
	[ -s out ] || fail "qd-dis prints nothing of $f"
done
for f in all/*.ir; do good "$dis" -t ref:w128 "$f"; done
good "$aot" -q all/*T=f32-L=3-qdir.ir -t qdir -o ir.o
expect "printed IR, compiled" 0 "tile_sum             -                qdir * bytes
1 of 1 entries" "" "$aot" list ir.o

# -- A single image, selected by the output's name
one() { # FILE OF-ALL ARGUMENT...: same as by --emit=files
	local file=$1 like=$2
	shift 2
	good "$aot" -q sums.qdk "$@" -o "$file"
	n=$((n + 1))
	cmp "$file" "all/$like" >cmp 2>&1 || fail "$file: $(cat cmp)"
	[ ! -e "${file%.*}.h" ] || fail "$file has a header"
}
one one.ptx sum4-ptx-sm_80.ptx -k sum4 -t ptx:sm_80
one one.hsaco sum4-gfx906.hsaco -k sum4 -t gfx906
one one.spv sum4-spirv-w8.spv -k sum4 -t spirv:w8
one one.ir sum4-qdir.ir -k sum4 -t qdir
good "$aot" -q sums.qdk "$src/docs/examples/demo.qdk" -D T=f32 -D L=2 -k '[!s]*' -t gfx1100 -o two.hsaco
expect "kernels of a target in an object" 0 "*2 kernels*" "" "$dis" two.hsaco
good "$aot" -q sums.qdk -k sum4 -t gfx906 --emit=obj -o named.hsaco --no-header
expect "a fatbin by --emit" 0 "*
1 of 1 entries" "" "$aot" list named.hsaco

# -- Bundles for clang
good "$aot" -q sums.qdk -k 'sum4' -t gfx1100,gfx906,ptx --emit=offload-bundle -o sums.hipfb
expect "bundle, by qd-dis" 0 "*sums.hipfb:hipv4-amdgcn-amd-amdhsa--gfx1100: gfx1100*sums.hipfb:hipv4-amdgcn-amd-amdhsa--gfx906: gfx906*" "" "$dis" sums.hipfb
"$dis" --no-meta -t gfx906 sums.hipfb | tail -n +2 >a
"$dis" --no-meta all/sum4-gfx906.hsaco | tail -n +2 >b
grep -q s_endpgm a && cmp -s a b || fail "the bundle's code is another: $(diff a b | head -5)"
bundler=
for b in clang-offload-bundler-22 clang-offload-bundler; do [ -n "$bundler" ] || bundler=$(command -v $b); done
if [ -n "$bundler" ]; then
	for t in gfx906 gfx1100; do # in any order
		expect "bundle, by clang" 0 "*hipv4-amdgcn-amd-amdhsa--$t
*" "" "$bundler" --list --type=o --input=sums.hipfb
	done
	good "$bundler" --unbundle --type=o --input=sums.hipfb --targets=hipv4-amdgcn-amd-amdhsa--gfx1100 --output=theirs.hsaco
	cmp -s theirs.hsaco all/sum4-gfx1100.hsaco || fail "clang takes another object from the bundle"
else
	echo "part skipped: clang-offload-bundler is not installed"
fi
good "$aot" -q sums.qdk "$src/docs/examples/demo.qdk" -D T=f32 -D L=2 -k '[!s]*' -t gfx1100 --emit=offload-bundle -o two.hipfb
expect "two kernels in an object" 0 "*2 kernels*" "" "$dis" two.hipfb

# -- Fatbins for CUDA
fatbinary=$(command -v fatbinary || ls /usr/local/cuda/bin/fatbinary 2>/dev/null)
if have python3 && [ -n "$fatbinary" ] && [ -n "$ptxas" ]; then
	export PATH=$PATH:${ptxas%/*}
	cuda=ptx:sm_60,ptx:sm_80,cubin:sm_80,cubin:sm_90
	good "$aot" -q sums.qdk -k sum4 -t $cuda --emit=cuda-fatbin -o ours.fatbin
	good "$aot" -q sums.qdk -k sum4 -t $cuda --emit=files:cuda
	good "$fatbinary" --create=theirs.fatbin -64 --compress=false --image3=kind=ptx,sm=60,file=cuda/sum4-ptx-sm_60.ptx \
		--image3=kind=ptx,sm=80,file=cuda/sum4-ptx-sm_80.ptx --image3=kind=elf,sm=80,file=cuda/sum4-ptx-sm_80.cubin \
		--image3=kind=elf,sm=90,file=cuda/sum4-ptx-sm_90.cubin
	cat >entries.py <<'PY'
"""The headers of a CUDA fatbin and its machine code; for texts, which fatbinary writes again,
their contents without spaces."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
magic, version, header, size = struct.unpack_from("<IHHQ", data)
print(hex(magic), version, header, size == len(data) - 16)
while header < len(data):
    head = list(struct.unpack_from("<HHIQIIHHIQQQQ", data, header))
    at, size = header + head[2], head[3]
    body = data[at:at + size]
    if head[0] == 1:
        head[3] = size % 8
        body = b"".join(body.rstrip(b"\0").split())
        print(body.count(b";"), body[:40])
    print(head, data[header + 64:at].hex(), hash(body) if head[0] == 1 else body.hex()[:4000])
    header = at + size
PY
	PYTHONHASHSEED=0 python3 entries.py ours.fatbin >a
	PYTHONHASHSEED=0 python3 entries.py theirs.fatbin >b
	n=$((n + 1))
	diff a b >differ || fail "fatbinary's is another: $(head -c 600 differ)"
	[ "$(grep -c '^\[' a)" = 4 ] || fail "entries: $(cat a)"
	if have cuobjdump; then
		cuobjdump -lptx -lelf ours.fatbin >out 2>&1
		n=$((n + 1))
		[ "$(grep -oE 'sm_[0-9]+\.(ptx|cubin)' out | paste -sd' ')" = "sm_60.ptx sm_80.ptx sm_80.cubin sm_90.cubin" ] ||
			fail "cuobjdump lists: $(cat out)"
		mkdir apart
		good env -C apart cuobjdump -xptx all -xelf all ../ours.fatbin
		for f in 60.ptx 80.ptx 80.cubin 90.cubin; do
			n=$((n + 1))
			cmp -s apart/ours.*.sm_$f cuda/sum4-ptx-sm_$f || fail "cuobjdump takes another $f: $(ls apart)"
		done
		cuobjdump -sass ours.fatbin >out 2>&1
		n=$((n + 1))
		[ "$(grep -c 'Function : sum4' out)" = 2 ] && grep -q 'EXIT' out || fail "cuobjdump disassembles: $(head -c 300 out)"
	fi
	expect "by qd-dis" 0 "; ours.fatbin: a CUDA fatbin of 4 entries*; cubin:sm_90 at *;   sum4: * bytes of code*" "" "$dis" ours.fatbin
	# Machine code in qd's own format.
	good "$aot" -q sums.qdk -k sum4 -t $cuda -o cubin.o
	expect "cubin in a list" 0 "*sum4 * cubin:sm_90 *4 of 4 entries" "" "$aot" list cubin.o
	expect "the best is machine code" 0 "sum4 on a device of target ptx:sm_90
  takes cubin:sm_90: code of this processor
  then  ptx:sm_80: portable code
  then  ptx:sm_60: portable code
  not   cubin:sm_80: it is machine code for sm_80; the device is sm_90" "" "$aot" why cubin.o -d ptx:sm_90
	good "$aot" -q extract cubin.o -t cubin:sm_90 -o x.cubin
	cmp -s x.cubin cuda/sum4-ptx-sm_90.cubin || fail "the cubin is another"
else
	echo "part skipped: fatbinary, ptxas or python3 is not installed"
fi

# -- Headers
cat >user.c <<'C'
#include <stddef.h>
#include "sums.h"
#include "sums.h"
int main(void);
int
main(void)
{
	struct qd_args_tile_sum a = { 0, 0, 0, 0, 0, 0, 0, 0 };
	return (int)a.n_blocks + (QD_SUMS_TILE_SUM[0] != 't') + (offsetof(struct qd_args_sum4, dst) != 16);
}
C
for std in c11 c17; do good cc -std=$std -Wall -Wextra -Wpedantic -Werror -Wmissing-prototypes user.c sums.o -o user; done
good ./user
if have c++; then
	for std in c++11 c++20; do good c++ -x c++ -std=$std -Wall -Wextra -Wpedantic -Werror -c user.c -o user.o; done
fi
cat >kinds.qdk <<'Q'
kernel kinds<T in {i32, i64, f64}>(x: T, b: u32, a: u8[], f: f32, u: u64, w: u32) block(32) {
  for i in grid(a.len) { if b != 0 { a[i] = w; } }
}
Q
good "$aot" -q kinds.qdk -t qdir -o kinds.o
{ cat kinds.h; echo 'int main(void) { return sizeof(struct qd_args_kinds_T_f64) % 8; }'; } >kinds.c
good cc -std=c11 -Wall -Wextra -Wpedantic -Werror kinds.c -o kinds && good ./kinds
# Parameters named like C keywords or macros, like members of the block, or like one another.
cat >names.qdk <<'Q'
kernel names(src: in u32[], src_len: u32, int: u32, pad: u32, n_blocks: u32, linux: u32, class: out u32[]) block(32) {
  for i in grid(src.len) { class[i] = src[i] + src_len + int + pad + n_blocks + linux; }
}
kernel NAMES(a: u32[]) block(32) { for i in grid(a.len) { a[i] = i; } }
Q
good "$aot" -q names.qdk -t qdir -o names.o
cat >names.c <<'C'
#include <stddef.h>
#include <string.h>
#include "names.h"
int main(void);
int
main(void)
{
	struct qd_args_names a;
	return offsetof(struct qd_args_names, src_) != 0 || sizeof a.src_ != 8 || offsetof(struct qd_args_names, src__len) != 8 ||
	       offsetof(struct qd_args_names, src_len) != 16 || offsetof(struct qd_args_names, int_) != 20 ||
	       offsetof(struct qd_args_names, n_blocks_) != 28 || offsetof(struct qd_args_names, class_) != 40 ||
	       sizeof(struct qd_args_names) != 72 || strcmp(QD_NAMES_NAMES, "names") != 0 || strcmp(QD_NAMES_NAMES_, "NAMES") != 0;
}
C
for std in c11 gnu17; do good cc -std=$std -Wall -Wextra -Wpedantic -Werror names.c -o names && good ./names; done
if have c++; then good c++ -x c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only names.h; fi

# The same kernel in two fatbins, and another kernel of the same name, which is reported.
good "$aot" -q sums.qdk -k sum4 -t gfx906 -o first.o
good "$aot" -q sums.qdk -t gfx1100,qdir -o second.o
printf '#include "first.h"\n#include "second.h"\nint main(void) { struct qd_args_sum4 a; return sizeof a != 48; }\n' >both.c
good cc -std=c11 -Wall -Wextra -Wpedantic -Werror both.c first.o second.o -o both && good ./both
echo 'kernel sum4(more: u32, a: u32[]) block(32) { for i in grid(a.len) { a[i] = more; } }' >more.qdk
good "$aot" -q more.qdk -k sum4 -t gfx906 -o first.o
expect "another kernel of that name" 1 "" "*redefin*qd_args_sum4*" cc -std=c11 -fsyntax-only both.c

# -- Headers of merged or stripped fatbins
good "$aot" -q sums.qdk -k sum4 -t gfx906,ptx:sm_80 -o one.o
good "$aot" -q sums.qdk -k tile_sum -D T=f32 -D L=2,3 -t gfx906 -o tiles.o
good "$aot" -q sums.qdk -D T=f32 -D L=2,3 -t gfx906,ptx:sm_80 -o whole.o
good "$aot" merge -q tiles.o one.o -o merged.o
[ ! -e merged.h ] || fail "merge writes a header without --header"
good "$aot" merge -q tiles.o one.o -o merged.o --header merged.h --stem whole
for word in 'qd_fatbin_whole' 'QD_WHOLE_SUM4 "sum4"' 'QD_WHOLE_TILE_SUM "tile_sum"' 'struct qd_args_sum4 {' 'struct qd_args_tile_sum {'; do
	n=$((n + 1))
	[ "$(grep -c "$word" merged.h)" = "$(grep -c "$word" whole.h)" ] && grep -q "$word" merged.h || fail "merged.h: $word"
done
good cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c merged.h

# -- Depfiles
if have ninja; then
	mkdir "made by"
	cp sums.qdk 'made by/a $b#c.qdk'
	touch -d '-1 hour' sums.qdk 'made by/a $b#c.qdk'
	cat >build.ninja <<N
rule aot
  command = $aot -q \$in -t qdir -o \$out --depfile \$out.d
  depfile = \$out.d
  deps = gcc
build out.o: aot made$ by/a$ \$\$b#c.qdk
N
	good ninja
	touch 'made by/a $b#c.qdk'
	expect "ninja, renewed" 0 "*?1/1?*" "" ninja
	expect "ninja, nothing to do" 0 "ninja: no work to do." "" ninja
	# The depfile lists inputs that the rule does not name.
	sed -i 's/ \$in / sums.qdk /; s/: aot made.*/: aot/' build.ninja
	good ninja
	expect "ninja, nothing to do" 0 "ninja: no work to do." "" ninja
	touch sums.qdk
	expect "ninja, renewed by the depfile" 0 "*?1/1?*" "" ninja
fi
good "$aot" -q sums.qdk -t qdir -o dep.o --depfile dep.d
[ "$(cat dep.d)" = "dep.o: sums.qdk" ] || fail "depfile: $(cat dep.d)"
mkdir -p lib
printf 'import "b.qdk";\nimport "sums.qdk" as s;\nfn f(x: u32) -> u32 { return g(x); }\n' >'lib/a b.qdk'
printf 'fn g(x: u32) -> u32 { return x + 1; }\n' >lib/b.qdk
printf 'import "a b.qdk";\nkernel k(x: u32[]) { for i in grid(x.len) { x[i] = f(i); } }\n' >imports.qdk
good "$aot" -q imports.qdk sums.qdk -I lib -I . -t qdir -o dep.o --depfile dep.d
[ "$(cat dep.d)" = "dep.o: imports.qdk sums.qdk lib/a\ b.qdk lib/b.qdk" ] || fail "depfile of imports: $(cat dep.d)"
expect "an output over an import" 2 "" "*lib/b.qdk*" "$aot" -q imports.qdk -I lib -I . -t qdir -o lib/b.qdk

# -- JSON
json() { # SCHEMA PYTHON-EXPRESSION ARGUMENT...: d is the parsed output
	local schema=$1 check=$2
	shift 2
	n=$((n + 1))
	"$aot" "$@" >out 2>err
	python3 -c "
import json
d = json.load(open('out'))
assert d['schema'] == '$schema', d['schema']
assert $check, list(d)" || fail "qd-aot $*: $(head -c 300 out) $(cat err)"
}
if have python3; then
	json qd.list/1 "len(d['files']) == 2 and len(d['files'][0]['entries']) == $rows and d['files'][1]['file'] == 'few.o'" list --json sums.o few.o
	json qd.list/1 "all(set(e) == {'kernel', 'values', 'target', 'kind', 'subgroup_size', 'block', 'shared', 'bytes', 'group'} for e in d['files'][0]['entries'])" list --json sums.o
	json qd.list/1 "d['files'][0]['entries'] == []" list --json sums.o -k none
	json qd.entries/1 "[p['name'] for p in d['entries'][0]['params']] == ['src', 'dst'] and d['entries'][0]['args_size'] == 48" info --json sums.o -k sum4 -t gfx1100
	json qd.why/1 "[e['taken'] for e in d['kernels'][0]['entries']].count(True) == 1 and d['kernels'][0]['entries'][0]['target'] == 'gfx1100'" why --json sums.o -k sum4 -d gfx1100
	json qd.verify/1 "d['wrong'] == [] and d['verified'] == 1 and d['skipped'] == 0 and d['skips'] == []" verify --json sums.o -k sum4 -t qdir
	n=$((n + 1))
	env PATH=/nonexistent "$aot" verify --json few.o -k sum4 >out
	python3 -c "
import json
d = json.load(open('out'))
assert {s['program'] for s in d['skips']} == {'ptxas', 'llvm-readelf', 'spirv-val'} and sum(s['images'] for s in d['skips']) == d['skipped'] > 3, d" ||
		fail "verify's skips: $(cat out)"
	[ -z "$ptxas" ] || json qd.matrix/1 "[c['target'] for c in d['cells']] == ['gfx1100', 'cubin:sm_90']" --json --list sums.qdk -k sum4 -t gfx1100,cubin:sm_90
	json qd.matrix/1 "d['variants'] == 25 and len(d['cells']) == 50 and d['left_out'] == sum(c['left_out'] is not None for c in d['cells']) > 0" --json --list sums.qdk -t gfx1100,ptx
fi

# -- verify
expect "verify" 0 "few.o: * verified, 0 failed, * skipped*" "" "$aot" verify few.o
expect "--verify" 0 "x.o: 2 verified, 0 failed, 0 skipped" "" "$aot" sums.qdk -q -k sum4 -t gfx1100,qdir -o x.o --verify
# Without external programs, those checks are counted as skipped, with the reason.
expect "verify, skips" 0 "few.o: 25 verified, 0 failed, 165 skipped (ptxas is not there: 38, llvm-readelf is not there: 63, spirv-val is not there: 64)" \
	"" env PATH=/nonexistent "$aot" verify few.o
mkdir lying
printf '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "error: line 1: it lies"\nexit 1\n' >lying/spirv-val
chmod +x lying/spirv-val
expect "verify, a checker that rejects" 1 "x.o: 1 verified, 1 failed, 0 skipped" \
	"qd-aot: error: x.o: kernel 'sum4' for spirv:w32: spirv-val: error: line 1: it lies" \
	bash -c "'$aot' -q sums.qdk -k sum4 -t spirv,qdir --facts none -o x.o; PATH='$tmp/lying:$PATH' '$aot' verify x.o"
byte() { # FILE OFFSET: inverts the byte there
	local old
	old=$(od -An -tu1 -j"$2" -N1 "$1")
	# shellcheck disable=SC2059
	printf "$(printf '\\x%02x' $((old ^ 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
at=$(readelf -SW few.o | awk '/ qd_image / { sub(/.*PROGBITS */, ""); print $2; exit }')
cp few.o bad.o
byte bad.o $((16#$at + 40))
expect "verify, a damaged image" 1 "bad.o: * verified, * failed, * skipped*" "qd-aot: error: bad.o: kernel '*bad.o: offset 0x*: group 0 of a fatbin: *" "$aot" verify bad.o
expect "verify, names the entries" 1 "*" "*kernel 'sum4' for *" "$aot" verify bad.o -k sum4
at=$(readelf -SW few.o | awk '/ qd_fatbin / { sub(/.*PROGBITS */, ""); print $2; exit }')
for where in 0 9 25 40 60 90 500; do
	cp few.o bad.o
	byte bad.o $((16#$at + where))
	expect "verify, byte $where of the index" 1 "" "qd-aot: error: bad.o: *" "$aot" verify bad.o
done
for size in 10 64 100 5000 $(($(stat -c %s few.o) - 1)); do
	head -c "$size" few.o >bad.o
	expect "verify, $size bytes" 1 "" "qd-aot: error: bad.o: offset 0x*" "$aot" verify bad.o
done
# Code of an unknown kind, as of a later version.
if python3 - "$src/tests/hostile" few.o bad.o <<'PY'
import struct
import sys

sys.path.insert(0, sys.argv[1])
from programs import HASH, MAGIC, seal

with open(sys.argv[2], "rb") as f:
    data = bytearray(f.read())
at = data.find(MAGIC)
header, row, rows = struct.unpack_from("<HH", data, at + 28) + struct.unpack_from("<I", data, at + 36)
for i in range(rows):
    kind = at + header + row * i + 50
    if data[kind] == 5:
        data[kind] = 63
with open(sys.argv[3], "wb") as f:
    f.write(seal(data))
sys.exit(0 if HASH else 77)
PY
then
	expect "verify, an unknown kind of code" 1 "*" "*for qdir: this version does not support its kind of code, 63*" "$aot" verify bad.o
else
	echo "part skipped: libxxhash is not installed: an unknown kind of code was not verified"
fi
echo "$n checks"
exit $bad
