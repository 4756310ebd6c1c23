/* SPDX-License-Identifier: Apache-2.0
 * Learning-rate schedules: one row a name. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeSchedule:
 * @rate: learning rate of step @step (from 0) of @total steps, from the base rate
 */
typedef struct
{
  const char *name;
  double (*rate) (double base, guint64 step, guint64 total);
} SondeSchedule;

/* (nullable): NULL when there is no such schedule */
const SondeSchedule *sonde_schedule_find (const char *name);
/* "constant, cosine, linear". Returns: (transfer full) */
char *sonde_schedule_list (void);

G_END_DECLS
