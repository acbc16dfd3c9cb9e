/* Injected violations in packets and registers. */
#include <errno.h>
#include <string.h>

#include "injected.h"

/* -- Packets ----------------------------------------------------------------------- */

INJECT_WORDS(type2, 0x80000000)
INJECT_WORDS(type0, 0x00001000, 0)
INJECT_WORDS(clear_state, 0xc0001200, 0)
INJECT_WORDS(indirect_buffer, 0xc0023f00, 0, 0, 0)
INJECT_WORDS(long_event, 0xc0014600, 0x407, 0)
INJECT_WORDS(short_acquire, 0xc0055800, 0x28c40000, 0xffffffff, 0xffffff, 0, 0, 10)
INJECT_WORDS(past_end, 0xc03f1000, 0)
INJECT_WORDS(predicate, 0xc0001001, 0)
INJECT_WORDS(shader_release, 0xc0004602, 0x407)
INJECT_WORDS(event_type, 0xc0004600, 0x410)
INJECT_WORDS(release_event, 0xc0064900, 0x501, 0x20000000, 0, 0, 0, 0, 0)
INJECT_WORDS(gcr_shifted, 0xc0065800, 0, 0xffffffff, 0xffffff, 0, 0, 10, 0x8000c3b1)
INJECT_WORDS(range, 0xc0065800, 0, 0x1000, 0, 0, 0, 10, 0xc3b1)
INJECT_WORDS(copy_register, 0xc0044000, 0x00110500, 0, 0, 0, 0)
INJECT_WORDS(uconfig, 0xc0017900, 0x10, 0)
INJECT_WORDS(index, 0xc0019b02, 0x10000216, 0)

static int
inject_write_align(struct rig *r)
{
	const uint32_t w[] = { 0xc0033700, 5u << 8 | 1u << 20, (uint32_t)r->data.va + 2,
			       (uint32_t)(r->data.va >> 32), 7 };
	return injected_run_with(r, w, 5);
}

static int
inject_wait(struct rig *r)
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

INJECT_REG(rsrc3_elsewhere, 0x22d, 1) /* gfx1030, gfx906 */
INJECT_REG(rsrc3_on_94, 0x228, 1)     /* gfx942 */
INJECT_REG(masks_on_94, 0x225, UINT32_MAX)
INJECT_REG(se8_on_11, 0x223, UINT32_MAX)
INJECT_REG(relaunch_on_10, 0x22b, UINT32_MAX)
INJECT_REG(vmid, 0x214, 1)
INJECT_REG(initiator_reg, 0x200, 5)
INJECT_REG(perfcount, 0x20b, 1)
INJECT_REG(trace, 0x21e, 1)
INJECT_REG(chunk, 0x227, 1) /* gfx942 */
INJECT_REG(interleave, 0x22f, 96)
INJECT_REG(tunnel, 0x27d, 1)
INJECT_REG(packet_address, 0x20e, 4) /* gfx1201 */
INJECT_BITS(priv, 0x212, 1 << 20)
INJECT_BITS(gfx12_dx10, 0x212, 1 << 21)
INJECT_BITS(trap, 0x213, 1 << 6)
INJECT_BITS(excp, 0x213, 1 << 24)
INJECT_BITS(shared_vgprs, 0x228, 2)
INJECT_REG(accum_offset, 0x22d, 63)
INJECT_REG(pgm_hi, 0x20d, 0x1ff)
INJECT_REG(restart, 0x21c, 3)
INJECT_REG(partial, 0x207, 64 | 3 << 16)
INJECT_BITS(sgprs, 0x212, 2 << 6)

static int
inject_unordered(struct rig *r)
{
	rig_reg(r, 0x212)->value &= ~(1u << 30);
	return injected_run(r);
}

static int
inject_masks_none(struct rig *r)
{
	for (unsigned i = 0; i < r->n_regs; i++)
		if (r->regs[i].at == 0x216 || r->regs[i].at == 0x217 || r->regs[i].at == 0x219 ||
		    r->regs[i].at == 0x21a || (r->regs[i].at >= 0x22b && r->regs[i].at < 0x22f))
			r->regs[i].value = 0;
	return injected_run(r);
}

static int
inject_mask_unset(struct rig *r)
{
	rig_reg(r, 0x22c)->left_out = true;
	return injected_run(r);
}

static int
inject_delay_unset(struct rig *r)
{
	r->no_delay = true;
	return injected_run(r);
}

