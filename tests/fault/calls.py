"""calls.py QD.H OUT: writes a macro for each public call, which records that it was made.

program.c includes the output after qd.h. A call that qd.h declares and the program does not make is
then reported by name."""
import re
import sys

text = re.sub(r"/\*.*?\*/", "", open(sys.argv[1], encoding="utf-8").read(), flags=re.S)
names = re.findall(r"^QD_API\b[^;(]*?\b(qd_\w+)\(", text, re.M)
if len(names) < 100 or len(names) != len(re.findall(r"^QD_API\b", text, re.M)):
    sys.exit(f"calls.py: {len(names)} names, which are not all of {sys.argv[1]}")
with open(sys.argv[2], "w", encoding="utf-8") as out:
    print("/* Made from qd.h by calls.py. */", file=out)
    print("enum {", ", ".join("CALL_" + n for n in names) + ", N_CALL };", file=out)
    print("extern unsigned char fault_called[N_CALL];", file=out)
    print("#define FAULT_CALLS", ", ".join(f'"{n}"' for n in names), file=out)
    for n in names:
        print(f"#define {n}(...) (fault_called[CALL_{n}] = 1, {n}(__VA_ARGS__))", file=out)
