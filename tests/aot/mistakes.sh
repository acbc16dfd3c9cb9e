#!/usr/bin/env bash
# mistakes.sh QD-AOT SOURCE QD-DIS QD-INFO: each option of qd-aot, used correctly and incorrectly. Compares
# complete messages and exit codes: 1, wrong input; 2, wrong command line; 3, an error of the
# machine.
set -u
aot=$(realpath "$1") src=$(realpath "$2") info=$(realpath "$4")
# shellcheck source=tests/tools/expect.sh
. "$src/tests/tools/expect.sh"
unset QD_JIT QD_TARGET
export VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null
cd "$tmp" || exit 2
cp "$src/docs/examples/tile_sum.qdk" sums.qdk
cp "$src/docs/examples/demo.qdk" demo.qdk
help="
'qd-aot --help' lists the options"

# EXIT MESSAGE ARGUMENT...: fails without writing a file
mistake() {
	local want=$1 message=$2
	shift 2
	n=$((n + 1))
	[ "$want" -ne 2 ] || [[ "$message" = "qd-aot: error: "* ]] || message=$message$help
	ls >before
	env PATH="${QD_PATH-$PATH}" "$aot" "$@" >out 2>err </dev/null
	local rc=$?
	if [ $rc -ne "$want" ] || [ -s out ] || [ "$(cat err)" != "$message" ]; then
		fail "qd-aot $*: exit $rc (want $want)
$(cat out err)
-- want
$message"
	fi
	ls | diff before - >left || fail "qd-aot $*: left $(cat left)"
}
right() { # ARGUMENT...: prints nothing
	n=$((n + 1))
	"$aot" "$@" -q >out 2>err </dev/null && [ ! -s out ] && [ ! -s err ] || fail "qd-aot $*: $(cat out err)"
}
has() { # PATTERN ARGUMENT...: in the standard output
	local want=$1
	shift
	expect "qd-aot $*" 0 "$want" "" "$aot" "$@"
}
: >before; : >left; : >out; : >err
right sums.qdk -o sums.o

# -- Commands and files
mistake 2 "qd-aot: no input file"
mistake 2 "qd-aot: no input file" list
mistake 2 "qd-aot: no input file" compile -o x.o
mistake 2 "qd-aot: no command is named 'lst'; did you mean 'list'?" lst sums.o
mistake 2 "qd-aot: no output; use -o FILE" sums.qdk
mistake 2 "qd-aot: no output; use -o FILE" merge sums.o sums.o
mistake 2 "qd-aot: no output; use -o FILE" strip sums.o -t gfx1100
mistake 2 "qd-aot: unknown option '--targt'; did you mean '--target'?" --targt gfx1100 sums.qdk
mistake 2 "qd-aot: unknown option '-z'" -z sums.qdk
mistake 2 "qd-aot: option '-t' needs a value" sums.qdk -t
mistake 2 "qd-aot: option '--check' takes no value" sums.qdk --check=1
mistake 3 "qd-aot: cannot open 'none.qdk': No such file or directory" none.qdk -o x.o
mistake 3 "qd-aot: error: cannot open 'none.o': No such file or directory" list none.o
mistake 1 "qd-aot: error: sums.qdk: offset 0x0: not an ELF file
qd-aot: note: kernel text has no entries; --list without a command shows the variants of a compile" list sums.qdk
printf '.version 7.0\n.target sm_80\n' >text.ptx
printf '\177ELF\2\1\1%09d\2\0\276\0%040d' 0 0 >code.cubin
printf '\3\2\43\7\0\0\1\0%016d' 0 >code.spv
mistake 1 "qd-aot: 'text.ptx' is PTX text, which qd-run runs on emu and qd-dis shows; qd-aot compiles .qdk text" text.ptx -o x.o
mistake 1 "qd-aot: 'code.cubin' is a cubin, machine code for NVIDIA GPUs, which only qd-dis lists; compile to PTX with nvcc -ptx; qd-aot compiles .qdk text" code.cubin -o x.o
mistake 1 "qd-aot: 'code.spv' is a SPIR-V module, which only qd-dis reads; qd-aot compiles .qdk text" code.spv -o x.o
mistake 1 "qd-aot: 'sums.o' is a qd fatbin or a program with one, which programs load and qd-dis and qd-aot list show; qd-aot extract and qd-aot -o FILE.hsaco write single kernels; qd-aot compiles .qdk text" sums.o -o x.o
printf 'kernel\0' >zero.qdk
mistake 1 "qd-aot: 'zero.qdk' is not text, and not code in a known format; qd-dis --raw shows words of AMD code; qd-aot compiles .qdk text" zero.qdk --check
mistake 1 "qd-aot: error: $aot: the file has no fatbin: no section qd_fatbin
qd-aot: note: it is an object or a program for a CPU, without code for a GPU (no section .hip_fatbin, .nv_fatbin, .llvm.offloading or qd_fatbin)" info "$aot"
mistake 3 "qd-aot: cannot create 'none/x.o': No such file or directory" sums.qdk -o none/x.o
mistake 3 "qd-aot: cannot write '/dev/full': No space left on device" sums.qdk -o /dev/full
mistake 2 "qd-aot: the output 'sums.qdk' would overwrite an input" sums.qdk -o sums.qdk
mistake 2 "qd-aot: the output './sums.qdk' would overwrite an input" sums.qdk demo.qdk -o ./sums.qdk
mistake 2 "qd-aot: the header would overwrite the output, 'x.h'; set its name with --header, or use --no-header" sums.qdk -o x.h
mistake 2 "qd-aot: the depfile would overwrite the output, 'x.o'" sums.qdk -o x.o --depfile x.o
mistake 2 "qd-aot: the header 'sums.qdk' would overwrite an input" sums.qdk -o x.o --header sums.qdk
mistake 2 "qd-aot: --depfile needs an output: -o FILE" sums.qdk -o - --depfile x.d
echo 'kernel broken(a: u32[]) block(32) { for i in grid(a.len) { a[i] = b; } }' >bad.qdk
mistake 1 "bad.qdk:1:67: error: unknown name 'b' [E0116]
    1 | kernel broken(a: u32[]) block(32) { for i in grid(a.len) { a[i] = b; } }
      |                                                                   ^
