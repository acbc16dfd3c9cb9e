"""floats.py QD-RUN COUNT: random f64 bits print as in Python; random f32, f16 and bf16 bits print
as the shortest text that reads back to the same bits."""
import math
import os
import struct
import subprocess
import sys
import tempfile

run, count = sys.argv[1], int(sys.argv[2])
bad = 0


def printed(kernel, raw):
    with tempfile.NamedTemporaryFile() as f:
        f.write(raw)
        f.flush()
        out = subprocess.run([run, '-d', 'ref:4', '-k', kernel, 'copy.qdk', 'a=@' + f.name, 'b=zero'],
                             stdout=subprocess.PIPE, check=True).stdout.decode()
    return out.split()[1:]


def as_python(v):
    text = 'nan' if math.isnan(v) else repr(v)
    return text[:-2] if text.endswith('.0') else text


def check(good, *what):
    global bad
    if not good:
        bad += 1
        if bad < 10:
            print(*what, file=sys.stderr)


def bf16(v):  # rounds to nearest even
    u = struct.unpack('<I', struct.pack('<f', v))[0]
    return struct.pack('<H', (u + 0x7fff + (u >> 16 & 1)) >> 16)


def f32(v):
    try:
        return struct.pack('<f', v)
    except OverflowError:
        return b''


def f16(v):
    try:
        return struct.pack('<e', v)
    except OverflowError:
        return b''


def spelled(text):
    """Checks that exponents are written as in Python, for every type."""
    digits, _, exp = text.lstrip('-').partition('e')
    v = float(text)
    if v == 0 or math.isinf(v) or math.isnan(v):
        return True
    return bool(exp) == (not 1e-4 <= abs(v) < 1e16)


raw = os.urandom(8 * count) + b''.join(
    struct.pack('<d', v) for v in [2.0 ** e for e in range(-1074, 1024)] + [10.0 ** e for e in range(-323, 309)] +
    [i / 100 for i in range(2000)])
texts = printed('copy_f64', raw)
values = [v for v, in struct.iter_unpack('<d', raw)]
check(len(texts) == len(values), len(texts), 'of', len(values))
for v, text in zip(values, texts):
    check(text == as_python(v), text, 'is not', as_python(v))

for kernel, size, pack in ('copy_f32', 4, f32), ('copy_f16', 2, f16), ('copy_bf16', 2, bf16):
    raw = os.urandom(size * count)
    texts = printed(kernel, raw)
    check(len(texts) * size == len(raw), kernel, len(texts))
    for i, text in enumerate(texts):
        bits = raw[size * i:size * i + size]
        v = float(text)
        if math.isnan(v):
            check(text == 'nan', text)
            continue
        check(math.isinf(v) or pack(v) == bits, kernel, text, bits.hex())
        check(spelled(text), kernel, text)
        n = len(text.lstrip('-').partition('e')[0].replace('.', '').strip('0'))
        if n > 1 and not math.isinf(v):
            shorter = float('%.*e' % (n - 2, v))
            check(pack(shorter) != bits, kernel, text, 'is longer than', shorter)
sys.exit(bad != 0)
