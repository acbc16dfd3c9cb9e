"""progress.py QD-RUN: progress display. If stderr is a terminal, work of more than two seconds
shows its progress on one line, which is erased at the end; otherwise nothing is shown. Binary
output to a terminal is rejected."""
import os
import pty
import subprocess
import sys
import time

args = [sys.argv[1], '-d', 'ref:4', '--grid=0', '-k', 'many_f32', 'copy.qdk', 'a=rand:300000:1']


master, slave = pty.openpty()
both = [subprocess.Popen(args, stdout=subprocess.PIPE, stderr=err) for err in (slave, subprocess.PIPE)]
time.sleep(4)  # The standard output is not read meanwhile.
size = len(both[0].communicate()[0])
os.close(slave)
shown = b''
try:
    while piece := os.read(master, 1 << 16):
        shown += piece
except OSError:  # the end: the other side is closed
    pass
bad = both[0].returncode != 0 or size < 1 << 20 or b'\relements: ' not in shown or b'/300000  ' not in shown \
    or not shown.endswith(b'\r\x1b[K') or b'\n' in shown
if bad:
    print(both[0].returncode, size, shown[:500], file=sys.stderr)
out, err = both[1].communicate()
if both[1].returncode or err or len(out) != size:
    bad = True
    print(both[1].returncode, len(out), err[:500], file=sys.stderr)
master, slave = pty.openpty()
p = subprocess.run([*args, '-o', 'a=-'], stdout=slave, stderr=subprocess.PIPE)
if p.returncode != 2 or b"--output: the bytes of 'a' would be written to a terminal; use a file or a pipe" not in p.stderr:
    bad = True
    print(p, file=sys.stderr)
sys.exit(bad)
