/* SPDX-License-Identifier: Apache-2.0
 * "NAME:setting=value; …" as a name and numbers. */
#include "engine/nn/sonde-settings.h"

#include <math.h>
#include <string.h>

char *
sonde_settings_dup_name (const char *text)
{
  const char *colon = strchr (text, ':');
  g_autofree char *name = g_strndup (text, colon != NULL ? (gsize) (colon - text) : strlen (text));

  return g_strdup (g_strstrip (name));
}

#define fail(error, ...)                                                                           \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

static const char *
name_of (gconstpointer rows, gsize i, gsize size)
{
  return *(const char *const *) (gconstpointer) ((const guint8 *) rows + i * size);
}

char *
sonde_settings_list (gconstpointer rows, gsize n, gsize size)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", name_of (rows, i, size));
  return g_string_free (text, FALSE);
}

gconstpointer
sonde_settings_find (const char *what, const char *text, gconstpointer rows, gsize n, gsize size,
                     GError **error)
{
  g_autofree char *name = sonde_settings_dup_name (text);
  g_autofree char *list = NULL;

  for (gsize i = 0; i < n; i++)
    if (g_str_equal (name_of (rows, i, size), name))
      return (const guint8 *) rows + i * size;
  list = sonde_settings_list (rows, n, size);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "There is no %-s “%s”; the available ones are: %s.", what, name, list);
  return NULL;
}

static guint
count_rules (const SondeSettingRule *rules)
{
  guint n = 0;

  while (rules != NULL && n < SONDE_MAX_SETTINGS && rules[n].name != NULL)
    n++;
  return n;
}

char *
sonde_settings_describe (const char *name, const SondeSettingRule *rules)
{
  GString *text = g_string_new (name);

  for (guint i = 0; i < count_rules (rules); i++)
    {
      g_string_append_printf (text, "%s%s", i == 0 ? ":" : ";", rules[i].name);
      if (!isnan (rules[i].fallback))
        g_string_append_printf (text, "=%g", rules[i].fallback);
    }
  return g_string_free (text, FALSE);
}

gboolean
sonde_settings_read_number (const char *text, gboolean counts_steps, double *number)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  if (end == text || !isfinite (*number))
    return FALSE;
  if (counts_steps && *number >= 0 && end[0] == 'e' && end[1] == '\0')
    {
      *number = -*number;
      return TRUE;
    }
  return *end == '\0' && !(counts_steps && *number < 0);
}

/* Which setting @key names, or the @place-th one where there is no name. n: none. */
static guint
find_rule (const SondeSettingRule *rules, const char *key, guint place)
{
  guint n = count_rules (rules);

  if (key == NULL)
    return MIN (place, n);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (rules[i].name, key))
      return i;
  return n;
}

static gboolean
read_part (const char *what, char *part, guint place, const SondeSettingRule *rules,
           SondeSettings *settings, GError **error)
{
  char *equals = strchr (part, '=');
  const char *value = equals != NULL ? g_strstrip (equals + 1) : part;
  g_autofree char *form = sonde_settings_describe (settings->name, rules);
  const SondeSettingRule *rule;
  double number;
  guint i;

  if (equals != NULL)
    *equals = '\0';
  i = find_rule (rules, equals != NULL ? g_strstrip (part) : NULL, place);
  if (i == count_rules (rules))
    return fail (error, "The %-s “%s” has no setting “%s”; its form is %s.", what, settings->name,
                 part, form);
  rule = &rules[i];
  if (settings->is_set[i])
    return fail (error, "The %-s “%s” has “%s” twice; its form is %s.", what, settings->name,
                 rule->name, form);
  if (!sonde_settings_read_number (value, rule->counts_steps, &number))
    return rule->counts_steps
               ? fail (error,
                       "The %-s “%s” cannot take “%s”: specify a number of steps (“30”) or epochs "
                       "(“30e”); its form is %s.",
                       what, settings->name, value, form)
               : fail (error, "The %-s “%s” cannot take “%s”: specify a number; its form is %s.",
                       what, settings->name, value, form);
  if ((rule->counts_steps ? fabs (number) : number) < rule->least || number > rule->most)
    return fail (error, "The %-s “%s” has %s = %s, which is not from %g to %g; its form is %s.",
                 what, settings->name, rule->name, value, rule->least, rule->most, form);
  settings->values[i] = number;
  settings->is_set[i] = TRUE;
  return TRUE;
}

gboolean
sonde_settings_parse (const char *what, const char *text, const SondeSettingRule *rules,
                      SondeSettings *settings, GError **error)
{
  const char *colon = strchr (text, ':');
  /* "30:0.1" and "period=30;factor=0.1" are the same. */
  g_auto (GStrv) parts = g_strsplit_set (colon != NULL ? colon + 1 : "", ":;", -1);

  *settings = (SondeSettings){ .name = sonde_settings_dup_name (text) };
  for (guint i = 0; i < count_rules (rules); i++)
    settings->values[i] = rules[i].fallback;
  for (guint i = 0, place = 0; parts[i] != NULL; i++)
    if (*g_strstrip (parts[i]) != '\0'
        && !read_part (what, parts[i], place++, rules, settings, error))
      {
        sonde_settings_clear (settings);
        return FALSE;
      }
  for (guint i = 0; i < count_rules (rules); i++)
    if (isnan (settings->values[i]))
      {
        g_autofree char *form = sonde_settings_describe (settings->name, rules);

        (void) fail (error, "The %-s “%s” needs “%s”; its form is %s.", what, settings->name,
                     rules[i].name, form);
        sonde_settings_clear (settings);
        return FALSE;
      }
  return TRUE;
}

void
sonde_settings_clear (SondeSettings *settings)
{
  g_clear_pointer (&settings->name, g_free);
}
