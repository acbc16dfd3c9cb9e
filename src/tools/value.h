/* Numbers between the command line and memory: elements of a type as text,
 * buffers from a description, template values. */
#ifndef QD_TOOLS_VALUE_H
#define QD_TOOLS_VALUE_H

#include "tool.h"
#include "type.h"

/* Bits as they stand in memory, low bits first.  NULL, or what is wrong. */
const char *value_parse(qd_type type, const char *text, size_t len, uint64_t *bits);
/* Bits from memory to text: the shortest decimal that reads back to the same
 * bits.  Returns the length. */
int value_format(qd_type type, uint64_t bits, char out[40]);
/* The same as a JSON value: 64-bit integers, nan and infinities as strings. */
void value_json(FILE *f, qd_type type, uint64_t bits);

uint64_t value_get(const void *memory, qd_type type, size_t i);

/* A buffer's contents from iota:N, zero:N, rand:N:SEED, @file or 1,2,3.  name
 * stands in messages; exits where the description is wrong. */
void *value_fill(const char *name, qd_type type, const char *text, size_t *n_elements);

/* Template values given by -D NAME=VALUE. */
struct tmpl_list {
	struct qd_tmpl v[64];
	bool used[64];
	uint32_t n;
};
void tmpl_add(struct tmpl_list *l, const char *text);
/* Those that kernel i of the module has, checked against its ranges; marks them
 * used.  want_all: each parameter must have one.  Exits where one is wrong. */
uint32_t tmpl_choose(struct tmpl_list *l, const struct qd_module *m, uint32_t i, bool want_all,
		     struct qd_tmpl *out);
/* Exits where a value belongs to no kernel that was looked at. */
void tmpl_check_used(const struct tmpl_list *l);

#endif
