/* NumPy's .npy files: one array of one element type. The format is NumPy's
 * numpy/lib/format.py, versions 1 to 3. */
#ifndef QD_TOOLS_NPY_H
#define QD_TOOLS_NPY_H

#include "base.h"

enum { NPY_WHY = 256 };

struct npy {
	size_t offset, n; /* offset of the elements in bytes; their number */
};
/* Parses a whole file with elements of this type. On an error returns false and the reason. Reads
 * nothing beyond size; the elements are within it. */
bool npy_parse(const void *bytes, size_t size, qd_type type, struct npy *out, char why[NPY_WHY]);

/* Writes the header of a version 1.0 file of n elements; returns its size. */
enum { NPY_HEADER = 128 };
size_t npy_header(qd_type type, size_t n, char out[NPY_HEADER]);

#endif
