#!/usr/bin/env bash
# tools.sh QD-RUN QD-INFO QD-DIS SOURCE: streams and exit codes of qd-info and qd-dis; files are
# written completely or not at all; and the width of --help for all three. tools/run.sh tests
# qd-run.
set -u
run=$1 info=$2 dis=$3 src=$4
# shellcheck source=tests/tools/expect.sh
. "$src/tests/tools/expect.sh"

# Every option of a target must be on its page.
options=$("$dis" -t spirv:+nosuch "$src/docs/examples/demo.qdk" 2>&1 | sed -n 's/.* x one of //p' | tr -d ',')
[ -n "$options" ] || { echo "tools: no options of a target are listed" >&2; bad=1; }
for o in $options; do
	n=$((n + 1))
	grep -qF "\`$o\`" "$src/docs/targets.md" || {
		echo "tools: docs/targets.md does not describe the option $o" >&2
		bad=1
	}
done

ex=$src/docs/examples kernels=$src/tests/tools
printf '\001\000\000\000\377\377\377\377' >"$tmp/raw"
for program in "$run" "$info" "$dis"; do
	[ "$("$program" --help | awk 'length > 80' | wc -l)" -eq 0 ] || {
		echo "tools: $program --help is wider than 80 columns" >&2
		bad=1
	}
done

# -- qd-info
expect "info" 0 "*ref:32*" "" "$info"
expect "info without a driver" 0 "*ref:32*" "" env VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none "$info"
expect "info json" 0 '{"schema":"qd.info/1"*' "" "$info" --json
expect "info targets" 0 "spirv:w4?*ptx:sm_90?*gfx1100?*ref:w4?*" "" "$info" --targets
expect "info env" 0 "*QD_DEVICE*ref:8*" "" env QD_DEVICE=ref:8 "$info" --env

expect "primitives" 0 "block.idx -> u32*subgroup.reduce_add(v) -> T*_tiled(..., log2_size); reduce_all*spirv:w32: native for i32 u32 i64 u64; tiles expanded*ref:w32: interpreted*" "" "$info" --primitives
expect "primitives of a target" 0 "*subgroup.reduce_add(v)*spirv:w8:+clusters: native for i32 u32 i64 u64?*" "" "$info" --primitives -t spirv:+clusters:w8
expect "primitives without arithmetic of subgroups" 0 "*subgroup.reduce_add(v)*spirv:w32:-arith: expanded?*" "" "$info" --primitives -t spirv:-arith
expect "primitives json" 0 '{"schema":"qd.primitives/1"*"call":"subgroup.shuffle(v, lane)","result":"T","types":?"i32"*' "" "$info" --primitives --json
expect "primitives of no target" 2 "" "qd-info: --target: no target is named 'nonsense'*" "$info" --primitives -t nonsense
expect "a target alone" 2 "" "qd-info: --target needs --primitives*" "$info" -t spirv

