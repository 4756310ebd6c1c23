/* SPDX-License-Identifier: Apache-2.0
 * Learning-rate schedules: a function of the step, but for "plateau", which looks at a metric. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "engine/nn/sonde-settings.h"

G_BEGIN_DECLS

typedef struct _SondeSchedule SondeSchedule;

/**
 * sonde_schedule_new:
 * @text: one of, counts in steps ("30") or epochs ("30e"):
 *   "constant"
 *   "linear:final=0"                      base·(1 + (final − 1)·step/total)
 *   "step:period=30e;factor=0.1"          base·factor^⌊step/period⌋
 *   "exponential:factor=0.95;period=1e"   base·factor^(step/period)
 *   "cosine:final=0;period=0;growth=1"   half a cosine from base to final·base; with a period: warm
 *                                         restarts, each growth times as long as the one before
 *                                         (Loshchilov and Hutter 2017, eq. 5)
 *   "polynomial:power=2;final=0"
 *   "one-cycle:share=0.3;initial=25;final=10000"   Smith and Topin 2019 as PyTorch's OneCycleLR
 *                                         (cosine parts): from base/initial up to base during
 *                                         share, down to base/initial/final
 *   "piecewise:100=0.1;3e=0.01"           base·factor from that step on
 *   "plateau:factor=0.1;patience=10;threshold=1e-4;cooldown=0;least=0"   as PyTorch's
 *   ReduceLROnPlateau, mode min, relative
 * Every one also takes warm-up=STEPS: base·(step + 1)/warm-up until then; the schedule begins (and
 * @total ends) so much later, but for "piecewise", which counts from the start.
 *
 * Errors: INVALID naming the schedules there are, or the setting.
 */
SondeSchedule *sonde_schedule_new (const char *text, GError **error);
void sonde_schedule_free (SondeSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSchedule, sonde_schedule_free)

/* Learning rate of step @step (from 0) of @total, @epoch steps an epoch. */
double sonde_schedule_get_rate (const SondeSchedule *schedule, double base, guint64 step,
                                guint64 total, guint64 epoch);

/* After each evaluation: the metric "plateau" follows (test loss). */
void sonde_schedule_observe (SondeSchedule *schedule, double metric);

/* What a resumed run needs besides the step: numbers, none for most. Returns: (transfer full) F64
 * [n] */
SondeTensor *sonde_schedule_dup_state (const SondeSchedule *schedule);
gboolean sonde_schedule_set_state (SondeSchedule *schedule, SondeTensor *state, GError **error);

char *sonde_schedule_list (void);

G_END_DECLS
