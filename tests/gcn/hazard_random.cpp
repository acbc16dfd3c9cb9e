// Compares LLVM 22's passes that resolve hazards with qd's rules, on random short functions
// of AMD code, in both directions. The result of the passes must be free of hazards by the
// rules. If an inserted instruction is removed again, the rules must report a hazard, unless
// LLVM would not insert it a second time. Differences caused by LLVM are listed with their
// reasons (hazard_reason.h); any other difference fails.
//  hazard_random [-n functions] [-s seed] [-v] [-x rule] [--sweep] [-t text] [target...]
//  hazard_random -c target code...
// -v prints each difference. -x disables a rule; the program must then report misses.
// --sweep disables each rule in turn and lists the rules that no function needed. -t shows
// both results for the given instructions, separated by semicolons. -c reads files of
// compiled words and removes each nop and each wait for dependencies once. The rules must
// report a hazard wherever LLVM would insert the instruction again. Files that differ are named.
#include "hazard_llvm.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

enum { BATCH = 400, MAX_FOUND = 64, PER_KIND = 40, MAX_WAY = 6, MAX_WAYS = 40 };

static const char *const all_targets[] = { "gfx906",  "gfx908",  "gfx90a",     "gfx942",  "gfx950",
					   "gfx1010", "gfx1030", "gfx1100",    "gfx1100:64",
					   "gfx1150", "gfx1150:64", "gfx1200", "gfx1200:64",
					   "gfx1250", "gfx1251" };

struct state {
	struct hz *z;
	hz_llvm *llvm;
	const char *name;
	bool verbose;
	unsigned long functions, instructions, put_in, found, missed, alarms;
	std::map<std::string, unsigned long> explained, by_rule, needed;
	bool sweep;
	unsigned shown;
};

static void
tally(struct state *s, const char *reason)
{
	s->explained[reason]++;
}

static void
print(struct state *s, const struct hz_code &c, int mark)
{
	for (int b = 0; b < c.n_block; b++) {
		for (int i = c.block[b].first; i < c.block[b].first + c.block[b].n; i++) {
			char text[HZ_TEXT];
			hz_text(s->z, &c.insn[i], text);
			printf("    %c%s b%d %2d  %s", i == mark ? '>' : ' ', c.insn[i].tag ? " " : "+", b, i,
			       text);
			if (c.insn[i].branch)
				printf(" -> b%d", c.insn[i].to);
			printf("\n");
		}
	}
}

static void
differ(struct state *s, const char *what, const struct hz_code &c, int mark)
{
	if (s->shown++ >= (s->verbose ? 1000u : 5u))
		return;
	printf("  %s: %s\n", s->name, what);
	print(s, c, mark);
}

#include "hazard_way.h"
#include "hazard_reason.h"

static bool
is_alone(const char *rule)
{
	return !strcmp(rule, "mad_source") || !strcmp(rule, "dealloc");
}

// Returns whether the instruction violates a rule for which LLVM inserts nothing: early clobbers,
// or the instruction that the hardware requires before it.
static bool
is_wrong_alone(struct state *s, const struct hz_code &c, int i, const char **rule)
{
	char text[HZ_TEXT];
	int block = 0;

	*rule = nullptr;
	if (s->llvm->is_early(c.insn[i])) {
		*rule = "mad_source";
		return true;
	}
	hz_text(s->z, &c.insn[i], text);
	if (strncmp(s->name, "gfx11", 5) || strncmp(text, "s_sendmsg", 9) ||
	    !strstr(text, "MSG_DEALLOC_VGPRS"))
		return false;
	*rule = "dealloc";
	while (i >= c.block[block].first + c.block[block].n)
		block++;
	std::vector<int> last; // predecessors, one for each path
	if (i > c.block[block].first)
		last.push_back(i - 1);
	for (int k = 0; k < c.n_insn && i == c.block[block].first; k++) {
		bool on = k + 1 == c.block[block].first && c.insn[k].branch != HZ_BRANCH;
		if (on || (c.insn[k].branch && c.insn[k].to == block))
			last.push_back(k);
	}
	for (int k : last) {
		hz_text(s->z, &c.insn[k], text);
		if (strncmp(text, "s_nop", 5))
			return true;
	}
	return false;
}

