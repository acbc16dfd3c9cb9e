"""embed.py OUT PREFIX FILE...: texts as arrays of bytes in a C header, with a table of them, PREFIX_texts.

NAME.sm_75.sm_90.ptx becomes two texts, whose target is the one of the name."""
import os
import sys

out, prefix, files = sys.argv[1], sys.argv[2], sorted(sys.argv[3:])
with open(out, "w") as f:
    names = []
    for path in files:
        stem, *targets = os.path.splitext(os.path.basename(path))[0].split(".")
        for target in targets or [""]:
            name = f"{stem}.{target}".rstrip(".")
            ident = f"{prefix}_" + name.replace(".", "_")
            data = open(path, "rb").read().replace(b".target " + "".join(targets[:1]).encode(), b".target " + target.encode())
            f.write(f"static const char {ident}[] = {{\n")
            for i in range(0, len(data), 24):
                f.write("\t" + " ".join(f"{b}," for b in data[i : i + 24]) + "\n")
            f.write("\t0\n};\n")
            names.append((name, ident, len(data)))
    f.write(f"const struct {prefix}_text {prefix}_texts[] = {{\n")
    for name, ident, size in names:
        f.write(f'\t{{ "{name}", {ident}, {size} }},\n')
    f.write(f"}};\nconst unsigned {prefix}_n_texts = {len(names)};\n")
