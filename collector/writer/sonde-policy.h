/* SPDX-License-Identifier: Apache-2.0
 * When something is recorded: every n steps, every few seconds, at most r a second, a fair sample
 * of n. Nothing asks unless somebody has set a policy. */
#pragma once

#include "data/base/sonde-clock.h"

G_BEGIN_DECLS

/**
 * SondePolicy:
 * @every: steps between two records; 0 never, 1 each step
 * @per_second: largest rate; 0 no limit
 * @reservoir: 0 no limit; else the k-th that the rest lets through is kept with probability min (1,
 *   reservoir / k): at each moment about reservoir × (1 + ln (k / reservoir)) records that are
 *   spread over the whole training, as a file that is only appended to can have
 * @seed: of the reservoir's choice
 */
typedef struct
{
  gint64 every;
  double per_second;
  guint64 reservoir, seed;
  guint64 n_seen;   /* private */
  gint64 last_ns;   /* private */
  gboolean started; /* private */
} SondePolicy;

void sonde_policy_init (SondePolicy *policy, gint64 every, double per_second);

/* Is @step to be recorded now? TRUE counts as recorded. */
gboolean sonde_policy_wants (SondePolicy *policy, gint64 step, gint64 monotonic_ns);

G_END_DECLS
