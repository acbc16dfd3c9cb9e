/* NumPy's .npy files: one array of one element type.  The format is NumPy's
 * numpy/lib/format.py, versions 1 to 3. */
#ifndef QD_TOOLS_NPY_H
#define QD_TOOLS_NPY_H

#include "base.h"

enum { NPY_WHY = 256 };

struct npy {
	size_t offset, n; /* of the elements, in bytes; how many */
};
/* Of a whole file, for elements of this type; false, and why.  Reads nothing behind
 * size; what it gives lies within it. */
bool npy_parse(const void *bytes, size_t size, qd_type type, struct npy *out, char why[NPY_WHY]);

/* The header of a version 1.0 file of n elements; returns its size. */
enum { NPY_HEADER = 128 };
size_t npy_header(qd_type type, size_t n, char out[NPY_HEADER]);

#endif
