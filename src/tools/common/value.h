/* Numbers between the command line and memory: elements of a type as text,
 * buffers from a description, template values. */
#ifndef QD_TOOLS_VALUE_H
#define QD_TOOLS_VALUE_H

#include "tool.h"
#include "type.h"

/* -- Elements: value.c ------------------------------------------------------------ */

enum { VALUE_TEXT = 40 }; /* the longest, quotes and NUL included, is shorter */

/* Bits as they stand in memory, low bits first.  NULL, or what is wrong: "is no
 * number", "does not fit". */
const char *value_parse(qd_type type, const char *text, size_t len, uint64_t *bits);
/* "u8 takes whole numbers from 0 to 255" */
void value_takes(qd_type type, char *out, size_t cap);
/* Bits from memory to text: the shortest decimal that reads back to the same
 * bits.  Returns the length. */
int value_format(qd_type type, uint64_t bits, char out[VALUE_TEXT]);
/* The same as a JSON value: 64-bit integers, nan and infinities as strings. */
int value_json(qd_type type, uint64_t bits, char out[VALUE_TEXT]);
/* Truncated, and odd where that lost something: a second rounding to fewer bits then
 * gives what one rounding gives. */
float value_round_to_odd(double d);

uint64_t value_get(const void *memory, qd_type type, size_t i);
void value_put(void *memory, qd_type type, size_t i, uint64_t bits);
/* Bit for bit, any NaN as good as another. */
bool value_same(qd_type type, uint64_t a, uint64_t b);

/* -- Buffers from a description: fill.c ---------------------------------------------- */

#define FILL_FORMS "a buffer takes iota:N, zero:N, rand:N:SEED, @FILE or 1,2,3"

enum fill_kind { FILL_IOTA, FILL_ZERO, FILL_RAND, FILL_GIVEN };

struct fill {
	enum fill_kind kind;
	bool counted;	/* n is known: zero and iota may leave it open */
	size_t n;
	uint64_t seed;
	void *memory; /* of a list, of a file: the elements, owned */
};
/* Of iota[:N], zero[:N], rand:N:SEED, @FILE, @FILE.npy or 1,2,3.  name stands in
 * messages; exits where the description is wrong. */
void fill_parse(const char *name, qd_type type, const char *text, struct fill *out);
/* The elements, once they are counted; the caller's. */
void *fill_make(const char *name, qd_type type, struct fill *f);

/* -- Templates: template.c -------------------------------------------------------------- */

/* Template values given by -D NAME=VALUE. */
struct tmpl_list {
	struct qd_tmpl v[64];
	bool used[64];
	uint32_t n;
	const char *known[64]; /* names that the kernels looked at have */
	uint32_t n_known;
};
void tmpl_add(struct tmpl_list *l, const char *text);
/* Those that kernel i of the module has, checked against its ranges; marks them
 * used.  want_all: each parameter must have one.  Exits where one is wrong. */
uint32_t tmpl_choose(struct tmpl_list *l, const struct qd_module *m, uint32_t i, bool want_all,
		     struct qd_tmpl *out);
/* Exits where a value belongs to no kernel that was looked at. */
void tmpl_check_used(struct tmpl_list *l);
/* Exits where a value belongs to no parameter of this kernel. */
void tmpl_check_known(struct tmpl_list *l, const struct qd_module *m, uint32_t kernel);
/* Notes the names of the kernel's parameters; exits for one that is none of the noted:
 * none: said where there is none. */
void tmpl_know(struct tmpl_list *l, const struct qd_module *m, uint32_t kernel);
TOOL_NORETURN void tmpl_unknown(struct tmpl_list *l, const char *name, const char *none);
/* "one of the types f32, i32", "an integer 0..=5" */
void tmpl_describe(const struct qd_tmpl_info *info, char *out, size_t cap);

#endif