// Compares these rules in both directions: every violation must be reported, and nothing else.
static bool
alone(struct state *s, const struct hz_code &c, const struct hz_found *found, int n)
{
	bool ok = true;

	for (int i = 0; i < c.n_insn; i++) {
		const char *rule;
		bool wrong = is_wrong_alone(s, c, i, &rule), ours = false;
		char what[100];
		for (int k = 0; k < n && k < MAX_FOUND; k++)
			ours |= found[k].later == i && is_alone(found[k].rule);
		ok &= !wrong && !ours;
		if (wrong == ours) {
			s->put_in += ours;
			s->found += ours;
			if (ours) {
				s->by_rule[rule]++;
				s->needed[rule]++;
			}
			continue;
		}
		snprintf(what, sizeof what, "%s, %s by ours", rule ? rule : "nothing", ours ? "found" : "missed");
		(wrong ? s->missed : s->alarms)++;
		differ(s, what, c, i);
	}
	return ok;
}

// Returns whether qd's rules find nothing in LLVM's result. Reports unexplained findings.
static bool
clean(struct state *s, const struct hz_fixed &f)
{
	struct hz_found found[MAX_FOUND];
	int n = hz_check(s->z, &f.code, found, MAX_FOUND);
	bool ok = true;

	if (n < 0) {
		differ(s, "not read back", f.code, -1);
		s->alarms++;
		return false;
	}
	ok &= alone(s, f.code, found, n);
	for (int i = 0; i < n && i < MAX_FOUND; i++) {
		if (is_alone(found[i].rule))
			continue;
		const char *why = reason_for_alarm(s, f.code, found[i]);
		char what[300];
		ok = false;
		if (why) {
			tally(s, why);
			continue;
		}
		s->alarms++;
		snprintf(what, sizeof what, "found, not inserted: %s, %d and %d (%d), %d missing", found[i].rule,
			 found[i].earlier, found[i].later, found[i].middle, found[i].missing);
		differ(s, what, f.code, found[i].later);
	}
	return ok;
}

// Counts a rule as needed if all findings are of this rule and no reason explains the difference
// without it.
static void
need(struct state *s, const struct hz_code &less, const struct hz_fixed &fixed,
     const struct hz_found *found, int n)
{
	struct hz_found none[MAX_FOUND];

	for (int i = 1; i < n && i < MAX_FOUND; i++) {
		if (strcmp(found[i].rule, found[0].rule))
			return;
	}
	if (!fixed.inserted || s->needed[found[0].rule])
		return;
	hz_leave_out(found[0].rule);
	if (!hz_check(s->z, &less, none, MAX_FOUND) && !reason_for_miss(s, fixed.code))
		s->needed[found[0].rule]++;
	hz_leave_out(nullptr);
}

// Compares a batch of codes, each with one inserted instruction removed. The rules must find the
// hazards that LLVM resolves.
static void
compare_less(struct state *s, const std::vector<hz_code> &less)
{
	std::vector<hz_fixed> fixed = s->llvm->fix(less);

	for (size_t k = 0; k < less.size(); k++) {
		struct hz_found found[MAX_FOUND];
		int n = hz_check(s->z, &less[k], found, MAX_FOUND), at = 0;
		if (n > 0) {
			s->found++;
			s->by_rule[found[0].rule]++;
			if (s->sweep)
				need(s, less[k], fixed[k], found, n);
			continue;
		}
		if (!fixed[k].inserted) {
			tally(s, "inserted, but not again where it was removed");
			continue;
		}
		const char *why = reason_for_miss(s, fixed[k].code);
		if (why) {
			tally(s, why);
			continue;
		}
		s->missed++;
		while (at + 1 < fixed[k].code.n_insn && fixed[k].code.insn[at].tag)
			at++;
		differ(s, "inserted, not found", fixed[k].code, at);
	}
}

static void
report(struct state *s)
{
	printf("%-10s %lu functions, %lu instructions; %lu inserted, %lu found, %lu missed, %lu false\n",
	       s->name, s->functions, s->instructions, s->put_in, s->found, s->missed, s->alarms);
	for (const auto &e : s->explained)
		printf("    %7lu %s\n", e.second, e.first.c_str());
	for (const auto &e : s->by_rule) {
		if (s->verbose)
			printf("    found %7lu %s\n", e.second, e.first.c_str());
	}
}

