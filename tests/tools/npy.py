"""npy.py QD-RUN FOLDER: .npy files of every type, written by qd-run and read here and by qd-run;
and written here as NumPy does (or by NumPy, if it is installed) and read by qd-run."""
import ast
import os
import struct
import subprocess
import sys

run, folder = sys.argv[1:]
types = {'i8': '|i1', 'u8': '|u1', 'i16': '<i2', 'u16': '<u2', 'i32': '<i4', 'u32': '<u4', 'i64': '<i8',
         'u64': '<u8', 'f16': '<f2', 'f32': '<f4', 'f64': '<f8', 'bf16': '<V2'}
path = os.path.join(folder, 'x.npy')
bad = 0


def fail(*what):
    global bad
    bad = 1
    print(*what, file=sys.stderr)


def call(*args):
    p = subprocess.run([run, '-d', 'ref:4', 'copy.qdk', *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def read(name):
    data = open(name, 'rb').read()
    if data[:8] != b'\x93NUMPY\1\0' or (10 + struct.unpack('<H', data[8:10])[0]) % 64:
        fail(name, data[:16])
    end = 10 + struct.unpack('<H', data[8:10])[0]
    return ast.literal_eval(data[10:end].decode()), data[end:]


def write(name, version, descr, shape, data, fortran=False):
    text = repr({'descr': descr, 'fortran_order': fortran, 'shape': shape})
    start = 10 if version == 1 else 12
    text += ' ' * (63 - (start + len(text)) % 64) + '\n'
    size = struct.pack('<H' if version == 1 else '<I', len(text))
    with open(name, 'wb') as f:
        f.write(b'\x93NUMPY' + bytes([version, 0]) + size + text.encode() + data)


for name, descr in types.items():
    size = int(descr[2:])
    code, out, err = call('-k', 'copy_' + name, 'a=iota:100', 'b=zero', '-o', 'b=' + path)
    header, data = read(path)
    if code or out or err or header != {'descr': descr, 'fortran_order': False, 'shape': (100,)} \
            or len(data) != 100 * size:
        fail(name, code, out, err, header, len(data))
    code, out, err = call('-k', 'copy_' + name, 'a=@' + path, 'b=zero', '--expect', 'b=iota')
    if code or out.split()[1:] != [str(i) for i in range(100)]:
        fail(name, code, out, err)
    for version in 1, 2, 3:
        write(path, version, descr, (2, 3), data[:6 * size], fortran=False)
        code, out, err = call('-k', 'copy_' + name, 'a=@' + path, 'b=zero')
        if code or out != 'b: 0 1 2 3 4 5\n':
            fail(name, version, code, out, err)

for descr, shape, fortran, why in (
        ('<f8', (3,), False, "its elements are '<f8' (f64), the parameter's are '<f4' (f32)"),
        ('>f4', (3,), False, "its elements are '>f4', big-endian; expected '<f4': save it with a.astype('<f4')"),
        ('<f4', (3, 1), True, "its 2 dimensions are in Fortran's order; save it with numpy.ascontiguousarray(a)"),
        ('<f4', (4,), False, 'its shape has 4 elements of 4 bytes; 12 bytes follow the header')):
    write(path, 1, descr, shape, bytes(12), fortran)
    got = call('-k', 'copy_f32', 'a=@' + path, 'b=zero')
    if got != (1, '', "qd-run: a: '%s': %s\n" % (path, why)):
        fail(got)

try:
    import numpy
except ImportError:
    numpy = None
for name, descr in types.items() if numpy else ():
    if name == 'bf16':
        continue
    a = numpy.arange(20).astype(descr).reshape(4, 5)
    numpy.save(path, a)
    copy = os.path.join(folder, 'copy.npy')
    code, out, err = call('-k', 'copy_' + name, 'a=@' + path, 'b=zero', '-o', 'b=' + copy)
    back = numpy.load(copy)
    if code or back.dtype != a.dtype or not (back == a.reshape(20)).all():
        fail('numpy', name, code, out, err, back)
sys.exit(bad)
