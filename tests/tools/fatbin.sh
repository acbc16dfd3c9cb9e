#!/usr/bin/env bash
# fatbin.sh QD-DIS QD-AOT QD-RUN SOURCE CC...: qd-dis on qd's own containers: fatbins, programs that
# contain one, images extracted from one, and entries of the disk cache.
set -u
dis=$1 aot=$2 run=$3 src=$4
shift 4
cc=("$@")
# shellcheck source=tests/tools/expect.sh
. "$src/tests/tools/expect.sh"

cat >"$tmp/few.qdk" <<'QDK'
qdk 2;
kernel few<T in {i32, f32}, static L in 1..=2>(src: in T[], dst: out T[]) block(32) {
  for i in grid(src.len) { dst[i] = subgroup.reduce_add_tiled(src[i], L); }
}
QDK
f=$tmp/few.o
"$aot" "$tmp/few.qdk" -t gfx1100,ptx:sm_80,spirv:w16,qdir -q -o "$f" || bad=1
expect "fatbin" 0 "; $f: a fatbin of 20 entries*;   few (T=i32;L=1) for qdir: ir, block 32, * bytes*few (T=f32;L=2) for gfx1100: amd, *" "" "$dis" "$f"
expect "fatbin, PTX" 0 "// few (T=f32;L=2) for ptx:sm_80?.version 7.0?.target sm_80*" "" "$dis" -t ptx:sm_80 -D T=f32 -D L=2 "$f"
expect "fatbin, by the back end" 0 "*few (T=f32;L=2) for ptx:sm_80*" "" "$dis" -t ptx -D T=f32 -D L=2 "$f"
expect "fatbin, SPIR-V" 0 "; few (T=i32;L=1) for spirv:w16*OpEntryPoint GLCompute*" "" "$dis" -t spirv:w16 -D T=i32 -D L=1 "$f"
expect "fatbin, AMD" 0 "; few (T=i32;L=1) for gfx1100*amdhsa_kernel few*s_endpgm*" "" "$dis" -t gfx1100 -D T=i32 -D L=1 "$f"
expect "fatbin, the kernel" 0 "; few (T=i32;L=2) for qdir?kernel \"few\"?file \"few.qdk\"*subgroup.reduce_add*" "" "$dis" -t qdir -D T=i32 -D L=2 "$f"
expect "fatbin, a table" 0 "*VGPR*gfx1100*few*" "" "$dis" -t gfx1100 --stats "$f"
expect "fatbin, JSON" 0 '{"schema":"qd.dis/1"*"functions"*' "" "$dis" -t ptx:sm_80 -k few -D T=i32 -D L=1 --json "$f"
expect "fatbin, differences" 0 "few (T=i32;L=1) for ptx:sm_80: * -> * instructions, the same*few (T=f32;L=2) for qdir: * the same" "" "$dis" --diff "$f" "$f"
expect "fatbin, two targets" 1 "few (T=i32;L=1): * removed, * added*few (T=f32;L=2): *" "" "$dis" --diff -t gfx1100,ptx:sm_80 "$f"
expect "fatbin and its kernels" 0 "few*: * -> * instructions, the same" "" "$dis" --diff -t gfx1100 -k few -D T=f32 -D L=2 "$f" "$tmp/few.qdk"
expect "fatbin, hazards" 0 "" "" "$dis" -t gfx1100 --hazards "$f"
expect "fatbin, no such target" 1 "" "qd-dis: '$f' has no entry with that kernel, target and values*" "$dis" -t gfx1030 "$f"
expect "fatbin, no such value" 1 "" "qd-dis: '$f' has no entry with that kernel, target and values*" "$dis" -D L=3 "$f"
expect "fatbin, a file of code" 2 "" "qd-dis: '$f' is a fatbin; -D and --emit need kernels*" "$dis" -t gfx1100 --emit=bin -o "$tmp/x" "$f"

expect "fatbin, JSON of a kernel" 0 '{"schema":"qd.dis/1","files":?
{"file":"few (T=i32;L=1) for qdir","target":"qdir","version":null,"functions":??,"text":"kernel \\"few\\"*"}
?}' "" "$dis" -t qdir -k few -D T=i32 -D L=1 --json "$f"
n=$((n + 1))
"$dis" --json "$f" | python3 -c "
import json, sys
d = json.load(sys.stdin)['files']
assert len(d) == 20 and all(x['functions'] or x['target'] == 'qdir' for x in d), len(d)" || bad=1
if command -v ptxas >/dev/null; then
	"$aot" "$tmp/few.qdk" -t cubin:sm_80,ptx:sm_80 -D T=f32 -D L=1 -q --no-header -o "$tmp/cubin.o" || bad=1
	"$aot" extract "$tmp/cubin.o" -t cubin:sm_80 -q -o "$tmp/few.cubin" || bad=1
	expect "fatbin, JSON of machine code" 0 '*{"file":"few (T=f32;L=1) for cubin:sm_80","target":"cubin:sm_80","version":null,"functions":?
{"name":"few","demangled":null,"size":"*"}?}*' "" "$dis" --json "$tmp/cubin.o" -t cubin:sm_80
	expect "a cubin, JSON" 0 '{"schema":"qd.dis/1","files":?
{"file":"*few.cubin","target":null,*"name":"few",*"size":"*"}?}*' "" "$dis" --json "$tmp/few.cubin"
	expect "a cubin, another view" 2 "" "*which is only listed, as text or by --json*" "$dis" --stats "$tmp/few.cubin"
