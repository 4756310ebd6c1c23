/* SPDX-License-Identifier: Apache-2.0
 * Writing what watch table and expression parser read. */
#include "engine/live/sonde-watch-text.h"

#include <string.h>

char *
sonde_expression_quote (const char *name, const char *slice)
{
  g_autoptr (GString) text = g_string_new ("\"");

  for (const char *at = name; *at != '\0'; at++)
    {
      if (*at == '"' || *at == '\\')
        g_string_append_c (text, '\\');
      g_string_append_c (text, *at);
    }
  g_string_append_c (text, '"');
  if (slice != NULL && *slice != '\0')
    g_string_append_printf (text, "[%s]", slice);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Quoted, so that its last word is not taken for "inputs" or "nostop". One that was typed in quotes
 * stays. */
static void
append_pattern (GString *text, const char *pattern)
{
  g_autofree char *plain = pattern != NULL ? g_strstrip (g_strdup (pattern)) : NULL;
  gsize length = plain != NULL ? strlen (plain) : 0;

  if (length >= 2 && plain[0] == '"' && plain[length - 1] == '"')
    g_string_append_printf (text, " on %s", plain);
  else if (length > 0)
    g_string_append_printf (text, " on \"%s\"", plain);
}

char *
sonde_watch_text_of_expression (const char *expression, const char *pattern)
{
  g_autoptr (GString) text = g_string_new (expression);

  append_pattern (text, pattern);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
sonde_watch_text_of_condition (const SondeConditionClass *klass, const char *const *values,
                               const char *pattern)
{
  g_autoptr (GString) text = g_string_new ("preset ");

  g_string_append (text, klass->name);
  for (guint i = 0; klass->parameters[i].name != NULL; i++)
    {
      g_autofree char *value = values[i] != NULL ? g_strstrip (g_strdup (values[i])) : NULL;

      if (value != NULL && *value != '\0')
        g_string_append_printf (text, " %s=%s", klass->parameters[i].name, value);
    }
  append_pattern (text, pattern);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
