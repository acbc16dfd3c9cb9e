#!/usr/bin/env bash
# objdump.sh QD-DIS SOURCE: compares qd-dis with LLVM 22's own tools, on small objects of
# every code object version: the frame of a listing (symbols, data, zeros, labels,
# sections), kernel descriptors by name and value, and text that assembles again.
# Exits with 77 if LLVM 22 is missing.
set -u
dis=$(realpath "$1") src=$(realpath "$2")
bin=
for d in "" /usr/lib/llvm-22/bin/; do
	for s in "-22" ""; do
		command -v "${d}llvm-objdump$s" >/dev/null && "${d}llvm-objdump$s" --version | grep 'version 22\.' >/dev/null && bin=$d suffix=$s
	done
done
[ -n "${suffix+x}" ] || {
	echo "llvm-objdump 22 is not installed: SKIP"
	exit 77
}
mc=${bin}llvm-mc$suffix objdump=${bin}llvm-objdump$suffix
lld=$(command -v ld.lld-22 || command -v "${bin}ld.lld" || true)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/scripts/known.sh
. "$src/tests/scripts/known.sh"
# Listings begin with the file's name, which must be the same in every run.
cd "$tmp" || exit 1
llvm=$("$objdump" --version; stat -Lc %s-%Y "$(command -v "$objdump")" "$(command -v "$mc")" ${lld:+"$lld"})
bad=0 n=0

fail() {
	echo "objdump: $1" >&2
	head -20 "${2:-/dev/null}" >&2
	bad=1
}

list() { # FILE [OPTION]: prints llvm-objdump's listing
	"$objdump" -d ${2-} "$1" >"$tmp/want" 2>/dev/null || true
}

# frame FILE: compares the listing with llvm-objdump's
frame() {
	local halves=
	case ${1##*/} in gfx12*) halves=--mattr=+real-true16 ;; esac # which qd-dis prints
	n=$((n + 1))
	known "$llvm" "$tmp/want" "$1" list "${1#"$tmp"/}" $halves
	"$dis" --style=llvm "${1#"$tmp"/}" >"$tmp/got" 2>"$tmp/err" || fail "$1" "$tmp/err"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff" || fail "$1 is not llvm-objdump's listing" "$tmp/diff"
}

assemble() { # TARGET SOURCE OBJECT [FEATURES]
	known "$llvm" "$3" "$2" timeout 60 "$mc" -triple=amdgcn-amd-amdhsa -mcpu="$1" ${4:+-mattr=$4} -filetype=obj "$2" -o "$3" || fail "$2 does not assemble"
}

# -- Frames

for t in gfx906 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1200 gfx11-generic; do
	far=0xbf820fff # s_branch, out of the section
	case $t in gfx11* | gfx12*) far=0xbfa00fff ;; esac
	cat >"$tmp/$t.s" <<-S
		.text
		s_nop 1
		.globl alpha
		.type alpha,@function
		alpha:
		s_branch lab
		s_branch obj
		s_branch notype
		s_cbranch_scc0 ztype
		.long 0
		.long 0
		.long 0
		.long 0xffffffff
		s_nop 3
		.long 0
		s_endpgm
		notype:
		s_nop 2
		notype2:
		s_branch lab
		s_branch notype
		.long 0, 0
		.size alpha, .-alpha
		.type obj,@object
		obj:
		.asciz "hello world 12"
		.byte 255,255,255,255,255
		.size obj,.-obj
		.type beta,@function
		.type aalias,@function
		.type ztype,@notype
		beta:
		aalias:
		ztype:
		s_endpgm
		.set absolute, 0x40
		lab:
		v_mov_b32 v0, 0x12345678
		.long $far
		.long $far ^ 0xffff
		.type gamma,@function
		gamma:
		s_endpgm
		.type delta,@function
		delta:
		s_branch gamma_inside
		s_mov_b32 s0, 0x11223344
		.type gamma_inside,@function
		gamma_inside:
		s_endpgm
		.byte 1,2
		.section .text.other,"ax",@progbits
		s_nop 3
		.short 0xbf80
		.section .text.empty,"ax",@progbits
		.section .text.zeros,"ax",@progbits
		.long 0,0,0,0
		.long 0xffffffff
		.section .text.bits,"ax",@nobits
		.zero 16
	S
	assemble "$t" "$tmp/$t.s" "$tmp/$t.o"
	frame "$tmp/$t.o"
	if [ -n "$lld" ]; then
		known "$llvm" "$tmp/$t.so" "$tmp/$t.o" "$lld" -shared "$tmp/$t.o" -o "$tmp/$t.so" || fail "$t does not link"
		frame "$tmp/$t.so"
		known "$llvm" "$tmp/$t.stripped" "$tmp/$t.so" "${bin}llvm-objcopy$suffix" --strip-unneeded "$tmp/$t.so" "$tmp/$t.stripped"
		frame "$tmp/$t.stripped"
	fi
