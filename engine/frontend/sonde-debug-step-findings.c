/* SPDX-License-Identifier: Apache-2.0
 * From modules to their operators. */
#include "engine/frontend/sonde-debug-step-findings.h"

#include <string.h>

#define GRAD "grad("

/* "layers.0" holds "layers.0" and "layers.0.fc"; "" is the outermost module, which holds all. */
static gboolean
lies_in (const char *scope, const char *module)
{
  gsize length = strlen (module);

  return scope != NULL && strncmp (scope, module, length) == 0
         && (length == 0 || scope[length] == '\0' || scope[length] == '.');
}

static guint
find_in (SondeDebugSteps *steps, const char *module, SondePhase phase, gboolean last)
{
  guint found = SONDE_DEBUG_NO_STEP;

  for (guint i = 0; i < sonde_debug_steps_get_n (steps); i++)
    {
      const SondeStepInfo *step = sonde_debug_steps_get (steps, i);

      if (step->phase != phase || !lies_in (step->scope, module))
        continue;
      found = i;
      if (!last)
        return found;
    }
  return found;
}

guint
sonde_debug_step_findings_find (SondeDebugSteps *steps, const char *name, const char *made_by)
{
  g_autofree char *module = NULL;
  guint found = SONDE_DEBUG_NO_STEP;

  if (!g_str_has_prefix (name, GRAD) || !g_str_has_suffix (name, ")"))
    return find_in (steps, name, SONDE_PHASE_FORWARD, TRUE);
  if (made_by != NULL)
    found = find_in (steps, made_by, SONDE_PHASE_BACKWARD, TRUE);
  if (found != SONDE_DEBUG_NO_STEP)
    return found;
  module = g_strndup (name + strlen (GRAD), strlen (name) - strlen (GRAD) - 1);
  return find_in (steps, module, SONDE_PHASE_BACKWARD, FALSE);
}

void
sonde_debug_step_findings_take (SondeDebugFindings *findings, const SondeDivergence *divergence,
                                SondeDebugSteps *steps)
{
  g_autoptr (SondeDivergence) named = sonde_divergence_new ();

  for (guint i = 0; i < divergence->values->len; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (divergence->values, i);
      guint position = sonde_debug_step_findings_find (
          steps, value->reference != NULL ? value->reference : value->value,
          value->made_by != NULL ? value->made_by[0] : NULL);
      SondeDivergedValue *own;

      if (position == SONDE_DEBUG_NO_STEP)
        continue;
      own = g_new0 (SondeDivergedValue, 1);
      own->node = g_strdup (sonde_debug_steps_get_name (steps, position));
      own->own_error = value->own_error;
      own->inherited_error = value->inherited_error;
      own->tolerance = value->tolerance;
      g_ptr_array_add (named->values, own);
    }
  sonde_debug_findings_take_divergence (findings, named);
}
