#!/usr/bin/env python3
"""format.py QD-AOT SOURCE: reads fatbins only by docs/fatbin.md and compares with qd-aot: every
byte of the index is accounted for, and the code equals the output of qd-aot extract. Hashes are
compared if the module xxhash is installed; groups are decompressed if zstd(1) is."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

try:
    import xxhash
except ImportError:
    xxhash = None
checks = 0


def check(good, what):
    global checks
    checks += 1
    if not good:
        sys.exit(f"format: {what}")


def sections(data):
    """Yields name, flags, alignment, offset, bytes and info of each section of an ELF64 file."""
    at, = struct.unpack_from("<Q", data, 40)
    n, names = struct.unpack_from("<HH", data, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, at + 64 * i) for i in range(n)]
    text = rows[names][4]
    for name, kind, flags, _, offset, size, _, _, align, _ in rows:
        end = data.index(b"\0", text + name)
        yield data[text + name:end].decode(), kind, flags, align, data[offset:offset + size]


def xxh3(data):
    """Returns the 16 bytes of the hash in the byte order of a fatbin, or None without xxhash."""
    return xxhash.xxh3_128(data).digest()[::-1] if xxhash else None


def unpack(codec, stored, raw):
    if codec == 0:
        return stored
    check(codec == 1, f"codec {codec}")
    if not shutil.which("zstd"):
        return None
    out = subprocess.run(["zstd", "-dcq"], input=stored, stdout=subprocess.PIPE, check=True).stdout
    check(len(out) == raw, "a group unpacks to another size")
    return out


def string(strings, at):
    check(at == 0 or strings[at - 1] == 0, "a string begins within another")
    return strings[at:strings.index(b"\0", at)].decode()


def read(data):
    """Maps (kernel, values, target, kind) to code, for the object's only index."""
    parts = list(sections(data))
    index = [p for p in parts if p[0] == "qd_fatbin"]
    images = [p for p in parts if p[0] == "qd_image"]
    note = [p[4] for p in parts if p[0] == ".note.qd"][0]
    check(len(index) == 1 and index[0][2:4] == (2 | 1 << 21, 64), f"section {index[0][:4]}")
    check(all(p[2:4] == (2, 16) for p in images), "a group's section")
    d = index[0][4]
    magic, digest, major, minor, header, row, group, zero, n_rows, n_groups, n_strings, size, emitters, last = \
        struct.unpack_from("<8s16sHHHHHHIIIQ16sQ", d)
    check(magic == b"QDFB\r\n\x1a\n" and (major, minor, header, row, group, zero, last) == (1, 0, 80, 64, 40, 0, 0), "header")
    check(size == len(d) == header + n_rows * row + n_groups * group + n_strings + 8 * n_groups, "sizes")
    check(len(images) == n_groups and n_strings % 8 == 0, "groups")
    check(d[size - 8 * n_groups:] == bytes(8 * n_groups), "distances before a linker")
    check(note == struct.pack("<III4sHH16s16s", 3, 36, 0x5144, b"qd\0\0", major, minor, emitters, digest), "note")
    check(emitters[0] == 0 and all(emitters[1:5]) and not any(emitters[5:]), f"emitters {emitters.hex()}")
    check(not xxhash or xxh3(d[24:size - 8 * n_groups]) == digest, "the index' hash")
    at = header + n_rows * row
    strings = d[at + n_groups * group:at + n_groups * group + n_strings]
    groups = []
    for i in range(n_groups):
        stored, raw, codec, zero, digest = struct.unpack_from("<QQII16s", d, at + group * i)
        check(stored == len(images[i][4]) and zero == 0, f"group {i}")
        groups.append(unpack(codec, images[i][4], raw))
        check(not xxhash or groups[i] is None or xxh3(groups[i]) == digest, f"hash of group {i}")
    found, before = {}, 0
    for i in range(n_rows):
        name, k, v, t, g, offset, bytes_, needs, shared, local, args, lanes, kind, flags, zero, last = \
            struct.unpack_from("<QIIIIIIQIHHHBBIQ", d, header + row * i)
        kernel, values, target = string(strings, k), string(strings, v), string(strings, t)
        check(name >= before and zero == last == 0 and flags in (0, 1), f"row {i}")
        before = name
        if xxhash:
            both = b"".join(xxh3(s.encode() + b"\0")[:8] for s in (kernel, values))
            check(xxh3(both)[:8] == struct.pack("<Q", name), f"row {i}: the names' hash")
        if groups[g] is None:
            continue
        entry = groups[g][offset:offset + bytes_]
        description, d_size, code, c_size = struct.unpack_from("<IIII", entry)
        version, _, m_local, _, _, _, _, m_shared = struct.unpack_from("<8I", entry, 16)
        check(description % 16 == code % 16 == offset % 16 == 0 and description == 112, f"row {i}: entry")
        check((code + c_size + 15) // 16 * 16 == bytes_ and not any(entry[code + c_size:]) and description + d_size <= code, f"row {i}: entry's sizes")
        check((m_local, m_shared) == (local, shared) and version > 0, f"row {i}: metadata")
        check(struct.unpack_from("<I", entry, description)[0] == d_size, f"row {i}: description")
        found[kernel, values, target, kind] = entry[code:code + c_size]
    return n_rows, found


def main():
    aot, source = os.path.abspath(sys.argv[1]), sys.argv[2]
    kernels = os.path.join(source, "docs", "examples", "tile_sum.qdk")
    suffixes = {"ptx": 1, "spv": 4, "ir": 5}
    with tempfile.TemporaryDirectory() as tmp:
        for how in "none", "auto":
            path, folder = os.path.join(tmp, "x.o"), os.path.join(tmp, how)
            subprocess.run([aot, "-q", "compile", kernels, f"--compress={how}", "--no-header", "-o", path], check=True)
            subprocess.run([aot, "-q", "extract", path, f"--emit=files:{folder}"], check=True)
            n, found = read(open(path, "rb").read())
            if not found:
                print("part skipped: zstd is not installed")
                continue
            check(len(found) == n == len(os.listdir(folder)), f"{n} rows, {len(found)} found")
            for (kernel, values, target, kind), code in found.items():
                name = "-".join(filter(None, [kernel, values, target])).replace(";", "-").replace(":", "-")
                suffix = {v: k for k, v in suffixes.items()}.get(kind, "hsaco")
                data = open(os.path.join(folder, f"{name}.{suffix}"), "rb").read()
                # For AMD, the object contains the code; only the descriptor's offset to it differs.
                same = data == code if kind != 3 else code[:16] in data and code[256:] in data
                check(same, f"{name}.{suffix} is another")
    print(f"{checks} checks{'' if xxhash else '; part skipped: the module xxhash is not installed'}")


if __name__ == "__main__":
    main()
