/* What is wrong on purpose in packets and registers. */
#include <errno.h>
#include <string.h>

#include "planted.h"

/* -- Packets ----------------------------------------------------------------------- */

PLANT_WORDS(type2, 0x80000000)
PLANT_WORDS(type0, 0x00001000, 0)
PLANT_WORDS(clear_state, 0xc0001200, 0)
PLANT_WORDS(indirect_buffer, 0xc0023f00, 0, 0, 0)
PLANT_WORDS(long_event, 0xc0014600, 0x407, 0)
PLANT_WORDS(short_acquire, 0xc0055800, 0x28c40000, 0xffffffff, 0xffffff, 0, 0, 10)
PLANT_WORDS(past_end, 0xc03f1000, 0)
PLANT_WORDS(predicate, 0xc0001001, 0)
PLANT_WORDS(shader_release, 0xc0004602, 0x407)
PLANT_WORDS(event_type, 0xc0004600, 0x410)
PLANT_WORDS(release_event, 0xc0064900, 0x501, 0x20000000, 0, 0, 0, 0, 0)
PLANT_WORDS(gcr_shifted, 0xc0065800, 0, 0xffffffff, 0xffffff, 0, 0, 10, 0x8000c3b1)
PLANT_WORDS(range, 0xc0065800, 0, 0x1000, 0, 0, 0, 10, 0xc3b1)
PLANT_WORDS(copy_register, 0xc0044000, 0x00110500, 0, 0, 0, 0)
PLANT_WORDS(uconfig, 0xc0017900, 0x10, 0)
PLANT_WORDS(index, 0xc0019b02, 0x10000216, 0)

static int
plant_write_align(struct rig *r)
{
	const uint32_t w[] = { 0xc0033700, 5u << 8 | 1u << 20, (uint32_t)r->data.va + 2,
			       (uint32_t)(r->data.va >> 32), 7 };
	return planted_run_with(r, w, 5);
}

static int
plant_wait(struct rig *r)
{
	const uint32_t w[] = {
		0xc0053c00, 0x13, (uint32_t)r->data.va, (uint32_t)(r->data.va >> 32), 77,
		UINT32_MAX, 4
	};
	rig_stream(r);
	rig_between(r);
	for (unsigned i = 0; i < 7; i++)
		rig_word(r, w[i]);
	rig_pad(r);
	return rig_run(r);
}

/* -- Registers --------------------------------------------------------------------- */

PLANT_REG(rsrc3_elsewhere, 0x22d, 1) /* gfx1030, gfx906 */
PLANT_REG(rsrc3_on_94, 0x228, 1)     /* gfx942 */
PLANT_REG(masks_on_94, 0x225, UINT32_MAX)
PLANT_REG(se8_on_11, 0x223, UINT32_MAX)
PLANT_REG(relaunch_on_10, 0x22b, UINT32_MAX)
PLANT_REG(vmid, 0x214, 1)
PLANT_REG(initiator_reg, 0x200, 5)
PLANT_REG(perfcount, 0x20b, 1)
PLANT_REG(trace, 0x21e, 1)
PLANT_REG(chunk, 0x227, 1) /* gfx942 */
PLANT_REG(interleave, 0x22f, 96)
PLANT_REG(tunnel, 0x27d, 1)
PLANT_REG(packet_address, 0x20e, 4) /* gfx1201 */
PLANT_BITS(priv, 0x212, 1 << 20)
PLANT_BITS(gfx12_dx10, 0x212, 1 << 21)
PLANT_BITS(trap, 0x213, 1 << 6)
PLANT_BITS(excp, 0x213, 1 << 24)
PLANT_BITS(shared_vgprs, 0x228, 2)
PLANT_REG(accum_offset, 0x22d, 63)
PLANT_REG(pgm_hi, 0x20d, 0x1ff)
PLANT_REG(restart, 0x21c, 3)
PLANT_REG(partial, 0x207, 64 | 3 << 16)
PLANT_BITS(sgprs, 0x212, 2 << 6)

static int
plant_unordered(struct rig *r)
{
	rig_reg(r, 0x212)->value &= ~(1u << 30);
	return planted_run(r);
}

static int
plant_masks_none(struct rig *r)
{
	for (unsigned i = 0; i < r->n_regs; i++)
		if (r->regs[i].at == 0x216 || r->regs[i].at == 0x217 || r->regs[i].at == 0x219 ||
		    r->regs[i].at == 0x21a || (r->regs[i].at >= 0x22b && r->regs[i].at < 0x22f))
			r->regs[i].value = 0;
	return planted_run(r);
}

