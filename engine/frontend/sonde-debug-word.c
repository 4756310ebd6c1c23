/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/frontend/sonde-debug-word.h"

#include <string.h>

#define LEAST 2 /* bytes: one letter begins too many names */

static gboolean
is_of_word (char c)
{
  return g_ascii_isalnum (c) || (guchar) c >= 0x80 || strchr ("_./:'-", c) != NULL;
}

gsize
sonde_debug_word_start (const char *text, gsize end)
{
  while (end > 0 && text[end - 1] != '\0' && is_of_word (text[end - 1]))
    end--;
  return end;
}

gboolean
sonde_debug_word_matches (const char *text, gsize start, gsize end, const char *name)
{
  g_autofree char *word = g_strndup (text + start, end - start);
  g_autofree char *folded_word = g_utf8_casefold (word, -1),
                  *folded_name = g_utf8_casefold (name, -1);
  const char *found;

  if (end - start < LEAST || g_str_equal (word, name))
    return FALSE;
  found = strstr (folded_name, folded_word);
  while (found != NULL && found != folded_name && strchr ("./", found[-1]) == NULL)
    found = strstr (found + 1, folded_word);
  return found != NULL;
}