help: declare it: by 'let', 'var', 'const' or 'fn', or as a parameter" bad.qdk -o x.o
: >empty.qdk
mistake 1 "qd-aot: there is no kernel in these files" empty.qdk -o x.o
mkdir copy && cp sums.qdk copy
mistake 1 "qd-aot: kernel 'tile_sum' is in 'sums.qdk' and in 'copy/sums.qdk'; names in a fatbin must be unique" sums.qdk copy/sums.qdk -o x.o
right sums.qdk demo.qdk -o two.o

# -- Targets
targets=$("$info" --targets) # the closest names first
isas=$("$info" --json | sed -E 's/.*"targets":\[([^]]*)\].*/\1/; s/"//g; s/,/, /g')
near=$(for begin in gfx11 'gfx1[^1]' 'gfx[^1]'; do grep "^$begin" <<<"$targets"; done | sed ':a; N; $!ba; s/\n/, /g')
mistake 2 "qd-aot: no target is named 'gfx11'; targets: $isas; targets of amdgcn, nearest first: $near" sums.qdk -t gfx11 -o x.o
mistake 2 "qd-aot: --target: ',' contains no value" sums.qdk -t , -o x.o
mistake 2 "qd-aot: target 'ref:w8' has no code; use 'qdir', the IR that it executes" sums.qdk -t ref:w8 -o x.o
mistake 3 "qd-aot: cannot open 'none': No such file or directory" sums.qdk --targets-file none -o x.o
mistake 3 "qd-aot: no device is available for 'native'; qd-info shows the reason for each driver" sums.qdk -t native -o x.o
echo 'kernel wide(a: u32[]) block(2048) { for i in grid(a.len) { a[i] = i; } }' >wide.qdk
mistake 1 "qd-aot: nothing to write: every variant is skipped; --list shows the reasons" wide.qdk -t gfx1100 -o x.o
QD_PATH=/nonexistent mistake 3 "qd-aot: target cubin: ptxas cannot be started; it is part of the CUDA toolkit and must be on the PATH" sums.qdk -t cubin:sm_90 -o x.o
mistake 1 "sums.qdk:7:51: error: log2_size 6 needs 64 lanes but target gfx1100 has 32 [E0210]
    7 |     let total = subgroup.reduce_add_tiled(src[i], L);
      |                                                   ^
