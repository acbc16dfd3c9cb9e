// Random short functions of AMD code through LLVM 22's passes that resolve hazards,
// and through qd's rules, in both directions: what LLVM has put in resolves all that
// the rules find, and each thing that it put in, left out again, is found wherever
// LLVM would put it in again.  Differences that are LLVM's are listed with their
// reasons below; any other fails.
//	hazard_random [-n functions] [-s seed] [-v] [-x rule] [-t text] [-c code] [target...]
// -v prints each difference, -x leaves a rule out, which must then be missed.  -t
// shows both about instructions of one's own, with a semicolon between them.  -c: a
// file of a compiler's words; each nop and wait for dependencies in it, left out once,
// is found wherever LLVM would put it in again.
#include "hazard_llvm.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

enum { BATCH = 400, MAX_FOUND = 64, PER_KIND = 40, MAX_WAY = 6, MAX_WAYS = 40 };

static const char *const all_targets[] = { "gfx906",  "gfx908",  "gfx90a",     "gfx942",  "gfx950",
					   "gfx1010", "gfx1030", "gfx1100",    "gfx1100:64",
					   "gfx1150", "gfx1150:64", "gfx1200", "gfx1200:64" };

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

// The blocks that lead to the first of `way`, and on it, one after the other.
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

// The blocks of a way as code of their own, each going on to the next; the last ends
// behind instruction `last`.
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
	if (out.insn[out.n_insn - 1].branch) // where it leads to
		out.block[out.n_block++] = { out.n_insn, 0 };
	hz_assemble(s->z, "s_endpgm", &end);
	out.insn[out.n_insn++] = end;
	out.block[out.n_block - 1].n++;
	number(out);
	return out;
}

// LLVM puts something in before the instruction, in its block, on one of the ways to it,
// which it does not where it sees them all at once.
static bool
put_in_on_some_way(struct state *s, const struct hz_code &c, int later)
{
	std::vector<std::vector<int>> ways;
	std::vector<hz_code> codes;
	int block = 0;

	if (c.n_block == 1)
		return false;
	while (later >= c.block[block].first + c.block[block].n)
		block++;
	ways_to(c, { block }, ways);
	for (const auto &w : ways)
		codes.push_back(along(s, c, w, later));
	std::vector<hz_fixed> fixed = s->llvm->fix(codes);
	for (size_t k = 0; k < codes.size(); k++) {
		const struct hz_code &f = fixed[k].code;
		const struct hz_block &b = f.block[ways[k].size() - 1];
		for (int i = b.first; i < b.first + b.n; i++) {
			if (!f.insn[i].tag)
				return true;
		}
	}
	return false;
}

#include "hazard_reason.h"

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

// One found less than LLVM's, in a batch of code from which something was left out.
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
		while (at + 1 < fixed[k].code.n_insn && fixed[k].code.insn[at].tag)
			at++;
		differ(s, "put in, not found", fixed[k].code, at);
	}
}

static void
tell(struct state *s)
{
	printf("%-10s %lu functions, %lu instructions; %lu put in, %lu found, %lu missed, %lu found too "
	       "much\n",
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
		}
	}
	if (!less.empty())
		compare_less(s, less);
}

static bool
one_target(const char *name, unsigned long n, uint64_t seed, bool verbose)
{
	struct state s = {};
	std::vector<hz_code> codes;

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
	tell(&s);
	bool ok = !s.missed && !s.alarms && s.found;
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
		printf("%s: cannot be read, or %s is no target\n", path, name);
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
		const char *why = waits[k] < 0 ? "a wait that no result asks for"
					       : reason_for_wait(&s, less[k], waits[k]);
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
	tell(&s);
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

int
main(int argc, char **argv)
{
	unsigned long n = 1000;
	uint64_t seed = 1;
	bool verbose = false, ok = true;
	const char *text = nullptr, *code = nullptr;
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
		else if (!strcmp(argv[i], "-c") && i + 1 < argc)
			code = argv[++i];
		else
			verbose = !strcmp(argv[i], "-v");
	}
	hz_llvm_init();
	if (text)
		return i < argc && show(argv[i], text) ? 0 : 2;
	if (code)
		return i < argc && compiled(argv[i], code, verbose) ? 0 : 1;
	printf("seed %llu\n", (unsigned long long)seed);
	if (i == argc) {
		for (const char *name : all_targets)
			ok &= one_target(name, n, seed, verbose);
	}
	for (; i < argc; i++)
		ok &= one_target(argv[i], n, seed, verbose);
	return !ok;
}
