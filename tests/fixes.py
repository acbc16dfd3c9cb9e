#!/usr/bin/env python3
"""fixes.py QD-RUN: the help of a message, when followed, gives the right numbers.  Each row is a kernel with
a mistake, what its help says, the edits that follow the help, and what the edited kernel computes.  With
QD_TEST_PLANT the edits are left out, and each row fails."""
import os
import subprocess
import sys
import tempfile

run = sys.argv[1]
plant = 'QD_TEST_PLANT' in os.environ
HEAD = 'kernel k(a: f32[], b: i32[]) block(64) {\n  for i in grid(a.len) {\n    '
TAIL = '\n  }\n}\n'
VALUES = ['-d', 'ref:8', 'a=-1,2,-3,4,5,-6,7,8', 'b=1,2,3,4,5,6,7,8']


def body(text):
    return HEAD + text + TAIL


ROWS = [
    # name, text, arguments, help, edits, output
    ('a sum in an if', body('if a[i] > 0.0 { a[i] = subgroup.reduce_add(a[i]); }'), VALUES,
     "call it before the 'if', in all lanes: let r = subgroup.reduce_add(select(c, v, -0.0))",
     [('if a[i] > 0.0 { a[i] = subgroup.reduce_add(a[i]); }',
       'let c = a[i] > 0.0; let r = subgroup.reduce_add(select(c, a[i], -0.0)); if c { a[i] = r; }')],
     'a: -1 26 -3 26 26 -6 26 26'),
    ('a product in an else', body('if a[i] > 0.0 { b[i] = 0; } else { a[i] = subgroup.reduce_mul(a[i]); }'), VALUES,
     "let r = subgroup.reduce_mul(select(c, v, 1.0)); c is the condition of the 'if', !c in its 'else'",
     [('if a[i] > 0.0 { b[i] = 0; } else { a[i] = subgroup.reduce_mul(a[i]); }',
       'let c = a[i] > 0.0; let r = subgroup.reduce_mul(select(!c, a[i], 1.0)); if c { b[i] = 0; } else { a[i] = r; }')],
     'a: -18 2 -18 4 5 -18 7 8'),
    ('a least float', body('if a[i] > 0.0 { a[i] = subgroup.reduce_min(a[i]); }'), VALUES,
     'subgroup.reduce_min(select(c, v, nan))',
     [('if a[i] > 0.0 { a[i] = subgroup.reduce_min(a[i]); }',
       'let c = a[i] > 0.0; let r = subgroup.reduce_min(select(c, a[i], nan)); if c { a[i] = r; }')],
     'a: -1 2 -3 2 2 -6 2 2'),
    ('a greatest integer', body('if a[i] < 0.0 { b[i] = -subgroup.reduce_max(b[i]); }'), VALUES,
     'subgroup.reduce_max(select(c, v, i32.min))',
     [('if a[i] < 0.0 { b[i] = -subgroup.reduce_max(b[i]); }',
       'let c = a[i] < 0.0; let r = subgroup.reduce_max(select(c, b[i], i32.min)); if c { b[i] = -r; }')],
     'b: -6 2 -6 4 5 -6 7 8'),
    ('a bitwise and', body('if a[i] > 4.0 { b[i] = subgroup.reduce_and(b[i]); }'), VALUES,
     'subgroup.reduce_and(select(c, v, -1))',
     [('if a[i] > 4.0 { b[i] = subgroup.reduce_and(b[i]); }',
       'let c = a[i] > 4.0; let r = subgroup.reduce_and(select(c, b[i], -1)); if c { b[i] = r; }')],
     'b: 1 2 3 4 0 6 0 0'),
    ('a tile', body('if a[i] > 0.0 { b[i] = subgroup.reduce_or_tiled(b[i], 2); }'), VALUES,
     'subgroup.reduce_or_tiled(select(c, v, 0), 2)',
     [('if a[i] > 0.0 { b[i] = subgroup.reduce_or_tiled(b[i], 2); }',
       'let c = a[i] > 0.0; let r = subgroup.reduce_or_tiled(select(c, b[i], 0), 2); if c { b[i] = r; }')],
     'b: 1 6 3 6 15 6 15 15'),
    ('a vote for all', body('if a[i] > 0.0 { b[i] = subgroup.all_true(b[i] > 1); }'), VALUES,
     'subgroup.all_true(!c || p)',
     [('if a[i] > 0.0 { b[i] = subgroup.all_true(b[i] > 1); }',
       'let c = a[i] > 0.0; let r = subgroup.all_true(!c || b[i] > 1); if c { b[i] = r; }')],
     'b: 1 1 3 1 1 6 1 1'),
    ('a ballot', body('if a[i] > 0.0 { b[i] = i32(subgroup.ballot_first_n(true, 32)); }'), VALUES,
     'subgroup.ballot_first_n(c && p, 32)',
     [('if a[i] > 0.0 { b[i] = i32(subgroup.ballot_first_n(true, 32)); }',
       'let c = a[i] > 0.0; let r = subgroup.ballot_first_n(c && true, 32); if c { b[i] = i32(r); }')],
     'b: 1 218 3 218 218 6 218 218'),
    ('a scan behind continue', body('if a[i] < 0.0 { continue; } a[i] = subgroup.inclusive_add(a[i]);'), VALUES,
     'call it before the jump, in all lanes: let r = subgroup.inclusive_add(select(!c, v, -0.0)); c is the condition of the jump',
     [('if a[i] < 0.0 { continue; } a[i] = subgroup.inclusive_add(a[i]);',
       'let c = a[i] < 0.0; let r = subgroup.inclusive_add(select(!c, a[i], -0.0)); if c { continue; } a[i] = r;')],
     'a: -1 2 -3 6 11 -6 18 26'),
    ('a segmented sum', body('if a[i] > 0.0 { a[i] = subgroup.segmented_reduce_add(a[i], b[i] % 4 == 1); }'), VALUES,
     'subgroup.segmented_reduce_add(select(c, v, -0.0), c && head)',
     [('if a[i] > 0.0 { a[i] = subgroup.segmented_reduce_add(a[i], b[i] % 4 == 1); }',
       'let c = a[i] > 0.0; let r = subgroup.segmented_reduce_add(select(c, a[i], -0.0), c && b[i] % 4 == 1); if c { a[i] = r; }')],
     'a: -1 2 -3 6 5 -6 12 20'),
    ('a sort', body('if a[i] > 0.0 { let x, y = subgroup.bitonic_sort_kv(-a[i], b[i]); a[i] = x; b[i] = y; }'), VALUES,
     'let k, v = subgroup.bitonic_sort_kv(select(c, key, nan), select(c, value, i32.max))',
     [('if a[i] > 0.0 { let x, y = subgroup.bitonic_sort_kv(-a[i], b[i]); a[i] = x; b[i] = y; }',
       'let c = a[i] > 0.0; let x, y = subgroup.bitonic_sort_kv(select(c, -a[i], nan), select(c, b[i], i32.max)); b[i] = y;')],
     'b: 8 7 5 4 2 2147483647 2147483647 2147483647'),
    ('a match', body('if a[i] > 0.0 { b[i] = i32(nvvm.match_any(0xffffffff, b[i] & 1)); }'), ['-d', 'ref:32'] + VALUES[2:],
     'let r = nvvm.match_any(mask, v) & nvvm.vote_ballot(mask, c)',
     [('if a[i] > 0.0 { b[i] = i32(nvvm.match_any(0xffffffff, b[i] & 1)); }',
       'let c = a[i] > 0.0; let r = nvvm.match_any(0xffffffff, b[i] & 1) & nvvm.vote_ballot(0xffffffff, c); if c { b[i] = i32(r); }')],
     'b: 1 138 3 138 80 6 80 138'),
    ('a loop that lanes leave', body('while a[i] > 0.0 { let m = subgroup.reduce_min(a[i]); a[i] -= m; b[i] += 10; }'), VALUES,
     "let all lanes make the same rounds: while subgroup.any_true(c) { let r = subgroup.reduce_min(select(c, v, nan)); if c { ... } }",
     [('while a[i] > 0.0 { let m = subgroup.reduce_min(a[i]); a[i] -= m; b[i] += 10; }',
       'var c = a[i] > 0.0; while subgroup.any_true(c) { let m = subgroup.reduce_min(select(c, a[i], nan));'
       ' if c { a[i] -= m; b[i] += 10; } c = a[i] > 0.0; }')],
     'b: 1 12 3 24 35 6 47 58'),
    ('a barrier in an if', body('if a[i] > 0.0 { a[i] = 0.0; block.sync(); b[i] = 0; }'), VALUES,
     "keep the condition in a 'let', end the 'if' before the call and begin another with it after the call",
     [('if a[i] > 0.0 { a[i] = 0.0; block.sync(); b[i] = 0; }',
       'let c = a[i] > 0.0; if c { a[i] = 0.0; } block.sync(); if c { b[i] = 0; }')],
     'b: 1 0 3 0 0 6 0 0'),
    ('behind a return in the grid loop', HEAD + 'if a[i] < 0.0 { return; } b[i] = 0;\n  }\n  b[0] = subgroup.reduce_add(b[0]);\n}\n',
     ['-d', 'ref:8', 'a=-1,2,-3,4', 'b=1,2,3,4'], "in place of the jump put what follows it in the loop into an 'if'",
     [('if a[i] < 0.0 { return; } b[i] = 0;', 'if !(a[i] < 0.0) { b[i] = 0; }'), ('block(64)', 'block(8)'),
      ('b[0] = subgroup', 'let sum = subgroup'), ('reduce_add(b[0]);', 'reduce_add(1); if subgroup.elect() { b[0] = sum; }')],
     'b: 8 0 3 0'),
    ('a warp of 32', body('b[i] = i32(nvvm.match_any(0xffffffff, b[i] & 1));'), ['-d', 'ref:8', 'a=zero:8', 'b=1,2,3,4,5,6,7,8'],
     'write subgroup(32) behind the parameters', [('block(64)', 'block(64) subgroup(32)')], 'b: 85 170 85 170 85 170 85 170'),
    ('all threads update one element', body('b[0] += i32(i);'), ['-d', 'ref:8', 'a=zero:16', 'b=0'],
     'threads that update one element need an atomic: atomic.add and its like',
     [('b[0] += i32(i);', 'atomic.add(b[0], i32(i));')], 'b: 120'),
    ('a forgotten barrier', 'kernel k(a: in f32[], b: out f32[]) block(16) {\n  shared s: f32[16];\n'
     '  let t = block.thread_idx();\n  s[t] = a[t];\n  b[t] = s[15 - t];\n}\n', ['-d', 'ref:8', '--grid=1', 'a=iota:16', 'b=zero:16'],
     'a store must come first, and block.sync() between the two', [('s[t] = a[t];', 's[t] = a[t]; block.sync();')],
     'b: 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0'),
    ('a sum of other words', body('a[i] = subgroup.reduce_sum(a[i]);'), VALUES, "did you mean 'reduce_add'?",
     [('reduce_sum', 'reduce_add')], 'a: 16 16 16 16 16 16 16 16'),
    ('a prefix sum', body('a[i] = WavePrefixSum(a[i]);'), VALUES, 'write subgroup.exclusive_add(v)',
     [('WavePrefixSum', 'subgroup.exclusive_add')], 'a: 0 -1 1 -2 2 7 1 8'),
    ('a C literal', body('a[i] *= 2.0f;'), VALUES, 'write 2.0, which is an f32', [('2.0f', '2.0')], 'a: -2 4 -6 8 10 -12 14 16'),
    ('a tile wider than the subgroup', body('a[i] = subgroup.reduce_add_tiled(a[i], 5);'), VALUES,
     'write subgroup(32) behind the parameters, or a smaller tile', [('block(64)', 'block(64) subgroup(32)')],
     'a: 16 16 16 16 16 16 16 16'),
    ('a pointer', 'kernel k(a: f32*) block(64) {\n  for i in grid(a.len) { a[i] = 1.0; }\n}\n', ['-d', 'ref:8', 'a=zero:4'],
     'there are no pointers: a buffer is written a: f32[]', [('a: f32*', 'a: f32[]')], 'a: 1 1 1 1'),
    ('a large block', 'kernel k(a: f32[]) block(2048) {\n  for i in grid(a.len) { a[i] = 1.0; }\n}\n', ['-d', 'ref:8', 'a=zero:4'],
     'runs 1024 at most; use a smaller block', [('block(2048)', 'block(1024)')], 'a: 1 1 1 1'),
]

bad = 0
env = {k: v for k, v in os.environ.items() if not k.startswith('QD_')} | {'QD_CACHE': '0', 'NO_COLOR': '1'}


def result(path, text, arguments):
    with open(path, 'w') as f:
        f.write(text)
    p = subprocess.run([run, path, *arguments], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout + p.stderr


with tempfile.TemporaryDirectory() as here:
    path = os.path.join(here, 'k.qdk')
    for name, text, arguments, help, edits, want in ROWS:
        code, out = result(path, text, arguments)
        if help not in out:
            bad += 1
            print(f'fixes: {name}: no help {help!r}:\n{out}', file=sys.stderr)
            continue
        for old, new in [] if plant else edits:
            if old not in text:
                bad += 1
                print(f'fixes: {name}: no {old!r} to edit', file=sys.stderr)
            text = text.replace(old, new)
        code, out = result(path, text, arguments)
        if code or want not in out.splitlines():
            bad += 1
            print(f'fixes: {name}: exit {code}, want {want!r}:\n{out}', file=sys.stderr)
print(f'{len(ROWS)} fixes, {bad} bad')
sys.exit(bad > 0)
