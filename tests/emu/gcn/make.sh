#!/usr/bin/env bash
# make.sh: the code objects of every kernel here for every target, by clang 22.
set -eu
cd "$(dirname "$0")"
flags="--target=amdgcn-amd-amdhsa -O2 -nogpulib -x cl -cl-std=CL2.0 -Wall -Werror -ffp-contract=off
-cl-fp32-correctly-rounded-divide-sqrt -I../../gcn/kernels -mllvm -amdgpu-internalize-symbols"
for source in *.cl; do
	for target in gfx906 gfx90a gfx1030 gfx1100 gfx1100-w64 gfx1200; do
		wave=
		[ "$target" = "${target%-w64}" ] || wave=-mwavefrontsize64
		object=${source%.cl}.$target.co
		# shellcheck disable=SC2086
		clang-22 $flags -mcpu="${target%-w64}" $wave -o "$object" "$source"
		llvm-strip-22 "$object"
	done
done