help: write subgroup(64) after the parameters, or a smaller tile" sums.qdk -D L=6 -t gfx1100 -o x.o
right sums.qdk -D L=6 -t all -o x.o
right sums.qdk -t gfx1100:w64,spirv:w32,ptx:sm_90,qdir -o x.o
has "*
2 of 104 entries" list x.o -t spirv -k sum4
has "*
1 of 104 entries" list x.o -t gfx1100:w64 -k sum4

# -- Values and kernels
mistake 2 "qd-aot: -D takes NAME=VALUE or NAME=VALUE,VALUE..., not 'T'" sums.qdk -D T -o x.o
mistake 2 "qd-aot: -D T is given twice" sums.qdk -D T=f32 -D T=i32 -o x.o
mistake 2 "qd-aot: -D T: ',' contains no value" sums.qdk -D T=, -o x.o
mistake 2 "qd-aot: -D T: 'f31' is not a type or an integer" sums.qdk -D T=f31 -o x.o
mistake 2 "qd-aot: kernel 'tile_sum' does not accept -D T=f64: expected one of the types i32, u32, f32" sums.qdk -D T=f64 -o x.o
mistake 2 "qd-aot: kernel 'tile_sum' does not accept -D L=8: expected an integer 0..=7" sums.qdk -D L=1,8 -o x.o
mistake 2 "qd-aot: kernel 'tile_sum' does not accept -D L=f32: expected an integer 0..=7" sums.qdk -D L=f32 -o x.o
mistake 2 "qd-aot: no kernel has a template parameter 'M'; there are T, L" sums.qdk -D M=1 -o x.o
mistake 2 "qd-aot: no kernel has a template parameter 'M'; they have none" demo.qdk -D M=1 -o x.o
mistake 2 "qd-aot: no kernel here matches 'sums'; there are tile_sum, sum4" sums.qdk -k sums -o x.o
mistake 2 "qd-aot: --facts takes auto or none, not 'all'" sums.qdk --facts all -o x.o
right sums.qdk -k sum4 -t spirv,sm_80,qdir --facts none -o x.o
has "*
3 of 3 entries" list x.o
right sums.qdk -k sum4 -t spirv,sm_80,qdir --facts auto -o x.o
has "*
sum4                 -                spirv:w32:facts *
4 of 4 entries" list x.o
mistake 2 "qd-aot: --max-variants takes a number from 1 to 1048576, not '0'" sums.qdk --max-variants 0 -o x.o
mistake 2 "qd-aot: more than 20 variants of kernels; choose some with -k and -D, or raise --max-variants" sums.qdk --max-variants 20 -o x.o
mistake 2 "qd-aot: kernel 'tile_sum': L has 8 values; choose some of them with -D L=..." sums.qdk --max-variants 7 -o x.o
right sums.qdk --max-variants 25 -o x.o
right sums.qdk -k 'sum?' -t gfx1100 -o x.o
has "sum4                 -                gfx1100 *
1 of 1 entries" list x.o
right sums.qdk -D T=f32 -D L=0,5 -t ptx:sm_80 -k 'tile*' -o x.o
has "tile_sum             T=f32;L=0        ptx:sm_80 *
tile_sum             T=f32;L=5        ptx:sm_80 *
2 of 2 entries" list x.o
has "tile_sum             T=f32;L=5        ptx:sm_80 *
1 of 2 entries" list x.o -D L=5

# -- Names
mistake 2 "qd-aot: --stem takes a C identifier of at most 63 letters, not 'a-b'" sums.qdk --stem a-b -o x.o
mistake 2 "qd-aot: --stem takes a C identifier of at most 63 letters, not ''" sums.qdk --stem "" -o x.o
mistake 2 "qd-aot: --host takes x86_64 or aarch64, not 'sparc'" sums.qdk --host sparc -o x.o
mistake 2 "qd-aot: --compress takes auto, none, zstd or zstd:LEVEL, not 'lz4'" sums.qdk --compress lz4 -o x.o
mistake 2 "qd-aot: --compress=zstd takes a number from 1 to 19, not '20'" sums.qdk --compress=zstd:20 -o x.o
mistake 2 "qd-aot: --emit takes obj, files:DIR, cuda-fatbin or offload-bundle, not 'text'" sums.qdk --emit text -o x.o
mistake 2 "qd-aot: -j takes a number from 1 to 1024, not '0'" sums.qdk -j0 -o x.o
mistake 2 "qd-aot: --emit=cuda-fatbin needs a target 'ptx' or 'cubin'" sums.qdk --emit cuda-fatbin -t gfx1100 -o x.fatbin
mistake 2 "qd-aot: CUDA's loader accepts one kernel per fatbin, but there are several; choose one with -k and -D" sums.qdk --emit cuda-fatbin -o x.fatbin
mistake 2 "qd-aot: --emit=offload-bundle needs an AMD target" sums.qdk --emit offload-bundle -t ptx -o x.hipfb
mistake 3 "qd-aot: cannot create 'none/dir': No such file or directory" sums.qdk --emit files:none/dir
for name in "a b-c.d.o" "9.o" "-x.o" "ü.o" "no_dot" "\$(x).o" ".o"; do
	right sums.qdk -k sum4 -t gfx1100 -o "./$name"
	has "*
