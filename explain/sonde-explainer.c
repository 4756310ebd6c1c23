/* SPDX-License-Identifier: Apache-2.0
 * Forward and gradient passes of a classifier, planned once a batch size. */
#include <math.h>
#include <string.h>

#include "engine/live/sonde-nearest.h"
#include "engine/ops/sonde-build.h"
#include "explain/sonde-explainer-form.h"
#include "explain/sonde-explainer-private.h"

#define SEED_NAME "explain-seed"
/* What is planned is kept while its memory is within this; the last eight always. */
#define MOST_PASS_BYTES ((guint64) 512 << 20)
#define MOST_PASSES 64
#define LEAST_PASSES 8
#define MOST_KEPT 4

/* Bytes that a batch's activations may take: of all, for a backward pass; of the largest, for a
 * forward one. Measured: tests/bench/bench-explain.c. */
#define BACKWARD_BYTES (64 << 20)
#define FORWARD_BYTES (2 << 20)
#define MOST_ROWS 64

/**
 * Info: of inputs of one form, by inference at one row
 * @all, @largest: bytes of activations of a row
 */
typedef struct
{
  SondeShape shape;
  gint64 classes;
  double all, largest;
} Info;

struct _SondeExplainer
{
  SondeGraph *model; /* prepared for inference */
  SondeDevice *device;
  GPtrArray *passes; /* the last used last */
  GPtrArray *kept;   /* (element-type Kept) */
  char *input;
  SondeExplainerForm form;
  SondeTensor *table; /* of tokens */
  Info info;
  gint64 most_rows;
  guint64 most_bytes; /* of a pass; 0: any */
};

typedef struct
{
  char *key;
  gpointer data;
  GDestroyNotify destroy;
} Kept;

static void
kept_free (void *data)
{
  Kept *kept = data;

  kept->destroy (kept->data);
  g_free (kept->key);
  g_free (kept);
}

gpointer
sonde_explainer_find_kept (SondeExplainer *explainer, const char *key)
{
  for (guint i = 0; i < explainer->kept->len; i++)
    {
      const Kept *kept = g_ptr_array_index (explainer->kept, i);

      if (g_str_equal (kept->key, key))
        return kept->data;
    }
  return NULL;
}

void
sonde_explainer_keep (SondeExplainer *explainer, const char *key, gpointer data,
                      GDestroyNotify destroy)
{
  Kept *kept = g_new (Kept, 1);

  *kept = (Kept){ g_strdup (key), data, destroy };
  if (explainer->kept->len >= MOST_KEPT)
    g_ptr_array_remove_index (explainer->kept, 0);
  g_ptr_array_add (explainer->kept, kept);
}

static void
pass_free (void *data)
{
  SondeExplainerPass *pass = data;

  g_clear_pointer (&pass->execution, sonde_execution_free);
  g_clear_pointer (&pass->plan, sonde_plan_unref);
  g_clear_pointer (&pass->graph, sonde_graph_unref);
  g_clear_pointer (&pass->results, g_ptr_array_unref);
  g_clear_pointer (&pass->bindings, g_array_unref);
  g_free (pass->key);
  g_free (pass);
}

/* Inputs without a default. */
static SondeGraphValue *
find_input (SondeGraph *graph)
{
  SondeGraphValue *found = NULL;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);

      if (input->constant != NULL)
        continue;
      if (found != NULL)
        return NULL;
      found = input;
    }
  return found;
}

/* Does a model of a fixed number of rows take any number? */
static gboolean
takes_other_rows (SondeGraph *model, SondeGraphValue *input)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (model, FALSE);
  SondeGraphValue *copy = sonde_graph_find_value (graph, input->name),
                  *logits = sonde_explainer_find_logits (graph);
  SondeBinding binding = { input->name, input->type };

  for (int d = 1; d < 4; d++)
    if (input->type.dims[d].size < 0)
      return FALSE;
  copy->type.dims[0].size = -1;
  binding.type.dims[0].size = 2 * input->type.dims[0].size + 1;
  return sonde_pass_infer (graph, &binding, 1, NULL) && logits->type.rank > 0
         && logits->type.dims[0].size == binding.type.dims[0].size;
}

