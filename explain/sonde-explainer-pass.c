/* SPDX-License-Identifier: Apache-2.0
 * Passes: planned once for a key and a batch size, kept while there is room, run in batches. */
#include "explain/sonde-explainer-pass.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "engine/live/sonde-nearest.h"
#include "explain/sonde-explainer-ending.h"
#include "explain/sonde-explainer-model.h"
#include "explain/sonde-explainer-private.h"

/* What is planned is kept while its memory is within this; the last eight always. */
#define MOST_PASS_BYTES ((guint64) 512 << 20)
#define MOST_PASSES 64
#define LEAST_PASSES 8

/* Bytes that a batch's activations may take: of all, for a backward pass; of the largest, for a
 * forward one. Measured: tests/bench/bench-explain.c. */
#define BACKWARD_BYTES (64 << 20)
#define FORWARD_BYTES (2 << 20)

void
sonde_explainer_pass_free (SondeExplainerPass *pass)
{
  if (pass == NULL)
    return;
  g_clear_pointer (&pass->execution, sonde_execution_free);
  g_clear_pointer (&pass->plan, sonde_plan_unref);
  g_clear_pointer (&pass->graph, sonde_graph_unref);
  g_clear_pointer (&pass->results, g_ptr_array_unref);
  g_clear_pointer (&pass->bindings, g_array_unref);
  g_free (pass->key);
  g_free (pass);
}

/* ---- what is added to the model ------------------------------------------- */

static const char *
value_candidate (guint k, gpointer data)
{
  const SondeGraphValue *value = g_ptr_array_index (((const SondeGraph *) data)->values, k);

  return value != NULL && value->producer != NULL ? value->name : NULL;
}

SondeGraphValue *
sonde_explainer_pass_find_value (SondeExplainerPass *pass, const char *name, GError **error)
{
  SondeGraphValue *value = sonde_graph_find_value (pass->graph, name);
  const char *nearest;

  if (value != NULL)
    return value;
  nearest = sonde_nearest_name (name, value_candidate, pass->graph->values->len, pass->graph);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "the model has no value “%s”; did you mean “%s”? `sonde inspect` lists all",
                     name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "the model has no value “%s”; `sonde inspect` lists all", name);
  return NULL;
}

SondeGraphValue *
sonde_explainer_pass_add_input (SondeExplainerPass *pass, const char *name, const SondeType *type)
{
  SondeGraphValue *input = sonde_graph_add_input (pass->graph, name, type);
  SondeBinding binding = { input->name, *type };

  g_array_append_val (pass->bindings, binding);
  return input;
}

SondeGraphValue *
sonde_explainer_pass_make_score (SondeExplainerPass *pass, SondeScore score)
{
  return score == SONDE_SCORE_LOGIT ? pass->logits : sonde_ending_build_probabilities (pass->graph);
}

/* What is read lives to the end of the run. */
static gboolean
plan_pass (SondeExplainer *explainer, SondeExplainerPass *pass, GError **error)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  SondePlanOptions options = { .bindings = (SondeBinding *) (void *) pass->bindings->data,
                               .n_bindings = pass->bindings->len,
                               .memory = SONDE_MEMORY_PLAN };

  g_ptr_array_set_size (pass->graph->outputs, 0);
  for (guint k = 0; k < pass->results->len; k++)
    {
      SondeGraphValue *result = g_ptr_array_index (pass->results, k);

      if (!g_ptr_array_find (pass->graph->outputs, result, NULL)
          && !g_ptr_array_find (pass->graph->inputs, result, NULL))
        sonde_graph_add_output (pass->graph, result);
      g_ptr_array_add (kept, result->name);
    }
  sonde_pass_dce (pass->graph);
  g_ptr_array_add (kept, NULL);
  options.kept = (const char *const *) kept->pdata;
  pass->plan = sonde_plan_new (pass->graph, explainer->device, &options, error);
  if (pass->plan != NULL && explainer->most_bytes > 0
      && sonde_plan_get_arena_bytes (pass->plan) > explainer->most_bytes)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
          "%" PRIi64 " samples at once need %" PRIu64 " bytes, but only %" PRIu64 " are allowed.",
          pass->shape.dims[0], sonde_plan_get_arena_bytes (pass->plan), explainer->most_bytes);
      return FALSE;
    }
  if (pass->plan != NULL)
    pass->execution = sonde_execution_new (pass->plan, error);
  return pass->execution != NULL;
}

