/* SPDX-License-Identifier: Apache-2.0
 * Names without what separates their parts. */
#include "engine/debug/searches/sonde-diverge-names-private.h"

#include <string.h>

char *
sonde_diverge_split_name (const char *name)
{
  GString *text = g_string_new ("/");

  for (const char *c = name; *c != '\0'; c++)
    if (g_ascii_isalnum (*c) || (guchar) *c >= 0x80)
      g_string_append_c (text, g_ascii_tolower (*c));
    else if (text->str[text->len - 1] != '/')
      g_string_append_c (text, '/');
  if (text->len > 1 && text->str[text->len - 1] == '/')
    g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}

void
sonde_diverge_add_suffixes (GHashTable *suffixes, const char *normal, SondeGraphValue *value)
{
  for (const char *suffix = normal; suffix != NULL && suffix[0] != '\0';
       suffix = strchr (suffix + 1, '/'))
    {
      gpointer found;

      if (!g_hash_table_lookup_extended (suffixes, suffix, NULL, &found))
        g_hash_table_insert (suffixes, g_strdup (suffix), value);
      else if (found != value)
        g_hash_table_insert (suffixes, g_strdup (suffix), NULL);
    }
}
