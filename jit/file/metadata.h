/* Metadata of a code object: the requirements of its kernels. */
#ifndef JIT_METADATA_H
#define JIT_METADATA_H

#include "codeobject.h"

/* Finds the metadata of the object and of each kernel. */
qd_status metadata_read(struct arena *mem, struct code_object *o, struct qd_error *err);

#endif
