#!/usr/bin/env python3
"""names.py ROOT: no file name or identifier is one that a term of the field replaced.

Each row of REPLACED is a pattern and the term to use instead. Strings and comments of C are checked
too, except where a row says `code`. QD_TEST_MUTATION checks a text with every old name instead of the tree."""
import os
import re
import sys

from copy_tree import files

LITERAL = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
REPLACED = [  # pattern, term, "code": identifiers alone
    (r"\bQD_UNTOLD\b", "QD_IGNORE_ERROR", ""),
    (r"\b(?:EFFECT|HAS)_TELL\b", "EFFECT_DEBUG, HAS_DEBUG", ""),
    (r"\bgen_place\b", "gen_regclass", ""),
    (r"\bgcn_place\b", "gcn_bind_label", ""),
    (r"\bgen_(?:settle|pay|ready)\b", "gen_drain_waits, gen_flush_pending, gen_wait_reg", ""),
    (r"\bgen_wants\b", "gen_kernel_inputs", ""),
    (r"\bstruct gcn_flow\b", "struct cfg", ""),
    (r"\bstruct description\b|\bdescription_(?:param|slot|step)\b|\bDESCRIBE_[A-Z_]+", "struct launch_layout", ""),
    (r"\bpass_(?:partial|exits|quirk|sweep|uniform)\b", "the names of the files in src/pass", ""),
    (r"\benum absent\b|\bABSENT_[A-Z]+", "enum padding_effect", "code"),
    (r"\bWHOLE\(", "BLOCK_OP", "code"),
    (r"\bladder\b|\bladder_\w+|\bLADDER_\w+", "bring-up", ""),
    (r"\blaw of sums\b|\"law\"|--family law\b|\bX\(law\)", "canonical order", ""),
    (r"\bwhom\b|\bgcn_whom\b|\bWHOM_\w+", "partner", "code"),
    (r"\bQD_TEST_TELL\b|\bGEN_TOLD\b|\bg(?:cn|en)[_-]told\b|\bS_TELL\b|\bTELL_\w+", "QD_TEST_VERBOSE, GEN_TRACE, S_DEBUG", ""),
    (r"\b(?:told|untold|teller)\b|\btell_\w+|\b\w+_(?:un)?told\b|\b\w*TOLD\b", "reported", "code"),
    (r"\b(?:judge|survey|enact|spell|learn)\b|\bjudge_\w+|\bBY_JUDGE\b|\b\w+_learn\b", "a verb for the action of the function", "code"),
    (r"\babsent_?\b|\bpresent\b|\b(?:is|if|some|implies)_present\b|\bpresent_lanes\b|\bORIGIN_ABSENT\b", "padding, ordinary, included", "code"),
    (r"\b(?:absent|present) (?:lane|thread|member)s?\b|\b(?:lane|thread|member)s? that (?:is|are) (?:absent|present)\b", "padding thread, inactive lane", ""),
    (r"(?:->|\.)description(?:_at|_size)?\b", "layout", "code"),
    (r"\bgen_put_owed\b|\bgen_place_at\b|\bdis_parts(?:_\w+)?\b", "gen_emit_pending, gen_bind_join, dis_side", "code"),
    (r"\b(?:kgd|cuda|vulkan|host)_(?:put_)?stamp(?:_\w+)?\b|\bkgd_builtin\w*", "timestamp, kgd_copy_kernels", "code"),
    (r"\bgen_ready_now\b|\bgen_wants_\w+", "gen_wait_reg_now, gen_needs_lds, gen_has_word", "code"),
    (r"\bQD_(?:TEST|FUZZ)_PLANT\b|\bplant(?:ed|s)?\b", "mutation, injected fault", ""),
]
OLD_FILES = re.compile(
    r"gen/(?:count|states|put|plan|reg|write|wide|divide_wide|scan_wide)\.[ch]|src/prim/(?:pair|gather|fold|number)\.c"
    r"|src/pass/(?:partial|exits|quirk|sweep|level|uniform|legalise)\.c|src/base/number\.c|runtime/ref/(?:check|whole|tell)\.c|src/lang/check\.c|runtime/emu/gcn/(?:flight|land|count)\.c"
    r"|tests/(?:gcn/told\.c|tools/tells\.qdk|amdgpu_fake/absent\.c)|runtime/(?:use|unused|host|choose)\.c|runtime/\w+/(?:builtin|stamp)\.c|jit/(?:disk/)?(?:disk_mark|describe)\.[ch]|\w*(?:plant|ladder)\w*\.(?:c|h|sh|py)$")
INJECTED = """QD_UNTOLD EFFECT_TELL gen_place gcn_place gen_settle gen_wants; struct gcn_flow f; struct description d;
pass_partial(); enum absent a; WHOLE(x) ladder_run judge(x) planted X(law) whom QD_TEST_TELL told present
i->description gen_put_owed kgd_stamp_take gen_ready_now /* an absent lane */"""


def main():
    root, rc = sys.argv[1], 0
    texts = {}
    for path in sorted(files(root)):
        if path.endswith((".c", ".h", ".def", ".cpp", ".py", ".sh", "meson.build", ".md")) and path != "tests/scripts/names.py":
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
                texts[path] = f.read()
    if os.environ.get("QD_TEST_MUTATION"):
        texts = {"src/pass/quirk.c": INJECTED}
    found = set()
    for path, text in texts.items():
        if OLD_FILES.search(path):
            print(f"names: {path} has the name of a file that was renamed")
            rc = 1
        code = LITERAL.sub(lambda m: "\n" * m[0].count("\n"), text) if path.endswith((".c", ".h", ".def", ".cpp")) else None
        for pattern, term, where in REPLACED:
            if where == "code" and code is None or path == "CHANGELOG.md":
                continue
            for m in re.finditer(pattern, code if where == "code" else text):
                found.add(pattern)
                line = (code if where == "code" else text)[: m.start()].count("\n") + 1
                print(f"names: {path}:{line}: '{m[0]}'; the term is {term}")
                rc = 1
    if os.environ.get("QD_TEST_MUTATION") and len(found) != len(REPLACED):
        print(f"names: {len(REPLACED) - len(found)} old names were not found")
        rc = 0
    sys.exit(rc)


main()
