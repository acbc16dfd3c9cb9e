#!/usr/bin/env bash
# python.sh SOURCE LIBRARY: the Python package of docs/examples, on the interpreter.
set -u
library=$(realpath "$2")
for python in python3 /usr/bin/python3; do
	if "$python" -c 'import numpy' 2>/dev/null; then
		cd "$1/docs/examples/python" || exit 1
		export QD_LIBRARY=$library PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD
		got=$("$python" sums.py ref:8) || exit 1
		want=$'0 1 3 6 4 9 15 22 8 17 27 38 12 25 39 54\n0 0 1 0'
		[ "$got" = "$want" ] || {
			echo "python: sums.py printed '$got', not '$want'" >&2
			exit 1
		}
		exec "$python" "$1/tests/scripts/python.py"
	fi
done
echo "SKIP: numpy is not installed (python3-numpy)"
exit 77