done
# Other LLVM versions made the objects in the repository.
for def in "$src"/tests/gcn/object/*.def; do
	file=$tmp/$(basename "$def" .def)
	printf "$(grep -v '^[/ ]\*' "$def" | tr -d ' ,\n' | sed 's/0x\(..\)/\\x\1/g')" >"$file"
	frame "$file"
	echo "$file" >>"$tmp/fixtures"
done

# -- Functions without a size: labels are inside, and a descriptor's entry is a boundary too

cat >"$tmp/labels.s" <<-S
	.text
	.p2align 8
	.globl unsized
	.type unsized,@function
	unsized:
	s_load_b64 s[0:1], s[0:1], 0x0
	v_mov_b32 v1, 0
	s_mov_b32 s2, 4
	label_loop:
	v_add_nc_u32 v1, v1, v0
	s_sub_u32 s2, s2, 1
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 label_loop
	label_end:
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32 v0, 2, v0
	global_store_b32 v0, v1, s[0:1]
	s_endpgm
	.p2align 8
	untyped:
	s_branch label_2
	label_1:
	s_endpgm
	label_2:
	s_branch label_1
	.p2align 8
	.globl sized
	.type sized,@function
	sized:
	s_nop 0
	inside:
	s_endpgm
	.size sized, .-sized
	unsymboled:
	s_endpgm
	.section .rodata,"a",@progbits
	.p2align 6
S
for k in unsized untyped sized; do
	printf '.amdhsa_kernel %s\n.amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n' "$k" >>"$tmp/labels.s"
done
assemble gfx1100 "$tmp/labels.s" "$tmp/labels.o"
frame "$tmp/labels.o"
bounds() { # FILE: checks its functions and their bounds
	n=$((n + 1))
	"$dis" --json "$1" | tr '{' '\n' | sed -n 's/.*"name":"\([a-z]*\)","demangled".*/\1/p' | tr '\n' ' ' >"$tmp/got"
	[ "$(cat "$tmp/got")" = "unsized untyped sized unsymboled " ] || fail "$1: other functions" "$tmp/got"
	"$dis" --stats "$1" | awk '$1 == "gfx1100" {print $9}' | tr '\n' ' ' >"$tmp/got"
	[ "$(cat "$tmp/got")" = "52 12 8 " ] || fail "$1: other sizes" "$tmp/got"
	"$dis" --cfg=dot -k unsized "$1" >"$tmp/got"
	grep -q -- '->' "$tmp/got" && [ "$(grep -c 'label=' "$tmp/got")" -ge 3 ] || fail "$1: its loop is not in it" "$tmp/got"
	"$dis" --waits -k unsized "$1" | grep -q 's_waitcnt lgkmcnt(0)' || fail "$1: its end is not in it"
}
bounds "$tmp/labels.o"
if [ -n "$lld" ]; then
	known "$llvm" "$tmp/labels.so" "$tmp/labels.o" "$lld" -shared "$tmp/labels.o" -o "$tmp/labels.so" || fail "labels.o does not link"
	bounds "$tmp/labels.so"
	frame "$tmp/labels.so"
fi

# -- Descriptors

