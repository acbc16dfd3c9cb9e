"""Tests the Python package of docs/examples, through QD_LIBRARY: values of every type, rejected
arguments, and the library's errors as exceptions."""
import sys
import warnings

import numpy as np

import qd

bad = 0
warnings.simplefilter('error')


def say(what):
    global bad
    bad = 1
    print('python: ' + what, file=sys.stderr)


def refused(kind, words, call):
    try:
        call()
    except kind as e:
        if words not in str(e):
            say(f"'{e}' does not say '{words}'")
        return e
    say(f"no error where '{words}' is expected")
    return None


device = qd.Device('ref:8')
n = 0
for name, dtype in qd.DTYPES.items():
    if name == 'bf16':
        continue
    wide = {'i8': 'i32', 'u8': 'u32', 'i16': 'i32', 'u16': 'u32', 'f16': 'f32'}.get(name, name)
    x = np.arange(100).astype(dtype)
    y = np.full(100, 3, dtype)
    device.run(f'kernel k(a: {wide}, x: in {name}[], y: {name}[]) block(64) {{ for i in grid(y.len) {{ y[i] = a * x[i] + y[i]; }} }}',
               2, x, y)
    if not np.array_equal(y, 2 * x + dtype(3)):
        say(f'{name}: {y}')
    n += 1
print(f'{n} types')

FILL = 'kernel fill(v: {0}, y: out {0}[]) block(32) {{ for i in grid(y.len) {{ y[i] = v; }} }}'
for name, value in (('i32', -2**31), ('u32', 2**32 - 1), ('i64', -2**63), ('u64', 2**64 - 1), ('f32', 0.1), ('f64', 0.1),
                    ('f32', float('inf')), ('i32', np.int64(5)), ('f64', 7)):
    y = np.zeros(5, qd.DTYPES[name])
    device.run(FILL.format(name), value, y)
    if not (y == y.dtype.type(value)).all():
        say(f'{name} {value}: {y}')

one = np.zeros(8, np.int32)
fill = FILL.format('i32')
refused(TypeError, 'v is i32, which does not hold 1.5', lambda: device.run(fill, 1.5, one))
for value in (2**31, -2**31 - 1, 2**80, float('nan'), float('inf'), -1e300):
    refused(TypeError, f'v is i32, which does not hold {value!r}', lambda: device.run(fill, value, one))
for value in ([1], '1', 1j, None, np.zeros(2), object()):
    refused(TypeError, 'v is i32: a number, not ', lambda: device.run(fill, value, one))
for value, wide in ((1e40, np.inf), (float('nan'), np.nan), (2**70, np.float32(2**70)), (True, 1)):
    y = np.zeros(5, np.float32)
    device.run(FILL.format('f32'), value, y)
    if not np.array_equal(y, np.full(5, wide, np.float32), equal_nan=True):
        say(f'f32 {value}: {y}')
refused(TypeError, 'y is i32[]: a numpy array of int32, not of float64', lambda: device.run(fill, 1, np.zeros(8)))
refused(TypeError, 'not of list', lambda: device.run(fill, 1, [1, 2]))
refused(TypeError, 'contiguous', lambda: device.run(fill, 1, np.zeros(8, np.int32)[::2]))
refused(TypeError, 'expected 2 arguments (v, y), found 1', lambda: device.run(fill, 1))
still = np.zeros(8, np.int32)
still.flags.writeable = False
refused(TypeError, 'writeable', lambda: device.run(fill, 1, still))
if one.any():
    say(f'a rejected call was executed: {one}')

e = refused(qd.Error, "t.qdk:1:22: error:", lambda: device.run('kernel k(a: i32[]) { oops; }', one, name='t.qdk'))
if e and (e.line, e.col) != (1, 22):
    say(f'line {e.line}, column {e.col}')
refused(TypeError, 'name one of the kernels of the text: a, b', lambda: device.run('kernel a() { } kernel b() { }'))
refused(qd.Error, 'nosuch', lambda: qd.Device('nosuch'))
refused(TypeError, 'a selector is text, as "vulkan:0" or "ref:32", not 0', lambda: qd.Device(0))
e = refused(qd.Error, 'race', lambda: device.run('kernel k(a: u32[]) block(64) { for i in grid(a.len) { a[0] = i; } }', np.zeros(8, np.uint32)))

tile = 'kernel t<T in {i32, f32}, static L in 0..=3>(x: T[]) block(64) { for i in grid(x.len) { x[i] = T(subgroup.tile_lane(L)); } }'
for kind in ('f32', np.float32, np.dtype('f4')):
    x = np.zeros(8, np.float32)
    device.run(tile, x, T=kind, L=2)
    if list(x) != [0, 1, 2, 3, 0, 1, 2, 3]:
        say(f'template {kind}: {x}')
for kind in ('float', np.complex64, None, 3.5, [1]):
    refused(TypeError, "is not a type of qd", lambda: device.run(tile, x, T=kind, L=2))
refused(qd.Error, '', lambda: device.run(tile, x, T='f32', L=9))

y = np.zeros(6, np.int32)
some = 'kernel b(y: i32[]) block(4) { y[block.global_thread_idx()] = 7; }'
device.run(some, y, blocks=1)
if list(y) != [7, 7, 7, 7, 0, 0]:
    say(f'blocks: {y}')
device.run(some.replace('7', '8'), y, blocks=0)
if list(y) != [7, 7, 7, 7, 0, 0]:
    say(f'no blocks: {y}')
device.close()
device.close()
sys.exit(bad)
