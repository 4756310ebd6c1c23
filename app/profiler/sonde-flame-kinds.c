/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-flame-kinds.h"

#include <string.h>

#include "data/profiles/sonde-step-split.h"

guint8 *
sonde_profiler_make_flame_kinds (const SondeTrace *trace)
{
  guint8 *kinds = g_new0 (guint8, trace->labels->len + 1);
  g_autoptr (GArray) steps = sonde_trace_find_steps (trace, NULL);
  const gboolean is_pytorch = g_strcmp0 (trace->producer, "pytorch") == 0;

  for (guint32 i = 0; is_pytorch && i < trace->labels->len; i++)
    if (strcmp (sonde_trace_get_label (trace, i)->category, "Trace") == 0)
      kinds[i] = SONDE_FLAME_LEFT_OUT;
  for (guint i = 0; i < steps->len; i++)
    kinds[trace->spans[g_array_index (steps, guint32, i)].label] = SONDE_FLAME_STEP;
  return kinds;
}
