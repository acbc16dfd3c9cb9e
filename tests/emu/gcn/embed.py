"""embed.py OUT FILE...: code objects as arrays of bytes in a C header, with a table of them."""
import os
import sys

out, files = sys.argv[1], sorted(sys.argv[2:])
with open(out, "w") as f:
    rows = []
    for path in files:
        source, target = os.path.basename(path)[: -len(".co")].split(".")
        ident = f"co_{source}_{target}".replace("-", "_")
        data = open(path, "rb").read()
        f.write(f"static const uint8_t {ident}[] = {{\n")
        for i in range(0, len(data), 24):
            f.write("\t" + " ".join(f"{b}," for b in data[i : i + 24]) + "\n")
        f.write("};\n")
        rows.append((source, target, ident, len(data)))
    f.write("const struct wave_object wave_objects[] = {\n")
    for source, target, ident, size in rows:
        wave = 64 if target.endswith("-w64") else 0
        f.write(f'\t{{ "{source}", "{target.removesuffix("-w64")}", {wave}, {ident}, {size} }},\n')
    f.write(f"}};\nconst unsigned wave_n_objects = {len(rows)};\n")
