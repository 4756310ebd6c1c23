/* SPDX-License-Identifier: Apache-2.0
 * When something is recorded: every n steps, at most r a second. Scalars never ask. */
#pragma once

#include "data/base/sonde-clock.h"

G_BEGIN_DECLS

/**
 * SondePolicy:
 * @every: steps between two records; 0 never, 1 each step
 * @per_second: largest rate; 0 no limit
 */
typedef struct
{
  gint64 every;
  double per_second;
  gint64 last_ns; /* private */
  gboolean started; /* private */
} SondePolicy;

void sonde_policy_init (SondePolicy *policy,
                        gint64       every,
                        double       per_second);

/* Is @step to be recorded now? TRUE counts as recorded. */
gboolean sonde_policy_wants (SondePolicy *policy,
                             gint64       step,
                             gint64       monotonic_ns);

G_END_DECLS
