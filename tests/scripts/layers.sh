#!/usr/bin/env bash
# layers.sh ROOT: checks dependencies between directories. Include directories already separate
# them for the compiler; this script finds headers that the compiler would find by accident. In
# src/, only the public headers and the tools may name a target. AMD's headers for generators must export
# prefixed names only.
set -u
cd "$1" || exit 2
bad=0

say() {
	echo "layers: $1" >&2
	bad=1
}

# includes FOLDER: prints the headers that its files include with quotes
includes() {
	find "$1" -maxdepth 1 -name '*.[ch]' -exec grep -hoE '^[[:space:]]*#[[:space:]]*include "[^"]+"' {} + |
		sed -E 's/.*"([^"]+)"/\1/' | sort -u
}

# component FOLDER ALLOWED...: checks that every quoted header of FOLDER's files is in FOLDER or an allowed
# directory, is an allowed file, or is an output of FOLDER's meson.build
components=
component() {
	local at=$1 h d found
	shift
	components="$components $at "
	[ -d "$at" ] || say "the directory $at does not exist"
	for h in $(includes "$at"); do
		found=
		for d in "$at" "$@"; do
			[ -f "$d/$h" ] || [ "$d" = "${d%/*}/$h" ] && found=1
		done
		grep -qsF "output: '$h'" "$at/meson.build" && found=1
		[ -n "$found" ] || say "$at includes \"$h\", which is not in $*"
	done
}

# Facts about AMD that several components use.
abi="isa/amd_abi.h isa/amd_abi.def isa/amd_descriptor.def"

component src/base src
component src/ir src src/base
component src/lang src src/base src/ir
component src/pass src src/base src/ir
component src/prim src src/base src/ir src/pass
component isa src src/base src/ir src/pass isa/spirv
component isa/spirv src src/base src/ir src/pass isa
component isa/ptx src src/base src/ir src/pass isa
component isa/amdgcn src src/base $abi
component isa/amdgcn/text src src/base isa/amdgcn
component isa/amdgcn/check src src/base isa/amdgcn
component isa/dis src src/base src/ir src/pass isa isa/amdgcn isa/amdgcn/check isa/spirv src/public
component isa/amdgcn/gen src src/base src/ir src/pass isa isa/amdgcn
component jit src src/base src/ir src/pass isa jit/disk jit/fatbin jit/file
component jit/disk src src/base jit jit/file
component jit/fatbin src src/base jit jit/file
component jit/file src src/base src/ir src/pass isa jit
component runtime src src/base jit jit/disk isa runtime/amdgpu runtime/cuda runtime/ref runtime/vulkan
component runtime/cuda src src/base jit jit/disk runtime isa
component runtime/amdgpu src src/base jit runtime isa
component runtime/vulkan src src/base jit jit/disk runtime isa
component runtime/ref src src/base src/ir jit runtime
component runtime/emu src src/base jit isa runtime runtime/emu/ptx runtime/emu/gcn runtime/emu/profile isa/amdgcn
component runtime/emu/gcn src src/base isa/amdgcn runtime/emu/profile
component runtime/emu/profile src src/base
component runtime/emu/ptx src src/base runtime/emu/profile
component tests/cases src tests/ref
component tests/ref src
component bench src src/base src/ir src/pass src/tools/common isa isa/amdgcn isa/amdgcn/text isa/amdgcn/check runtime/amdgpu runtime jit

for d in $(find isa jit runtime -name '*.[ch]' -printf '%h\n' | sort -u); do
	[[ $components == *" $d "* ]] || say "$d has no line here; add one with the directories whose headers it may include"
done

for d in isa/*/; do
	[ "$d" = isa/dis/ ] && continue # reads the code of all back ends
	for other in isa/*/; do
		[ "$other" = "$d" ] && continue
		for h in "$other"*.h; do
			[ -f "$h" ] || continue
			grep -rl "include \"$(basename "$h")\"" "$d" && say "${d%/} includes a header of ${other%/}"
		done
	done
done

grep -rnE 'include "(spirv|amdgcn)/' runtime --include='*.[ch]' | grep -v '"spirv/need.h"' &&
	say "runtime/ may use the bits of required features, and nothing else of a back end"

grep -nE -- '->(kernel|tmpl)\b|(->|\.)ir\b' runtime/*.[ch] runtime/amdgpu/[!p]*.[ch] runtime/cuda/*.[ch] runtime/vulkan/*.[ch] &&
	say "runtime/ reads an image's description, never its kernel; ref/ runs the IR"

# foreign.def and help.def name the languages whose keywords they explain; no code depends on them.
names='spirv|spir-v|vulkan|lavapipe|llvmpipe|swiftshader|\bptx\b|cuda|nvidia|amdgcn|amdgpu|\bgfx[0-9]'
hits=$(grep -rniE "$names" src --include='*.c' --include='*.h' --include='*.def' |
	grep -vE '^src/(qd\.h|public/qdgpu/dis\.h|tools/|lang/(foreign|help)\.def)')
[ -z "$hits" ] || say "a target's name in src/:
$hits"

python3 tests/scripts/prefix.py isa/amdgcn/gcn.h isa/amdgcn/call.h ||
	say "a header that a generator includes has names without the prefix gcn_ or GCN_"
exit $bad