static void
batch(struct state *s, std::vector<hz_code> &codes)
{
	std::vector<hz_fixed> fixed = s->llvm->fix(codes);
	std::vector<hz_code> less;

	for (size_t k = 0; k < fixed.size(); k++) {
		struct hz_fixed &f = fixed[k];
		s->functions++;
		s->instructions += (unsigned long)codes[k].n_insn;
		if (f.odd) {
			tally(s, "LLVM made a change other than an insertion");
			continue;
		}
		if (!clean(s, f))
			continue;
		for (int i = 0; i < f.code.n_insn && f.inserted; i++) {
			if (f.code.insn[i].tag)
				continue;
			s->put_in++;
			less.push_back(lessen(s, f.code, i));
			number(less.back());
		}
	}
	if (!less.empty())
		compare_less(s, less);
}

// Rules that no function needs, and the reasons.
static const struct {
	const char *rule, *why;
} not_shown[] = {
	{ "scratch_base", "random functions rarely write s102 and s103 (hazards.sh)" },
	{ "arrive_after", "LLVM inserts its wait only together with one before the instruction" },
	{ "branch_3f", "LLVM's assembler pads such a branch (hazards.sh), its passes do not" },
};

// For each rule, the targets that have it, and the targets that needed it.
static std::map<std::string, std::vector<std::string>> held, shown;

static const char *
why_not_shown(const std::string &rule)
{
	for (const auto &r : not_shown) {
		if (rule == r.rule)
			return r.why;
	}
	return nullptr;
}

// Returns whether each rule was needed on some target, and those of the list on none.
static bool
report_sweep()
{
	bool ok = true;
	unsigned n = 0;

	for (const auto &r : held) {
		const char *why = why_not_shown(r.first);
		const auto &on = shown[r.first];
		n += !on.empty();
		if (on.size() == r.second.size() && !why)
			continue;
		printf("  %s: needed on %zu of %zu targets", r.first.c_str(), on.size(), r.second.size());
		if (!on.empty() && on.size() < 4) {
			for (const std::string &t : on)
				printf(" %s", t.c_str());
		}
		if (why)
			printf(": %s", why);
		printf("\n");
		ok &= on.empty() == (why != nullptr);
	}
	printf("hazards: %zu rules, %u of them needed by some function\n", held.size(), n);
	return ok;
}

static bool
one_target(const char *name, unsigned long n, uint64_t seed, bool verbose, bool sweep)
{
	struct state s = {};
	std::vector<hz_code> codes;

	s.name = name;
	s.verbose = verbose;
	s.sweep = sweep;
	s.z = hz_open(name, seed, PER_KIND);
	if (!s.z) {
		printf("%s is not a target\n", name);
		return false;
	}
	hz_llvm llvm(s.z);
	s.llvm = &llvm;
	for (int i = 0; i < hz_n_pool(s.z); i++) {
		struct hz_insn in;
		hz_pool(s.z, i, &in);
		if (!llvm.knows(in))
			hz_refuse(s.z, i);
	}
	for (unsigned long i = 0; i < n; i++) {
		struct hz_code c;
		hz_function(s.z, seed * 1000003 + i, &c);
		codes.push_back(c);
		if (codes.size() == BATCH || i + 1 == n) {
			batch(&s, codes);
			codes.clear();
		}
	}
	report(&s);
	bool ok = !s.missed && !s.alarms && s.found;
	for (int i = 0; sweep && hz_rule(s.z, i); i++) {
		held[hz_rule(s.z, i)].push_back(name);
		if (s.needed[hz_rule(s.z, i)])
			shown[hz_rule(s.z, i)].push_back(name);
	}
	hz_close(s.z);
	return ok;
}

