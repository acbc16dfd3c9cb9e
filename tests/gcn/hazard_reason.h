// Differences between LLVM's passes and our rules that are known, each with its
// reason.

static bool
both(const uint64_t a[2], const uint64_t b[2])
{
	return (a[0] & b[0]) || (a[1] & b[1]);
}

static void
clear(uint64_t a[2], const uint64_t b[2])
{
	a[0] &= ~b[0];
	a[1] &= ~b[1];
}

static void
join(uint64_t a[2], const uint64_t b[2])
{
	a[0] |= b[0];
	a[1] |= b[1];
}

// The other half of each pair too.
static void
pairs(uint64_t out[2], const uint64_t in[2])
{
	const uint64_t even = 0x5555555555555555;

	for (int k = 0; k < 2; k++)
		out[k] = in[k] | (in[k] & even) << 1 | (in[k] >> 1 & even);
}

struct scan {
	std::vector<struct hz_scalar> e; // per instruction; nothing of what was put in
	std::vector<std::vector<int>> next;
	bool gfx12;
};

static struct scan
scan_of(struct state *s, const struct hz_code &c)
{
	struct scan x;

	x.e.resize((size_t)c.n_insn);
	x.next.resize((size_t)c.n_insn);
	x.gfx12 = !strncmp(s->name, "gfx12", 5);
	for (int i = 0; i < c.n_insn; i++) {
		if (c.insn[i].tag)
			hz_scalar(s->z, &c.insn[i], &x.e[(size_t)i]);
		else
			memset(&x.e[(size_t)i], 0, sizeof x.e[0]);
		if (c.insn[i].branch)
			x.next[(size_t)i].push_back(c.block[c.insn[i].to].first);
		if (c.insn[i].branch != HZ_BRANCH && i + 1 < c.n_insn)
			x.next[(size_t)i].push_back(i + 1);
	}
	return x;
}

// From behind the write w on: some way leads to a reader that is near enough.
static bool
reader_from(const struct scan &x, int w, int at, struct hz_scalar hot, unsigned salu,
	    std::map<std::pair<int, unsigned>, int> &seen)
{
	const uint64_t vcc[2] = { 0, UINT64_C(3) << 42 };
	const struct hz_scalar &from = x.e[(size_t)w];

	for (int r : x.next[(size_t)at]) {
		const struct hz_scalar &e = x.e[(size_t)r];
		struct hz_scalar h = hot;
		bool reader = from.salu ? e.salu || e.valu : e.valu;
		unsigned limit = !x.gfx12 ? 6 : e.valu ? 11 : 10;
		if (seen[{ r, salu }]++)
			continue;
		if (reader && both(e.reads, h.writes) && (!from.salu || salu < limit))
			return true;
		if ((from.salu && e.sa_sdst_0) || (x.gfx12 && e.memory))
			continue;
		if (from.valu && e.va_vcc_0)
			clear(h.writes, vcc);
		if (from.valu && e.va_sdst_0) {
			h.writes[0] = 0;
			h.writes[1] &= vcc[1];
		}
		if (from.valu && x.gfx12 && e.salu)
			clear(h.writes, e.reads);
		if (!(h.writes[0] | h.writes[1]))
			continue;
		if (reader_from(x, w, r, h, std::min(salu + (unsigned)e.counted, 12u), seen))
			return true;
	}
	return false;
}

