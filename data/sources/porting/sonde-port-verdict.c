/* SPDX-License-Identifier: Apache-2.0
 * Verdicts follow from the columns of the table, the first rule that holds. */
#include "data/sources/porting/sonde-port-verdict.h"

#include <string.h>

#include "data/base/sonde-text.h"

static const char *const target_names[] = { "mindspore", "onnx", "sonde" };

gboolean
sonde_port_target_parse (const char *text, SondePortTarget *target)
{
  for (guint i = 0; i < G_N_ELEMENTS (target_names); i++)
    if (g_str_equal (text, target_names[i]))
      {
        *target = (SondePortTarget) i;
        return TRUE;
      }
  return FALSE;
}

const char *
sonde_port_target_get_name (SondePortTarget target)
{
  return target_names[target];
}

static const struct
{
  const char *name, *title, *sentence;
} verdicts[SONDE_PORT_N_VERDICTS] = {
  [SONDE_PORT_CUSTOM]
  = { "custom", N_ ("Custom"), N_ ("Nothing takes its place: write a custom operator.") },
  [SONDE_PORT_ASK] = { "ask", N_ ("Decision"), N_ ("Not an operator: a person decides.") },
  [SONDE_PORT_UNKNOWN] = { "unknown", N_ ("Not listed"), N_ ("The table has no row for it.") },
  [SONDE_PORT_WRAP] = { "wrap", N_ ("Wrap"), N_ ("To be put together from operators that exist.") },
  [SONDE_PORT_DIFFERS]
  = { "differs", N_ ("Differs"), N_ ("A counterpart exists, with differences.") },
  [SONDE_PORT_SAME] = { "same", N_ ("Same"), N_ ("A counterpart exists.") },
  [SONDE_PORT_HOST]
  = { "host", N_ ("Host"), N_ ("Runs on the host or prepares data: counted, not judged.") },
};

const char *
sonde_port_verdict_get_name (SondePortVerdict verdict)
{
  return verdicts[verdict].name;
}

const char *
sonde_port_verdict_get_title (SondePortVerdict verdict)
{
  return _ (verdicts[verdict].title);
}

const char *
sonde_port_verdict_describe (SondePortVerdict verdict)
{
  return _ (verdicts[verdict].sentence);
}

static gboolean
is_among (const char *word, const char *const *words)
{
  return g_strv_contains (words, word);
}

char **
sonde_api_row_dup_operators (const SondeApiRow *row)
{
  return g_strsplit (row->onnx, ",", -1);
}

/* What an export puts around the operator that does the work. */
static gboolean
is_around (const char *op)
{
  static const char *const around[] = { "Cast", "Constant", "Identity", "Reshape", "Shape", NULL };

  return is_among (op, around);
}

static SondePortVerdict
judge_operators (const SondePortJudge *judge, const SondeApiRow *row, GPtrArray *missing)
{
  g_auto (GStrv) operators = sonde_api_row_dup_operators (row);
  guint n = 0, n_missing = 0;

  for (guint i = 0; operators[i] != NULL; i++)
    {
      n += !is_around (operators[i]);
      if (judge->target != SONDE_PORT_TO_SONDE || judge->has_operator (operators[i], judge->data))
        continue;
      n_missing++;
      if (missing != NULL)
        g_ptr_array_add (missing, g_strdup (operators[i]));
    }
  if (n_missing > 0)
    return SONDE_PORT_CUSTOM;
  return n <= 1 ? SONDE_PORT_SAME : SONDE_PORT_WRAP;
}

SondePortVerdict
sonde_port_judge (const SondePortJudge *judge, const SondeApiRow *row, GPtrArray *missing)
{
  static const char *const host[]
      = { "device", "distributed", "serialisation", "profiler", "type",      "dtype",   "constant",
          "host",   "test",        "utility",       "export",   "extension", "compile", NULL };
  static const char *const ask[] = { "module", "container", "autograd", "optimiser", "lr schedule",
                                     "amp",    "layout",    "other",    "tensor",    NULL };

  if (row == NULL)
    return SONDE_PORT_UNKNOWN;
  if (g_str_equal (row->kind, "data"))
    return SONDE_PORT_HOST;
  if (judge->target == SONDE_PORT_TO_MINDSPORE && g_str_equal (row->relation, "same"))
    return SONDE_PORT_SAME;
  if (judge->target == SONDE_PORT_TO_MINDSPORE && g_str_equal (row->relation, "differs"))
    return SONDE_PORT_DIFFERS;
  if (judge->target != SONDE_PORT_TO_MINDSPORE && *row->onnx != '\0')
    return judge_operators (judge, row, missing);
  if (is_among (row->kind, host))
    return SONDE_PORT_HOST;
  if (judge->target == SONDE_PORT_TO_MINDSPORE && *row->onnx != '\0')
    return SONDE_PORT_WRAP;
  return is_among (row->kind, ask) ? SONDE_PORT_ASK : SONDE_PORT_CUSTOM;
}
