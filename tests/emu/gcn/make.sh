#!/usr/bin/env bash
# make.sh: compiles every kernel here to a code object for every target with clang 22; also those of
# object.cl in version 4, and those of hip.hip.
set -eu
cd "$(dirname "$0")"
flags="--target=amdgcn-amd-amdhsa -O2 -nogpulib -x cl -cl-std=CL2.0 -Wall -Werror -ffp-contract=off
-cl-fp32-correctly-rounded-divide-sqrt -I../../gcn/kernels -mllvm -amdgpu-internalize-symbols"
make() { # SOURCE TARGET OBJECT OPTION...: compiles one
	wave=
	[ "$2" = "${2%-w64}" ] || wave=-mwavefrontsize64
	# shellcheck disable=SC2086
	clang-22 $flags -mcpu="${2%-w64}" $wave "${@:4}" -o "$3" "$1"
	llvm-strip-22 "$3"
}
for target in gfx906 gfx90a gfx942 gfx1030 gfx1100 gfx1100-w64 gfx1200; do
	for source in *.cl; do
		make "$source" $target "${source%.cl}.$target.co" -DHIDDEN_SIZES=1
	done
	# In version 4 the dispatch packet holds the sizes of the launch.
	make object.cl $target object-v4.$target.co -DHIDDEN_SIZES=0 -mcode-object-version=4
done
# HIP without its headers; -cuid determines the name of __hip_cuid_.
for target in gfx906 gfx942 gfx1030 gfx1100 gfx1200; do
	clang-22 -x hip --offload-arch=$target --offload-device-only --no-gpu-bundle-output -nogpulib -nogpuinc -O2 \
		-Wall -Werror -cuid=qd -o hip.$target.co hip.hip
	llvm-strip-22 hip.$target.co
done
# A host program's bundle, compressed, for two processors; the host's entry is empty.
clang-offload-bundler-22 -type=o -compress -input=/dev/null -input=hip.gfx942.co -input=hip.gfx1100.co -output=hip.hipfb \
	-targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx942,hipv4-amdgcn-amd-amdhsa--gfx1100
