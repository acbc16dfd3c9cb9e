"""wrong.py QD.H OUT: generates calls with invalid arguments from qd.h, which t_wrong.c runs.

Each public call gets NULL for each of its pointers in turn, and each builder call gets invalid
values. The script reads only the declarations. It fails for a parameter type without an object
in OBJECTS. The test fails for a pointer that may be NULL but is not in OPTIONAL or COUNTED."""
import re
import sys

# Object of the test passed for each parameter type.
OBJECTS = {
    "struct qd_context *": "w->o.ctx", "struct qd_builder *": "w->b", "struct qd_kernel *": "w->o.kernel",
    "struct qd_module *": "w->o.module", "struct qd_image *": "w->o.image", "struct qd_device *": "w->o.dev",
    "struct qd_function *": "w->o.fn", "struct qd_buffer *": "w->o.buf", "struct qd_stream *": "w->o.stream",
    "struct qd_event *": "w->o.event", "struct qd_error *": "&w->e", "struct qd_context_desc *": "&w->desc",
    "struct qd_arg *": "w->args", "struct qd_tmpl *": "&w->tmpl", "qd_operator_fn *": "wrong_operator",
    "void *": "w->bytes", "char *": "w->text", "uint32_t *": "w->words", "size_t *": "&w->size",
    "uint64_t *": "&w->ns", "bool *": "&w->flag", "struct qd_val *": "w->vals",
    "struct qd_param_info *": "&w->param", "struct qd_tmpl_info *": "&w->tmpl_info",
    "struct qd_device_info *": "&w->info", "struct qd_function_info *": "&w->fn_info",
    "struct qd_cache_stats *": "&w->stats", "void **": "&w->host", "struct qd_fatbin *": "w->o.fatbin",
    "struct qd_fatbin_entry *": "&w->entry", "struct qd_object_options *": "&w->options",
    "struct qd_text *": "&w->source", "struct qd_imports *": "&w->imports",
}
VALUES = {"uint32_t": "0", "int32_t": "0", "uint64_t": "0", "int64_t": "0", "size_t": "0", "float": "0",
          "double": "0", "bool": "false", "qd_type": "QD_TYPE_U32", "qd_access": "QD_ACCESS_INOUT",
          "qd_mem_scope": "QD_SCOPE_DEVICE", "qd_mem_order": "QD_ORDER_ACQUIRE",
          "qd_status": "QD_OK"}
HANDLES = {"struct qd_val": "w->u", "struct qd_var": "w->var", "struct qd_array": "w->array"}
# Pointers that may be NULL if their count is 0, with the name of the count, which is set to 1.
COUNTED = {"tmpl": "n_tmpl", "args": "n_args", "code": "size", "src": "size", "dst": "size", "sizes": "n", "values": "n"}
TEXTS = {"len", "cap"}  # counts of text, of which a call has one
# Pointers that may be NULL according to qd.h.
OPTIONAL = {("qd_device_open", "selector"), ("qd_run", "name"), ("qd_run", "kernel"), ("qd_at", "file"),
            ("qd_module_parse", "name"), ("qd_fatbin_open", "name"), ("qd_image_from_object", "name"),
            ("qd_image_from_object", "kernel"), ("qd_image_from_object", "options"), ("qd_image_save", "bytes"), ("qd_kernel_read", "name"), ("qd_event_sync", "passed"),
            ("qd_subgroup_reduce", "user"), ("qd_subgroup_inclusive_scan", "user"),
            ("qd_subgroup_exclusive_scan", "user"), ("qd_block_reduce", "user"),
            ("qd_block_reduce_all", "user"), ("qd_block_inclusive_scan", "user"),
            ("qd_block_exclusive_scan", "user"),
            ("qd_device_list", "out"), ("qd_image_data", "size"), ("qd_kernel_print", "len")}
# Valid values for the other arguments of a call.
SPECIAL = {("qd_subgroup_reduce", "k"): "1", ("qd_subgroup_inclusive_scan", "k"): "1",
           ("qd_subgroup_exclusive_scan", "k"): "1", ("qd_block_reduce", "k"): "1",
           ("qd_block_reduce_all", "k"): "1", ("qd_block_inclusive_scan", "k"): "1",
           ("qd_block_exclusive_scan", "k"): "1",
           ("qd_buffer_fill", "value_size"): "4", ("qd_event_sync", "timeout_ns"): "QD_FOREVER",
           ("qd_builder_create", "name"): '"k"', ("qd_compile", "target"): '"ref"',
           ("qd_device_open", "selector"): '"ref:8"',
           ("qd_module_kernel", "name"): '"add"', ("qd_module_kernel", "out"): "&w->out_kernel",
           ("qd_fatbin_open", "data"): "w->o.saved", ("qd_fatbin_open", "size"): "w->o.saved_size",
           ("qd_fatbin_open_file", "path"): '"/nowhere"', ("qd_fatbin_function", "kernel"): '"add"',
           ("qd_image_load", "bytes"): "w->o.saved", ("qd_image_load", "size"): "w->o.saved_size",
           ("qd_block", "x"): "1", ("qd_block", "y"): "1", ("qd_block", "z"): "1"}


