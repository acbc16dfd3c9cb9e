/* Prints and parses the modifiers that follow the operands. */
#ifndef AMDGCN_MODIFIER_H
#define AMDGCN_MODIFIER_H

#include "table.h"
#include "text.h"
#include "token.h"

/* Groups of formats in modifier.def, and the mask of the formats of a row. */
enum gcn_format_group { GCN_FLATS = 200, GCN_BUFFERS, GCN_VMEM, GCN_SCALED };
#define GCN_FORMAT_BIT(fmt) (1u << (GCN_##fmt & 31))
#define GCN_MODIFIED(fmt)                                                                          \
	((int)GCN_##fmt == (int)GCN_FLATS     ? GCN_FORMAT_BIT(GLOBAL) | GCN_FORMAT_BIT(SCRATCH)   \
	 : (int)GCN_##fmt == (int)GCN_BUFFERS ? GCN_FORMAT_BIT(MUBUF) | GCN_FORMAT_BIT(MTBUF)      \
	 : (int)GCN_##fmt == (int)GCN_SCALED ? GCN_FORMAT_BIT(VOP3PX) | GCN_FORMAT_BIT(VOP3PX16)   \
	 : (int)GCN_##fmt == (int)GCN_VMEM                                                         \
		 ? GCN_FORMAT_BIT(FLAT) | GCN_FORMAT_BIT(GLOBAL) | GCN_FORMAT_BIT(SCRATCH) |       \
			   GCN_FORMAT_BIT(MUBUF) | GCN_FORMAT_BIT(MTBUF)                           \
		 : GCN_FORMAT_BIT(fmt))
_Static_assert(GCN_N_LAYOUT_FORMAT <= 32, "a bit for each format and form");

void gcn_modifiers_print(const struct gcn_target *t, const struct gcn_insn *in,
			 struct gcn_text *x);
/* State of parsing the modifiers of one instruction. They must be in the order of the text;
 * only the words of the cache policy may be in any order. */
struct gcn_modifiers_seen {
	bool follows_policy; /* a modifier followed the cache policy */
	bool hint, bypass; /* has a temporal hint; the hint is a bypass */
	uint8_t next; /* first row of modifier.def that may follow */
	bool pattern; /* has a lane pattern */
	uint32_t policy; /* words of the cache policy, a bit per field */
};
/* Parses one modifier. Returns false if the instruction has no such modifier, or if it may not
 * follow those in `seen`, which may be NULL. */
bool gcn_modifier_parse(const struct gcn_target *t, struct gcn_insn *in, struct token k,
			struct gcn_modifiers_seen *seen);

/* Print and parse the pattern of ds_swizzle_b32, which follows "offset:". */
void gcn_swizzle_print(uint32_t v, struct gcn_text *x);
bool gcn_swizzle_parse(struct token k, uint32_t *v);
/* Print and parse the format of a typed buffer instruction, which follows "format:". The text
 * omits the default, unorm of 8 bits. */
enum { GCN_BUF_FORMAT = 1 };
void gcn_buf_format_print(const struct gcn_target *t, uint32_t v, struct gcn_text *x);
bool gcn_buf_format_parse(const struct gcn_target *t, struct token k, uint32_t *v);

#endif