static int
plant_mask_unset(struct rig *r)
{
	rig_reg(r, 0x22c)->left_out = true;
	return planted_run(r);
}

static int
plant_delay_unset(struct rig *r)
{
	r->no_delay = true;
	return planted_run(r);
}

static int
plant_user_unset(struct rig *r)
{
	rig_reg(r, 0x24e)->left_out = true;
	return planted_run(r);
}

/* -- The table --------------------------------------------------------------------- */

const struct planted planted_packets[] = {
	{ "packet_type", "gfx1100", plant_type2, NULL, "" },
	{ "packet_type", "gfx1100", plant_type0, NULL, "" },
	{ "packet_opcode", "gfx1100", plant_clear_state, NULL, "" },
	{ "packet_opcode", "gfx1100", plant_indirect_buffer, NULL, "" },
	{ "packet_size", "gfx1100", plant_long_event, NULL, "" },
	{ "packet_size", "gfx1100", plant_short_acquire, NULL, "" },
	{ "packet_size", "gfx1100", plant_past_end, NULL, "" },
	{ "packet_header", "gfx1100", plant_predicate, NULL, "" },
	{ "packet_header", "gfx1100", plant_shader_release, NULL, "" },
	{ "packet_field", "gfx1100", plant_event_type, NULL, "" },
	{ "packet_field", "gfx1100", plant_release_event, NULL, "" },
	{ "packet_field", "gfx1100", plant_gcr_shifted, NULL, "" },
	{ "packet_field", "gfx1100", plant_range, NULL, "" },
	{ "packet_field", "gfx1100", plant_copy_register, NULL, "" },
	{ "packet_field", "gfx1100", plant_uconfig, NULL, "" },
	{ "packet_field", "gfx1100", plant_index, NULL, "" },
	{ "packet_field", "gfx1100", plant_write_align, NULL, "" },
	{ "wait_forever", "gfx1100", plant_wait, NULL, "" },
	{ "reg_unknown", "gfx1030", plant_rsrc3_elsewhere, NULL, "" },
	{ "reg_unknown", "gfx906", plant_rsrc3_elsewhere, NULL, "" },
	{ "reg_unknown", "gfx942", plant_rsrc3_on_94, NULL, "" },
	{ "reg_unknown", "gfx942", plant_masks_on_94, NULL, "" },
	{ "reg_unknown", "gfx1100", plant_se8_on_11, NULL, "" },
	{ "reg_unknown", "gfx1030", plant_relaunch_on_10, NULL, "" },
	{ "reg_forbidden", "gfx1100", plant_vmid, NULL, "" },
	{ "reg_forbidden", "gfx1100", plant_initiator_reg, NULL, "" },
	{ "reg_value", "gfx1100", plant_perfcount, NULL, "" },
	{ "reg_value", "gfx908", plant_trace, NULL, "" },
	{ "reg_value", "gfx942", plant_chunk, NULL, "" },
	{ "reg_value", "gfx1100", plant_interleave, NULL, "" },
	{ "reg_value", "gfx1030", plant_tunnel, NULL, "" },
	{ "reg_value", "gfx1201", plant_packet_address, NULL, "" },
	{ "reg_value", "gfx1100", plant_priv, NULL, "" },
	{ "reg_value", "gfx1201", plant_gfx12_dx10, NULL, "" },
	{ "reg_value", "gfx1100", plant_trap, NULL, "" },
	{ "reg_value", "gfx1100", plant_excp, NULL, "" },
	{ "reg_value", "gfx1030", plant_shared_vgprs, NULL, "" },
	{ "reg_value", "gfx90a", plant_accum_offset, NULL, "" },
	{ "reg_value", "gfx1100", plant_pgm_hi, NULL, "" },
	{ "reg_value", "gfx1100", plant_restart, NULL, "" },
	{ "reg_value", "gfx1100", plant_partial, NULL, "" },
	{ "reg_value", "gfx1100", plant_unordered, NULL, "" },
	{ "reg_unset", "gfx1100", plant_user_unset, NULL, "" },
	{ "reg_unset", "gfx906", plant_delay_unset, NULL, "" },
	{ "reg_unset", "gfx942", plant_delay_unset, NULL, "" },
	{ "reg_unset", "gfx1030", plant_delay_unset, NULL, "" },
	{ "mask_unset", "gfx1100", plant_mask_unset, NULL, "" },
	{ "mask_none", "gfx1100", plant_masks_none, NULL, "" },
	{ "sgprs_field", "gfx1100", plant_sgprs, NULL, "" },
};
const unsigned n_planted_packets = sizeof planted_packets / sizeof *planted_packets;
