// Known differences between LLVM's passes and qd's rules, with their reasons.

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

// Adds the other half of each register pair.
static void
pairs(uint64_t out[2], const uint64_t in[2])
{
	const uint64_t even = 0x5555555555555555;

	for (int k = 0; k < 2; k++)
		out[k] = in[k] | (in[k] & even) << 1 | (in[k] >> 1 & even);
}

struct scan {
	std::vector<struct hz_scalar> e; // per instruction; empty for inserted ones
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

// Returns whether some path from the write w leads to a reader within the distance of the rule.
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

// Returns whether a register is written after VALU has read it and is then read within the distance
// of the rule. The first read is as a lane mask (gfx11, waves of 64) or as part of a pair (gfx12).
// This is an independent forward search by register. It explains insertions of LLVM's, which
// ignore the later read or its distance.
static bool
is_read_late(struct state *s, const struct hz_code &c)
{
	struct scan x = scan_of(s, c);
	std::vector<struct hz_scalar> before(x.e.size()); // read before this instruction; in `mask`
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

enum {
	LOOK_BACK = 19, // wait states, for matrix instructions
	ROW = 5		// instructions in a sequence of loads
};

// Returns the wait states that LLVM inserts between the two without other code.
static unsigned
states_between(struct state *s, const struct hz_insn &a, const struct hz_insn &b)
{
	struct hz_code two = {};
	unsigned states = 0;

	two.n_block = 1;
	two.insn[0] = a;
	two.insn[1] = b;
	hz_assemble(s->z, "s_endpgm", &two.insn[2]);
	two.n_insn = two.block[0].n = 3;
	number(two);
	std::vector<hz_fixed> fixed = s->llvm->fix({ two });
	for (int i = 0; i < fixed[0].code.n_insn; i++) {
		char text[HZ_TEXT];
		unsigned n;
		hz_text(s->z, &fixed[0].code.insn[i], text);
		if (!fixed[0].code.insn[i].tag && sscanf(text, "s_nop %u", &n) == 1)
			states += n + 1;
	}
	return states;
}

// Returns whether another matrix instruction or dot product between the two, on some path, writes a
// register of the later one. Between the two alone LLVM must insert at least the missing wait
// states.
static bool
is_after_nearer(struct state *s, const struct hz_code &c, const struct hz_found &f)
{
	int from = c.n_block == 1 ? f.earlier + 1 : 0, to = c.n_block == 1 ? f.later : c.n_insn;
	bool between = false;

	for (int i = from; i < to; i++)
		between |= i != f.earlier && i != f.later && hz_is_matrix(s->z, &c.insn[i]) &&
			   hz_meets(s->z, &c.insn[i], &c.insn[f.later]);
	return between && hz_is_matrix(s->z, &c.insn[f.earlier]) &&
	       states_between(s, c.insn[f.earlier], c.insn[f.later]) >= (unsigned)f.missing;
}

// Replaces the instruction with one that reads two of its registers and writes its result.
// Returns whether LLVM inserts a wait before it for some pair.
static bool
is_for_two(struct state *s, const struct hz_code &c, int later)
{
	std::vector<hz_code> codes;
	int v[16], n = hz_vectors(s->z, &c.insn[later], 0, v, 16), out[16];

	if (!hz_vectors(s->z, &c.insn[later], 1, out, 16))
		out[0] = 255;

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < i; k++) {
			struct hz_code two = c;
			char text[HZ_TEXT];
			snprintf(text, sizeof text, "v_max_u32_e32 v%d, v%d, v%d", out[0], v[i], v[k]);
			if (!hz_assemble(s->z, text, &two.insn[later]))
				continue;
			number(two);
			codes.push_back(two);
		}
	}
	if (codes.empty())
		return false;
	std::vector<hz_fixed> fixed = s->llvm->fix(codes);
	for (const hz_fixed &f : fixed) {
		for (int i = 0; i + 1 < f.code.n_insn; i++) {
			if (!f.code.insn[i].tag && f.code.insn[i + 1].tag == later + 1)
				return true;
		}
	}
	return false;
}

// Returns whether the rule finds nothing with these views.
static bool
is_silent(struct state *s, const struct hz_code &c, const struct hz_found &f, const int view[2])
{
	struct hz_found as[MAX_FOUND];
	bool still = false;

	for (int k = 0; k < 2; k++)
		still |= view[k] >= 0 && !hz_is_about(s->z, view[k], f.rule);
	int n = still ? 0 : hz_check_as(s->z, &c, view, f.later, as, MAX_FOUND);
	for (int i = 0; i < n && i < MAX_FOUND; i++)
		still |= as[i].later == f.later && !strcmp(as[i].rule, f.rule);
	return !still;
}

// Returns whether a rule finds something with these views: at the instruction, or, for an insertion
// after the write, at a later reader.
static bool
is_heard(struct state *s, const struct hz_code &c, int later, const int view[2])
{
	struct hz_found as[MAX_FOUND];
	int n = hz_check_as(s->z, &c, view, later, as, MAX_FOUND);

	for (int i = 0; i < n && i < MAX_FOUND; i++) {
		if (as[i].later == later || as[i].middle == later - 1)
			return true;
	}
	return false;
}

// Returns the reason of the first view, or of two views together, with which both agree.
template <typename Agrees>
static const char *
reading(Agrees agrees)
{
	for (int v = 0; v < hz_n_view(); v++) {
		if (agrees({ v, -1 }))
			return hz_view_why(v);
	}
	for (int v = 0; v < hz_n_view(); v++) {
		for (int k = 0; k < v; k++) {
			if (agrees({ k, v }))
				return "two of LLVM's deviations at once";
		}
	}
	return nullptr;
}

