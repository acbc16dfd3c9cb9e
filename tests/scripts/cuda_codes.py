#!/usr/bin/env python3
"""cuda_codes.py RESULT.DEF: every CUresult of the toolkit's cuda.h has a row in the driver's table,
with the same name and number. Codes that end the process's use of the device must be lost
devices there. Skipped without the header: CUDA_HOME, CUDA_PATH or /usr/local/cuda.

QD_TEST_MUTATION=row drops a row, QD_TEST_MUTATION=lost makes a lost device a driver error."""
import os
import re
import sys

KNOWN = 14000  # from this CUDA_VERSION on, codes without a row are reported but no error
# Phrases in the header for codes after which the device is unusable.
FATAL = ('inconsistent state', 'process must be terminated', 'cannot be used anymore')


def header():
    for root in (os.environ.get('CUDA_HOME'), os.environ.get('CUDA_PATH'), '/usr/local/cuda'):
        path = root and os.path.join(root, 'include', 'cuda.h')
        if path and os.path.isfile(path):
            return path
    return None


def read_header(text):
    """Number and description of each code, by its name after CUDA_ERROR_."""
    body = re.search(r'typedef enum cudaError_enum \{(.*?)\}\s*CUresult;', text, re.S).group(1)
    found = re.findall(r'/\*\*(.*?)\*/\s*CUDA_ERROR_(\w+)\s*=\s*(\d+)', body, re.S)
    if len(found) != len(re.findall(r'^\s*CUDA_ERROR_\w+\s*=', body, re.M)):
        sys.exit('cuda_codes: a code of the header has no comment: its form has changed')
    return {name: (int(number), ' '.join(re.sub(r'^\s*\*', '', words, flags=re.M).split()))
            for words, name, number in found}


def read_table(text):
    rows = re.findall(r'^CUDA_RESULT\((\w+), (\d+), (\w+),', text, re.M)
    inject = os.environ.get('QD_TEST_MUTATION')
    if inject == 'row':
        rows = rows[1:]
    if inject == 'lost':
        at = next(i for i, row in enumerate(rows) if row[2] == 'DEVICE_LOST' and row[0] == 'ILLEGAL_ADDRESS')
        rows[at] = (*rows[at][:2], 'DRIVER')
    return {name: (int(number), status) for name, number, status in rows}


def main():
    path = header()
    if not path:
        print('SKIP cuda_codes: cuda.h of the CUDA toolkit is not installed')
        sys.exit(77)
    with open(path, encoding='utf-8', errors='replace') as f:
        text = f.read()
    with open(sys.argv[1], encoding='utf-8') as f:
        table = read_table(f.read())
    version = int(re.search(r'#define CUDA_VERSION (\d+)', text).group(1))
    codes = read_header(text)
    bad = 0
    for name, (number, words) in codes.items():
        fatal = any(part in words for part in FATAL)
        row = table.get(name)
        if row is None:
            print(f'{name} ({number}) has no row' + (' (newer than the table)' if version >= KNOWN else ''))
            bad += version < KNOWN
        elif row[0] != number:
            print(f'{name} is {row[0]} in the table and {number} in {path}')
            bad += 1
        elif fatal and row[1] != 'DEVICE_LOST':
            print(f'{name} ({number}) is {row[1]}; the header says: {words}')
            bad += 1
    for name in table.keys() - codes.keys():
        print(f'{name} is in the table and not in {path}')
        bad += version < KNOWN
    print(f'{len(codes)} codes of CUDA {version // 1000}.{version % 1000 // 10}, {len(table)} rows, {bad} wrong')
    sys.exit(bad != 0)


main()
