"""embed.py OUT FILE...: PTX modules as arrays of bytes in a C header, with a table of them."""
import os
import sys

out, files = sys.argv[1], sorted(sys.argv[2:])
with open(out, "w") as f:
    names = []
    for path in files:
        name = os.path.basename(path)[: -len(".ptx")]
        ident = "ptx_" + name.replace(".", "_")
        data = open(path, "rb").read()
        f.write(f"static const char {ident}[] = {{\n")
        for i in range(0, len(data), 24):
            f.write("\t" + " ".join(f"{b}," for b in data[i : i + 24]) + "\n")
        f.write("\t0\n};\n")
        names.append((name, ident, len(data)))
    f.write("const struct emu_text emu_texts[] = {\n")
    for name, ident, size in names:
        f.write(f'\t{{ "{name}", {ident}, {size} }},\n')
    f.write(f"}};\nconst unsigned emu_n_texts = {len(names)};\n")
