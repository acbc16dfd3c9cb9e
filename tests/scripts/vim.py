#!/usr/bin/env python3
"""vim.py SOURCE: the syntax file for vim contains each word and mark of the lexer and no others,
and highlights a text correctly if vim is installed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

source = sys.argv[1]
bad = 0


def read(*path):
    with open(os.path.join(source, *path)) as f:
        return f.read()


def compare(what, lexer, vim):
    global bad
    for word in sorted(lexer ^ vim):
        bad = 1
        print(f"vim: {what} '{word}' is only in {'the lexer' if word in lexer else 'the syntax file'}", file=sys.stderr)
    print(f'{len(lexer)} {what}s')


def strip_comments(text):
    return re.sub(r'/\*.*?\*/', '', text, flags=re.S)


vim = read('docs', 'examples', 'vim', 'syntax', 'qdk.vim')
words = re.findall(r'\b[WC]\((\w+)\)', re.sub(r'^#.*$', '', strip_comments(read('src', 'lang', 'word.def')), flags=re.M))
marks = re.findall(r'\b(?:MARK|OPERATOR)\(\w+, "([^"]+)"', strip_comments(read('src', 'lang', 'token.def')))
groups = re.findall(r'^syn keyword (\w+) (.*)$', vim, flags=re.M)
known = [w for g, line in groups if g != 'qdkTodo' for w in line.split()]
operators = re.search(r'^syn match qdkOperator "\\V(.*)"$', vim, flags=re.M).group(1).split('\\|')
delimiters = re.search(r'^syn match qdkDelimiter "\[(.*)\]"$', vim, flags=re.M).group(1).replace('\\[', '[').replace('\\]', ']')

compare('word', set(words), set(known))
compare('mark', set(marks) - {'.'}, set(operators) | set(delimiters))
types = words[:words.index('bitcast')]
if [w for g, line in groups if g == 'qdkType' for w in line.split()] != types:
    bad = 1
    print('vim: the types are not ' + ' '.join(types), file=sys.stderr)
for w in sorted(w for w in set(known) if known.count(w) > 1):
    bad = 1
    print(f"vim: '{w}' occurs twice", file=sys.stderr)
for i, o in enumerate(operators):
    for longer in operators[i + 1:]:
        if longer.startswith(o) and longer != o:
            bad = 1
            print(f"vim: '{o}' precedes '{longer}', which then never matches", file=sys.stderr)

TEXT = '''qdk 2; // a comment
kernel k(a: in f32[], b: out u32[]) block(64) {
  for i in grid(a.len) { let x = subgroup.reduce_add(a[i]); b[i] = u32(x >> 1.5e3) + 0x1fu; }
}
'''
AT = [('qdk', 'qdkWord'), ('// a', 'qdkComment'), ('kernel', 'qdkDeclare'), ('f32', 'qdkType'), ('for', 'qdkRepeat'),
      ('subgroup', 'qdkWord'), ('reduce_add', 'qdkMember'), ('>>', 'qdkOperator'), ('1.5e3', 'qdkFloat'),
      ('0x1fu', 'qdkNumber'), ('64', 'qdkNumber'), ('k(', ''), ('{', 'qdkDelimiter')]
program = next((p for p in ('vim', 'vim.basic', 'vim.nox', 'nvim') if shutil.which(p)), None)
if program:
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, 'k.qdk')
        out = os.path.join(tmp, 'out')
        with open(path, 'w') as f:
            f.write(TEXT)
        script = ['set nocompatible', f'set runtimepath^={source}/docs/examples/vim', 'filetype on', 'syntax on', f'edit {path}',
                  'if !has("syntax") | call writefile(["none"], "%s") | qall! | endif' % out,
                  'let g:got = [&filetype]']
        lines = TEXT.split('\n')
        for word, _ in AT:
            row = next(i for i, line in enumerate(lines) if re.search(r'(?<!\w)' + re.escape(word), line))
            col = re.search(r'(?<!\w)' + re.escape(word), lines[row]).start()
            script.append(f'call add(g:got, synIDattr(synID({row + 1}, {col + 1}, 1), "name"))')
        script += [f'call writefile(g:got, "{out}")', 'qall!']
        with open(os.path.join(tmp, 's.vim'), 'w') as f:
            f.write('\n'.join(script) + '\n')
        p = subprocess.run([program, '-u', 'NONE', '-i', 'NONE', '-n', '-es', '-S', os.path.join(tmp, 's.vim')],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        got = open(out).read().split('\n')[:-1] if os.path.exists(out) else [p.stdout + p.stderr]
    want = ['qdk'] + [group for _, group in AT]
    if got == ['none']:
        print(f'{program} is built without syntax: colors were not checked')
    elif got != want:
        bad = 1
        print(f'vim: colors are {got}, not {want}', file=sys.stderr)
else:
    print('vim is not installed: colors were not checked')
sys.exit(bad)