/* A copy of the model, inferred for inputs of that shape. */
static SondeExplainerPass *
start_pass (SondeExplainer *explainer, const SondeShape *shape, GError **error)
{
  SondeExplainerPass *pass = g_new0 (SondeExplainerPass, 1);
  SondeBinding binding = { explainer->input, sonde_type_tensor (SONDE_DTYPE_F32, shape) };

  pass->shape = *shape;
  pass->results = g_ptr_array_new ();
  pass->bindings = g_array_new (FALSE, FALSE, sizeof (SondeBinding));
  g_array_append_val (pass->bindings, binding);
  pass->graph = sonde_graph_copy (explainer->model, FALSE);
  if (sonde_pass_infer (pass->graph, &binding, 1, error))
    {
      pass->input = sonde_graph_find_value (pass->graph, explainer->input);
      pass->logits = sonde_ending_find_logits (pass->graph);
      if (pass->logits->type.rank == 2)
        return pass;
      {
        g_autofree char *type = sonde_type_to_string (&pass->logits->type);

        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "Output “%s” is %s; explanations require [N, classes].",
                         pass->logits->name, type);
      }
    }
  sonde_explainer_pass_free (pass);
  return NULL;
}

/* The least recently used first. */
static void
drop_passes (SondeExplainer *explainer)
{
  guint64 bytes = 0;

  for (guint i = 0; i < explainer->passes->len; i++)
    bytes += sonde_plan_get_arena_bytes (
        ((SondeExplainerPass *) g_ptr_array_index (explainer->passes, i))->plan);
  while (explainer->passes->len > MOST_PASSES
         || (explainer->passes->len > LEAST_PASSES && bytes > MOST_PASS_BYTES))
    {
      bytes -= sonde_plan_get_arena_bytes (
          ((SondeExplainerPass *) g_ptr_array_index (explainer->passes, 0))->plan);
      g_ptr_array_remove_index (explainer->passes, 0);
    }
}

SondeExplainerPass *
sonde_explainer_find_pass (SondeExplainer *explainer, const char *key, const SondeShape *shape,
                           SondeExplainerBuild build, gpointer data, GError **error)
{
  SondeExplainerPass *pass = NULL;

  for (guint i = 0; i < explainer->passes->len; i++)
    {
      pass = g_ptr_array_index (explainer->passes, i);
      if (sonde_shape_equal (&pass->shape, shape) && g_str_equal (pass->key, key))
        {
          g_ptr_array_add (explainer->passes, g_ptr_array_steal_index (explainer->passes, i));
          return pass;
        }
    }
  pass = start_pass (explainer, shape, error);
  if (pass == NULL)
    return NULL;
  pass->key = g_strdup (key);
  if (!build (pass, data, error) || !plan_pass (explainer, pass, error))
    {
      sonde_explainer_pass_free (pass);
      return NULL;
    }
  g_ptr_array_add (explainer->passes, pass);
  drop_passes (explainer);
  return pass;
}

/* ---- info ---------------------------------------------------------------- */

static double
value_bytes (const SondeGraphValue *value)
{
  SondeShape shape;

  if (value == NULL || value->producer == NULL || !sonde_type_get_shape (&value->type, &shape))
    return 0.0;
  return (double) sonde_shape_n_elements (&shape) * 4.0;
}

static gboolean
check_inputs (SondeExplainer *explainer, const SondeShape *shape, GError **error)
{
  const SondeGraphValue *input = sonde_graph_find_value (explainer->model, explainer->input);
  gboolean fits = shape->rank == 4;
  g_autofree char *have = NULL, *want = NULL;

  for (int d = 1; fits && d < 4; d++)
    fits = input->type.dims[d].size < 0 || input->type.dims[d].size == shape->dims[d];
  if (fits)
    return TRUE;
  have = sonde_shape_to_string (shape);
  want = sonde_type_to_string (&input->type);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "The samples are %s, but the model's input “%s” is %s.", have, explainer->input,
                   want);
  return FALSE;
}

static const SondeExplainerInfo *
find_info (SondeExplainer *explainer, SondeTensor *inputs, GError **error)
{
  SondeShape shape = inputs->shape;
  SondeExplainerInfo *info = &explainer->info;
  SondeExplainerPass *pass;

  if (!check_inputs (explainer, &shape, error))
    return NULL;
  shape.dims[0] = 1;
  if (info->classes > 0 && sonde_shape_equal (&info->shape, &shape))
    return info;
  pass = start_pass (explainer, &shape, error);
  if (pass == NULL)
    return NULL;
  *info = (SondeExplainerInfo){ .shape = shape, .classes = pass->logits->type.dims[1].size };
  for (guint i = 0; i < pass->graph->values->len; i++)
    {
      double bytes = value_bytes (g_ptr_array_index (pass->graph->values, i));

      info->all += bytes;
      info->largest = fmax (info->largest, bytes);
    }
  sonde_explainer_pass_free (pass);
  return info;
}

gint64
sonde_explainer_get_n_classes (SondeExplainer *explainer, SondeTensor *inputs, GError **error)
{
  const SondeExplainerInfo *info = find_info (explainer, inputs, error);

  return info != NULL ? info->classes : -1;
}

