/* The log's stderr sink, which QD_LOG installs where the caller gave no log. */
#ifndef QD_BASE_LOG_H
#define QD_BASE_LOG_H

#include "base.h"

enum { LOG_MAX_RULES = 16, LOG_MAX_NAME = 24 };

struct log_rule {
	char component[LOG_MAX_NAME];
	qd_log_level max;
};

struct log_sink {
	qd_log_level others; /* components without a rule; 0: silent */
	uint32_t n_rules;
	struct log_rule rules[LOG_MAX_RULES];
};

/* Reads "info" or "cache:debug,driver:info"; a plain level among the rules is
 * for all other components.  false where the text is something else. */
bool log_sink_parse(struct log_sink *sink, const char *text);
/* The highest level it writes for any component. */
qd_log_level log_sink_max(const struct log_sink *sink);
/* A qd_log_fn; user is the sink.  One line and one write per line of msg. */
void log_sink_write(void *user, qd_log_level level, const char *component, const char *msg,
		    size_t len);

#endif