/* The most rows of a pass, 0 with @error set: one of a model that was exported for one sample; a
 * larger fixed number is opened, since samples do not come in its multiples. */
static gint64
take_rows (SondeGraph *model, SondeGraphValue *input, GError **error)
{
  gint64 rows = input->type.dims[0].size;

  if (rows <= 1)
    return rows == 1 ? 1 : MOST_ROWS;
  if (takes_other_rows (model, input))
    {
      input->type.dims[0].size = -1;
      return MOST_ROWS;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "The model only takes %" PRIi64
                   " samples at once; export it with a dynamic batch dimension.",
                   rows);
  return 0;
}

/* Takes @device. */
static SondeExplainer *
new_on_device (SondeGraph *model, SondeDevice *device, GError **error)
{
  g_autoptr (SondeExplainer) explainer = g_new0 (SondeExplainer, 1);
  SondeGraphValue *input;

  explainer->device = device;
  explainer->passes = g_ptr_array_new_with_free_func (pass_free);
  explainer->kept = g_ptr_array_new_with_free_func (kept_free);
  explainer->model = sonde_prepare_inference (model, error);
  if (explainer->model == NULL)
    return NULL;
  input = find_input (explainer->model);
  if (input != NULL
      && !sonde_explainer_form_adapt (explainer->model, input, &explainer->form, &explainer->table,
                                      error))
    return NULL;
  input = find_input (explainer->model);
  if (input == NULL || input->type.rank != 4 || input->type.dtype != SONDE_DTYPE_F32
      || explainer->model->outputs->len == 0)
    {
      if (input != NULL)
        sonde_set_error (
            error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
            "Explanations require a classifier with one input of images float32 [N, C, H, "
            "W], series float32 [N, C, L], columns float32 [N, F] or tokens int64 [N, T] "
            "and an output [N, classes]; the input of this model has another type.");
      else
        sonde_set_error (
            error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
            "Explanations require a classifier with one input of images float32 [N, C, H, "
            "W], series float32 [N, C, L], columns float32 [N, F] or tokens int64 [N, T] "
            "and an output [N, classes]; this model has %u inputs and %u outputs.",
            explainer->model->inputs->len, explainer->model->outputs->len);
      return NULL;
    }
  explainer->input = g_strdup (input->name);
  explainer->most_rows = take_rows (explainer->model, input, error);
  return explainer->most_rows > 0 ? g_steal_pointer (&explainer) : NULL;
}

SondeExplainer *
sonde_explainer_new (SondeGraph *model, const char *device, int threads, GError **error)
{
  SondeDevice *opened = sonde_device_open (device != NULL ? device : "cpu", threads, error);

  return opened != NULL ? new_on_device (model, opened, error) : NULL;
}

SondeExplainer *
sonde_explainer_new_beside (SondeExplainer *explainer, SondeGraph *model, GError **error)
{
  return new_on_device (model, sonde_device_ref (explainer->device), error);
}

void
sonde_explainer_free (SondeExplainer *explainer)
{
  if (explainer == NULL)
    return;
  g_clear_pointer (&explainer->kept, g_ptr_array_unref);
  g_clear_pointer (&explainer->passes, g_ptr_array_unref);
  g_clear_pointer (&explainer->device, sonde_device_unref);
  g_clear_pointer (&explainer->model, sonde_graph_unref);
  g_clear_pointer (&explainer->table, sonde_tensor_unref);
  g_free (explainer->input);
  g_free (explainer);
}

SondeExplainerForm
sonde_explainer_get_form (SondeExplainer *explainer)
{
  return explainer->form;
}

SondeTensor *
sonde_explainer_take_samples (SondeExplainer *explainer, SondeTensor *samples, GError **error)
{
  return sonde_explainer_form_convert (explainer->form, explainer->table, samples, error);
}

