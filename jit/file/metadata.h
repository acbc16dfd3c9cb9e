/* The notes of a code object that say what its kernels need. */
#ifndef JIT_METADATA_H
#define JIT_METADATA_H

#include "codeobject.h"

/* Finds the metadata and each kernel's part of it. */
qd_status metadata_read(struct arena *mem, struct code_object *o, struct qd_error *err);

#endif
