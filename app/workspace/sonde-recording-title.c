/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-recording-title.h"

#include "data/base/sonde-text.h"

#define SECOND G_GINT64_CONSTANT (1000000000)

/* (transfer full) */
static char *
dup_steps (const SondeRecordingEntry *entry)
{
  if (entry->n_steps == 0)
    return g_strdup (_ ("No whole step"));
  if (entry->first_step == entry->last_step)
    return g_strdup_printf (entry->of_runs ? _ ("Run %" PRId64) : _ ("Step %" PRId64),
                            entry->first_step);
  if (entry->n_steps == (guint64) (entry->last_step - entry->first_step) + 1)
    return g_strdup_printf (entry->of_runs ? _ ("Runs %" PRId64 "–%" PRId64)
                                           : _ ("Steps %" PRId64 "–%" PRId64),
                            entry->first_step, entry->last_step);
  if (entry->of_runs)
    return g_strdup_printf (P_ ("%" PRIu64 " of runs %" PRId64 "–%" PRId64,
                                "%" PRIu64 " of runs %" PRId64 "–%" PRId64, entry->n_steps),
                            entry->n_steps, entry->first_step, entry->last_step);
  return g_strdup_printf (P_ ("%" PRIu64 " of steps %" PRId64 "–%" PRId64,
                              "%" PRIu64 " of steps %" PRId64 "–%" PRId64, entry->n_steps),
                          entry->n_steps, entry->first_step, entry->last_step);
}

/* (transfer full) (nullable): NULL of a time that is none */
static char *
dup_time (guint64 recording, gint64 now_ns)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local ((gint64) (recording / SECOND));
  g_autoptr (GDateTime) now = g_date_time_new_from_unix_local (now_ns / SECOND);
  gboolean today = time != NULL && now != NULL
                   && g_date_time_get_year (time) == g_date_time_get_year (now)
                   && g_date_time_get_day_of_year (time) == g_date_time_get_day_of_year (now);

  return time != NULL ? g_date_time_format (time, today ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S") : NULL;
}

char *
sonde_recording_dup_title (const SondeRecordingEntry *entry, gint64 now_ns)
{
  g_autofree char *steps = dup_steps (entry), *time = dup_time (entry->recording, now_ns);

  return time != NULL ? g_strdup_printf ("%s · %s", steps, time) : g_steal_pointer (&steps);
}