void
sonde_explainer_get_input_size (SondeExplainer *explainer, gint64 *channels, gint64 *height,
                                gint64 *width)
{
  SondeGraphValue *input = sonde_graph_find_value (explainer->model, explainer->input);

  *channels = input->type.dims[1].size;
  *height = input->type.dims[2].size;
  *width = input->type.dims[3].size;
}

/* Does a node of that operator make the first output? */
static gboolean
ends_in (SondeGraph *graph, const char *op)
{
  const SondeGraphValue *output = g_ptr_array_index (graph->outputs, 0);

  return output->producer != NULL && sonde_node_is_op (output->producer, op);
}

/* A target behind one of these saturates. */
SondeGraphValue *
sonde_explainer_find_logits (SondeGraph *graph)
{
  static const char *const endings[] = { "Softmax", "LogSoftmax", "Sigmoid" };
  SondeGraphValue *output = g_ptr_array_index (graph->outputs, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (ends_in (graph, endings[i]))
      return sonde_node_get_input (output->producer, 0);
  return output;
}

SondeGraphValue *
sonde_explainer_build_probabilities (SondeGraph *graph)
{
  if (ends_in (graph, "Softmax") || ends_in (graph, "Sigmoid"))
    return g_ptr_array_index (graph->outputs, 0);
  return sonde_build_unary (graph, "Softmax", sonde_explainer_find_logits (graph));
}

SondeLink
sonde_explainer_get_link (SondeExplainer *explainer)
{
  return ends_in (explainer->model, "Sigmoid") ? SONDE_LINK_SIGMOID : SONDE_LINK_SOFTMAX;
}

SondeGraph *
sonde_explainer_get_model (SondeExplainer *explainer)
{
  return explainer->model;
}

SondeDevice *
sonde_explainer_get_device (SondeExplainer *explainer)
{
  return explainer->device;
}

const char *
sonde_explainer_get_input (SondeExplainer *explainer)
{
  return explainer->input;
}

void
sonde_explainer_set_memory_limit (SondeExplainer *explainer, guint64 bytes)
{
  explainer->most_bytes = bytes;
}

gboolean
sonde_explainer_ends_in_softmax (SondeExplainer *explainer)
{
  return sonde_explainer_find_logits (explainer->model)
         != g_ptr_array_index (explainer->model->outputs, 0);
}

gboolean
sonde_explainer_has_op (SondeExplainer *explainer, const char *op)
{
  for (guint i = 0; i < explainer->model->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (explainer->model->nodes, i);

      if (node != NULL && sonde_node_is_op (node, op))
        return TRUE;
    }
  return FALSE;
}

/* ---- passes -------------------------------------------------------------- */

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
  return score == SONDE_SCORE_LOGIT ? pass->logits
                                    : sonde_explainer_build_probabilities (pass->graph);
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
      pass->logits = sonde_explainer_find_logits (pass->graph);
      if (pass->logits->type.rank == 2)
        return pass;
      {
        g_autofree char *type = sonde_type_to_string (&pass->logits->type);

        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "Output “%s” is %s; explanations require [N, classes].",
                         pass->logits->name, type);
      }
    }
  pass_free (pass);
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
      pass_free (pass);
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

static const Info *
find_info (SondeExplainer *explainer, SondeTensor *inputs, GError **error)
{
  SondeShape shape = inputs->shape;
  Info *info = &explainer->info;
  SondeExplainerPass *pass;

  if (!check_inputs (explainer, &shape, error))
    return NULL;
  shape.dims[0] = 1;
  if (info->classes > 0 && sonde_shape_equal (&info->shape, &shape))
    return info;
  pass = start_pass (explainer, &shape, error);
  if (pass == NULL)
    return NULL;
  *info = (Info){ .shape = shape, .classes = pass->logits->type.dims[1].size };
  for (guint i = 0; i < pass->graph->values->len; i++)
    {
      double bytes = value_bytes (g_ptr_array_index (pass->graph->values, i));

      info->all += bytes;
      info->largest = fmax (info->largest, bytes);
    }
  pass_free (pass);
  return info;
}

