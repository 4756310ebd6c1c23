/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/types/sonde-graph-info.h"

void
sonde_step_info_free (SondeStepInfo *step)
{
  if (step == NULL)
    return;
  g_free (step->name);
  g_free (step->op);
  g_free (step->scope);
  g_free (step->origin);
  g_strfreev (step->nodes);
  g_strfreev (step->originals);
  g_strfreev (step->inputs);
  g_strfreev (step->outputs);
  g_strfreev (step->types);
  g_free (step->implementation);
  g_strfreev (step->functions);
  g_free (step);
}

void
sonde_value_info_free (SondeValueInfo *value)
{
  if (value == NULL)
    return;
  g_free (value->name);
  g_free (value->type);
  g_free (value->producer);
  g_free (value);
}
