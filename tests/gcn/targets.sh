#!/bin/bash
# Checks amd_abi.def against llvm-mc, llc and clang of LLVM 22: e_flags, waves, registers, LDS,
# counters, features of every target.
# targets.sh PROGRAM   (gcn_rows, which prints the table)
set -u
bin=
for d in /usr/lib/llvm-22/bin "$(dirname "$(command -v llc-22 || echo /none/x)")"; do
	[ -x "$d/llc" ] && [ -x "$d/llvm-mc" ] && [ -x "$d/clang" ] && bin=$d && break
done
[ -n "$bin" ] || { echo "SKIP: llc, llvm-mc and clang of LLVM 22 are not installed"; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
tmp=$dir
# shellcheck source=tests/scripts/known.sh
. "$(dirname "$0")/../scripts/known.sh"
# This file is part of the cache key: it contains the queries.
tools=$(cat "$0"; "$bin/llc" --version; stat -Lc %s-%Y "$bin/llc" "$bin/llvm-mc")

# Prints the numbers of those lines of $2... that the assembler accepts, as " 1 3 ".
taken() {
	local cpu=$1
	shift
	printf '%s\n' "$@" >"$dir/$cpu.probe"
	"$bin/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu="$cpu" "$dir/$cpu.probe" 2>&1 >/dev/null |
		awk -F: -v n=$# '/error:/{bad[$2] = 1} END {for (i = 1; i <= n; i++) if (!bad[i]) printf " %d", i; print " "}'
}

# Prints kernels with $3... VGPRs in waves of $2. 0: the target has a single wave size.
kernels() {
	local cpu=$1 wave=$2 align=$3 n
	shift 3
	for n in "$@"; do
		printf '.text\nk%s_%s: s_endpgm\n.rodata\n.amdhsa_kernel k%s_%s\n' "$wave" "$n" "$wave" "$n"
		printf '.amdhsa_next_free_sgpr 1\n.amdhsa_next_free_vgpr %s\n' "$n"
		[ -z "$align" ] || echo .amdhsa_accum_offset 4
		[ "$wave" = 0 ] || echo ".amdhsa_wavefront_size32 $((wave == 32))"
		echo .end_amdhsa_kernel
	done
}

# Prints the maximum of LDS in llc, and the blocks that llc counts for each size.
lds() {
	local cpu=$1 size
	shift
	for size in "$@"; do
		echo "@a$size = internal addrspace(3) global [$size x i8] poison
define amdgpu_kernel void @k$size(i32 %i) {
  %p = getelementptr i8, ptr addrspace(3) @a$size, i32 %i
  store volatile i8 1, ptr addrspace(3) %p
  ret void
}"
	done >"$dir/$cpu.ll"
	"$bin/llc" -mtriple=amdgcn-mesa-mesa3d -mcpu="$cpu" -o - "$dir/$cpu.ll" 2>"$dir/$cpu.err" >"$dir/$cpu.asm"
	cat "$dir/$cpu.err" "$dir/$cpu.asm" | awk '/local memory \(/ && /exceeds limit/{split($0, a, "[()]"); limit = a[4]}
		/granulated_lds_size/{g = g " " $3} END {print limit g}'
}

check() { # NAME ROW: prints the row with LLVM's values
	local name=$1 wave=$2 sgprs=${3#sgprs=} v=${4#vgranule=} l=${5#lds=}
	local yes granted vm f= g32=${v%,*} g64=${v#*,} size=${l%,*} gran=${l#*,} obj=$dir/$1.o
	yes=$(taken "$name" "s_mov_b32 s$((sgprs - 1)), 0" "s_mov_b32 s$sgprs, 0" \
		"v_cmp_eq_u32_e64 s1, v0, v1" "s_waitcnt_vscnt null, 0" "s_wait_loadcnt 0" \
		"v_accvgpr_read_b32 v0, a0" "flat_load_dwordx2 v[1:2], v[2:3]" \
		"v_add_f32_e64_dpp v0, v1, s2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf")
	has() { case $yes in *" $1 "*) true ;; *) false ;; esac }

	wave=64,0
	if has 3; then
		wave=32,64
		echo | "$bin/clang" -target amdgcn-amd-amdhsa -mcpu="$name" -mwavefrontsize64 -nogpulib -x c -fsyntax-only - 2>&1 |
			grep -q 'cannot be specified on this target' && wave=32,0
	fi
	has 1 && ! has 2 || sgprs="not $sgprs"
	vm=vm
	has 4 && vm=vs
	has 5 && vm=split
	# Kernels with a granule of VGPRs, and with one more register.
	if [ $wave = 64,0 ]; then
		has 7 && kernels "$name" 0 "" "$g64" $((g64 + 1)) || kernels "$name" 0 align "$g64" $((g64 + 1))
	else
		kernels "$name" 32 "" "$g32" $((g32 + 1))
		[ $wave = 32,0 ] || kernels "$name" 64 "" "$g64" $((g64 + 1))
	fi >"$dir/$name.s"
	"$bin/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu="$name" -filetype=obj "$dir/$name.s" -o "$obj"
	granted=$("$bin/llvm-objdump" -s -j .rodata "$obj" |
		awk '$1 ~ /30$|70$|b0$|f0$/{printf " %d", index("0123456789abcdef", substr($2, 2, 1)) - 1}')
	case "$wave$granted" in "64,0 0 1" | "32,0 0 1" | "32,64 0 1 0 1") ;; *) v="not $v" ;; esac
	# LDS blocks. llc counts 1280 bytes as 2048, which contradicts its own guide.
	granted=$(lds "$name" "$gran" $((gran + 1)) "$size" $((size + 4)))
	case "$granted" in
	"$size 1 2 $((size / gran)) $((size / gran + 1))") ;;
	"163840 1 1 80 81") [ "$gran" = 1280 ] || l="not $l" ;;
	*) l="$granted" ;;
	esac
	flags=$("$bin/llvm-readelf" -h "$obj" | awk '/Flags:/{sub(",", "", $2); print $2}')
	[ $((flags & 0x300)) != 0 ] && f=${f}xnack || f=$f-
	[ $((flags & 0xc00)) != 0 ] && f=${f}sramecc || f=$f-
	has 6 && f=${f}agpr || f=$f-
	[ $wave != 32,64 ] && ! has 7 && f=${f}align2 || f=$f-
	has 8 && f=${f}dpp_sgpr || f=$f-
	echo "wave=$wave sgprs=$sgprs vgranule=$v lds=$l counters=$vm e_flags=$flags features=$f"
}

ask() {
	check "$@" >"$dir/$1.says"
}

"$1" table >"$dir/table"
while read -r name row; do
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
	echo "$name $row" >"$dir/$name.row"
	# shellcheck disable=SC2086
	known "$tools" "$dir/$name.says" "$dir/$name.row" ask "$name" $row &
done <"$dir/table"
wait
n=0 failed=0
while read -r name row; do
	n=$((n + 1))
	says=$(cat "$dir/$name.says")
	[ "$says" = "$row" ] && continue
	failed=$((failed + 1))
	printf '%s\n  table %s\n  llvm  %s\n' "$name" "$row" "$says"
done <"$dir/table"
echo "$n targets, $failed differ from LLVM"
[ $n -gt 0 ] && [ $failed = 0 ]