else
	echo "part skipped: ptxas is not installed"
fi

# An extracted image equals the compiled one.
for t in gfx1100:hsaco ptx:sm_80:ptx spirv:w16:spv; do
	target=${t%:*} end=${t##*:}
	"$aot" extract "$f" -t "$target" -D T=f32 -D L=2 -o "$tmp/out.$end" || bad=1
	"$dis" "$tmp/few.qdk" -t "$target" -D T=f32 -D L=2 -o "$tmp/own.$end" || bad=1
	n=$((n + 1))
	cmp "$tmp/out.$end" "$tmp/own.$end" || bad=1
done

# Programs with a linked fatbin, also stripped.
printf 'extern const unsigned char qd_fatbin_few[];\nint main(void) { return qd_fatbin_few[0] != 0x51; }\n' >"$tmp/main.c"
"${cc[@]}" "$tmp/main.c" "$f" -o "$tmp/program" && strip "$tmp/program" || bad=1
expect "a program" 0 "" "" "$tmp/program"
expect "a program with a fatbin" 0 "; $tmp/program: a fatbin of 20 entries*" "" "$dis" "$tmp/program"
expect "its code" 0 "// few (T=f32;L=1) for ptx:sm_80*" "" "$dis" -t ptx:sm_80 -D T=f32 -D L=1 "$tmp/program"

# Damaged: the offset, or the checksum.
head -c 900 "$f" >"$tmp/cut.o"
expect "cut off" 1 "" "*offset 0x*" "$dis" "$tmp/cut.o"
at=$(readelf -SW "$f" | awk '$2 == "qd_image" || $3 == "qd_image" { for (i = 1; i <= NF; i++) if ($i == "PROGBITS") { print $(i + 2); exit } }')
cp "$f" "$tmp/flipped.o"
printf 'X' | dd of="$tmp/flipped.o" bs=1 seek=$((16#$at + 20)) conv=notrunc 2>/dev/null
expect "flipped" 1 "*" "*$tmp/flipped.o: offset 0x*: group 0 of a fatbin*" "$dis" -k few "$tmp/flipped.o"

# The disk cache.
export QD_CACHE=1 QD_CACHE_DIR=$tmp/cache
bash "$src/tests/scripts/driver.sh" fakecuda "$run" -d cuda "$src/docs/examples/demo.qdk" src=iota:8 dst=zero:8 >"$tmp/said" || {
	cat "$tmp/said"
	bad=1
}
for q in "$tmp"/cache/v1/*/*.qdc; do
	grep -q prefix4 "$q" || continue
	expect "an entry" 0 "; $q: an entry of the disk cache, a cubin of kernel prefix4?; target ptx:sm_90, emitter * of back end 3*; driver cuda, CUDA *; device Fake GPU 0*bytes of the driver's*" "" "$dis" "$q"
	expect "an entry, JSON" 0 '{"schema":"qd.dis/1","files":?
{"file":"*.qdc","kind":"cubin","kernel":"prefix4","target":"ptx:sm_90","driver":"cuda","version":"CUDA *","device":"Fake GPU 0*","back_end":3,"emitter":*,"values":??,"created":"*","bytes":"*","log":"*"}*' \
		"" "$dis" --json "$q"
	"$dis" --json "$q" | python3 -m json.tool >/dev/null || bad=1
	expect "views of an entry" 2 "" "qd-dis: '$q' is an entry of the disk cache, which is only listed*" "$dis" --stats "$q"
	head -c 100 "$q" >"$tmp/cut.qdc"
	expect "an entry that is cut off" 1 "" "qd-dis: '$tmp/cut.qdc': offset 0x38: its size is wrong*" "$dis" "$tmp/cut.qdc"
done
expect "the cache" 0 "$tmp/cache: 2 entries, * bytes; index * bytes; 0 unfinished*" "" "$aot" cache stat
expect "the cache's list" 0 "*prefix4 *cubin *ptx:sm_90 *2 entries in $tmp/cache*" "" "$aot" cache list
expect "the cache's list, JSON" 0 '{"schema":"qd.cache/1","entries":?{*"kernel":"prefix4"*' "" "$aot" cache list --json
expect "the cache is good" 0 "2 entries, 0 damaged and removed" "" "$aot" cache verify
printf 'X' | dd of="$q" bs=1 seek=200 conv=notrunc 2>/dev/null
expect "the cache is damaged" 1 "*.qdc: offset 0x8: its checksum is wrong; removed*2 entries, 1 damaged and removed" "" "$aot" cache verify
expect "and is mended" 0 "1 entries, 0 damaged and removed" "" "$aot" cache verify --dir "$tmp/cache"
expect "the cache goes" 0 "removed from $tmp/cache: 1 entries*" "" "$aot" cache clear
expect "no action" 2 "" "qd-aot: cache has no 'lst'; did you mean 'list'?*" "$aot" cache lst
expect "no folder" 3 "" "qd-aot: error: the cache directory '/nowhere' cannot be used: *" "$aot" cache stat --dir /nowhere
expect "a folder for another command" 2 "" "qd-aot: --dir applies to cache only*" "$aot" list "$f" --dir /nowhere
echo "fatbin: $n checks"
exit $bad
