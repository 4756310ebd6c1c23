/* SPDX-License-Identifier: Apache-2.0
 * What `sonde infer` writes about steps and values, and its observers. What does not live here:
 * options and the run itself. */
#include <string.h>

#include "app/cli/sonde-cli.h"
#include "app/cli/sonde-infer-observers.h"
#include "data/arrays/sonde-json-text.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-io.h"

/* ---- time of every step -------------------------------------------------- */

static gboolean
write_json (JsonBuilder *builder, const char *path, GError **error)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = sonde_json_node_to_text (root, TRUE);

  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

gboolean
sonde_step_timing_write (SondeExecution *execution, int runs, const char *path, GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "steps");
  json_builder_begin_array (builder);
  for (guint i = 0; i < sonde_plan_get_n_steps (plan); i++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, i);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "node");
      json_builder_add_string_value (builder, step->name);
      json_builder_set_member_name (builder, "op");
      json_builder_add_string_value (builder, step->op);
      json_builder_set_member_name (builder, "implementation");
      json_builder_add_string_value (builder,
                                     step->implementation != NULL ? step->implementation : "");
      json_builder_set_member_name (builder, "calls");
      json_builder_add_int_value (builder, runs);
      json_builder_set_member_name (builder, "ms");
      json_builder_add_double_value (builder,
                                     sonde_execution_get_step_ns (execution, i) / 1e6 / runs);
      json_builder_set_member_name (builder, "flops");
      json_builder_add_double_value (builder, step->cost.flops);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return write_json (builder, path, error);
}

/* ---- statistics of every value ------------------------------------------- */

/**
 * SondeValueSummaries:
 * @statistics: by value id; @types: as they were in the run; @have: which of them there are
 * @error: (nullable): the first that a value could not be read with
 */
struct _SondeValueSummaries
{
  SondeObserver observer;
  SondePlan *plan;
  SondeStatistics *statistics;
  SondeType *types;
  guint8 *have;
  GError *error;
};

static guint
summaries_wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return SONDE_WANT_AFTER;
}

static gboolean
is_number (const SondeType *type)
{
  return type->kind == SONDE_VALUE_TENSOR && type->dtype != SONDE_DTYPE_STRING
         && type->dtype != SONDE_DTYPE_INVALID;
}

static SondeAnswer
summaries_after (SondeObserver *observer, SondeExecution *execution, guint index)
{
  SondeValueSummaries *summaries = (SondeValueSummaries *) observer;
  const SondeStep *step = sonde_plan_get_step (summaries->plan, index);

  for (guint i = 0; i < step->n_outputs; i++)
    {
      SondeGraphValue *value = step->outputs[i];

      if (value == NULL || summaries->error != NULL)
        continue;
      sonde_execution_get_type (execution, value, &summaries->types[value->id]);
      if (is_number (&summaries->types[value->id]))
        summaries->have[value->id] = sonde_execution_read_statistics (
            execution, value, &summaries->statistics[value->id], &summaries->error);
    }
  return SONDE_ANSWER_CONTINUE;
}

SondeValueSummaries *
sonde_value_summaries_new (SondePlan *plan)
{
  SondeValueSummaries *summaries = g_new0 (SondeValueSummaries, 1);
  guint n = sonde_plan_get_graph (plan)->values->len;

  summaries->observer = (SondeObserver){ .wants = summaries_wants, .after = summaries_after };
  summaries->plan = sonde_plan_ref (plan);
  summaries->statistics = g_new0 (SondeStatistics, n + 1);
  summaries->types = g_new0 (SondeType, n + 1);
  summaries->have = g_new0 (guint8, n + 1);
  return summaries;
}

void
sonde_value_summaries_free (SondeValueSummaries *summaries)
{
  sonde_plan_unref (summaries->plan);
  g_free (summaries->statistics);
  g_free (summaries->types);
  g_free (summaries->have);
  g_clear_error (&summaries->error);
  g_free (summaries);
}

SondeObserver *
sonde_value_summaries_get_observer (SondeValueSummaries *summaries)
{
  return &summaries->observer;
}

static void
add_statistics (JsonBuilder *builder, const SondeStatistics *statistics)
{
  const struct
  {
    const char *name;
    double value;
  } reals[] = {
    { "min", statistics->min }, { "max", statistics->max },           { "mean", statistics->mean },
    { "std", statistics->std }, { "abs_mean", statistics->abs_mean },
  };
  const struct
  {
    const char *name;
    gint64 value;
  } counts[] = {
    { "zeros", statistics->zeros },     { "negatives", statistics->negatives },
    { "nan", statistics->nan },         { "pos_inf", statistics->pos_inf },
    { "neg_inf", statistics->neg_inf }, { "count", statistics->count },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (reals); i++)
    {
      json_builder_set_member_name (builder, reals[i].name);
      sonde_json_add_double (builder, reals[i].value);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      json_builder_set_member_name (builder, counts[i].name);
      json_builder_add_int_value (builder, counts[i].value);
    }
}

static void
add_shape (JsonBuilder *builder, const SondeType *type)
{
  json_builder_set_member_name (builder, "shape");
  json_builder_begin_array (builder);
  for (int d = 0; d < type->rank; d++)
    json_builder_add_int_value (builder, type->dims[d].size);
  json_builder_end_array (builder);
}

gboolean
sonde_value_summaries_write (SondeValueSummaries *summaries, const char *path, GError **error)
{
  const SondeGraph *graph = sonde_plan_get_graph (summaries->plan);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  if (summaries->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&summaries->error));
      return FALSE;
    }
  json_builder_begin_object (builder);
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value == NULL || !summaries->have[i])
        continue;
      json_builder_set_member_name (builder, value->name);
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "dtype");
      json_builder_add_string_value (builder, sonde_dtype_name (summaries->types[i].dtype));
      add_shape (builder, &summaries->types[i]);
      add_statistics (builder, &summaries->statistics[i]);
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
  return write_json (builder, path, error);
}

/* ---- memory -------------------------------------------------------------- */

gint64
sonde_peak_bytes (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;

  line = strstr (text, "VmHWM:");
  return line != NULL ? g_ascii_strtoll (line + strlen ("VmHWM:"), NULL, 10) * 1024 : 0;
}
