/* SPDX-License-Identifier: Apache-2.0
 * The parser's two files: operators, and what stands between them. */
#pragma once

#include "engine/live/sonde-expression-tree-private.h"

G_BEGIN_DECLS

/**
 * SondeParser:
 * @at: byte that comes next
 * @previous: inside of prev(…)
 */
typedef struct
{
  SondeExpression *expression;
  const char *text;
  gsize at;
  guint nesting;
  gboolean previous;
} SondeParser;

/* Steps over spaces. Returns: the place then */
gsize sonde_parser_skip (SondeParser *parser);
/* @operator stands here (a word as a whole word): it is taken. */
gboolean sonde_parser_take (SondeParser *parser, const char *operator);
gboolean sonde_parser_looks_at (SondeParser *parser, const char *operator);
/* One level deeper; the caller takes one off parser->nesting. */
gboolean sonde_parser_enter (SondeParser *parser, GError **error);
/* "Column 5 of the expression: …"; @format: a message id, a sentence to its full stop */
void sonde_parser_error (SondeParser *parser, gsize at, GError **error, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

SondeTerm *sonde_parser_add (SondeParser *parser, SondeTermType type, gsize first);
SondeTerm *sonde_parser_call (SondeParser *parser, const SondeCallable *function, gsize first,
                              SondeTerm *const *arguments, guint n, GError **error);
SondeTerm *sonde_parser_expression (SondeParser *parser, GError **error);
/* A number, a value, a call, parentheses. */
SondeTerm *sonde_parser_primary (SondeParser *parser, GError **error);

G_END_DECLS
