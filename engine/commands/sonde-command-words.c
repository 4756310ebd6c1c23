/* SPDX-License-Identifier: Apache-2.0
 * Words of a command line. */
#include "engine/commands/sonde-command-words.h"

#include <string.h>

#include "engine/ops/sonde-engine-error.h"

/* ---- quotes -------------------------------------------------------------- */

/* The quote that ends the text behind @quote. Those in braces belong to expressions; where braces
 * hide all of them the first counts. NULL: none */
static const char *
find_closing (const char *quote)
{
  const char *first = NULL;
  gboolean inside = FALSE;

  for (const char *at = quote + 1; *at != '\0'; at++)
    {
      if (*at == '\\' && (at[1] == '"' || at[1] == '\\'))
        {
          at++;
          continue;
        }
      if (*at == '"' && !inside)
        return at;
      if (*at == '"' && first == NULL)
        first = at;
      inside = *at == '{' ? TRUE : *at == '}' ? FALSE : inside;
    }
  return first;
}

/* The single quote that ends the word at @start, which one begins: as shells have them, without
 * escapes. A prime (P') begins no word. NULL: none */
static const char *
find_single (const char *start)
{
  const char *closing = *start == '\'' ? strchr (start + 1, '\'') : NULL;

  return closing != NULL && (closing[1] == '\0' || g_ascii_isspace (closing[1])) ? closing : NULL;
}

/* What stands between quotes, @end being the closing one. (transfer full) */
static char *
unescape (const char *start, const char *end)
{
  GString *text = g_string_new (NULL);

  for (const char *at = start; at < end; at++)
    {
      at += *at == '\\' && at + 1 < end && (at[1] == '"' || at[1] == '\\');
      g_string_append_c (text, *at);
    }
  return g_string_free (text, FALSE);
}

char *
sonde_words_unquote_part (const char *line, gsize start, gsize end)
{
  g_autofree char *part = g_strstrip (g_strndup (line + start, end - start));
  const char *closing = *part == '"' ? find_closing (part) : NULL, *single = find_single (part);

  if (closing != NULL && closing[1] == '\0')
    return unescape (part + 1, closing);
  if (single != NULL && single[1] == '\0')
    return g_strndup (part + 1, (gsize) (single - part - 1));
  return g_steal_pointer (&part);
}

char *
sonde_words_unquote (const char *text)
{
  return sonde_words_unquote_part (text, 0, strlen (text));
}

/* ---- words --------------------------------------------------------------- */

static void
word_free (gpointer data)
{
  SondeWord *word = data;

  g_free (word->text);
  g_free (word);
}

/* Behind the word that begins at @start. Brackets that are not closed count as other characters. */
static const char *
find_end (const char *start)
{
  const char *blank = NULL, *single = find_single (start);
  int depth = 0;

  if (single != NULL)
    return single + 1;
  for (const char *at = start; *at != '\0'; at++)
    {
      const char *closing = *at == '"' ? find_closing (at) : NULL;

      if (closing != NULL)
        at = closing;
      else if (g_ascii_isspace (*at))
        {
          if (depth <= 0)
            return at;
          blank = blank != NULL ? blank : at;
        }
      depth += *at == '(' || *at == '[';
      depth -= *at == ')' || *at == ']';
    }
  return depth > 0 && blank != NULL ? blank : start + strlen (start);
}

GPtrArray *
sonde_words_split (const char *line)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (word_free);
  const char *at = line;

  while (TRUE)
    {
      const char *end;
      SondeWord *word;

      while (g_ascii_isspace (*at))
        at++;
      if (*at == '\0')
        return words;
      end = find_end (at);
      word = g_new0 (SondeWord, 1);
      word->start = (gsize) (at - line);
      word->end = (gsize) (end - line);
      word->text = sonde_words_unquote_part (line, word->start, word->end);
      word->quoted = (*at == '"' || *at == '\'') && strlen (word->text) < word->end - word->start;
      g_ptr_array_add (words, word);
      at = end;
    }
}

const SondeWord *
sonde_words_get (const GPtrArray *words, guint k)
{
  return g_ptr_array_index (words, k);
}

gboolean
sonde_words_are_closed (const GPtrArray *words, GError **error)
{
  for (guint i = 0; i < words->len; i++)
    if (!sonde_words_get (words, i)->quoted && *sonde_words_get (words, i)->text == '"')
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "The quotation mark before “%s” is not closed.",
                         sonde_words_get (words, i)->text + 1);
        return FALSE;
      }
  return TRUE;
}

gboolean
sonde_words_is_plain (const char *text)
{
  g_autoptr (GPtrArray) words = sonde_words_split (text);

  return words->len == 1 && !sonde_words_get (words, 0)->quoted
         && strlen (sonde_words_get (words, 0)->text) == strlen (text);
}

char *
sonde_words_quote (const char *text)
{
  GString *quoted;

  if (sonde_words_is_plain (text))
    return g_strdup (text);
  quoted = g_string_new ("\"");
  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == '"' || (*at == '\\' && (at[1] == '"' || at[1] == '\\' || at[1] == '\0')))
        g_string_append_c (quoted, '\\');
      g_string_append_c (quoted, *at);
    }
  g_string_append_c (quoted, '"');
  return g_string_free (quoted, FALSE);
}

gboolean
sonde_words_parse_number (const char *text, guint64 minimum, const char *what, guint64 *number,
                          GError **error)
{
  if (g_ascii_string_to_unsigned (text, 10, minimum, G_MAXINT64, number, NULL))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” is not a valid %-s: specify an integer of at least %" PRIu64 ".", text,
                   what, minimum);
  return FALSE;
}
