/* SPDX-License-Identifier: Apache-2.0
 * Parameter groups from text. */
#include "engine/nn/sonde-parameter-group.h"

#include <math.h>
#include <string.h>

#include "engine/nn/sonde-settings.h"

static void
clear_group (gpointer data)
{
  g_free (((SondeParameterGroup *) data)->pattern);
}

static gboolean
parse_word (SondeParameterGroup *group, const char *word)
{
  double number;

  if (g_str_equal (word, "frozen"))
    return group->frozen = TRUE;
  if (g_str_has_prefix (word, "rate=")
      && sonde_settings_read_number (word + strlen ("rate="), FALSE, &number) && number >= 0)
    {
      group->rate = number;
      return TRUE;
    }
  if (g_str_has_prefix (word, "weight-decay=")
      && sonde_settings_read_number (word + strlen ("weight-decay="), FALSE, &number)
      && number >= 0)
    {
      group->weight_decay = number;
      return TRUE;
    }
  return FALSE;
}

static gboolean
parse_group (const char *part, SondeParameterGroup *group, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (part, " \t", -1);
  guint n_words = 0;

  *group = (SondeParameterGroup){ NULL, 1.0, NAN, FALSE };
  for (guint i = 0; words[i] != NULL; i++)
    {
      if (words[i][0] == '\0')
        continue;
      if (n_words++ == 0)
        group->pattern = g_strdup (words[i]);
      else if (!parse_word (group, words[i]))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "The parameter group “%s” has “%s”; after the pattern, only "
                           "rate=FACTOR, weight-decay=NUMBER and frozen are allowed.",
                           part, words[i]);
          return FALSE;
        }
    }
  if (n_words == 1)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "The parameter group “%s” sets nothing: specify rate=FACTOR, "
                     "weight-decay=NUMBER or frozen.",
                     part);
  return n_words != 1;
}

GArray *
sonde_parameter_groups_parse (const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (SondeParameterGroup));

  g_array_set_clear_func (groups, clear_group);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      SondeParameterGroup group;
      gboolean good = parse_group (g_strstrip (parts[i]), &group, error);

      if (group.pattern != NULL)
        g_array_append_val (groups, group);
      if (!good)
        return NULL;
    }
  return g_steal_pointer (&groups);
}

const SondeParameterGroup *
sonde_parameter_groups_find (const GArray *groups, const char *parameter)
{
  for (guint i = 0; groups != NULL && i < groups->len; i++)
    {
      const SondeParameterGroup *group = &g_array_index (groups, SondeParameterGroup, i);

      if (g_pattern_match_simple (group->pattern, parameter))
        return group;
    }
  return NULL;
}
