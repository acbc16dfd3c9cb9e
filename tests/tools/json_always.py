"""json_always.py QD-RUN DEMO: with --json, standard output is one object after any error, with the
exit status and the messages; the messages are on stderr too."""
import json
import os
import subprocess
import sys

run, demo = sys.argv[1:]
bad = 0

# description, exit status; of the first diagnostic: severity, line, a part of its message
cases = (
    ([demo, 'src=iota:4', 'dst=zero'], 0, None, 0, ''),
    (['bad.qdk', 'a=iota:4'], 1, 'error', 3, "expected ')', found '0'"),
    (['twice.qdk', 'a=iota:4'], 1, 'error', 1, "unknown name 'p'"),
    (['later.qdk'], 1, 'error', 1, ''),
    (['--grid=1', 'plain.qdk', 'a=zero:2'], 0, 'remark', 1, 'out of bounds'),
    (['race.qdk', 'a=zero:8'], 1, 'finding', 1, 'race'),
    (['large.qdk', 'a=zero:8'], 1, 'error', 1, 'block of 4096 threads'),
    (['none.qdk'], 3, 'error', 0, "cannot open 'none.qdk'"),
    (['--grod=1'], 2, 'error', 0, "unknown option '--grod'; did you mean '--grid'?"),
    ([], 2, 'error', 0, 'no input file'),
    (['two.qdk', '-k', 'twice', 'b=1'], 2, 'error', 0, "no parameter 'b'"),
    (['two.qdk', '-k', 'twice', 'a=1', '--expect', 'a=3'], 1, 'error', 0, "'a' differs in 1 of 1 elements"),
    (['-d', 'nothing', 'two.qdk', '-k', 'twice', 'a=1'], 3, 'error', 0, "no driver 'nothing'"),
    (['--timeout=0.2', '--grid=1', 'endless.qdk', 'a=zero:2'], 1, 'error', 0, 'did not finish within 0.2 seconds'),
    (['--list', 'two.qdk'], 0, None, 0, ''),
)
for args, code, severity, line, message in cases:
    env = dict(os.environ, QD_REF_STEPS='999999999999')
    p = subprocess.run([run, '-d', 'ref:4', '--json', *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       stdin=subprocess.DEVNULL, env=env)
    try:
        o = json.loads(p.stdout)
        first = o['diagnostics'][0] if o['diagnostics'] else None
        good = p.returncode == o['exit'] == code and o['schema'] == 'qd.run/1' and \
            (not severity and not first and not p.stderr or
             first['severity'] == severity and first['line'] == line and message in first['message'] and
             first['message'].encode() in p.stderr)
    except (ValueError, KeyError, TypeError) as e:
        good = False
        print(e, file=sys.stderr)
    if not good:
        bad = 1
        print(args, p.returncode, p.stdout[:1000], p.stderr[:500], file=sys.stderr)
sys.exit(bad)
