/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/types/sonde-watchpoint.h"

char *
sonde_unchecked_to_string (guint unchecked)
{
  static const char *const words[]
      = { "NaN in value", "infinity in value", "no previous value", "memory limit", "no history" };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if ((unchecked & 1u << i) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", words[i]);
  return g_string_free (text, FALSE);
}

SondeWatchHit *
sonde_watch_hit_copy (const SondeWatchHit *hit)
{
  SondeWatchHit *copy = g_memdup2 (hit, sizeof *hit);

  copy->node = g_strdup (hit->node);
  copy->value = g_strdup (hit->value);
  copy->condition = g_strdup (hit->condition);
  copy->parameter = g_strdup (hit->parameter);
  copy->explanation = sonde_message_copy (hit->explanation);
  return copy;
}

void
sonde_watch_hit_free (SondeWatchHit *hit)
{
  if (hit == NULL)
    return;
  g_free (hit->node);
  g_free (hit->value);
  g_free (hit->condition);
  g_free (hit->parameter);
  sonde_message_free (hit->explanation);
  g_free (hit);
}

SondeWatch *
sonde_watch_copy (const SondeWatch *watch)
{
  SondeWatch *copy = g_memdup2 (watch, sizeof *watch);

  copy->text = g_strdup (watch->text);
  copy->pattern = g_strdup (watch->pattern);
  copy->last = watch->last != NULL ? sonde_watch_hit_copy (watch->last) : NULL;
  return copy;
}

void
sonde_watch_free (SondeWatch *watch)
{
  if (watch == NULL)
    return;
  g_free (watch->text);
  g_free (watch->pattern);
  sonde_watch_hit_free (watch->last);
  g_free (watch);
}
