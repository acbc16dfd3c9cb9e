/* Code objects and bundles for tests: three small files as bytes, bundles made of
 * them, and a walk that looks at everything a reader gives. */
#ifndef UNIT_GCN_OBJECT_H
#define UNIT_GCN_OBJECT_H

#include "codeobject.h"

struct object_fixture {
	const char *name;
	const uint8_t *data;
	size_t size;
};
enum { N_OBJECT_FIXTURES = 3 };
extern const struct object_fixture object_fixtures[N_OBJECT_FIXTURES];

/* Two that are not linked, with lines of DWARF 5 and 4. */
enum { N_LINE_FIXTURES = 2 };
extern const struct object_fixture line_fixtures[N_LINE_FIXTURES];

/* How a bundle is packed: plain, or CCOB of that version with the plain one in a
 * zstd frame that stores its bytes, or said to be zlib's. */
enum bundle_form { BUNDLE_PLAIN, BUNDLE_V1, BUNDLE_V2, BUNDLE_V3, BUNDLE_ZLIB, BUNDLE_N_FORM };
/* A bundle of a host entry and every fixture into out, of cap bytes; its size, 0
 * where it does not fit. */
enum { OBJECT_BUNDLE_MAX = 16384 };
size_t object_bundle(enum bundle_form form, uint8_t *out, size_t cap);

/* Every symbol, kernel, field of a descriptor, value of the metadata, and
 * instruction; a number made of them all. */
uint64_t object_walk(const struct code_object *o);

#endif