gint64
sonde_explainer_get_most_rows (SondeExplainer *explainer)
{
  return explainer->most_rows;
}

gint64
sonde_explainer_get_batch (SondeExplainer *explainer, SondeTensor *inputs, gboolean backward)
{
  const SondeExplainerInfo *info = find_info (explainer, inputs, NULL);
  double rows = info == NULL ? 1.0
                : backward   ? BACKWARD_BYTES / fmax (info->all, 1.0)
                             : FORWARD_BYTES / fmax (info->largest, 1.0);

  rows = CLAMP (rows, 1.0, (double) explainer->most_rows);
  /* what is left over is another plan */
  return rows >= 8.0 ? (gint64) rows / 8 * 8 : (gint64) rows;
}

/* ---- running ------------------------------------------------------------- */

/* Rows @first … of @tensor, without copying. */
static SondeTensor *
view_rows (SondeTensor *tensor, gint64 first, gint64 n)
{
  SondeShape shape = tensor->shape;

  shape.dims[0] = n;
  return sonde_tensor_view (tensor, &shape, tensor->strides, first * tensor->strides[0]);
}

static gboolean
set_inputs (SondeExplainer *explainer, SondeExplainerPass *pass, const SondeExplainerRun *run,
            gint64 first, gint64 n, GError **error)
{
  for (guint k = 0; k < run->n_rows; k++)
    {
      g_autoptr (SondeTensor) rows = view_rows (run->rows[k], first, n);
      const char *name = run->names[k] != NULL ? run->names[k] : explainer->input;

      /* A result may be reached without an input: one by which nothing is computed was pruned. */
      if (sonde_graph_find_value (pass->graph, name) != NULL
          && !sonde_execution_set_input (pass->execution, name, rows, error))
        return FALSE;
    }
  for (guint k = 0; k < run->n_fixed; k++)
    if (sonde_graph_find_value (pass->graph, run->fixed_names[k]) != NULL
        && !sonde_execution_set_input (pass->execution, run->fixed_names[k], run->fixed[k], error))
      return FALSE;
  return TRUE;
}

/* Puts what a batch gave to its place among the results of all. */
static gboolean
take_results (SondeExplainerPass *pass, gint64 first, gint64 n, gint64 total, SondeTensor **results,
              GError **error)
{
  for (guint k = 0; k < pass->results->len; k++)
    {
      g_autoptr (SondeTensor) part
          = sonde_execution_read (pass->execution, g_ptr_array_index (pass->results, k), error);
      gsize row;

      if (part == NULL)
        return FALSE;
      if (n == total)
        {
          results[k] = g_steal_pointer (&part);
          continue;
        }
      if (results[k] == NULL)
        {
          SondeShape shape = part->shape;

          shape.dims[0] = total;
          results[k] = sonde_tensor_try_new (part->dtype, &shape, NULL,
                                             N_ ("results of all batches"), error);
          if (results[k] == NULL)
            return FALSE;
        }
      row = (gsize) (sonde_tensor_n_elements (part) / n) * sonde_dtype_size (part->dtype);
      memcpy (results[k]->data + (gsize) first * row, part->data, (gsize) n * row);
    }
  return TRUE;
}

static gboolean
run_batch (SondeExplainer *explainer, const SondeExplainerRun *run, gint64 first, gint64 n,
           SondeTensor **results, GError **error)
{
  SondeShape shape = run->rows[0]->shape;
  SondeExplainerPass *pass;
  gint64 total = shape.dims[0];

  shape.dims[0] = n;
  pass = sonde_explainer_find_pass (explainer, run->key, &shape, run->build, run->data, error);
  return pass != NULL && set_inputs (explainer, pass, run, first, n, error)
         && sonde_execution_run (pass->execution, error) == SONDE_RUN_DONE
         && take_results (pass, first, n, total, results, error);
}

gboolean
sonde_explainer_run_rows (SondeExplainer *explainer, const SondeExplainerRun *run,
                          SondeTensor **results, GError **error)
{
  gint64 total = run->rows[0]->shape.dims[0], done = 0;

  if (find_info (explainer, run->rows[0], error) == NULL)
    return FALSE;
  if (total == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "There are no samples to explain.");
      return FALSE;
    }
  while (done < total)
    {
      gint64 n
          = MIN (sonde_explainer_get_batch (explainer, run->rows[0], run->backward), total - done);
      g_autoptr (GError) problem = NULL;

      if (run_batch (explainer, run, done, n, results, &problem))
        {
          done += n;
          continue;
        }
      if (n > 1 && g_error_matches (problem, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY))
        {
          explainer->most_rows = n / 2;
          continue;
        }
      g_propagate_error (error, g_steal_pointer (&problem));
      for (guint k = 0; k < run->n_results; k++)
        g_clear_pointer (&results[k], sonde_tensor_unref);
      return FALSE;
    }
  return TRUE;
}