// Whether some register is read, by a kind of instruction and near enough for the
// rule to matter, that was written behind a read by VALU: as a lane mask in waves of
// 64 of gfx11, as one of a pair on gfx12.  Spelled out forwards and by register,
// for what LLVM puts in wherever such a register is written or however far.
static bool
is_read_late(struct state *s, const struct hz_code &c)
{
	struct scan x = scan_of(s, c);
	std::vector<struct hz_scalar> before(x.e.size()); // in `mask`
	bool again = true;

	memset(before.data(), 0, before.size() * sizeof before[0]);
	while (again) {
		again = false;
		for (size_t i = 0; i < x.e.size(); i++) {
			uint64_t out[2] = { before[i].mask[0], before[i].mask[1] }, reads[2];
			if (!x.gfx12)
				clear(out, x.e[i].writes);
			pairs(reads, x.e[i].reads);
			join(out, !x.gfx12 ? x.e[i].mask : x.e[i].valu ? reads : before[i].mask);
			for (int n : x.next[i]) {
				uint64_t *to = before[(size_t)n].mask;
				again |= (out[0] & ~to[0]) || (out[1] & ~to[1]);
				join(to, out);
			}
		}
	}
	for (size_t w = 0; w < x.e.size(); w++) {
		struct hz_scalar hot = x.e[w];
		uint64_t mask[2] = { before[w].mask[0], before[w].mask[1] }, own[2];
		std::map<std::pair<int, unsigned>, int> seen;
		pairs(own, x.e[w].reads);
		if (x.gfx12 && x.e[w].valu)
			join(mask, own);
		if (!x.e[w].valu && !x.e[w].salu)
			continue;
		hot.writes[0] &= mask[0];
		hot.writes[1] &= mask[1];
		if ((hot.writes[0] | hot.writes[1]) && reader_from(x, (int)w, (int)w, hot, 0, seen))
			return true;
	}
	return false;
}

static bool
uses(struct state *s, const struct hz_code &c, const char *name)
{
	for (int i = 0; i < c.n_insn; i++) {
		char text[HZ_TEXT];
		hz_text(s->z, &c.insn[i], text);
		if (strstr(text, name))
			return true;
	}
	return false;
}

static int
count(struct state *s, const struct hz_code &c, const char *name)
{
	int n = 0;

	for (int i = 0; i < c.n_insn; i++) {
		char text[HZ_TEXT];
		hz_text(s->z, &c.insn[i], text);
		n += !strncmp(text, name, strlen(name));
	}
	return n;
}

// Another matrix instruction or dot product stands between the two, and the two alone
// LLVM keeps as far apart as they are said to lack, at least.
static bool
put_in_between(struct state *s, const struct hz_code &c, const struct hz_found &f)
{
	struct hz_code two = {};
	unsigned states = 0;
	char text[HZ_TEXT];
	bool between = false;

	for (int i = 0; i < c.n_insn; i++) {
		hz_text(s->z, &c.insn[i], text);
		between |= i != f.earlier && i != f.later &&
			   (strstr(text, "mfma") || strstr(text, "smfmac") || strstr(text, "_dot"));
	}
	if (!between)
		return false;
	two.n_block = 1;
	two.insn[0] = c.insn[f.earlier];
	two.insn[1] = c.insn[f.later];
	hz_assemble(s->z, "s_endpgm", &two.insn[2]);
	two.n_insn = two.block[0].n = 3;
	number(two);
	std::vector<hz_fixed> fixed = s->llvm->fix({ two });
	for (int i = 0; i < fixed[0].code.n_insn; i++) {
		unsigned n;
		hz_text(s->z, &fixed[0].code.insn[i], text);
		if (!fixed[0].code.insn[i].tag && sscanf(text, "s_nop %u", &n) == 1)
			states += n + 1;
	}
	return states >= (unsigned)f.missing;
}

