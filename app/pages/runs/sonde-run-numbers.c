/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/runs/sonde-run-numbers.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

double
sonde_run_count_points (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  double n = 0;

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      n += tag->kind == SONDE_RECORD_SCALARS ? (double) tag->count : 0;
    }
  return n;
}

double
sonde_run_count_bytes (SondeRun *run)
{
  GPtrArray *files = sonde_run_get_files (run);
  double n = 0;

  for (guint i = 0; i < files->len; i++)
    n += (double) ((const SondeRunFile *) files->pdata[i])->bytes;
  return n;
}

double
sonde_run_get_start (SondeRun *run)
{
  return (double) sonde_run_get_start_ns (run);
}

static double
count_tags (SondeRun *run)
{
  return sonde_run_get_tags (run)->len;
}

static double
get_state (SondeRun *run)
{
  return sonde_run_is_live (run);
}

static double
get_last_step (SondeRun *run)
{
  return (double) sonde_run_get_last_step (run);
}

static double
get_damage (SondeRun *run)
{
  return (double) sonde_run_get_damage_count (run);
}

static char *
format_state (double value)
{
  return g_strdup (value > 0 ? _ ("live") : _ ("ended"));
}

static char *
format_count (double value)
{
  return value < 0 ? g_strdup ("–") : sonde_format_count ((gint64) value);
}

static char *
format_bytes (double value)
{
  return sonde_format_bytes ((guint64) value);
}

static char *
format_start (double value)
{
  return value > 0 ? sonde_format_ago (g_get_real_time () * 1000 - (gint64) value) : g_strdup ("–");
}

static char *
copy_start (double value)
{
  return value > 0 ? sonde_format_clock ((gint64) value, NULL) : g_strdup ("");
}

const SondeRunNumber sonde_run_numbers[] = {
  { "state", N_ ("State"), get_state, format_state, format_state, TRUE },
  { "last-step", N_ ("Last step"), get_last_step, format_count, NULL, FALSE },
  { "points", N_ ("Data points"), sonde_run_count_points, format_count, NULL, FALSE },
  { "tags", N_ ("Tags"), count_tags, format_count, NULL, FALSE },
  { "damaged", N_ ("Damaged"), get_damage, format_count, NULL, FALSE },
  { "started", N_ ("Started"), sonde_run_get_start, format_start, copy_start, FALSE },
  { "size", N_ ("Size"), sonde_run_count_bytes, format_bytes, NULL, FALSE },
  { NULL },
};
