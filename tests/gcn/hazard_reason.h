// Differences between LLVM's passes and our rules that are known, each with the
// reason: first those where ours finds more.

static const char *
reason_for_alarm(struct state *s, const struct hz_code &c, const struct hz_found &f)
{
	(void)s;
	(void)c;
	(void)f;
	return nullptr;
}

static const char *
reason_for_miss(struct state *s, const struct hz_code &again)
{
	(void)s;
	(void)again;
	return nullptr;
}
