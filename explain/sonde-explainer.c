/* SPDX-License-Identifier: Apache-2.0
 * A classifier: its model made ready, what is found at its end, and the passes that everybody asks
 * for. */
#include "explain/sonde-explainer.h"

#include "explain/sonde-explainer-ending.h"
#include "explain/sonde-explainer-form.h"
#include "explain/sonde-explainer-model.h"
#include "explain/sonde-explainer-private.h"

#define SEED_NAME "explain-seed"
#define MOST_KEPT 4
#define MOST_ROWS 64

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
                  *logits = sonde_ending_find_logits (graph);
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
  explainer->passes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_explainer_pass_free);
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

SondeLink
sonde_explainer_get_link (SondeExplainer *explainer)
{
  return sonde_ending_is (explainer->model, SONDE_OP_ID_SIGMOID) ? SONDE_LINK_SIGMOID
                                                                 : SONDE_LINK_SOFTMAX;
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
  return sonde_ending_find_logits (explainer->model)
         != g_ptr_array_index (explainer->model->outputs, 0);
}

gboolean
sonde_explainer_has_op (SondeExplainer *explainer, SondeOpId op)
{
  for (guint i = 0; i < explainer->model->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (explainer->model->nodes, i);

      if (node != NULL && sonde_node_is (node, op))
        return TRUE;
    }
  return FALSE;
}

/* ---- passes that everybody asks for --------------------------------------- */

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