// Returns the reason why qd's rules find more than LLVM resolves, or NULL.
static const char *
reason_for_alarm(struct state *s, const struct hz_code &c, const struct hz_found &f)
{
	if (!c.insn[f.later].tag)
		return "LLVM does not check the instructions that it inserts";
	const char *why = reading([&](std::array<int, 2> v) { return is_silent(s, c, f, v.data()); });
	if (why)
		return why;
	if (!strcmp(f.rule, "partial_forward") && is_for_two(s, c, f.later))
		return "LLVM measures from the nearest of several writes; of two registers alone it waits";
	if (f.missing && is_after_nearer(s, c, f))
		return "LLVM checks only the nearest of several; with these two alone it inserts "
		       "the same";
	if (f.missing == 1 && !strcmp(s->name, "gfx950") &&
	    states_between(s, c.insn[f.earlier], c.insn[f.later]) == LOOK_BACK + 1)
		return "LLVM searches 19 wait states, although 20 are needed";
	if (strstr(f.rule, "_row_stored") && f.later - f.earlier > ROW)
		return "LLVM checks five consecutive instructions";
	for (int v = -1; v < hz_n_view(); v++) {
		if ((v < 0 || hz_is_about(s->z, v, f.rule)) && is_resolved_alone(s, c, f, v))
			return v < 0 ? "LLVM checks several paths at once; on each path alone it "
				       "inserts the wait"
				     : "LLVM checks several paths at once; on each path alone, "
				       "with its deviations, it inserts the wait";
	}
	return nullptr;
}

// Removes the inserted instructions. Returns whether LLVM inserts something before i on one of the
// paths to it, without the other paths.
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

// Without the inserted instructions: returns whether a sequence of memory instructions ends in this
// one, and one more than ROW before it has a register in common. LLVM looks that far back if a0 is
// used.
static bool
is_long_row(struct state *s, const struct hz_code &c, int later)
{
	int kind = hz_row(s->z, &c.insn[later]);
	bool a0 = false;

	for (int i = 0; i < c.n_insn; i++)
		a0 |= hz_has_a0(s->z, &c.insn[i]);
	for (int i = later; a0 && kind && i >= 0 && later - i <= LOOK_BACK; i--) {
		if (hz_row(s->z, &c.insn[i]) != kind)
			return false;
		if (later - i > ROW && hz_meets(s->z, &c.insn[i], &c.insn[later]))
			return true;
	}
	return false;
}

static bool
is_gfx125(const struct state *s)
{
	return !strncmp(s->name, "gfx125", 6);
}

// Returns whether LLVM inserts at instruction i without looking for a hazard: before s_setreg of one
// bit of the mode, and next to ds_atomic_async_barrier_arrive_b64 or s_getreg where the wait exists or
// the function begins.
static bool
is_always_inserted(struct state *s, const struct hz_code &c, int i, const char *inserted)
{
	bool nop = !strcmp(inserted, "v_nop");
	char text[HZ_TEXT] = "", last[HZ_TEXT] = "s_wait_alu";
	auto begins = [](const char *t, const char *with) { return !strncmp(t, with, strlen(with)); };

	if (i < c.n_insn)
		hz_text(s->z, &c.insn[i], text);
	if (i > 0)
		hz_text(s->z, &c.insn[i - 1], last);
	if (nop && begins(text, "s_setreg"))
		return strstr(text, "hwreg(HW_REG_WAVE_MODE, 0, 1)");
	if (!begins(inserted, "s_wait_alu"))
		return false;
	if (begins(text, "s_wait_alu"))
		return begins(last, "ds_atomic_async_barrier_arrive");
	return begins(last, "s_wait_alu") &&
	       (begins(text, "s_getreg") || begins(text, "ds_atomic_async_barrier_arrive"));
}

// Returns the reason for an insertion that no rule of ours requires, or NULL. Considers the first
// insertion and the instruction after it.
static const char *
reason_for_miss(struct state *s, const struct hz_code &again)
{
	bool gfx12 = !strncmp(s->name, "gfx12", 5), gfx11 = !strncmp(s->name, "gfx11", 5);
	char text[HZ_TEXT];
	int i = 0, before;

	while (i < again.n_insn && again.insn[i].tag)
		i++;
	if (i == again.n_insn)
		return nullptr;
	before = i - 1;
	hz_text(s->z, &again.insn[i], text);
	while (i < again.n_insn && !again.insn[i].tag)
		i++;
	struct hz_code less = again;
	for (int k = before + 1; k < i; k++)
		less = without(less, before + 1);
	const char *why = i == again.n_insn ? nullptr : reading([&](std::array<int, 2> v) {
		return is_heard(s, less, before + 1, v.data());
	});
	if (why)
		return why;
	if (is_gfx125(s) && is_always_inserted(s, less, before + 1, text))
		return "LLVM inserts waits here whatever precedes or follows";
	if (!strncmp(text, "s_nop", 5) && i < again.n_insn && is_long_row(s, less, before + 1))
		return "LLVM checks 19 consecutive instructions if a0 is named, otherwise five";
	if (gfx11 && hz_wave(s->z) == 64 && strstr(text, "depctr") && !strstr(text, "va_vdst") &&
	    !is_read_late(s, again))
		return "LLVM waits after every write of a former lane mask, at any distance";
	if (gfx12 && strstr(text, "sa_sdst") && !is_read_late(s, again))
		return "LLVM waits for SALU writes at any distance; ACO: 10 or 11 SALU "
		       "instructions";
	if (again.n_block > 1 && i < again.n_insn && !put_in_alone(s, again, i))
		return "LLVM: the distance is from one path, the instruction from another";
	return nullptr;
}
