/* Words to disassemble: random ones of an encoding, of an opcode, of a row. */
#ifndef TEST_GCN_WORDS_H
#define TEST_GCN_WORDS_H

#include "dice.h"
#include "encoding.h"

/* A value of a field of so many bits: often one that is legal or at a boundary. */
uint32_t likely_value(struct dice *d, unsigned width);

/* GCN_F_OPY for rows that are only the second half of an instruction. */
enum gcn_field opcode_field(const struct gcn_target *t, unsigned row);

/* False when no such words came out (an earlier encoding takes these bits). */
bool words_of_encoding(struct dice *d, const struct gcn_target *t, unsigned encoding,
		       uint32_t w[N_WORDS]);
bool words_of_opcode(struct dice *d, const struct gcn_target *t, unsigned encoding, unsigned opcode,
		     uint32_t w[N_WORDS]);
/* One to three bits changed, in the first words more often. */
void words_near(struct dice *d, const uint32_t like[N_WORDS], uint32_t w[N_WORDS]);
bool words_of_row(struct dice *d, const struct gcn_target *t, unsigned row, uint32_t w[N_WORDS]);

/* A float constant of an integer of 16 bits, which the text writes as a number: that
 * reads as a literal (half_constant of explain.def). */
bool has_short_constant(const struct gcn_target *t, const struct gcn_insn *in);

#endif