// Ours finds more than LLVM resolves.
static const char *
reason_for_alarm(struct state *s, const struct hz_code &c, const struct hz_found &f)
{
	char text[HZ_TEXT];

	for (int i : { f.earlier, f.middle, f.later }) {
		if (i < 0)
			continue;
		hz_text(s->z, &c.insn[i], text);
		if (!strncmp(text, "s_movrel", 8))
			return "LLVM: s_movreld reads the register that it names and writes none";
		if (strstr(text, "src_vccz") || strstr(text, "src_execz"))
			return "LLVM does not take a read of vccz or execz for one of vcc or exec";
		if (!strncmp(text, "s_getreg", 8) && !strcmp(f.rule, "vmem_scalar_write"))
			return "LLVM: s_getreg writes no scalar behind vector memory";
		if (strstr(text, " gds") && !strcmp(f.rule, "vmem_scalar_write"))
			return "LLVM: GDS does not read m0";
		if ((strstr(text, " gds") || strstr(text, " lds") || strstr(text, "_addtid")) && i == f.later &&
		    !strncmp(f.rule, "acc_", 4))
			return "LLVM looks at m0 alone before what LDS and GDS read of it";
		if (!strncmp(text, "s_cmov", 6))
			return "LLVM: s_cmov does not read what it may leave as it is";
		if (strstr(f.rule, "_row_") && (strstr(text, " tfe") || strstr(text, "format_d16_hi")))
			return "LLVM: with tfe or a format a load of a half keeps nothing";
		if (strstr(f.rule, "store_data") && strstr(text, " src_"))
			return "LLVM: an aperture as offset is like an SGPR";
	}
	if ((!strncmp(f.rule, "cmpx_", 5) || !strcmp(f.rule, "denorm_mode")) && uses(s, c, " lds"))
		return "LLVM takes loads to LDS for VALU";
	if (!c.insn[f.later].tag)
		return "LLVM does not look at what it puts in";
	if (f.missing && uses(s, c, "s_nop 0x"))
		return "LLVM: s_nop is as long as all its bits say; four of them do";
	hz_text(s->z, &c.insn[f.later], text);
	if (!strncmp(text, "v_dual_", 7) && strstr(text, "ac_f"))
		return "LLVM decodes what a dual instruction adds to without its lowest bit";
	if (!strcmp(f.rule, "partial_forward"))
		return "LLVM measures from the nearest of several writes";
	if (!strncmp(f.rule, "sgpr_", 5) && uses(s, c, "vcc_hi"))
		return "LLVM: one half of vcc stands for both";
	if (!strncmp(f.rule, "sgpr_", 5) && uses(s, c, "s_movrel"))
		return "LLVM: s_movreld reads the register that it names and writes none";
	if (!strcmp(f.rule, "dealloc") || !strcmp(f.rule, "mad_source"))
		return "LLVM: by another pass";
	hz_text(s->z, &c.insn[f.earlier], text);
	if (strstr(f.rule, "cmpx_permlane") && (!strncmp(text, "v_cmpx_class", 12) || !strncmp(text, "v_cmpx_t_", 9)))
		return "LLVM does not take v_cmpx_class and v_cmpx_t for compares";
	if ((strstr(f.rule, "cmpx_permlane") || !strcmp(f.rule, "permlane_swap_exec")) &&
	    strncmp(text, "v_cmpx", 6))
		return "LLVM: v_cmpx alone, not every VALU that writes exec";
	if (f.missing && put_in_between(s, c, f))
		return "LLVM looks at the nearest of several; of these two alone it resolves as much";
	if (put_in_on_some_way(s, c, f.later))
		return "LLVM comes to a block once only, whatever the distance";
	return nullptr;
}

// Of the code without what was put in: LLVM puts something in before i on one of the
// ways to it, taken alone.
static bool
put_in_alone(struct state *s, const struct hz_code &c, int i)
{
	struct hz_code less = c;

	for (int k = c.n_insn; k-- > 0;) {
		if (less.insn[k].tag)
			continue;
		less = without(less, k);
		i -= k < i;
	}
	number(less);
	return put_in_on_some_way(s, less, i);
}