1 of 1 entries" list "./$name"
done
for file in "a b-c.d.h:a_b_c" "9.h:_9" "-x.h:_x" "ü.h:__" "no_dot.h:no_dot" "\$(x).h:__x_" ".h:_"; do
	n=$((n + 1))
	grep -qx "extern const unsigned char qd_fatbin_${file##*:}\[\];" "./${file%:*}" || fail "$file: $(cat "./${file%:*}")"
done
right sums.qdk -k sum4 -t gfx1100 -o h.o --header names.h --stem Sums_1
grep -qx 'extern const unsigned char qd_fatbin_Sums_1\[\];' names.h || fail "names.h: $(cat names.h)"
[ ! -e h.h ] || fail "--header writes another"
right sums.qdk -k sum4 -t gfx1100 -o h.o --no-header
[ ! -e h.h ] || fail "--no-header writes one"
right sums.qdk -k sum4 -t gfx1100 -o h.o --no-header --force

# -- A single image, selected by the output's name
right sums.qdk -k sum4 -t ptx:sm_80 -o x.ptx
mistake 2 "qd-aot: 'y.ptx' selects .ptx, but target gfx906 gives .hsaco; choose targets with -t, or name the output .o for a fatbin" \
	sums.qdk -k sum4 -t gfx906,ptx -o y.ptx
mistake 2 "qd-aot: 'y.ptx' holds one image, but there are 2; choose with -k, -D and -t, or name the output .o for a fatbin" \
	sums.qdk -k sum4 -t ptx:sm_70,ptx:sm_80 -o y.ptx
mistake 2 "qd-aot: 'y.hsaco' holds one image, but there are 2; choose with -k, -D and -t, or name the output .o for a fatbin" \
	sums.qdk -k sum4 -t gfx906,gfx942 -o y.hsaco
mistake 2 "qd-aot: the name 'y.spv' selects a single image: --header, --stem, --host and --verify apply to fatbins only; --emit=obj writes a fatbin with that name" \
	sums.qdk -k sum4 -t spirv -o y.spv --stem y
mistake 2 "qd-aot: 'qd-dis -t TARGET' prints the code as text; -o writes it to a file" sums.qdk -o x.s

# -- Options without effect
mistake 2 "qd-aot: --stem applies to compile, merge and strip only" list sums.o --stem x
mistake 2 "qd-aot: --output applies to compile, extract, merge and strip only" info sums.o -o x
mistake 2 "qd-aot: --target applies to compile, list, info, extract, merge, strip and verify only" why sums.o -t gfx906
mistake 2 "qd-aot: --kernel applies to compile, list, info, extract, merge, strip, verify and why only" -k x cache stat
mistake 2 "qd-aot: --list applies to compile only" extract --list sums.o
mistake 2 "qd-aot: --json applies to compile, list, info, verify, why and cache only" merge sums.o --json -o y.o
mistake 2 "qd-aot: --json needs --list for this command" sums.qdk --json -o y.o
mistake 2 "qd-aot: --emit=files:DIR writes into that directory; -o cannot be combined with it" sums.qdk --emit=files:y -o y.o
mistake 2 "qd-aot: --emit=files:DIR writes into that directory; -o cannot be combined with it" extract sums.o --emit=files:y -o y.o
mistake 2 "qd-aot: extract takes no --emit but files:DIR" extract sums.o --emit=cuda-fatbin
mistake 2 "qd-aot: the header would overwrite the output, 'y.o'" merge sums.o -o y.o --header y.o
mistake 2 "qd-aot: --stem takes a C identifier of at most 63 letters, not 'a-b'" merge sums.o -o y.o --stem a-b
mistake 2 "qd-aot: cache takes one of stat, list, clear and verify" cache
n=$((n + 1))
for o in $("$aot" --help | sed -nE 's/^ {2,6}(-[A-Za-z], )?--([a-z-]+).*/\2/p'); do # each option of its own must list its commands
	case $o in help | version | color | diag | man | completion | quiet) continue ;; esac
	grep -q "^	\[OPT_$(tr a-z- A-Z_ <<<"$o")\] = [^0]" <(sed -n '/goes_with\[/,/^};/p' "$src/src/tools/aot/qd-aot.c") || fail "--$o goes with nothing"
