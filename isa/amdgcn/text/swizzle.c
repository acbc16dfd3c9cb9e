/* Prints and parses the pattern in the offset of ds_swizzle_b32. Below 0x8000 a lane reads from
 * lane ((lane & and) | or) ^ xor, five bits each. From 0x8000 to 0x80ff each lane of a quad has
 * two bits that select a lane of the quad. Source: LLVM 22's disassembler, run on all 65536
 * values, with the same result on every target. */
#include "modifier.h"

enum { AND = 0, OR = 5, XOR = 10, FIVE = 31 };
enum { QUAD = 0x8000, ROTATE = 0xc000, FFT = 0xe000 };

/* Returns how a bit of the lane number changes: to 0, to 1, passed or inverted. */
static char
bit_letter(uint32_t v, unsigned bit)
{
	static const char letter[] = { '0', 'p', 'i', '1' }; /* p passes, i inverts */
	unsigned and = v >> (AND + bit) & 1, or = v >> (OR + bit) & 1, xor = v >> (XOR + bit) & 1;

	return letter[(or ^ xor) << 1 | ((and | or) ^ xor)];
}

/* Returns the size of the groups whose lanes all read the same lane, or 0. */
static uint32_t
broadcast_size(uint32_t v)
{
	uint32_t size = 32 - (v & FIVE);

	return v >> XOR || size < 2 || (size & (size - 1)) || (v >> OR & FIVE) >= size ? 0 : size;
}

static void
print_mask(uint32_t v, struct gcn_text *x)
{
	uint32_t xor = v >> XOR, size = broadcast_size(v);
	bool plain = (v & 0x3ff) == FIVE;

	if (size) {
		gcn_add(x, "BROADCAST,%u,%u", size, v >> OR & FIVE);
	} else if (plain && xor && !(xor & (xor - 1))) {
		gcn_add(x, "SWAP,%u", xor);
	} else if (plain && xor && !(xor & (xor + 1))) {
		gcn_add(x, "REVERSE,%u", xor + 1);
	} else {
		gcn_add(x, "BITMASK_PERM,\"");
		for (unsigned bit = 5; bit--;)
			gcn_add(x, "%c", bit_letter(v, bit));
		gcn_add(x, "\"");
	}
}

void
gcn_swizzle_print(uint32_t v, struct gcn_text *x)
{
	if (v >= QUAD + 0x100 && v < ROTATE) {
		gcn_add(x, "%u", v);
		return;
	}
	gcn_add(x, "swizzle(");
	if (v >= FFT)
		gcn_add(x, "FFT,%u", v & FIVE);
	else if (v >= ROTATE)
		gcn_add(x, "ROTATE,%u,%u", v >> 10 & 1, v >> 5 & FIVE);
	else if (v >= QUAD)
		gcn_add(x, "QUAD_PERM,%u,%u,%u,%u", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
	else
		print_mask(v, x);
	gcn_add(x, ")");
}

/* Parses the letters of a mask, highest bit first. A mask that would print as a broadcast uses
 * the alternative encoding of 1 or, if it contains no 1, of 0. */
static bool
parse_letters(struct token k, uint32_t *v)
{
	*v = 0;
	if (k.len != 7 || k.at[0] != '"' || k.at[6] != '"')
		return false;
	for (unsigned bit = 0; bit < 5; bit++) {
		char c = k.at[5 - bit];
		if (c != '0' && c != '1' && c != 'p' && c != 'i')
			return false;
		*v |= (c == 'p' || c == 'i' ? 1u << (AND + bit) : 0u) |
		      (c == '1' ? 1u << (OR + bit) : 0u) | (c == 'i' ? 1u << (XOR + bit) : 0u);
	}
	if (broadcast_size(*v) && *v >> OR)
		*v |= *v >> OR;
	else if (broadcast_size(*v))
		*v |= 1u << OR | 1u << XOR;
	return true;
}

bool
gcn_swizzle_parse(struct token k, uint32_t *v)
{
	static const struct {
		const char *name;
		uint8_t n, bits; /* count of numbers, bits of each */
	} mode[] = { { "QUAD_PERM,", 4, 2 }, { "BROADCAST,", 2, 6 }, { "SWAP,", 1, 5 },
		     { "REVERSE,", 1, 6 },   { "ROTATE,", 2, 5 },    { "FFT,", 1, 5 } };
	uint32_t number[4] = { 0 };
	unsigned i, n;

	if (!token_skip(&k, "swizzle("))
		return token_number(k, v) && *v < 0x10000;
	if (!k.len || k.at[k.len - 1] != ')')
		return false;
	k.len--;
	if (token_skip(&k, "BITMASK_PERM,"))
		return parse_letters(k, v);
	for (i = 0; i < QD_COUNT(mode) && !token_skip(&k, mode[i].name); i++)
		;
	if (i == QD_COUNT(mode))
		return false;
	for (n = 0; n < mode[i].n; n++) {
		struct token one = token_until(&k, ",");
		if (!token_number(one, &number[n]) || number[n] >> mode[i].bits)
			return false;
		token_drop(&k, k.len && n + 1 < mode[i].n);
	}
	if (i >= 1 && i <= 3 && (!number[0] || (number[0] & (number[0] - 1)) || number[0] > 32))
		return false;
	if ((i == 1 && number[1] >= number[0]) || (i == 4 && number[0] > 1) ||
	    ((i == 1 || i == 3) && number[0] < 2))
		return false;
	switch (i) {
	case 0:
		*v = QUAD | number[0] | number[1] << 2 | number[2] << 4 | number[3] << 6;
		break;
	case 1:
		*v = ((32 - number[0]) & FIVE) << AND | (number[1] & FIVE) << OR;
		break;
	case 2:
		*v = FIVE << AND | number[0] << XOR;
		break;
	case 3:
		*v = FIVE << AND | ((number[0] - 1) & FIVE) << XOR;
		break;
	case 4:
		*v = ROTATE | (number[0] & 1) << 10 | number[1] << 5;
		break;
	default:
		*v = FFT | number[0];
		break;
	}
	return !k.len;
}
