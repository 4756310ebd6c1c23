/* SPDX-License-Identifier: Apache-2.0
 * The keys are those of docs/profiler.md, "Files for other programs". */
#include "data/profiles/sonde-profile-details.h"

static void
add_text (SondeTrace *trace, guint32 label, const char *key, const char *text)
{
  if (text != NULL && *text != '\0')
    sonde_trace_add_detail (trace, label, key, text, 0);
}

static void
add_amount (SondeTrace *trace, guint32 label, const char *key, gint64 amount)
{
  if (amount >= 0)
    sonde_trace_add_detail (trace, label, key, NULL, amount);
}

static void
add_operator (SondeTrace *trace, const SondeProfileOperator *op)
{
  const SondeOperatorFacts *facts = op->facts;
  g_autofree char *nodes = facts->nodes != NULL ? g_strjoinv (", ", (char **) facts->nodes) : NULL;

  add_text (trace, op->label, "node", facts->node);
  add_text (trace, op->label, "op_type", facts->op);
  add_text (trace, op->label, "nodes", nodes);
  if (facts->part != SONDE_STEP_PART_OTHER)
    add_text (trace, op->label, "phase", sonde_step_part_get_name (facts->part));
  add_text (trace, op->label, "dtype", facts->dtype);
  add_text (trace, op->label, "implementation", facts->implementation);
  add_amount (trace, op->label, "flops", facts->flops);
  add_amount (trace, op->label, "bytes", facts->bytes);
}

static int
compare_labels (gconstpointer a, gconstpointer b)
{
  guint32 x = (*(const SondeProfileOperator *const *) a)->label,
          y = (*(const SondeProfileOperator *const *) b)->label;

  return (x > y) - (x < y);
}

void
sonde_profile_add_details (SondeProfile *profile)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new ();

  if (profile->trace->details->len > 0)
    return;
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);

      if (op->facts != NULL && op->label != SONDE_TRACE_NONE)
        g_ptr_array_add (known, (gpointer) op);
    }
  g_ptr_array_sort (known, compare_labels);
  for (guint i = 0; i < known->len; i++)
    add_operator (profile->trace, g_ptr_array_index (known, i));
}
