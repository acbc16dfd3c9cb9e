#!/bin/bash
# Checks code objects that qd wrote with LLVM 22. llvm-readelf must read each completely and
# accept its metadata; llvm-objdump must find every kernel and decode its descriptor.
# objects.sh PROGRAM   (which writes the objects)
set -u
program=$1
bin=/usr/lib/llvm-22/bin
for tool in llvm-readelf llvm-objdump; do
	[ -x $bin/$tool ] || { echo "SKIP: $tool of LLVM 22 is not installed"; exit 77; }
done
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

say() {
	echo "objects: $1"
	failed=1
}

read_by() { # TOOL OPTION... FILE...: appends the tool's output to said
	"$bin/$1" "${@:2}" >>"$dir/said" 2>"$dir/err" || say "$1 ends with $?"
	if grep -iE 'invalid amdgpu|warning|corrupt|<unknown' "$dir/said" "$dir/err" >"$dir/bad" || [ -s "$dir/err" ]; then
		say "$1 on ${*: -1}:"
		head -5 "$dir/bad" "$dir/err"
	fi
}

count() { # PATTERN WANT: checks the number of matching lines
	local n
	n=$(grep -cE -- "$1" "$dir/said")
	[ "$n" = "$2" ] || say "$n lines with '$1', not $2"
}

"$program" "$dir" >"$dir/list"
rc=$?
[ $rc = 0 ] || { cat "$dir/list"; exit $rc; }
mapfile -t files < <(cut -d ' ' -f 1 "$dir/list")
n=$(awk '{n += $3} END {print n}' "$dir/list")
# Fault injection: the metadata of one object lacks a required key.
[ -z "${QD_TEST_MUTATION-}" ] || sed -i 's/\.vgpr_count/.vgpr_cound/' "${files[0]}"

read_by llvm-readelf -a "${files[@]}"
count '^ +\.symbol: ' "$n"
count ' OBJECT +GLOBAL PROTECTED +[0-9]+ .*\.kd$' $((2 * n))
sed -nE "s/^amdhsa.target: +'?([^']*)'?\$/\1/p" "$dir/said" >"$dir/targets"
awk '{print "amdgcn-amd-amdhsa--" $2}' "$dir/list" | diff - "$dir/targets" >"$dir/bad" || {
	say "the metadata is for other targets:"
	head -5 "$dir/bad"
}
[ $failed = 0 ] || exit 1

# llvm-objdump applies the processor of the first file to all files.
: >"$dir/said"
for target in $(cut -d ' ' -f 2 "$dir/list" | sort -u); do
	read_by llvm-objdump -D -j .text -j .rodata "$dir/$target"-w*.hsaco
done
count '^[[:space:]]s_endpgm ' "$n"
count '^[0-9a-f]+ <.*\.kd>:' "$n"
count '^[0-9a-f]+ <.*>:' $((2 * n))
count '^\.amdhsa_kernel ' "$n"
count '\.amdhsa_user_sgpr_kernarg_segment_ptr 1' "$n"
echo "objects: ${#files[@]}, with $n kernels"
[ ${#files[@]} -gt 40 ] || say "that is too few"
exit $failed
