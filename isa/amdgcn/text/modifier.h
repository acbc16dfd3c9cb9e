/* The modifiers behind the operands, to text and back. */
#ifndef AMDGCN_MODIFIER_H
#define AMDGCN_MODIFIER_H

#include "table.h"
#include "text.h"
#include "token.h"

/* Formats that share rows of modifier.def; the formats that a row is of, a bit each. */
enum gcn_format_group { GCN_FLATS = 200, GCN_BUFFERS, GCN_VMEM };
#define GCN_FORMAT_BIT(fmt) (1u << (GCN_##fmt & 31))
#define GCN_MODIFIED(fmt)                                                                          \
	((int)GCN_##fmt == (int)GCN_FLATS     ? GCN_FORMAT_BIT(GLOBAL) | GCN_FORMAT_BIT(SCRATCH)   \
	 : (int)GCN_##fmt == (int)GCN_BUFFERS ? GCN_FORMAT_BIT(MUBUF) | GCN_FORMAT_BIT(MTBUF)      \
	 : (int)GCN_##fmt == (int)GCN_VMEM                                                         \
		 ? GCN_FORMAT_BIT(FLAT) | GCN_FORMAT_BIT(GLOBAL) | GCN_FORMAT_BIT(SCRATCH) |       \
			   GCN_FORMAT_BIT(MUBUF) | GCN_FORMAT_BIT(MTBUF)                           \
		 : GCN_FORMAT_BIT(fmt))
_Static_assert(GCN_N_LAYOUT_FORMAT <= 32, "a bit for each format and form");

void gcn_modifiers_print(const struct gcn_target *t, const struct gcn_insn *in,
			 struct gcn_text *x);
/* One modifier into the fields; false when the instruction has no such one, or not
 * behind those that `seen` tells, which may be NULL.  Their order is that of the
 * text, but for the cache policy, whose words may change places. */
struct gcn_modifiers_seen {
	bool behind_policy;
	bool hint, bypass; /* a temporal hint; it is of the widest scope alone */
	uint8_t next; /* row of modifier.def from which on they may stand */
	bool pattern; /* of lanes */
	uint32_t policy;
};
bool gcn_modifier_parse(const struct gcn_target *t, struct gcn_insn *in, struct token k,
			struct gcn_modifiers_seen *seen);

/* The pattern of ds_swizzle_b32 behind "offset:". */
void gcn_swizzle_print(uint32_t v, struct gcn_text *x);
bool gcn_swizzle_parse(struct token k, uint32_t *v);
/* The format of a typed buffer instruction behind "format:", and the one that
 * the text leaves out: unorm of 8 bits. */
enum { GCN_BUF_FORMAT = 1 };
void gcn_buf_format_print(const struct gcn_target *t, uint32_t v, struct gcn_text *x);
bool gcn_buf_format_parse(const struct gcn_target *t, struct token k, uint32_t *v);

#endif
