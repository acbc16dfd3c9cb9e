/* Tokens of PTX text, with one token of lookahead. qd-dis uses lex_skip and lex_is_word alone. */
#ifndef EMU_PTX_LEX_H
#define EMU_PTX_LEX_H

#include "base.h"

enum tok {
	TOK_END,
	TOK_NAME,  /* add  %r1  $L_1  %tid.x */
	TOK_DOT,   /* .reg, without the dot */
	TOK_INT,   /* value */
	TOK_FLOAT, /* value: float_size bytes of bits; 0: a decimal number, as f64 */
	TOK_STRING,
	TOK_CHAR, /* s[0] */
	TOK_BAD,
};

struct token {
	enum tok kind;
	uint8_t float_size;
	const char *s;
	uint32_t len, line, col;
	uint64_t value;
};

struct lex {
	const char *p, *end, *line_start;
	uint32_t line;
	struct token t;	 /* the next one */
	const char *bad; /* reason for TOK_BAD */
};

void lex_open(struct lex *lx, const char *text, size_t len);
void lex_next(struct lex *lx);
/* Advances to the start of the next token; returns false if a comment has no end. */
bool lex_skip(struct lex *lx);
bool lex_is_word(char c); /* of a name or number */
/* Extends the current name over its dots: add.rn.f32, ld.global.L1::evict_first. */
void lex_extend(struct lex *lx);
/* Skips the rest of the line, which is not interpreted. */
void lex_skip_line(struct lex *lx);

static inline bool
lex_is(const struct lex *lx, char c)
{
	return lx->t.kind == TOK_CHAR && lx->t.s[0] == c;
}
static inline bool
token_is(const struct token *t, const char *word)
{
	return strlen(word) == t->len && !memcmp(t->s, word, t->len);
}

#endif
