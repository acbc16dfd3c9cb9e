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

// The instructions in the order of the text, without what was put in; twice where
// there is a way back.
static std::vector<struct hz_scalar>
scalars(struct state *s, const struct hz_code &c)
{
	std::vector<struct hz_scalar> out;
	bool back = false;

	for (int b = 0; b < c.n_block; b++) {
		for (int i = c.block[b].first; i < c.block[b].first + c.block[b].n; i++)
			back |= c.insn[i].branch && c.insn[i].to <= b;
	}
	for (int turn = 0; turn <= back; turn++) {
		for (int i = 0; i < c.n_insn; i++) {
			struct hz_scalar e;
			hz_scalar(s->z, &c.insn[i], &e);
			if (c.insn[i].tag)
				out.push_back(e);
		}
	}
	return out;
}

// Whether some register is read, by a kind of instruction and near enough for the
// rule to matter, that was written behind a read by VALU: as a lane mask in waves of
// 64 of gfx11, as one of a pair on gfx12.  Spelled out forwards and by register,
// for what LLVM puts in wherever such a register is written or however far.
static bool
is_read_late(struct state *s, const struct hz_code &c, bool gfx12)
{
	std::vector<struct hz_scalar> e = scalars(s, c);
	uint64_t before[2] = { 0, 0 };

	for (size_t w = 0; w < e.size(); w++) {
		uint64_t hot[2], reads[2];
		if (gfx12) {
			pairs(reads, e[w].reads);
			if (e[w].valu)
				join(before, reads);
		}
		hot[0] = e[w].writes[0] & before[0];
		hot[1] = e[w].writes[1] & before[1];
		if (!gfx12)
			join(before, e[w].mask);
		unsigned salu = 0;
		for (size_t r = w + 1; r < e.size() && (hot[0] | hot[1]); r++) {
			const uint64_t vcc[2] = { 0, UINT64_C(3) << 42 };
			bool reader = e[w].salu ? e[r].salu || e[r].valu : e[r].valu;
			unsigned limit = !gfx12 ? 6 : e[r].valu ? 11 : 10;
			if (reader && both(e[r].reads, hot) && (!e[w].salu || salu < limit))
				return true;
			if (e[w].salu ? e[r].sa_sdst_0 : e[r].va_sdst_0 && !both(hot, vcc))
				break;
			if (e[w].valu && e[r].va_vcc_0)
				clear(hot, vcc);
			if (e[w].valu && gfx12 && e[r].salu)
				clear(hot, e[r].reads);
			if (gfx12 && e[r].memory)
				break;
			salu += (unsigned)e[r].counted;
		}
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
	}
	if (!strcmp(f.rule, "dealloc"))
		return "LLVM: by another pass";
	hz_text(s->z, &c.insn[f.earlier], text);
	if (strstr(f.rule, "cmpx_permlane") && !strncmp(text, "v_cmpx_class", 12))
		return "LLVM does not take v_cmpx_class of two words for a compare";
	if (strstr(f.rule, "cmpx_permlane") && strncmp(text, "v_cmpx", 6))
		return "LLVM: v_cmpx alone, not every VALU that writes exec";
	if (!strcmp(f.rule, "cmpx_exec_war") && strstr(text, "src_execz"))
		return "LLVM does not take a read of execz for one of exec";
	if (strstr(f.rule, "_row_") && f.later - f.earlier > 4)
		return "LLVM remembers the five instructions before";
	if (strstr(f.rule, "sgpr_valu_")) {
		for (int i = 0; i < c.n_insn; i++) {
			struct hz_scalar e;
			hz_scalar(s->z, &c.insn[i], &e);
			if (e.salu && (e.reads[0] | e.reads[1]))
				return "LLVM: SALU that reads any SGPR resolves what VALU wrote; here the same one";
		}
	}
	if (f.missing && put_in_between(s, c, f))
		return "LLVM looks at the nearest of several; of these two alone it resolves as much";
	if (put_in_on_some_way(s, c, f.later))
		return "LLVM comes to a block once only, whatever the distance";
	return nullptr;
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
	if (gfx11 && hz_wave(s->z) == 64 && strstr(text, "depctr") && !strstr(text, "va_vdst") &&
	    !is_read_late(s, again, false))
		return "LLVM waits behind a write of what was a lane mask, read or not, near or far";
	if (gfx12 && strstr(text, "va_vcc") && uses(s, again, "vcc_hi") && !strstr(text, "sdst"))
		return "LLVM: one half of vcc stands for both";
	if (gfx12 && strstr(text, "sa_sdst") && !is_read_late(s, again, true))
		return "LLVM waits for what SALU wrote however long ago; ACO: 10 or 11 SALU instructions";
	return nullptr;
}
