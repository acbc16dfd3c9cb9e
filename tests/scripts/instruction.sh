#!/usr/bin/env bash
# instruction.sh ROOT: follows docs/add-an-instruction.md in a copy of the tree: removes the
# instructions that the page adds, checks that the tests it names report them as missing, applies
# its steps, and runs the tests again. Without LLVM 22 only the unit tests run.
set -euo pipefail
# shellcheck source=tests/scripts/tree.sh
. "$(dirname "$0")/tree.sh"
page=docs/add-an-instruction.md
python3 "$root/tests/scripts/steps.py" --undo $page .
configure
checkers=(tests/run tests/gcn_rows) llvm=
if grep -q 'tests/llvm_diff' build/build.ninja; then
	checkers+=(tests/llvm_diff tests/effects) llvm=1
else
	echo "part skipped: libLLVM-22 and its headers are not installed"
fi

# The tests must report the missing instructions.
build "${checkers[@]}"
if build/tests/run --units --family 'gcn_effect' >"$tmp/out" 2>&1 || ! grep -q s_addk_i32 "$tmp/out"; then
	echo "the units did not miss s_addk_i32"
	exit 1
fi
opcodes() { # TARGET FORMAT
	build/tests/llvm_diff opcodes -t "$1" -f "$2" >"$tmp/out" 2>&1
}
missed() { # TARGET FORMAT TEXT
	if opcodes "$1" "$2" || ! grep -q "$3" "$tmp/out"; then
		echo "the opcodes of LLVM did not miss $3"
		exit 1
	fi
}
if [ -n "$llvm" ]; then
	missed gfx1200 VOP3 v_minimum3_f32
	missed gfx950 VOP1 v_prng_b32
	missed gfx906 VOP3 v_mqsad_u32_u8
fi

python3 "$root/tests/scripts/steps.py" "$page" .
diff -r "$root/isa/amdgcn" isa/amdgcn # the page contains exactly these rows
diff -r "$root/runtime/emu/gcn" runtime/emu/gcn
build "${checkers[@]}"
build/tests/run --units --family gcn_effect | tail -1
units
if [ -n "$llvm" ]; then
	for t in 'gfx1200 VOP3' 'gfx950 VOP1' 'gfx906 VOP3'; do
		# shellcheck disable=SC2086
		opcodes $t || { tail "$tmp/out"; exit 1; }
		tail -1 "$tmp/out"
	done
	build/tests/effects 2 3 | tail -1
fi
rc=0
bash tests/gcn/rows.sh build/tests/gcn_rows 20 1 gfx906 gfx950 gfx1200 >"$tmp/out" || rc=$?
grep -E '^rows |SKIP' "$tmp/out"
[ $rc -eq 0 ] || [ $rc -eq 77 ]
