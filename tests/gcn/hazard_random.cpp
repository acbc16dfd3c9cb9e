// Random short functions of AMD code through LLVM 22's passes that resolve hazards,
// and through qd's rules, in both directions: what LLVM has put in resolves all that
// the rules find, and each thing that it put in, left out again, is found wherever
// LLVM would put it in again.  Differences that are LLVM's are listed with their
// reasons below; any other fails.
//	hazard_random [-n functions] [-s seed] [-v] [-x rule] [-t text] [target...]
// -v prints each difference, -x leaves a rule out, which must then be missed.  -t
// shows both about instructions of one's own, with a semicolon between them.
#include "hazard_llvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

enum { BATCH = 400, MAX_FOUND = 64, PER_KIND = 40 };

static const char *const all_targets[] = { "gfx906",	 "gfx90a",    "gfx942",	 "gfx1010",
					   "gfx1030",	 "gfx1100",   "gfx1100:64", "gfx1150",
					   "gfx1150:64", "gfx1200",   "gfx1200:64" };

struct state {
	struct hz *z;
	hz_llvm *llvm;
	const char *name;
	bool verbose;
	unsigned long functions, instructions, put_in, found, missed, alarms;
	std::map<std::string, unsigned long> explained, by_rule;
	unsigned shown;
};

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

// Without instruction i.
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

// One thing less that LLVM put in: a wait state, or the instruction.
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

#include "hazard_reason.h"

static void
tally(struct state *s, const char *reason)
{
	s->explained[reason]++;
}

// What LLVM's result still has for us.
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
	for (int i = 0; i < n && i < MAX_FOUND; i++) {
		const char *why = reason_for_alarm(s, f.code, found[i]);
		char what[300];
		ok = false;
		if (why) {
			tally(s, why);
			continue;
		}
		s->alarms++;
		snprintf(what, sizeof what, "found, not put in: %s, %d and %d (%d), %d missing", found[i].rule,
			 found[i].earlier, found[i].later, found[i].middle, found[i].missing);
		differ(s, what, f.code, found[i].later);
	}
	return ok;
}

static void
batch(struct state *s, std::vector<hz_code> &codes)
{
	std::vector<hz_fixed> fixed = s->llvm->fix(codes);
	std::vector<hz_code> less;
	std::vector<int> at;

	for (size_t k = 0; k < fixed.size(); k++) {
		struct hz_fixed &f = fixed[k];
		s->functions++;
		s->instructions += (unsigned long)codes[k].n_insn;
		if (f.odd) {
			tally(s, "LLVM did something else than put in");
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
			at.push_back(i);
		}
	}
	if (less.empty())
		return;
	fixed = s->llvm->fix(less);
	for (size_t k = 0; k < less.size(); k++) {
		struct hz_found found[MAX_FOUND];
		int n = hz_check(s->z, &less[k], found, MAX_FOUND);
		if (n > 0) {
			s->found++;
			s->by_rule[found[0].rule]++;
			continue;
		}
		if (!fixed[k].inserted) {
			tally(s, "put in, but not again where it was left out");
			continue;
		}
		const char *why = reason_for_miss(s, fixed[k].code);
		if (why) {
			tally(s, why);
			continue;
		}
		s->missed++;
		differ(s, "put in, not found", fixed[k].code, at[k]);
	}
}

static bool
one_target(const char *name, unsigned long n, uint64_t seed, bool verbose)
{
	struct state s = {};
	std::vector<hz_code> codes;
	int refused = 0;

	s.name = name;
	s.verbose = verbose;
	s.z = hz_open(name, seed, PER_KIND);
	if (!s.z) {
		printf("%s is no target\n", name);
		return false;
	}
	hz_llvm llvm(s.z);
	s.llvm = &llvm;
	for (int i = 0; i < hz_n_pool(s.z); i++) {
		struct hz_insn in;
		hz_pool(s.z, i, &in);
		if (!llvm.knows(in)) {
			hz_refuse(s.z, i);
			refused++;
		}
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
	printf("%-10s %lu functions, %lu instructions of %d kinds; %lu put in, %lu found, %lu missed, "
	       "%lu found too much\n",
	       name, s.functions, s.instructions, hz_n_pool(s.z) - refused, s.put_in, s.found, s.missed,
	       s.alarms);
	for (const auto &e : s.explained)
		printf("    %7lu %s\n", e.second, e.first.c_str());
	if (verbose) {
		for (const auto &e : s.by_rule)
			printf("    found %7lu %s\n", e.second, e.first.c_str());
	}
	bool ok = !s.missed && !s.alarms && s.found;
	hz_close(s.z);
	return ok;
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

int
main(int argc, char **argv)
{
	unsigned long n = 1000;
	uint64_t seed = 1;
	bool verbose = false, ok = true;
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
		else
			verbose = !strcmp(argv[i], "-v");
	}
	hz_llvm_init();
	if (text)
		return i < argc && show(argv[i], text) ? 0 : 2;
	printf("seed %llu\n", (unsigned long long)seed);
	if (i == argc) {
		for (const char *name : all_targets)
			ok &= one_target(name, n, seed, verbose);
	}
	for (; i < argc; i++)
		ok &= one_target(argv[i], n, seed, verbose);
	return !ok;
}
