/* SPDX-License-Identifier: Apache-2.0
 * Words of a command line: the one quoting rule of all commands, see sonde_command_parse(). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeWord:
 * @text: without its quotes, where the whole word is quoted; else as it stands; owned
 * @start, @end: where it stands in the line, quotes included
 */
typedef struct
{
  char *text;
  gsize start, end;
  gboolean quoted;
} SondeWord;

/* Words of @line. (element-type SondeWord) (transfer full) */
GPtrArray *sonde_words_split (const char *line);
const SondeWord *sonde_words_get (const GPtrArray *words, guint k);
/* Errors: INVALID where a word begins with a quote that nothing closes. */
gboolean sonde_words_are_closed (const GPtrArray *words, GError **error);
/* The whole of @text is one argument: without quotes when all of it is one quoted word, else as it
 * stands, blanks included. (transfer full) */
char *sonde_words_unquote (const char *text);
/* The same for a part of a line. (transfer full) */
char *sonde_words_unquote_part (const char *line, gsize start, gsize end);
/* TRUE if @text is one unquoted word, which sonde_words_split() does not change. */
gboolean sonde_words_is_plain (const char *text);
/* As one word: in quotes where it is needed. (transfer full) */
char *sonde_words_quote (const char *text);

/* A number from @minimum on. Errors: INVALID naming @what, marked by N_(): "count". */
gboolean sonde_words_parse_number (const char *text, guint64 minimum, const char *what,
                                   guint64 *number, GError **error);

G_END_DECLS
