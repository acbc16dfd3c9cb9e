#!/usr/bin/env python3
"""diag.py QD-RUN QD-INFO QD-DIS: with --diag=json each line that the programs write to standard
error is an object with the same keys and the contents of the text form."""
import json
import os
import subprocess
import sys
import tempfile

run, info, dis = sys.argv[1:4]
tmp = tempfile.TemporaryDirectory()
here = tmp.name
KEYS = ['file', 'line', 'col', 'end_col', 'severity', 'code', 'message', 'notes']
bad = 0
env = {k: v for k, v in os.environ.items() if not k.startswith('QD_')} | {'QD_CACHE': '0'}
env['NO_COLOR'] = '1'


def write(name, text):
    path = os.path.join(here, name)
    with open(path, 'w') as f:
        f.write(text)
    return path


def say(what):
    global bad
    bad = 1
    print('diag: ' + what, file=sys.stderr)


def objects(name, code, *command, **more):
    p = subprocess.run(command, capture_output=True, text=True, env=dict(env, **more), stdin=subprocess.DEVNULL)
    if p.returncode != code:
        say(f'{name}: exit {p.returncode}, not {code}: {p.stderr}')
    out = []
    for line in p.stderr.splitlines():
        try:
            o = json.loads(line)
        except ValueError:
            say(f'{name}: no JSON: {line}')
            continue
        if list(o) != KEYS or any(list(n) != KEYS[:-1] for n in o['notes']):
            say(f'{name}: other keys: {line}')
        out.append(o)
    return out


def expect(name, got, **want):
    for k, v in want.items():
        if got.get(k) != v:
            say(f'{name}: {k} is {got.get(k)!r}, not {v!r}')


bad_qdk = write('bad: 7.qdk', 'kernel t(a: f32[]) block(64) {\n  for i in grid(a.len) {\n'
                '    a[i] = subgroup.shuffle(a[i] 0);\n    a[i] = missing;\n  }\n}\n')
race = write('race.qdk', 'kernel race(a: u32[]) block(64) { for i in grid(a.len) { a[0] = i; } }\n')
plain = write('plain.qdk', 'kernel plain(a: u32[]) block(4) { a[block.global_thread_idx()] = 7; }\n')
names = write('names.qdk', 'kernel k(a: i32[]) { a[0] = p; a[1] = 2 + qqq; }\n')

for program in (run, dis):
    got = objects('syntax', 1, program, '--diag=json', bad_qdk, *([] if program == dis else ['-d', 'ref:4', 'a=iota:4']))
    if len(got) < 1:
        say('syntax: nothing')
        continue
    expect('syntax', got[0], file=bad_qdk, line=3, col=34, end_col=35, severity='error', message="expected ')', found '0'")
    if not (got[0]['code'] or '').startswith('E0'):
        say(f"syntax: code {got[0]['code']!r}")

got = objects('two names', 1, run, names, '-d', 'ref:4', 'a=zero:2', '--diag=json')
if len(got) != 2:
    say(f'two names: {len(got)} objects')
else:
    expect('first name', got[0], line=1, col=29, end_col=30, severity='error')
    expect('second name', got[1], line=1, col=43, end_col=46, severity='error')
    if not any(n['severity'] == 'help' and 'declare it' in n['message'] or 'parameter' in n['message'] for n in got[1]['notes']):
        say(f"second name: notes {got[1]['notes']}")

got = objects('finding', 1, run, '--diag=json', '-d', 'ref:4', race, 'a=zero:8')
if not got or got[0]['severity'] != 'finding' or got[0]['file'] != race or not got[0]['line']:
    say(f'finding: {got}')
got = objects('remark', 0, run, '--diag=json', '-d', 'ref:4', '--grid=1', plain, 'a=zero:2')
if not got or any(o['severity'] != 'remark' or o['file'] != plain for o in got):
    say(f'remark: {got}')

nowhere = dict(file=None, line=0, col=0, end_col=0, severity='error', code=None, notes=[])
for name, code, command, words in (
        ('no file', 3, [run, '--diag=json', '-d', 'ref:4', here + '/none.qdk'], 'none.qdk'),
        ('no option', 2, [run, '--kernal', '--diag=json'], "did you mean '--kernel'?"),
        ('no operand', 2, [info, '--diag=json', 'x'], "unexpected 'x'"),
        ('no code', 1, [dis, '--diag=json', write('raw', '\x01\0\0\0\x7f\x7f')], 'not text, and not code in a known format'),
        ('no such form', 2, [dis, '--diag=xml'], None),
        ('steps', 2, [run, '--diag', 'json', '-d', 'ref:4', '--grid=1', plain, 'a=zero:2'], 'QD_REF_STEPS')):
    if words is None:
        p = subprocess.run(command, capture_output=True, text=True, env=env)
        if p.returncode != code or "--diag takes text or json, not 'xml'" not in p.stderr:
            say(f'{name}: {p.stderr}')
        continue
    got = objects(name, code, *command, **({'QD_REF_STEPS': 'x'} if name == 'steps' else {}))
    if len(got) != 1 or words not in got[0]['message']:
        say(f'{name}: {got}')
        continue
    expect(name, got[0], **nowhere)

got = objects('log', 0, run, '--diag=json', '-d', 'ref:4', '--grid=1', plain, 'a=zero:4', QD_LOG='debug')
if not got or any(o['severity'] not in ('info', 'debug') for o in got):
    say(f'log: {got}')
tmp.cleanup()
sys.exit(bad)
