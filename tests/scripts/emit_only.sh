#!/usr/bin/env bash
# emit_only.sh PROGRAM: a statically linked program that only compiles kernels. It must work, and must contain
# neither emulators, interpreter, drivers nor any function of libqdgpu-dis.
set -u
bad=0
"$1" | grep -qE '^[0-9]+ bytes$' || { echo "emit_only: $1 compiles nothing" >&2; exit 1; }
symbols=$(nm "$1" | awk '{ print $NF }')
has() { grep -qxE "$1" <<<"$symbols"; }
for name in qd_compile isa_amdgcn isa_ptx isa_spirv; do
	has "$name" || { echo "emit_only: $1 has no $name, so the check is void" >&2; bad=1; }
done
for name in ${QD_TEST_MUTATION-} 'ptx_module_parse' 'warp_run' 'amd_.*' 'driver_.*' 'gcn_print' 'gcn_hazards' 'gcn_waits' 'gcn_assemble' \
	'spv_dis' 'dis_.*' 'qd_dis_.*'; do
	has "$name" && { echo "emit_only: $1 contains $(grep -xE -m1 "$name" <<<"$symbols")" >&2; bad=1; }
done
echo "$(wc -l <<<"$symbols") symbols"
exit $bad
