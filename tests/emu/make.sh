#!/usr/bin/env bash
# make.sh: compiles every kernel here to PTX with nvcc, and removes lines that depend on the time
# and place of the compilation.
set -eu
cd "$(dirname "$0")"
make() { # NAME SM
	nvcc -O3 -std=c++17 -arch="compute_${2#sm_}" -ptx "$1.cu" -o "$1.$2.ptx"
	sed -i -E '/^\/\//d; /^[[:space:]]*\.(file|loc)[[:space:]]/d; /^$/d' "$1.$2.ptx"
}
for k in atomic barrier bits block diverge memory real spin wide; do
	make $k sm_75
done
for k in async half redux; do
	make $k sm_80
done
make half sm_90
# The texts of the two targets must differ in .target alone.
for k in shuffle vote; do
	make $k sm_75
	make $k sm_90
	sed s/sm_75/sm_90/ $k.sm_75.ptx | cmp - $k.sm_90.ptx
	mv $k.sm_75.ptx $k.sm_75.sm_90.ptx
	rm $k.sm_90.ptx
done
