// Functions with an instruction removed, and the paths through them as straight code.

// Removes instruction i.
static struct hz_code
without(const struct hz_code &c, int i)
{
	struct hz_code out = c;

	memmove(&out.insn[i], &out.insn[i + 1], sizeof *out.insn * (size_t)(c.n_insn - i - 1));
	out.n_insn--;
	for (int b = 0; b < c.n_block; b++) {
		if (out.block[b].first > i)
			out.block[b].first--;
		else if (i < out.block[b].first + out.block[b].n)
			out.block[b].n--;
	}
	return out;
}

static void
number(struct hz_code &c)
{
	for (int i = 0; i < c.n_insn; i++)
		c.insn[i].tag = i + 1;
}

// Removes one wait state of an insertion, or the inserted instruction.
static struct hz_code
lessen(struct state *s, const struct hz_code &c, int i)
{
	char text[HZ_TEXT];
	struct hz_code out;
	unsigned n;

	hz_text(s->z, &c.insn[i], text);
	if (sscanf(text, "s_nop %u", &n) == 1 && n > 0) {
		out = c;
		snprintf(text, sizeof text, "s_nop %u", n - 1);
		hz_assemble(s->z, text, &out.insn[i]);
	} else {
		out = without(c, i);
	}
	return out;
}

// Collects the paths that end in `way`, as lists of blocks.
static void
ways_to(const struct hz_code &c, const std::vector<int> &way, std::vector<std::vector<int>> &out)
{
	int b = way.front();

	if (way.size() == MAX_WAY || out.size() == MAX_WAYS)
		return;
	out.push_back(way);
	for (int p = 0; p < c.n_block; p++) {
		bool next = p + 1 == b, leads = false;
		for (int i = c.block[p].first; i < c.block[p].first + c.block[p].n; i++) {
			leads |= c.insn[i].branch && c.insn[i].to == b;
			next &= c.insn[i].branch != HZ_BRANCH;
		}
		if (!leads && !next)
			continue;
		std::vector<int> longer(way);
		longer.insert(longer.begin(), p);
		ways_to(c, longer, out);
	}
}

// Returns the blocks of a path as code, each followed by the next. The last block ends after
// instruction `last`.
static struct hz_code
along(struct state *s, const struct hz_code &c, const std::vector<int> &way, int last)
{
	struct hz_code out = {};
	struct hz_insn end;

	for (size_t k = 0; k < way.size(); k++) {
		const struct hz_block &b = c.block[way[k]];
		struct hz_block &to = out.block[out.n_block++];
		to.first = out.n_insn;
		for (int i = b.first; i < b.first + b.n && out.n_insn + 1 < HZ_MAX_INSN; i++) {
			if (k + 1 == way.size() && i > last)
				break;
			struct hz_insn in = c.insn[i];
			if (in.branch)
				in.to = (int)k + 1;
			out.insn[out.n_insn++] = in;
			to.n++;
		}
	}
	if (out.insn[out.n_insn - 1].branch) // the branch target
		out.block[out.n_block++] = { out.n_insn, 0 };
	hz_assemble(s->z, "s_endpgm", &end);
	out.insn[out.n_insn++] = end;
	out.block[out.n_block - 1].n++;
	number(out);
	return out;
}

// Returns the paths to the instruction, each as code in which it precedes the final s_endpgm.
static std::vector<hz_code>
codes_to(struct state *s, const struct hz_code &c, int later)
{
	std::vector<std::vector<int>> ways;
	std::vector<hz_code> codes;
	int block = 0;

	if (c.n_block == 1)
		return codes;
	while (later >= c.block[block].first + c.block[block].n)
		block++;
	ways_to(c, { block }, ways);
	for (const auto &w : ways)
		codes.push_back(along(s, c, w, later));
	return codes;
}

// Returns whether LLVM inserts something immediately before the instruction on one of the paths to
// it.
static bool
put_in_on_some_way(struct state *s, const struct hz_code &c, int later)
{
	std::vector<hz_code> codes = codes_to(s, c, later);
	std::vector<hz_fixed> fixed = s->llvm->fix(codes);

	for (size_t k = 0; k < codes.size(); k++) {
		const struct hz_code &f = fixed[k].code;
		for (int i = 0; i + 1 < f.n_insn; i++) {
			if (!f.insn[i].tag && f.insn[i + 1].tag == codes[k].n_insn - 1)
				return true;
		}
	}
	return false;
}

// Returns whether the rule finds the instruction on some path alone, and finds nothing in LLVM's
// result for each of these paths. A `view` of 0 or more applies LLVM's interpretation of that
// number.
static bool
is_resolved_alone(struct state *s, const struct hz_code &c, const struct hz_found &f, int view)
{
	std::vector<hz_code> codes = codes_to(s, c, f.later);
	std::vector<hz_fixed> fixed = s->llvm->fix(codes);
	bool some = false;
	auto finds = [&](const struct hz_code &code, int tag) {
		struct hz_found found[MAX_FOUND];
		const int as[] = { view, -1 };
		int n = view < 0 ? hz_check(s->z, &code, found, MAX_FOUND)
				 : hz_check_as(s->z, &code, as, tag - 1, found, MAX_FOUND);
		for (int i = 0; i < n && i < MAX_FOUND; i++) {
			if (code.insn[found[i].later].tag == tag && !strcmp(found[i].rule, f.rule))
				return true;
		}
		return false;
	};

	for (size_t k = 0; k < codes.size(); k++) {
		int tag = codes[k].n_insn - 1;
		if (!finds(codes[k], tag))
			continue;
		some = true;
		if (finds(fixed[k].code, tag))
			return false;
	}
	return some;
}