# Every directive that the target has, with a value other than its default.
common="float_round_mode_32:1 float_round_mode_16_64:2 float_denorm_mode_32:1 float_denorm_mode_16_64:2
	fp16_overflow:1 system_sgpr_workgroup_id_x:0 system_sgpr_workgroup_id_y:1
	system_sgpr_workgroup_id_z:1 system_sgpr_workgroup_info:1 system_vgpr_workitem_id:2
	exception_fp_ieee_invalid_op:1 exception_fp_denorm_src:1 exception_fp_ieee_div_zero:1
	exception_fp_ieee_overflow:1 exception_fp_ieee_underflow:1 exception_fp_ieee_inexact:1
	exception_int_div_zero:1 user_sgpr_dispatch_ptr:1 user_sgpr_queue_ptr:1
	user_sgpr_kernarg_segment_ptr:1 user_sgpr_dispatch_id:1 user_sgpr_private_segment_size:1
	group_segment_fixed_size:4096 private_segment_fixed_size:272 kernarg_size:96"
absolute="user_sgpr_private_segment_buffer:1 user_sgpr_flat_scratch_init:1 system_sgpr_private_segment_wavefront_offset:1"
old="dx10_clamp:0 ieee_mode:0"
rdna="workgroup_processor_mode:0 memory_ordered:0 forward_progress:0"
list_descriptor() {
	"$objdump" -D --disassemble-symbols=k.kd k.o >k.kd
}

descriptor() { # TARGET VERSION DIRECTIVES
	local t=$1 v=$2 d
	n=$((n + 1))
	{
		echo ".amdhsa_code_object_version $v"
		printf '.text\n.p2align 8\n.globl k\n.type k,@function\nk:\ns_endpgm\n.Lend:\n.size k, .Lend-k\n'
		echo '.section .rodata,"a",@progbits'
		printf '.p2align 6\n.amdhsa_kernel k\n'
		for d in $3; do
			echo ".amdhsa_${d%%:*} ${d#*:}"
		done
		echo .end_amdhsa_kernel
	} >"$tmp/k.s"
	assemble "$t" "$tmp/k.s" "$tmp/k.o"
	known "$llvm" "$tmp/k.kd" "$tmp/k.o" list_descriptor
	sed -n '/^\.amdhsa_kernel/,/^\.end/s/^[ \t]*//p' "$tmp/k.kd" |
		grep -v reserve_xnack_mask >"$tmp/want"
	# llvm-objdump does not print fields that the loader sets. Neither tool prints the mask's
	# value.
	"$dis" --no-addr -k k "$tmp/k.o" | sed -n '/^\.amdhsa_kernel/,/^\.end/s/^[ \t]*//p' |
		grep -vE '^; uses_dynamic_stack |amdhsa_user_sgpr_count|reserve_xnack_mask' >"$tmp/got"
	[ -s "$tmp/want" ] || fail "$t: llvm-objdump prints no descriptor"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff" || fail "$t v$v: another descriptor" "$tmp/diff"
}
for v in 4 5 6; do
	five=
	[ $v -ge 5 ] && five=uses_dynamic_stack:1
	for t in gfx906 gfx908 gfx9-generic; do
		[ $v -lt 6 ] && [ $t = gfx9-generic ] && continue
		descriptor $t $v "$common $absolute $old $five next_free_vgpr:37 next_free_sgpr:41"
		descriptor $t $v "next_free_vgpr:1 next_free_sgpr:1"
	done
	descriptor gfx90a $v "$common $absolute $old $five next_free_vgpr:137 next_free_sgpr:41 accum_offset:64 tg_split:1"
	for t in gfx942 gfx950; do
		descriptor $t $v "$common $old $five enable_private_segment:1 next_free_vgpr:300 next_free_sgpr:41 accum_offset:128 tg_split:1"
	done
	descriptor gfx942 $v "next_free_vgpr:8 next_free_sgpr:8 accum_offset:4 user_sgpr_kernarg_segment_ptr:1 user_sgpr_kernarg_preload_length:5 user_sgpr_kernarg_preload_offset:2"
	for t in gfx1010 gfx1030 gfx1036 gfx10-3-generic; do
		[ $v -lt 6 ] && [ $t = gfx10-3-generic ] && continue
		descriptor $t $v "$common $absolute $old $rdna $five next_free_vgpr:37 next_free_sgpr:41"
		descriptor $t $v "next_free_vgpr:37 next_free_sgpr:41 wavefront_size32:0 shared_vgpr_count:3"
	done
	for t in gfx1100 gfx1102 gfx1150 gfx11-generic; do
		[ $v -lt 6 ] && [ $t = gfx11-generic ] && continue
		descriptor $t $v "$common $old $rdna $five enable_private_segment:1 next_free_vgpr:97 next_free_sgpr:41 inst_pref_size:9"
		descriptor $t $v "next_free_vgpr:97 next_free_sgpr:41 wavefront_size32:0 shared_vgpr_count:2"
	done
	for t in gfx1200 gfx1201 gfx12-generic; do
		[ $v -lt 6 ] && [ $t = gfx12-generic ] && continue
		descriptor $t $v "$common $rdna $five enable_private_segment:1 next_free_vgpr:97 next_free_sgpr:41 inst_pref_size:99 round_robin_scheduling:1"
		descriptor $t $v "next_free_vgpr:97 next_free_sgpr:41 wavefront_size32:0"
	done