done

# -- A cache that does not exist
expect "no cache, stat" 0 "/nowhere/qd: 0 entries, 0 bytes; index 0 bytes; 0 unfinished" \
	"qd-aot: note: '/nowhere/qd' does not exist; nothing has been stored yet" env -u QD_CACHE_DIR XDG_CACHE_HOME=/nowhere "$aot" cache stat
expect "no cache, list" 0 "0 entries in /nowhere/qd" "*nothing has been stored yet" env QD_CACHE_DIR=/nowhere/qd "$aot" cache list
expect "no cache, verify" 0 "0 entries, 0 damaged and removed" "*" env QD_CACHE_DIR=/nowhere/qd "$aot" cache verify
expect "no cache, clear" 0 "removed from /nowhere/qd: 0 entries*" "*" env QD_CACHE_DIR=/nowhere/qd "$aot" cache clear

# -- Checks without output files
right sums.qdk --check
mistake 1 "bad.qdk:1:67: error: unknown name 'b' [E0116]
    1 | kernel broken(a: u32[]) block(32) { for i in grid(a.len) { a[i] = b; } }
      |                                                                   ^
help: declare it: by 'let', 'var', 'const' or 'fn', or as a parameter" bad.qdk --check
for word in --list --dry-run; do
	expect "$word" 0 "sum4                     -                    gfx1100
sum4                     -                    ptx:sm_70
1 kernels with their values, 2 targets: 2 images, 0 left out" "" "$aot" sums.qdk $word -t gfx1100,ptx -k sum4
done
expect "--list of skipped variants" 0 "tile_sum                 T=f32;L=5            gfx1100
tile_sum                 T=f32;L=6            gfx1100  left out: sums.qdk:7:51: error: log2_size 6 needs 64 lanes but target gfx1100 has 32 ?E0210?
tile_sum                 T=f32;L=7            gfx1100  left out: sums.qdk:7:51: error: log2_size 7 needs 128 lanes but target gfx1100 has 32 ?E0210?" \
	"" bash -c "'$aot' sums.qdk --list -k tile_sum -D T=f32 | grep -E 'L=[5-7] .* gfx1100( |\$)'"
expect "--list of nothing else" 0 "wide                     -                    gfx1100  left out: *
1 kernels with their values, 1 targets: 0 images, 1 left out" "" "$aot" wide.qdk -t gfx1100 --list
expect "--list of named values" 0 "tile_sum *L=6            gfx1100  left out: *
sum4 *" "" "$aot" sums.qdk -t gfx1100 -D L=6 -D T=f32 --list
has "tile_sum *sum4 *
25 kernels with their values, 40 targets: * images, * left out" sums.qdk --list
expect "summary" 0 "" "1 kernel with their values, 1 target: 1 images, 1 of them differ, 0 left out; * bytes, * stored; ?.?? s" "$aot" sums.qdk -t gfx1100 -k sum4 -o x.o
expect "-v" 0 "" "sum4  gfx1100: made
1 kernel with their values, *" "$aot" sums.qdk -t gfx1100 -k sum4 -o x.o -v

# -- Commands on fatbins
mistake 2 "qd-aot: extract takes one file" extract sums.o sums.o
mistake 1 "qd-aot: no entry matches; 'qd-aot list sums.o' shows them" extract sums.o -t gfx1100:w64
mistake 2 "qd-aot: 2 entries match, but -o names one file; choose one with -k, -D and -t, or pass a directory with --emit=files:DIR" \
	extract sums.o -k sum4 -t gfx1100,gfx906 -o x