def params(text):
    out = []
    for p in text.split(","):
        p = " ".join(p.split())
        if p == "void":
            continue
        m = re.fullmatch(r"(?:const )?(.*?[ *])(\w+)", p)
        out.append((m.group(1).strip(), m.group(2)))
    return out


def value(fn, kind, name):
    if (fn, name) in SPECIAL:
        return SPECIAL[fn, name]
    if kind in VALUES:
        return VALUES[kind]
    if kind in HANDLES:
        return HANDLES[kind]
    if kind in OBJECTS:
        return OBJECTS[kind]
    m = re.fullmatch(r"struct qd_(\w+) \*\*", kind)
    if m:
        return f"&w->out_{m.group(1)}"
    sys.exit(f"wrong.py: {fn}: no object of type {kind} for {name}")


def calls_of(fn, result, ps):
    """Yields (name of the invalid argument, arguments, whether the call may succeed)."""
    for i, (kind, name) in enumerate(ps):
        args = [value(fn, k, n) for k, n in ps]
        if kind.endswith("*"):
            args[i] = "NULL"
            names = [n for _, n in ps]
            count = COUNTED.get(name)
            if name == "text":
                count = next((c for c in ("cap", "len") if c in names), None)
            if count in names:
                args[names.index(count)] = "1"
            fine = name == "err" or (fn, name) in OPTIONAL
            yield name, args, fine
        elif kind in HANDLES:
            args[i] = f"({kind}){{ 0 }}"
            yield name, args, False


def main():
    text = re.sub(r"/\*.*?\*/", "", open(sys.argv[1], encoding="utf-8").read(), flags=re.S)
    decls = re.findall(r"^QD_API\b\s*([^;]*?)\b(qd_\w+)\(([^;]*)\);", text, re.M)
    if len(decls) < 100 or len(decls) != len(re.findall(r"^QD_API\b", text, re.M)):
        sys.exit(f"wrong.py: {len(decls)} calls, which are not all of {sys.argv[1]}")
    body, rows = [], []
    for result, fn, ptext in decls:
        result = " ".join(result.split()).replace("const ", "")
        ps = params(ptext)
        builder = bool(ps) and ps[0][0] == "struct qd_builder *"
        if fn.endswith("_free") or fn.endswith("_close"):
            body.append(f"static void wrong_{fn}(struct world *w) {{ (void)w; {fn}(NULL); }}")
            rows.append(f'\t{{ "{fn}", "NULL", WRONG_QUIET, .call = wrong_{fn} }},')
            continue
        n = 0
        for what, args, fine in calls_of(fn, result, ps):
            name = f"wrong_{fn}_{what}"
            call = f"{fn}({', '.join(args)})"
            if builder and fn not in ("qd_builder_finish", "qd_builder_status", "qd_at", "qd_val_type"):
                kind = "WRONG_NO_BUILDER" if what == ps[0][1] else "WRONG_FINE" if fine else "WRONG_BUILDER"
            elif result != "qd_status" or fn == "qd_builder_status":
                kind = "WRONG_QUIET"
            else:
                kind = "WRONG_FINE" if fine else "WRONG_STATUS"
            if result == "qd_status" and kind != "WRONG_QUIET":
                body.append(f"static void {name}(struct world *w) {{ w->st = {call}; }}")
            else:
                body.append(f"static void {name}(struct world *w) {{ (void)w; (void){call}; }}"
                            if result != "void" else
                            f"static void {name}(struct world *w) {{ (void)w; {call}; }}")
            rows.append(f'\t{{ "{fn}", "{what}", {kind}, .call = {name} }},')
            n += 1
        if not n:
            rows.append(f'\t{{ "{fn}", "", WRONG_CANNOT, .call = NULL }},')
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        print("/* Made from qd.h by wrong.py. */", file=out)
        print("\n".join(body), file=out)
        print("static const struct wrong_call wrong_calls[] = {", file=out)
        print("\n".join(rows), file=out)
        print("};", file=out)


main()