static bool
compiled(const char *name, const char *path, bool verbose)
{
	struct state s = {};
	std::vector<uint32_t> words;
	std::vector<hz_code> less;
	FILE *f = fopen(path, "rb");
	struct hz_code without, with;
	uint32_t w;

	s.name = name;
	s.verbose = verbose;
	s.z = hz_open(name, 1, 0);
	if (!f || !s.z) {
		printf("%s: cannot be read, or %s is not a target\n", path, name);
		return false;
	}
	while (fread(&w, sizeof w, 1, f) == 1)
		words.push_back(w);
	fclose(f);
	hz_llvm llvm(s.z);
	s.llvm = &llvm;
	for (int i = 0; hz_window(s.z, words.data(), words.size(), 0, i, &without, &with); i++) {
		struct hz_found found[MAX_FOUND];
		s.functions++;
		s.instructions += (unsigned long)with.n_insn;
		s.put_in++;
		if (hz_check(s.z, &with, found, MAX_FOUND) > 0) {
			s.alarms++;
			differ(&s, found[0].rule, with, found[0].later);
		}
		number(without);
		less.push_back(without);
	}
	compare_less(&s, less);
	less.clear();
	for (int i = 0; hz_window(s.z, words.data(), words.size(), 1, i, &without, &with); i++) {
		if (hz_check_waits(s.z, &with) > 0) {
			s.alarms++;
			differ(&s, "used before a wait", with, -1);
		}
		number(without);
		less.push_back(without);
	}
	std::vector<int> waits = llvm.waits(less);
	for (size_t k = 0; k < less.size(); k++) {
		bool ours = hz_check_waits(s.z, &less[k]) > 0;
		const char *why = waits[k] < 0 ? "a wait that no result requires"
					       : hz_waits_together(s.z, &less[k].insn[waits[k]]);
		s.put_in++;
		s.found += ours;
		if (ours)
			continue;
		if (why) {
			tally(&s, why);
			continue;
		}
		s.missed++;
		differ(&s, "LLVM waits, not found", less[k], waits[k]);
	}
	report(&s);
	hz_close(s.z);
	return !s.missed && !s.alarms;
}

static bool
show(const char *name, const char *text)
{
	struct state s = {};
	struct hz_code c = {};
	struct hz_found found[MAX_FOUND];
	char one[HZ_TEXT];

	s.name = name;
	s.z = hz_open(name, 1, 0);
	c.n_block = 1;
	for (const char *p = text; *p; p += strcspn(p, ";"), p += *p == ';') {
		snprintf(one, sizeof one, "%.*s", (int)strcspn(p, ";"), p);
		if (!hz_assemble(s.z, one + strspn(one, " "), &c.insn[c.n_insn])) {
			printf("no instruction: %s\n", one);
			return false;
		}
		c.n_insn++;
	}
	c.block[0].n = c.n_insn;
	number(c);
	hz_llvm llvm(s.z);
	std::vector<hz_fixed> fixed = llvm.fix({ c });
	print(&s, fixed[0].code, -1);
	int n = hz_check(s.z, &c, found, MAX_FOUND);
	for (int i = 0; i < n; i++)
		printf("ours: %s, %d and %d (%d), %d missing\n", found[i].rule, found[i].earlier,
		       found[i].later, found[i].middle, found[i].missing);
	return true;
}

static bool
all_compiled(const char *name, char **path, bool verbose)
{
	bool ok = true;

	for (; *path; path++) {
		if (!compiled(name, *path, verbose)) {
			printf("differs: %s\n", *path);
			ok = false;
		}
	}
	return ok;
}

int
main(int argc, char **argv)
{
	unsigned long n = 1000;
	uint64_t seed = 1;
	bool verbose = false, ok = true, sweep = false;
	bool code = false;
	const char *text = nullptr;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-n") && i + 1 < argc)
			n = strtoul(argv[++i], nullptr, 0);
		else if (!strcmp(argv[i], "-s") && i + 1 < argc)
			seed = strtoull(argv[++i], nullptr, 0);
		else if (!strcmp(argv[i], "-x") && i + 1 < argc)
			hz_leave_out(argv[++i]);
		else if (!strcmp(argv[i], "-t") && i + 1 < argc)
			text = argv[++i];
		else if (!strcmp(argv[i], "-c"))
			code = true;
		else if (!strcmp(argv[i], "--sweep"))
			sweep = true;
		else
			verbose = !strcmp(argv[i], "-v");
	}
	hz_llvm_init();
	if (text)
		return i < argc && show(argv[i], text) ? 0 : 2;
	if (code)
		return i + 1 < argc && all_compiled(argv[i], argv + i + 1, verbose) ? 0 : 1;
	printf("seed %llu\n", (unsigned long long)seed);
	if (i == argc) {
		for (const char *name : all_targets)
			ok &= one_target(name, n, seed, verbose, sweep);
	}
	for (; i < argc; i++)
		ok &= one_target(argv[i], n, seed, verbose, sweep);
	if (sweep)
		ok &= report_sweep();
	return !ok;
}
