/* SPDX-License-Identifier: Apache-2.0
 * Learning-rate schedules. */
#include "engine/nn/sonde-schedule.h"

#include <math.h>

static double
constant_rate (double  base,
               guint64 step,
               guint64 total)
{
  return base;
}

/* base · (1 + cos (π · step / total)) / 2. Source: Loshchilov and Hutter, "SGDR" (2017), eq. 5 */
static double
cosine_rate (double  base,
             guint64 step,
             guint64 total)
{
  return total == 0 ? base : base * 0.5 * (1.0 + cos (G_PI * (double) step / (double) total));
}

/* base · (1 − step / total) */
static double
linear_rate (double  base,
             guint64 step,
             guint64 total)
{
  return total == 0 ? base : base * (1.0 - (double) step / (double) total);
}

static const SondeSchedule schedules[] = {
  { "constant", constant_rate },
  { "cosine", cosine_rate },
  { "linear", linear_rate },
};

const SondeSchedule *
sonde_schedule_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (schedules); i++)
    if (g_str_equal (schedules[i].name, name))
      return &schedules[i];
  return NULL;
}

char *
sonde_schedule_list (void)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (schedules); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", schedules[i].name);
  return g_string_free (text, FALSE);
}
