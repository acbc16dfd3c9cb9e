/* The code objects of a file for one processor. */
#ifndef QD_TOOLS_RUN_BUNDLE_H
#define QD_TOOLS_RUN_BUNDLE_H

#include "codeobject.h"
#include "run.h"

struct run_object {
	const char *target; /* "gfx90a:xnack-"; "" for a file that is one object */
	const uint8_t *data;
	size_t size;
	uint64_t offset; /* in the file, or 0 if the bundle is compressed */
	struct code_object object;
};

struct run_objects {
	struct run_object *v;
	uint32_t n;
};

/* Reads the objects for s->object.processor. If it is empty, sets it to that of the first entry.
 * The objects are valid as long as mem and the file. */
qd_status run_objects_read(struct session *s, struct arena *mem, struct run_objects *out, struct qd_error *err);
/* Finds the kernel that -k names, or the only one, and replaces the bundle with its object. Ends
 * the program if several kernels match. If none does, qd_image_from_object reports that. */
qd_status run_objects_choose(struct session *s, struct qd_error *err);

#endif