# -- qd-dis
expect "a later language" 1 "" "$kernels/later.qdk:1:5: error: *help: write 'qdk 2;', or read it with a newer qd" "$dis" "$kernels/later.qdk"
expect "dis IR" 0 "kernel \"prefix4\"*subgroup.inclusive_add*" "" "$dis" "$ex/demo.qdk"
expect "dis target" 0 "*OpGroupNonUniformShuffle*" "" "$dis" -t spirv:w8 "$ex/demo.qdk"
expect "dis to a file" 0 "" "" "$dis" -t spirv:w8 --emit=bin -o "$tmp/demo.spv" "$ex/demo.qdk"
expect "dis a module" 0 "*OpGroupNonUniformShuffle*" "" "$dis" "$tmp/demo.spv"
head -c 101 "$tmp/demo.spv" >"$tmp/cut.spv"
expect "dis a truncated module" 1 "*" "*" "$dis" "$tmp/cut.spv"
expect "dis nothing known" 1 "" "qd-dis: '$tmp/raw' is not text, and not code in a known format*" "$dis" "$tmp/raw"
expect "dis unknown template" 2 "" "*no kernel has a template parameter 'Q'*" "$dis" -D Q=1 "$ex/demo.qdk"
expect "dis to - is stdout" 0 "kernel \"prefix4\"*" "" "$dis" -o - "$ex/demo.qdk"
expect "dis, later kernel wants a template" 2 "" "*T=VALUE*" "$dis" "$kernels/two.qdk"
expect "dis IR text" 0 "kernel \"prefix4\"*" "" bash -c "'$dis' '$ex/demo.qdk' >'$tmp/demo.ir' && '$dis' '$tmp/demo.ir'"
cmp -s "$tmp/demo.ir" <("$dis" "$tmp/demo.ir") || {
	echo "tools: printed IR does not print as itself" >&2
	bad=1
}
# -- qd-dis, AMD
for def in "$src"/tests/gcn/object/*.def; do
	# shellcheck disable=SC2059
	printf "$(grep -v '^[/ ]\*' "$def" | tr -d ' ,\n' | sed 's/0x\(..\)/\\x\1/g')" >"$tmp/$(basename "$def" .def)"
done
add=$tmp/v5_gfx1100
bundle() { # FILE...: creates a bundle of these, for gfx1100, gfx90a and so on by their names
	local f id at=$((32 + $# * 24))
	for f; do id=hipv4-amdgcn-amd-amdhsa--${f##*_}; at=$((at + ${#id})); done
	number() { printf "$(printf '%016x' "$1" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\\x\8\\x\7\\x\6\\x\5\\x\4\\x\3\\x\2\\x\1/')"; }
	printf __CLANG_OFFLOAD_BUNDLE__
	number $#
	for f; do
		id=hipv4-amdgcn-amd-amdhsa--${f##*_}
		number $at
		number "$(stat -c %s "$f")"
		number ${#id}
		printf %s "$id"
		at=$((at + $(stat -c %s "$f")))
	done
	cat "$@"
}
bundle "$tmp/v5_gfx1100" "$tmp/v4_gfx90a" >"$tmp/two.hipfb"
expect "dis code object" 0 "; $add: gfx1100, code object v5, 1 kernel, 2 functions*.amdhsa_next_free_vgpr 8*.vgpr_count: 5*s_cbranch_execz .L1*.L1:*unknown on gfx1100*" "" "$dis" "$add"
expect "dis one function" 0 "*helper  gfx1100 w32*" "" "$dis" -k 'help*' "$add"
expect "dis no such function" 1 "" "*no kernel that matches 'nothing'*" "$dis" -k nothing "$add"
expect "dis names each kernel once" 1 "" "*; there are totals, running, sum_all, squares, find" "$dis" -t gfx1100 -k nothing "$src/docs/examples/grid.qdk"
expect "dis without front" 0 "*s_cbranch_scc1 .L0*" "" "$dis" --no-addr --no-hex --no-meta "$add"
"$dis" --no-addr --no-hex --no-meta "$add" | grep -E '0400|BFA2FFFC|amdhsa' >/dev/null && {
	echo "tools: --no-addr --no-hex --no-meta print the parts that they omit" >&2
	bad=1
}
expect "dis llvm style" 0 "*	s_cbranch_execz 5                                          // 000000000410: BFA50005 <add+0x28>*" "" "$dis" --style=llvm "$add"
expect "dis stats" 0 "target*gfx1100                    32     5     0     8   1024       0      24    44         16            add" "" "$dis" --stats "$add"
expect "dis stats, wave64" 0 "*gfx90a:xnack+*64    72    64    12 *7 VGPRs      fill" "" "$dis" --stats "$tmp/v4_gfx90a"
expect "dis v2" 0 "*code object v2*workitem_vgpr_count 3*0100  C0020000*s_endpgm*" "" "$dis" "$tmp/v2_gfx906"
expect "dis json" 0 '{"schema":"qd.dis/1"*"addr":"0x410","words":?"bfa50005"?,"text":"s_cbranch_execz 5","op":"s_cbranch_execz","operands":?"5"?*"target":"0x428"*' "" "$dis" --json "$add"
expect "dis cfg" 0 'digraph "add"*}*' "" "$dis" --cfg=dot -k add "$add"
expect "dis waits" 0 "*s_load_b128*; lgkmcnt 1 outstanding*" "" "$dis" --waits "$add"
expect "dis waits, covered" 0 "*s_load_dwordx2*lgkmcnt 1 outstanding*s_waitcnt lgkmcnt(0)*; waits for 0000*" "" "$dis" --waits "$tmp/v4_gfx90a"
expect "dis waits, missing" 0 "*s_mov_b32 s4, s0*; reads s0, which 0000 may not have written yet*" "" bash -c "echo C0020002 0 BE840000 BF810000 | '$dis' --waits --raw gfx906 -"
expect "dis waits elsewhere" 2 "" "*--waits needs --style=qd*" "$dis" --waits --style=llvm "$add"
expect "dis hazards, none" 0 "" "" "$dis" --hazards "$add"
expect "dis hazards" 1 "-: readlane_vgpr on gfx942: *0000  v_mov_b32_e32 v2, v0 *0004  v_readfirstlane_b32 s3, v2 *needs 1 more wait state in between: s_nop 0" "" bash -c "echo 7E040300 7E060502 BF810000 | '$dis' --hazards --raw gfx942 -"
expect "dis hazards, resolved" 0 "" "" bash -c "echo 7E040300 BF800000 7E060502 BF810000 | '$dis' --hazards --raw gfx942 -"
expect "dis bundle" 0 "*two.hipfb:hipv4-amdgcn-amd-amdhsa--gfx1100: gfx1100*two.hipfb:hipv4-amdgcn-amd-amdhsa--gfx90a: gfx90a*" "" "$dis" "$tmp/two.hipfb"
expect "dis bundle, one target" 0 "; $tmp/two.hipfb:hipv4-amdgcn-amd-amdhsa--gfx90a: gfx90a*fill:*" "" "$dis" -t gfx90a "$tmp/two.hipfb"
expect "dis bundle, no such target" 1 "" "*has no code for gfx906; it has: gfx1100, gfx90a*" "$dis" -t gfx906 "$tmp/two.hipfb"
objcopy --add-section .hip_fatbin="$tmp/two.hipfb" "$dis" "$tmp/host" &&
	expect "dis program" 0 "; $tmp/host:hipv4-amdgcn-amd-amdhsa--gfx90a: gfx90a*fill:*" "" "$dis" -t gfx90a "$tmp/host"
expect "dis raw" 0 "*0000  BF800000*s_nop 0*0004  BFB00000*s_endpgm*" "" bash -c "printf '\0\0\200\277\0\0\260\277' | '$dis' --raw gfx1100 -"
expect "dis raw text" 0 "*unknown on gfx906 (valid on gfx1010*truncated*" "" bash -c "echo 0xbf9f0000,7E0002FF | '$dis' --raw gfx906 -"
expect "dis raw wave64" 0 "*words of gfx1100 w64*v_cmp_eq_f32_e32 vcc, v0, v0*" "" bash -c "echo 7C240100 | '$dis' --raw gfx1100:w64 -"
expect "dis raw, bad word" 1 "" "-:1:10: error: '123456789' is not a 32-bit word*" bash -c "echo BF800000 123456789 | '$dis' --raw gfx906 -"
expect "dis raw, bad target" 2 "" "*--raw takes an AMD target*'gfx906:w32'*" "$dis" --raw gfx906:w32 "$add"
expect "dis raw, no value" 2 "" "*option '--raw' needs a value*" "$dis" "$add" --raw
expect "dis bad style" 2 "" "*--style takes qd or llvm, not 'gnu'*" "$dis" --style=gnu "$add"
expect "dis bad cfg" 2 "" "*--cfg takes dot*" "$dis" --cfg=svg "$add"
expect "dis unknown option" 2 "" "*unknown option '--stat'; did you mean '--stats'?*" "$dis" --stat "$add"
expect "dis views of IR" 2 "" "*need code; choose a target for '$ex/demo.qdk' with -t*" "$dis" --stats "$ex/demo.qdk"
expect "dis views of devices that execute IR" 2 "" "*need code; choose a target for '$ex/demo.qdk' with -t*" "$dis" --json -t ref "$ex/demo.qdk"
expect "dis AMD options elsewhere" 2 "" "*--waits needs AMD code, which this target has none of*" "$dis" --waits -t ptx "$ex/demo.qdk"
"$dis" -t ptx -o "$tmp/demo.ptx" "$ex/demo.qdk"
expect "dis AMD options on PTX" 2 "" "*--hazards needs AMD code, which '$tmp/demo.ptx' does not hold*" "$dis" --hazards "$tmp/demo.ptx"
expect "dis kernel options on PTX" 2 "" "*'$tmp/demo.ptx' is code of ptx; -D and --emit need kernels*" "$dis" -D L=1 "$tmp/demo.ptx"
expect "dis a target of PTX" 2 "" "*'$tmp/demo.ptx' is code of ptx; -t needs kernels or a file with code for several targets*" "$dis" -t ptx "$tmp/demo.ptx"
expect "dis --diff of one" 2 "" "*--diff takes two files, or one and two targets: -t T1,T2*" "$dis" --diff "$tmp/demo.ptx"
expect "dis two files" 2 "" "*expected one file, found *--diff compares two*" "$dis" "$tmp/demo.ptx" "$tmp/demo.ptx"
expect "dis three files" 2 "" "*two files at most*" "$dis" --diff a b c
expect "dis two targets" 2 "" "*two targets ('ptx,spirv') need --diff*" "$dis" -t ptx,spirv "$ex/demo.qdk"
expect "dis views that --diff does not support" 2 "" "*--diff compares the code of kernels;*" "$dis" --diff --json "$tmp/demo.ptx" "$tmp/demo.ptx"
expect "dis kernel options on AMD code" 2 "" "*-D and --emit need kernels*" "$dis" -D L=1 "$add"
expect "dis no file" 3 "" "*cannot open*" "$dis" "$tmp/none.hsaco"
head -c 700 "$add" >"$tmp/cut.hsaco"
expect "dis truncated object" 1 "" "qd-dis: '$tmp/cut.hsaco': offset 0x28: section header table at 0x*" "$dis" "$tmp/cut.hsaco"
head -c 3000 "$tmp/two.hipfb" >"$tmp/cut.hipfb"
expect "dis truncated bundle" 1 "" "*offset 0x*: entry 1 (0x* bytes at 0x*) extends past the end of the file*" "$dis" "$tmp/cut.hipfb"
expect "dis other machine" 1 "" "*an object or a program for a CPU, without code for a GPU*" "$dis" "$dis"
expect "dis to a full disk" 3 "" "*" "$dis" -o /dev/full "$add"
if command -v python3 >/dev/null; then
	for f in "$add" "$tmp/v2_gfx906" "$tmp/two.hipfb"; do
		"$dis" --json "$f" | python3 -m json.tool >/dev/null || {
			echo "tools: qd-dis --json $f is not JSON" >&2
			bad=1
		}
	done
else
	echo "python3 is not installed: JSON was not checked by another reader"
fi

# A failure leaves no file.
"$dis" -t spirv:w8 --emit=bin -o "$tmp/never.spv" "$kernels/bad.qdk" >/dev/null 2>&1
[ -e "$tmp/never.spv" ] && {
	echo "tools: qd-dis left a file after an error" >&2
	bad=1
}
[ -z "$(find "$tmp" -name '*.tmp*')" ] || {
	echo "tools: a temporary file remains" >&2
	bad=1
}
echo "$n calls"
exit $bad
