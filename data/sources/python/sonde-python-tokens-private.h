/* SPDX-License-Identifier: Apache-2.0
 * The state of the tokeniser, which its parts share. */
#pragma once

#include "data/sources/python/sonde-python-tokens.h"

G_BEGIN_DECLS

/* A string that is being read: how it is quoted. */
typedef struct
{
  char quote;
  gboolean triple, raw;
} SondePythonQuotes;

/* A bracket that is open.
 * @token: its index
 * @op: as the token's
 * @quotes: of an f-string's field: the string it stands in
 * @in_specifier: a field inside the format specifier of the field below it */
typedef struct
{
  guint32 token;
  char op;
  SondePythonQuotes quotes;
  gboolean in_specifier;
} SondePythonBracket;

typedef struct
{
  const char *text, *end, *at;
  const char *line_begin; /* of the physical line */
  guint32 line;
  gboolean at_line_begin; /* of a logical line */
  guint indent;
  SondeNameTable *names;
  GArray *tokens;   /* of SondePythonToken */
  GArray *brackets; /* of SondePythonBracket */
  guint too_deep;   /* open brackets beyond the limit */
  SondePythonDamage *damage;
} SondePythonLexer;

/* Appends [@begin, lexer->at); the place is that of @begin in the present line. */
SondePythonToken *sonde_python_lexer_add (SondePythonLexer *lexer, SondePythonTokenKind kind,
                                          int op, const char *begin);

/* Steps over a line break at lexer->at. */
void sonde_python_lexer_break_line (SondePythonLexer *lexer);

/* An open bracket of one byte at lexer->at. */
void sonde_python_lexer_open (SondePythonLexer *lexer, const SondePythonBracket *bracket);
/* A closing bracket at lexer->at; of the field of an f-string the text behind it is read, too. */
void sonde_python_lexer_close (SondePythonLexer *lexer, char op);

/* Is there a string at lexer->at, with or without a prefix? Then it is read. */
gboolean sonde_python_lexer_string (SondePythonLexer *lexer);

/* The text of an f-string from lexer->at up to its next field or its end. */
void sonde_python_lexer_string_text (SondePythonLexer *lexer, const SondePythonQuotes *quotes);

/* In the field of an f-string: what may stand behind its expression. FALSE: nothing of it does. */
gboolean sonde_python_lexer_field_end (SondePythonLexer *lexer);

/* The format specifier of the field on top, from lexer->at. */
void sonde_python_lexer_specifier (SondePythonLexer *lexer);

/* The bracket on top. (nullable) */
static inline SondePythonBracket *
sonde_python_lexer_top (SondePythonLexer *lexer)
{
  return lexer->brackets->len == 0
             ? NULL
             : &g_array_index (lexer->brackets, SondePythonBracket, lexer->brackets->len - 1);
}

G_END_DECLS