// LLVM puts in what no rule of ours asks for: the first thing put in, and the
// instruction behind it.
static const char *
reason_for_miss(struct state *s, const struct hz_code &again)
{
	static const struct {
		enum hz_near what;
		const char *fix, *why;
	} reasons[] = {
		{ HZ_DPP_OTHER, "s_nop",
		  "LLVM: any write of any VGPR that DPP names; the guides: VALU, the first source" },
		{ HZ_VMEM_EXEC, "s_nop", "LLVM takes exec for an SGPR that vector memory reads" },
		{ HZ_LANE_SGPR, "s_waitcnt_depctr",
		  "LLVM: v_readlane writes no SGPR between a read of exec and v_cmpx; ACO: it does" },
		{ HZ_IDLE, "s_waitcnt_depctr", "LLVM does not know that s_wait_idle waits for all" },
		{ HZ_IDLE, "s_mov_b32", "LLVM does not know that s_wait_idle waits for all" },
		{ HZ_PACKED, "s_nop", "LLVM takes op_sel_hi of packed instructions for a half of a result" },
		{ HZ_LDS_DMA, "s_nop", "LLVM takes loads to LDS for VALU" },
		{ HZ_HALF_LOAD, "s_nop", "LLVM: what writes a half reads the other" },
		{ HZ_HALF_LOAD, "s_waitcnt_depctr", "LLVM: what writes a half reads the other" },
		{ HZ_NULL_RESULT, "s_nop", "LLVM takes null for a register that is loaded" },
	};
	bool gfx12 = !strncmp(s->name, "gfx12", 5), gfx11 = !strncmp(s->name, "gfx11", 5);
	char text[HZ_TEXT];
	int i = 0;

	while (i < again.n_insn && again.insn[i].tag)
		i++;
	if (i == again.n_insn)
		return nullptr;
	hz_text(s->z, &again.insn[i], text);
	while (i < again.n_insn && !again.insn[i].tag)
		i++;
	for (const auto &r : reasons) {
		if (i < again.n_insn && !strncmp(text, r.fix, strlen(r.fix)) &&
		    hz_is_near(s->z, &again, i, r.what))
			return r.why;
	}
	if (!strncmp(text, "v_mov_b32", 9) && uses(s, again, "v_nop"))
		return "LLVM: v_nop does not resolve cmpx_permlane; ACO: from gfx11 on it does";
	if (i < again.n_insn) {
		char later[HZ_TEXT];
		hz_text(s->z, &again.insn[i], later);
		if (!strcmp(s->name, "gfx908") && !strncmp(later, "v_accvgpr_", 10) && !strncmp(text, "s_nop", 5) &&
		    count(s, again, "v_mfma") > 1)
			return "LLVM measures by the longest matrix instruction that it passes, whatever that writes";
		if (!strncmp(later, "v_dual_", 7) && strstr(later, "ac_f"))
			return "LLVM decodes what a dual instruction adds to without its lowest bit";
	}
	if (hz_wave(s->z) == 32 && uses(s, again, "exec_hi"))
		return "LLVM: in waves of 32 v_cmpx writes all 64 bits of exec";
	if (uses(s, again, "_src2_") && strstr(text, "vm_vsrc"))
		return "LLVM: ds_*_src2 read m0";
	if (gfx12 && uses(s, again, "ttmp"))
		return "LLVM: a trap register stands for s0";
	if (gfx11 && hz_wave(s->z) == 64 && strstr(text, "depctr") && !strstr(text, "va_vdst") &&
	    !is_read_late(s, again))
		return "LLVM waits behind a write of what was a lane mask, read or not, near or far";
	if ((gfx12 || !strncmp(s->name, "gfx94", 5) || !strcmp(s->name, "gfx950")) &&
	    uses(s, again, "vcc_hi"))
		return "LLVM: one half of vcc stands for both";
	if (gfx12 && uses(s, again, "s_movrel"))
		return "LLVM: s_movreld reads the register that it names and writes none";
	if (gfx12 && strstr(text, "sa_sdst") && !is_read_late(s, again))
		return "LLVM waits for what SALU wrote however long ago; ACO: 10 or 11 SALU instructions";
	if (again.n_block > 1 && i < again.n_insn && !put_in_alone(s, again, i))
		return "LLVM: the distance on one way, the instruction found on another";
	return nullptr;
}

// LLVM waits for a counter before an instruction that uses no result of what it waits
// for.
static const char *
reason_for_wait(struct state *s, const struct hz_code &c, int i)
{
	static const struct {
		const char *text, *why;
	} reasons[] = {
		{ "s_barrier", "memory is to be in order before a barrier" },
		{ "ds_gws", "memory is to be in order before a barrier" },
		{ "_inv", "what caches drop is to be waited for" },
		{ "_wbinvl1", "what caches drop is to be waited for" },
		{ "d16", "halves of a register, loaded one after the other" },
		{ "s_sendmsg", "stores before vector registers are given back" },
	};
	char text[HZ_TEXT];

	hz_text(s->z, &c.insn[i], text);
	for (const auto &r : reasons) {
		if (strstr(text, r.text))
			return r.why;
	}
	return nullptr;
}
