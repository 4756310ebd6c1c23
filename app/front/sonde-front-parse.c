/* SPDX-License-Identifier: Apache-2.0
 * Words of a command line. Names of values may hold spaces and brackets, so that most commands take
 * the rest of the line as it is. */
#include "app/front/sonde-front-private.h"

#include <string.h>

char *
sonde_front_unquote (const char *text)
{
  gsize length = strlen (text);

  if (length >= 2 && text[0] == '"' && text[length - 1] == '"')
    return g_strndup (text + 1, length - 2);
  return g_strdup (text);
}

char *
sonde_front_split_last (const char *text, char **last)
{
  gsize length = strlen (text);
  const char *start;
  char *before;

  if (length >= 2 && text[length - 1] == '"')
    {
      start = g_strrstr_len (text, (gssize) length - 1, "\"");
      start = start != NULL ? start : text;
    }
  else
    {
      start = text + length;
      while (start > text && !g_ascii_isspace (start[-1]))
        start--;
    }
  *last = sonde_front_unquote (start);
  before = g_strchomp (g_strndup (text, (gsize) (start - text)));
  if (*before != '\0')
    return before;
  g_free (before);
  return NULL;
}

gboolean
sonde_front_parse_number (const char *text, guint64 minimum, const char *what, guint64 *number,
                          GError **error)
{
  if (g_ascii_string_to_unsigned (text, 10, minimum, G_MAXINT64, number, NULL))
    return TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "“%s” is no %s: give a number from %" G_GUINT64_FORMAT " on.", text, what, minimum);
  return FALSE;
}

gboolean
sonde_front_no_arguments (const char *arguments, GError **error)
{
  if (*arguments == '\0')
    return TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "This command takes no arguments, not “%s”.", arguments);
  return FALSE;
}
