/* SPDX-License-Identifier: Apache-2.0
 * Codings of Python sources (PEP 263). */
#include <string.h>

#include "data/base/sonde-text.h"
#include "data/sources/python/sonde-python-tokens.h"

void
sonde_python_damage_set (SondePythonDamage *damage, guint32 line, const char *format, ...)
{
  va_list arguments;

  if (damage->line != 0 && damage->line <= line)
    return;
  sonde_python_damage_clear (damage);
  damage->line = line;
  va_start (arguments, format);
  damage->message = sonde_message_new_va (format, arguments);
  va_end (arguments);
}

void
sonde_python_damage_clear (SondePythonDamage *damage)
{
  g_clear_pointer (&damage->message, sonde_message_free);
  damage->line = 0;
}

static const char *
end_of_line (const char *at, const char *end)
{
  while (at < end && *at != '\n' && *at != '\r')
    at++;
  return at;
}

/* Behind "coding:" or "coding=" in the comment [@at, @end). (transfer full) (nullable) */
static char *
find_cookie (const char *at, const char *end)
{
  const char *begin;

  while (at < end && (*at == ' ' || *at == '\t' || *at == '\f'))
    at++;
  if (at == end || *at != '#')
    return NULL;
  for (at = g_strstr_len (at, end - at, "coding"); at != NULL;
       at = g_strstr_len (at, end - at, "coding"))
    {
      at += strlen ("coding");
      if (at < end && (*at == ':' || *at == '='))
        break;
    }
  if (at == NULL || at >= end)
    return NULL;
  at++;
  while (at < end && (*at == ' ' || *at == '\t'))
    at++;
  begin = at;
  while (at < end && (g_ascii_isalnum (*at) || *at == '-' || *at == '_' || *at == '.'))
    at++;
  return at == begin ? NULL : g_strndup (begin, (gsize) (at - begin));
}

/* The cookie stands in the first two lines. */
static char *
dup_cookie (const char *text, gsize length)
{
  const char *at = text, *end = text + length;

  for (int i = 0; i < 2 && at < end; i++)
    {
      const char *stop = end_of_line (at, end);
      char *cookie = find_cookie (at, stop);

      if (cookie != NULL)
        return cookie;
      at = stop;
      if (at + 1 < end && at[0] == '\r' && at[1] == '\n')
        at++;
      at++;
    }
  return NULL;
}

static gboolean
is_utf8 (const char *cookie)
{
  return cookie == NULL || g_ascii_strncasecmp (cookie, "utf-8", 5) == 0
         || g_ascii_strncasecmp (cookie, "utf8", 4) == 0
         || g_ascii_strncasecmp (cookie, "utf_8", 5) == 0
         || g_ascii_strcasecmp (cookie, "ascii") == 0
         || g_ascii_strcasecmp (cookie, "us-ascii") == 0;
}

/* As iconv calls it. Python takes _ for - and has names of its own. (transfer full) */
static char *
dup_coding (const char *cookie)
{
  char *coding = g_strdelimit (g_ascii_strdown (cookie, -1), "_", '-');

  if (g_str_has_prefix (coding, "latin-1") || g_str_has_prefix (coding, "iso-latin-1"))
    {
      g_free (coding);
      return g_strdup ("iso-8859-1");
    }
  return coding;
}

static guint32
line_of (const char *text, const char *at)
{
  guint32 line = 1;

  for (; text < at; text++)
    line += *text == '\n' || (*text == '\r' && text[1] != '\n');
  return line;
}

GBytes *
sonde_python_decode (GBytes *bytes, SondePythonDamage *damage)
{
  gsize length, converted_length;
  const char *text = g_bytes_get_data (bytes, &length), *end;
  g_autofree char *cookie = NULL, *coding = NULL;
  char *converted;
  gsize skip = length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

  if (length == 0)
    return g_bytes_ref (bytes);
  cookie = skip > 0 ? NULL : dup_cookie (text, length);
  if (is_utf8 (cookie))
    {
      if (!g_utf8_validate_len (text, length, &end) && end < text + length && *end != '\0')
        sonde_python_damage_set (damage, line_of (text, end), "the text is not UTF-8");
      return g_bytes_new_from_bytes (bytes, skip, length - skip);
    }
  coding = dup_coding (cookie);
  converted = g_convert (text, (gssize) length, "UTF-8", coding, NULL, &converted_length, NULL);
  if (converted == NULL)
    {
      sonde_python_damage_set (damage, 1, "the text is not in its coding, “%s”", cookie);
      return g_bytes_ref (bytes);
    }
  return g_bytes_new_take (converted, converted_length);
}
