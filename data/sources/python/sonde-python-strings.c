/* SPDX-License-Identifier: Apache-2.0
 * Strings and f-strings. What stands between the braces of an f-string is read as any other tokens, so
 * that strings with the same quotes may stand in it (PEP 701). */
#include <string.h>

#include "data/base/sonde-text.h"
#include "data/sources/python/sonde-python-tokens-private.h"

#define MAX_PREFIX 2

/* The letters in front of a string; FALSE: none of the prefixes that Python 2 or 3 know. */
static gboolean
read_prefix (const char *prefix, gsize length, gboolean *raw, gboolean *fields)
{
  *raw = *fields = FALSE;
  for (gsize i = 0; i < length; i++)
    switch (prefix[i] | 0x20)
      {
      case 'r':
        *raw = TRUE;
        break;
      case 'f':
      case 't':
        *fields = TRUE;
        break;
      case 'b':
      case 'u':
        break;
      default:
        return FALSE;
      }
  return TRUE;
}

static gboolean
ends_here (const SondePythonLexer *lexer, const SondePythonQuotes *quotes)
{
  if (*lexer->at != quotes->quote)
    return FALSE;
  return !quotes->triple
         || (lexer->end - lexer->at >= 3 && lexer->at[1] == quotes->quote
             && lexer->at[2] == quotes->quote);
}

static void
step_over_escape (SondePythonLexer *lexer)
{
  lexer->at++;
  if (lexer->at == lexer->end)
    return;
  if (*lexer->at == '\n' || *lexer->at == '\r')
    sonde_python_lexer_break_line (lexer);
  else
    lexer->at++;
}

/* In the text of an f-string a backslash does not hide a brace, but for \N{NAME}. */
static void
step_over_field_escape (SondePythonLexer *lexer, const SondePythonQuotes *quotes)
{
  gsize left = (gsize) (lexer->end - lexer->at);

  if (left > 1 && (lexer->at[1] == '{' || lexer->at[1] == '}'))
    {
      lexer->at++;
      return;
    }
  if (!quotes->raw && left > 2 && lexer->at[1] == 'N' && lexer->at[2] == '{')
    {
      const char *stop = memchr (lexer->at, '}', left);

      if (stop != NULL && memchr (lexer->at, '\n', (gsize) (stop - lexer->at)) == NULL)
        {
          lexer->at = stop + 1;
          return;
        }
    }
  step_over_escape (lexer);
}

/* The end of a line in a string: TRUE where the string goes on. */
static gboolean
string_goes_on (SondePythonLexer *lexer, const SondePythonQuotes *quotes)
{
  if (!quotes->triple)
    {
      sonde_python_damage_set (lexer->damage, lexer->line, "a string has no end");
      return FALSE;
    }
  sonde_python_lexer_break_line (lexer);
  return TRUE;
}

static void
plain_string (SondePythonLexer *lexer, const SondePythonQuotes *quotes)
{
  const char *begin = lexer->at, *line_begin = lexer->line_begin;
  guint32 line = lexer->line;

  while (lexer->at < lexer->end)
    {
      if (ends_here (lexer, quotes))
        {
          lexer->at += quotes->triple ? 3 : 1;
          return;
        }
      if (*lexer->at == '\\')
        step_over_escape (lexer);
      else if (*lexer->at != '\n' && *lexer->at != '\r')
        lexer->at++;
      else if (!string_goes_on (lexer, quotes))
        return;
    }
  sonde_python_damage_set (lexer->damage, line, "a string has no end");
  /* What stands behind the line is read as if the quotes were not there. */
  lexer->at = begin;
  lexer->line_begin = line_begin;
  lexer->line = line;
  while (lexer->at < lexer->end && *lexer->at != '\n' && *lexer->at != '\r')
    lexer->at++;
}

static void
open_field (SondePythonLexer *lexer, const SondePythonQuotes *quotes, gboolean in_specifier)
{
  SondePythonBracket bracket = { .op = 'f', .quotes = *quotes, .in_specifier = in_specifier };

  sonde_python_lexer_open (lexer, &bracket);
}

void
sonde_python_lexer_string_text (SondePythonLexer *lexer, const SondePythonQuotes *quotes)
{
  while (lexer->at < lexer->end)
    {
      if (ends_here (lexer, quotes))
        {
          lexer->at += quotes->triple ? 3 : 1;
          return;
        }
      if (*lexer->at == '{')
        {
          if (lexer->at + 1 == lexer->end || lexer->at[1] != '{')
            {
              open_field (lexer, quotes, FALSE);
              return;
            }
          lexer->at += 2;
        }
      else if (*lexer->at == '\\')
        step_over_field_escape (lexer, quotes);
      else if (*lexer->at != '\n' && *lexer->at != '\r')
        lexer->at++;
      else if (!string_goes_on (lexer, quotes))
        return;
    }
  sonde_python_damage_set (lexer->damage, lexer->line, "a string has no end");
}

void
sonde_python_lexer_specifier (SondePythonLexer *lexer)
{
  SondePythonQuotes quotes = sonde_python_lexer_top (lexer)->quotes;

  while (lexer->at < lexer->end)
    {
      if (*lexer->at == '}')
        {
          sonde_python_lexer_close (lexer, '}');
          return;
        }
      if (*lexer->at == '{')
        {
          open_field (lexer, &quotes, TRUE);
          return;
        }
      if (!quotes.triple
          && (*lexer->at == '\n' || *lexer->at == '\r' || *lexer->at == quotes.quote))
        return;
      if (*lexer->at == '\n' || *lexer->at == '\r')
        sonde_python_lexer_break_line (lexer);
      else
        lexer->at++;
    }
}

gboolean
sonde_python_lexer_field_end (SondePythonLexer *lexer)
{
  const char *next = lexer->at + 1;

  if (*lexer->at == ':')
    {
      lexer->at++;
      sonde_python_lexer_specifier (lexer);
      return TRUE;
    }
  if (*lexer->at == '!' && next < lexer->end && *next != '=')
    {
      lexer->at++;
      while (lexer->at < lexer->end && g_ascii_isalpha (*lexer->at))
        lexer->at++;
      return TRUE;
    }
  if (*lexer->at != '=')
    return FALSE;
  while (next < lexer->end && (*next == ' ' || *next == '\t'))
    next++;
  if (next == lexer->end || (*next != '}' && *next != ':' && *next != '!'))
    return FALSE;
  lexer->at = next;
  return TRUE;
}

gboolean
sonde_python_lexer_string (SondePythonLexer *lexer)
{
  const char *begin = lexer->at, *quote = begin;
  SondePythonQuotes quotes;
  gboolean fields;
  guint token;

  while (quote < lexer->end && quote - begin < MAX_PREFIX && g_ascii_isalpha (*quote))
    quote++;
  if (quote == lexer->end || (*quote != '"' && *quote != '\''))
    return FALSE;
  if (!read_prefix (begin, (gsize) (quote - begin), &quotes.raw, &fields))
    return FALSE;
  quotes.quote = *quote;
  quotes.triple = lexer->end - quote >= 3 && quote[1] == *quote && quote[2] == *quote;
  lexer->at = quote;
  sonde_python_lexer_add (lexer, SONDE_PYTHON_STRING, *quote, begin);
  lexer->at = quote + (quotes.triple ? 3 : 1);
  if (fields)
    {
      sonde_python_lexer_string_text (lexer, &quotes);
      return TRUE;
    }
  token = lexer->tokens->len - 1;
  plain_string (lexer, &quotes);
  g_array_index (lexer->tokens, SondePythonToken, token).length = (guint32) (lexer->at - begin);
  return TRUE;
}