gint64
sonde_explainer_get_n_classes (SondeExplainer *explainer, SondeTensor *inputs, GError **error)
{
  const Info *info = find_info (explainer, inputs, error);

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
  const Info *info = find_info (explainer, inputs, NULL);
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
          results[k]
              = sonde_tensor_try_new (part->dtype, &shape, NULL, "results of all batches", error);
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

static gboolean
build_forward (SondeExplainerPass *pass, gpointer data, GError **error)
{
  (void) data;
  (void) error;
  g_ptr_array_add (pass->results, pass->logits);
  return TRUE;
}

SondeTensor *
sonde_explainer_forward (SondeExplainer *explainer, SondeTensor *inputs, GError **error)
{
  const char *name = NULL;
  SondeExplainerRun run = { .key = "forward",
                            .build = build_forward,
                            .n_results = 1,
                            .names = &name,
                            .rows = &inputs,
                            .n_rows = 1 };
  SondeTensor *logits = NULL;

  return sonde_explainer_run_rows (explainer, &run, &logits, error) ? logits : NULL;
}

/* Adds the seed input and the gradient nodes. */
static gboolean
build_backward (SondeExplainerPass *pass, gpointer data, GError **error)
{
  const SondeExplainerBackward *how = data;
  SondeGraphValue *score = sonde_explainer_pass_make_score (pass, how->score);
  SondeGraphValue *at = how->layer != NULL
                            ? sonde_explainer_pass_find_value (pass, how->layer, error)
                            : pass->input;
  SondeGraphValue *seed, *gradient;
  SondeGradientRequest request = { .targets = &score,
                                   .n_targets = 1,
                                   .with_respect_to = &at,
                                   .n = 1,
                                   .rules = how->rules,
                                   .n_rules = how->n_rules };

  if (at == NULL)
    return FALSE;
  seed = sonde_explainer_pass_add_input (pass, SEED_NAME, &score->type);
  request.seeds = &seed;
  if (!sonde_pass_gradient_of (pass->graph, &request, &gradient, error))
    return FALSE;
  g_ptr_array_add (pass->results, gradient);
  g_ptr_array_add (pass->results, score);
  if (how->layer != NULL)
    g_ptr_array_add (pass->results, at);
  return TRUE;
}

SondeTensor *
sonde_explainer_backward (SondeExplainer *explainer, SondeTensor *inputs, SondeTensor *seeds,
                          const SondeExplainerBackward *how, SondeTensor **scores,
                          SondeTensor **values, GError **error)
{
  static const SondeExplainerBackward plain = { 0 };
  const SondeExplainerBackward *what = how != NULL ? how : &plain;
  g_autofree char *key
      = g_strdup_printf ("gradient:%d:%s:%s", what->score, what->name != NULL ? what->name : "",
                         what->layer != NULL ? what->layer : "");
  const char *names[] = { NULL, SEED_NAME };
  SondeTensor *rows[] = { inputs, seeds };
  SondeExplainerRun run = { .key = key,
                            .build = build_backward,
                            .data = (gpointer) what,
                            .backward = TRUE,
                            .n_results = what->layer != NULL ? 3 : 2,
                            .names = names,
                            .rows = rows,
                            .n_rows = 2 };
  g_autoptr (SondeTensor) gradient = NULL, score = NULL, value = NULL;
  SondeTensor *results[3] = { NULL };

  if (!sonde_explainer_run_rows (explainer, &run, results, error))
    return NULL;
  gradient = results[0];
  score = results[1];
  value = what->layer != NULL ? results[2] : sonde_tensor_ref (inputs);
  if (scores != NULL)
    *scores = g_steal_pointer (&score);
  if (values != NULL)
    *values = g_steal_pointer (&value);
  return g_steal_pointer (&gradient);
}

SondeTensor *
sonde_explainer_gradient (SondeExplainer *explainer, SondeTensor *inputs, SondeTensor *seeds,
                          SondeTensor **logits, GError **error)
{
  return sonde_explainer_backward (explainer, inputs, seeds, NULL, logits, NULL, error);
}
