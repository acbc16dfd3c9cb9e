/* Compute registers: the register maps, the values written, and the needs of a dispatch. */
#include "fake.h"

enum { NA = 0xffff };
enum need { MAY, NEED, MASK, SCR, OFF, OFF12, SPREAD, PACKET, NEVER };

static const struct row {
	const char *name;
	uint16_t at[N_GEN];
	uint8_t need;
} rows[N_REG] = {
#define REG(name, a, b, c, d, e, f, g, h, need) { #name, { a, b, c, d, e, f, g, h }, need },
#include "reg.def"
};

/* Fills the registers with random values, as if a previous client had used the queue. */
void
regs_poison(struct exec *x)
{
	for (unsigned i = 0; i < QD_COUNT(x->regs); i++)
		x->regs[i] = (uint32_t)next_random(&x->d->random);
	memset(x->written, 0, sizeof x->written);
	x->delay_set = false;
}

static const struct row *
row_at(const struct exec *x, uint32_t at)
{
	for (unsigned i = 0; i < N_REG; i++)
		if (rows[i].at[gen_of(x->d)] == at)
			return &rows[i];
	return NULL;
}

static bool
is_off(const struct exec *x, const struct row *r)
{
	return r->need == OFF || (r->need == OFF12 && gen_of(x->d) == G12);
}

bool
reg_write(struct exec *x, uint32_t at, uint32_t value)
{
	const struct row *r = at < QD_COUNT(x->regs) ? row_at(x, at) : NULL;
	if (!r)
		return exec_wrong(x, CHECK_reg_unknown, "register 0x%x of %s, value 0x%x", at,
				  x->d->gpu->name, value);
	if (r->need == NEVER || r->need == PACKET)
		return exec_wrong(x, CHECK_reg_forbidden, "%s (0x%x)", r->name, at);
	bool spread = !value || value == 64 || value == 128 || value == 256 || value == 512;
	if ((is_off(x, r) && value) || (r->need == SPREAD && !spread))
		return exec_wrong(x, CHECK_reg_value, "%s (0x%x) is 0x%x", r->name, at, value);
	x->regs[at] = value;
	x->written[at / 32] |= 1u << at % 32;
	return true;
}

bool
reg_there(const struct exec *x, enum reg r)
{
	return rows[r].at[gen_of(x->d)] != NA;
}

uint32_t
reg_of(const struct exec *x, enum reg r)
{
	uint16_t at = rows[r].at[gen_of(x->d)];
	return at == NA ? 0 : x->regs[at];
}

static bool
is_written(const struct exec *x, const struct row *r)
{
	uint16_t at = r->at[gen_of(x->d)];
	return at == NA || (x->written[at / 32] >> at % 32 & 1);
}

static bool
is_mask_of(const struct exec *x, enum reg r)
{
	static const enum reg masks[] = { R_MASK_SE0, R_MASK_SE1, R_MASK_SE2, R_MASK_SE3,
					  R_MASK_SE4, R_MASK_SE5, R_MASK_SE6, R_MASK_SE7 };
	for (unsigned i = 0; i < x->d->gpu->n_se; i++)
		if (masks[i] == r)
			return true;
	return false;
}

bool
regs_needed(struct exec *x, bool scratch, unsigned n_user)
{
	bool ok = true;
	uint32_t mask = 0;
	for (unsigned i = 0; i < N_REG; i++) {
		const struct row *r = &rows[i];
		bool user = i >= R_USER_DATA_0 && i < R_USER_DATA_0 + n_user;
		if (r->need == MASK && is_mask_of(x, (enum reg)i)) {
			if (!is_written(x, r))
				exec_wrong(x, CHECK_mask_unset, "%s (0x%x)", r->name,
					   r->at[gen_of(x->d)]);
			mask |= is_written(x, r) ? reg_of(x, (enum reg)i) : UINT32_MAX;
		}
		bool need = r->need == NEED || r->need == SPREAD || is_off(x, r);
		if ((need || (r->need == SCR && scratch) || user) && !is_written(x, r))
			ok = exec_wrong(x, CHECK_reg_unset, "%s (0x%x)", r->name,
					r->at[gen_of(x->d)]);
	}
	if (!mask)
		ok = exec_wrong(x, CHECK_mask_none, "the masks of all %u shader engines are 0",
				x->d->gpu->n_se);
	return ok;
}