done

# -- qd's own text assembles to the same code

round() { # TARGET OBJECT
	n=$((n + 1))
	"$dis" --no-addr --no-hex "$2" >"$tmp/round.s"
	assemble "$1" "$tmp/round.s" "$tmp/round.o"
	for f in "$2" "$tmp/round.o"; do
		known "$llvm" "$f.text" "$f" "${bin}llvm-objcopy$suffix" -O binary --only-section=.text "$f" "$f.text"
	done
	cmp -s "$2.text" "$tmp/round.o.text" || fail "$2: other bytes after qd-dis and llvm-mc"
}
for t in gfx906 gfx942 gfx1030 gfx1100 gfx1200; do
	cat >"$tmp/round_$t.s" <<-S
		.type f,@function
		f:
		s_cmp_lg_u32 s4, 0
		s_cbranch_scc1 one
		v_mov_b32 v0, 0x12345678
		back:
		.long 0xffffffff
		one:
		s_sub_u32 s4, s4, 1
		s_cbranch_scc0 back
		s_endpgm
		fend:
		.size f, fend-f
		.type g,@function
		g:
		s_cbranch_vccz gend
		s_branch g
		gend:
		s_endpgm
		gl:
		.size g, gl-g
	S
	assemble $t "$tmp/round_$t.s" "$tmp/round_$t.o"
	round $t "$tmp/round_$t.o"
done
round gfx1100 "$tmp/v5_gfx1100"
# -- Bundles as clang's own tool writes them

bundler=$(command -v "${bin}clang-offload-bundler$suffix" || command -v clang-offload-bundler-22 || true)
: >"$tmp/empty"
pack() { # FILE [OPTION]...
	local out=$1
	shift
	"$bundler" "$@" -type=o -bundle-align=4096 -input="$tmp/empty" -input="$tmp/v5_gfx1100" -input="$tmp/v4_gfx90a" -output="$out" \
		-targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1100,hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+ ||
		fail "clang-offload-bundler"
}
if [ -n "$bundler" ]; then
	pack "$tmp/bundle"
	"$dis" --no-meta "$tmp/bundle" >"$tmp/want" || fail "a bundle is not read"
	[ "$(grep -c 'code object v' "$tmp/want")" -eq 2 ] || fail "a bundle of two objects" "$tmp/want"
	mv "$tmp/bundle" "$tmp/plain"
	for v in 2 3; do
		n=$((n + 1))
		COMPRESSED_BUNDLE_FORMAT_VERSION=$v pack "$tmp/bundle" -compress
		"$dis" --no-meta "$tmp/bundle" >"$tmp/got" 2>"$tmp/err"
		if grep -q 'built without' "$tmp/err"; then
			echo "compressed bundles were not compared: built without libzstd"
		else
			cmp -s "$tmp/want" "$tmp/got" || fail "a compressed bundle, v$v, differs from the plain one" "$tmp/err"
		fi
	done
else
	echo "clang-offload-bundler 22 is not installed: bundles were not compared"
fi
[ -n "$lld" ] || echo "part skipped: ld.lld of LLVM 22 is not installed: linked objects were not compared"
echo "$n comparisons with LLVM"
exit $bad
