/* Words to disassemble: random ones of an encoding, of an opcode, of a row. */
#ifndef TEST_GCN_WORDS_H
#define TEST_GCN_WORDS_H

#include "dice.h"
#include "encoding.h"

/* Returns a value for a field of that width, often a legal or boundary value. */
uint32_t likely_value(struct dice *d, unsigned width);

/* Returns GCN_F_OPY for rows that are only the second half of an instruction, else GCN_F_OP. */
enum gcn_field opcode_field(const struct gcn_target *t, unsigned row);

/* These return false if no such words were found (an earlier encoding has these bits). */
bool words_of_encoding(struct dice *d, const struct gcn_target *t, unsigned encoding,
		       uint32_t w[N_WORDS]);
bool words_of_opcode(struct dice *d, const struct gcn_target *t, unsigned encoding, unsigned opcode,
		     uint32_t w[N_WORDS]);
/* Changes one to three bits, more often in the first words. */
void words_near(struct dice *d, const uint32_t like[N_WORDS], uint32_t w[N_WORDS]);
bool words_of_row(struct dice *d, const struct gcn_target *t, unsigned row, uint32_t w[N_WORDS]);

/* Returns whether a 16-bit integer operand has a float constant. The text shows it as a number,
 * which parses as a literal (half_constant of explain.def); or a negative K of 16 bits, which it shows
 * with 32 and LLVM does not parse. */
bool has_short_constant(const struct gcn_target *t, const struct gcn_insn *in);

#endif