mistake 2 "qd-aot: strip takes one file" strip sums.o sums.o -t gfx906 -o x.o
mistake 2 "qd-aot: strip removes the entries that -k, -t and -D select; none of them is given" strip sums.o -o x.o
mistake 1 "qd-aot: no entry is left" strip sums.o -t all -o y.o
mistake 2 "qd-aot: why takes one file" why sums.o two.o
mistake 2 "qd-aot: --device applies to why only" list sums.o -d ref:8
mistake 2 "qd-aot: error: device selector 'ref:7': the subgroup size must be one of 4, 8, 16, 32, 64, 128" why sums.o -d ref:7
mistake 3 "qd-aot: error: device selector 'gfx11': no driver 'gfx11'; drivers: cuda, amdgpu, vulkan, ref, emu
qd-aot: note: a target can replace a device that is not available: -d gfx1100, -d ptx:sm_80" why sums.o -d gfx11
mistake 1 "qd-aot: error: no kernel matches" why sums.o -d gfx1100 -k none
mistake 1 "qd-aot: error: no entry matches" info sums.o -k none
expect "nothing to list" 1 "0 of * entries" "qd-aot: error: no entry matches" "$aot" list sums.o -t gfx1
right sums.qdk -k sum4 -t gfx1100,ptx:sm_90,ptx:sm_60,qdir -o few.o
has "sum4 on a device of target gfx1100
  takes gfx1100: code of this processor
  then  qdir: the kernel, to be compiled
  not   ptx:sm_60, ptx:sm_90: it is code of 'ptx', and the device takes 'amdgcn'" why few.o -d gfx1100
has "sum4 on emu:sm_70 (PTX interpreter)
  takes ptx:sm_60: portable code
  then  qdir: the kernel, to be compiled
  not   ptx:sm_90: it is for later processors; the device is sm_70
  not   gfx1100: it is code of 'amdgcn', and the device takes 'ptx'" why few.o -d emu:sm_70
right strip few.o -t qdir -o fewer.o
expect "why of none" 1 "sum4 on a device of target gfx906
  not   gfx1100: it is for another processor; the device is gfx906
  not   ptx:sm_60, ptx:sm_90: it is code of 'ptx', and the device takes 'amdgcn'" "" "$aot" why fewer.o -d gfx906
QD_JIT=0 expect "why, compiling forbidden" 1 "sum4 on a device of target gfx906
  not   gfx1100: *
  not   qdir: QD_JIT=0 forbids compilation
  not   ptx:sm_60, ptx:sm_90: *" "" "$aot" why few.o -d gfx906
QD_TARGET=ptx:sm_60 expect "why, one entry" 0 "sum4 on emu:sm_90 (PTX interpreter)
  takes ptx:sm_60: portable code
  not   ptx:sm_90, gfx1100, qdir: QD_TARGET requests 'ptx:sm_60'" "" "$aot" why few.o -d emu:sm_90
has "sum4 for gfx1100
  amd code, * bytes; block 64 x 1 x 1 (64 threads, 64 of the hardware), subgroup 32
  shared 0 bytes, barriers 0, registers * of a thread, * of a wave
  arguments: 48 bytes; the grid is counted by the host
  src              in f32?? at byte 0
  dst              out f32?? at byte 16" info few.o -t gfx1100
# A closed output causes no crash.
expect "closed output" 3 "" "qd-aot: cannot write to the standard output*" bash -c "'$aot' list sums.o >/dev/full"
expect "a reader that closes the pipe" 0 "*" "" bash -c "set -o pipefail; '$aot' list sums.o --json | head -c 10 | cat; [ \${PIPESTATUS[0]} -ne 139 ]"
# Binary output is not written to a terminal.
if command -v script >/dev/null && script --version >/dev/null 2>&1; then
	script -qec "'$aot' sums.qdk -q -k sum4 -t gfx1100 -o -" /dev/null </dev/null >tty 2>&1
	n=$((n + 1))
	grep -q "binary\|terminal" tty || fail "to a terminal: $(head -c 200 tty)"
else
	echo "part skipped: script(1) is not available to create a terminal"
fi
[ -z "$(find . -name '*.tmp*')" ] || fail "a temporary file is left: $(find . -name '*.tmp*')"
echo "$n checks"
exit $bad
