/* Code objects and bundles for tests: small files as bytes, bundles of them, and a walk that reads
 * everything in an object. */
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

/* Two unlinked files, with DWARF 5 and DWARF 4 lines. */
enum { N_LINE_FIXTURES = 2 };
extern const struct object_fixture line_fixtures[N_LINE_FIXTURES];

/* Forms of a bundle: plain, or CCOB of a version, or an offload binary. CCOB stores the plain bundle
 * uncompressed in a zstd frame. BUNDLE_ZLIB declares the frame as zlib. */
enum bundle_form { BUNDLE_PLAIN, BUNDLE_V1, BUNDLE_V2, BUNDLE_V3, BUNDLE_OFFLOAD, BUNDLE_ZLIB, BUNDLE_N_FORM };
/* Writes a bundle of a host entry and all fixtures to out, of cap bytes. Returns its size, or 0 if
 * it does not fit. */
enum { OBJECT_BUNDLE_MAX = 16384 };
size_t object_bundle(enum bundle_form form, uint8_t *out, size_t cap);

/* Reads every symbol, kernel, descriptor field, metadata value and instruction. Returns a hash of
 * them. */
uint64_t object_walk(const struct code_object *o);

#endif