static int
inject_user_unset(struct rig *r)
{
	rig_reg(r, 0x24e)->left_out = true;
	return injected_run(r);
}

/* -- The table --------------------------------------------------------------------- */

const struct injected injected_packets[] = {
	{ "packet_type", "gfx1100", inject_type2, NULL, "" },
	{ "packet_type", "gfx1100", inject_type0, NULL, "" },
	{ "packet_opcode", "gfx1100", inject_clear_state, NULL, "" },
	{ "packet_opcode", "gfx1100", inject_indirect_buffer, NULL, "" },
	{ "packet_size", "gfx1100", inject_long_event, NULL, "" },
	{ "packet_size", "gfx1100", inject_short_acquire, NULL, "" },
	{ "packet_size", "gfx1100", inject_past_end, NULL, "" },
	{ "packet_header", "gfx1100", inject_predicate, NULL, "" },
	{ "packet_header", "gfx1100", inject_shader_release, NULL, "" },
	{ "packet_field", "gfx1100", inject_event_type, NULL, "" },
	{ "packet_field", "gfx1100", inject_release_event, NULL, "" },
	{ "packet_field", "gfx1100", inject_gcr_shifted, NULL, "" },
	{ "packet_field", "gfx1100", inject_range, NULL, "" },
	{ "packet_field", "gfx1100", inject_copy_register, NULL, "" },
	{ "packet_field", "gfx1100", inject_uconfig, NULL, "" },
	{ "packet_field", "gfx1100", inject_index, NULL, "" },
	{ "packet_field", "gfx1100", inject_write_align, NULL, "" },
	{ "wait_forever", "gfx1100", inject_wait, NULL, "" },
	{ "reg_unknown", "gfx1030", inject_rsrc3_elsewhere, NULL, "" },
	{ "reg_unknown", "gfx906", inject_rsrc3_elsewhere, NULL, "" },
	{ "reg_unknown", "gfx942", inject_rsrc3_on_94, NULL, "" },
	{ "reg_unknown", "gfx942", inject_masks_on_94, NULL, "" },
	{ "reg_unknown", "gfx1100", inject_se8_on_11, NULL, "" },
	{ "reg_unknown", "gfx1030", inject_relaunch_on_10, NULL, "" },
	{ "reg_forbidden", "gfx1100", inject_vmid, NULL, "" },
	{ "reg_forbidden", "gfx1100", inject_initiator_reg, NULL, "" },
	{ "reg_value", "gfx1100", inject_perfcount, NULL, "" },
	{ "reg_value", "gfx908", inject_trace, NULL, "" },
	{ "reg_value", "gfx942", inject_chunk, NULL, "" },
	{ "reg_value", "gfx1100", inject_interleave, NULL, "" },
	{ "reg_value", "gfx1030", inject_tunnel, NULL, "" },
	{ "reg_value", "gfx1201", inject_packet_address, NULL, "" },
	{ "reg_value", "gfx1100", inject_priv, NULL, "" },
	{ "reg_value", "gfx1201", inject_gfx12_dx10, NULL, "" },
	{ "reg_value", "gfx1100", inject_trap, NULL, "" },
	{ "reg_value", "gfx1100", inject_excp, NULL, "" },
	{ "reg_value", "gfx1030", inject_shared_vgprs, NULL, "" },
	{ "reg_value", "gfx90a", inject_accum_offset, NULL, "" },
	{ "reg_value", "gfx1100", inject_pgm_hi, NULL, "" },
	{ "reg_value", "gfx1100", inject_restart, NULL, "" },
	{ "reg_value", "gfx1100", inject_partial, NULL, "" },
	{ "reg_value", "gfx1100", inject_unordered, NULL, "" },
	{ "reg_unset", "gfx1100", inject_user_unset, NULL, "" },
	{ "reg_unset", "gfx906", inject_delay_unset, NULL, "" },
	{ "reg_unset", "gfx942", inject_delay_unset, NULL, "" },
	{ "reg_unset", "gfx1030", inject_delay_unset, NULL, "" },
	{ "mask_unset", "gfx1100", inject_mask_unset, NULL, "" },
	{ "mask_none", "gfx1100", inject_masks_none, NULL, "" },
	{ "sgprs_field", "gfx1100", inject_sgprs, NULL, "" },
};
const unsigned n_injected_packets = sizeof injected_packets / sizeof *injected_packets;
