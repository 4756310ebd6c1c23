/* SPDX-License-Identifier: Apache-2.0
 * Forward and gradient passes of a classifier, planned once a batch size. */
#include "explain/sonde-explainer.h"

#include <math.h>

#define SEED_NAME "explain-seed"

/* Plan for one batch size, with or without the backward part. */
typedef struct
{
  gint64 batch;
  gboolean backward;
  SondeGraph *graph;
  SondePlan *plan;
  SondeExecution *execution;
  SondeGraphValue *logits, *gradient; /* @gradient NULL without backward */
} Pass;

struct _SondeExplainer
{
  SondeGraph *model; /* prepared for inference */
  SondeDevice *device;
  GPtrArray *passes;
  char *input;
};

static void
pass_free (void *data)
{
  Pass *pass = data;

  g_clear_pointer (&pass->execution, sonde_execution_free);
  g_clear_pointer (&pass->plan, sonde_plan_unref);
  g_clear_pointer (&pass->graph, sonde_graph_unref);
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

SondeExplainer *
sonde_explainer_new (SondeGraph *model,
                     const char *device,
                     int         threads,
                     GError    **error)
{
  g_autoptr (SondeExplainer) explainer = g_new0 (SondeExplainer, 1);
  SondeGraphValue *input;

  explainer->passes = g_ptr_array_new_with_free_func (pass_free);
  explainer->model = sonde_prepare_inference (model, error);
  if (explainer->model == NULL)
    return NULL;
  input = find_input (explainer->model);
  if (input == NULL || input->type.rank != 4 || input->type.dtype != SONDE_DTYPE_F32
      || explainer->model->outputs->len == 0)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Explanations need a classifier of pictures: one float32 input [N, C, H, W] and an output [N, classes]. "
                   "The model has %u inputs and %u outputs%s.",
                   explainer->model->inputs->len, explainer->model->outputs->len,
                   input != NULL ? "; its input has another type" : "");
      return NULL;
    }
  explainer->input = g_strdup (input->name);
  explainer->device = sonde_device_open (device != NULL ? device : "cpu", threads, error);
  return explainer->device != NULL ? g_steal_pointer (&explainer) : NULL;
}

void
sonde_explainer_free (SondeExplainer *explainer)
{
  if (explainer == NULL)
    return;
  g_clear_pointer (&explainer->passes, g_ptr_array_unref);
  g_clear_pointer (&explainer->device, sonde_device_unref);
  g_clear_pointer (&explainer->model, sonde_graph_unref);
  g_free (explainer->input);
  g_free (explainer);
}

void
sonde_explainer_get_input_size (SondeExplainer *explainer,
                                gint64         *channels,
                                gint64         *height,
                                gint64         *width)
{
  SondeGraphValue *input = sonde_graph_find_value (explainer->model, explainer->input);

  *channels = input->type.dims[1].size;
  *height = input->type.dims[2].size;
  *width = input->type.dims[3].size;
}

/* The output itself, or what goes into the Softmax that makes it: a softmax target saturates. */
static SondeGraphValue *
find_logits (SondeGraph *graph)
{
  SondeGraphValue *output = g_ptr_array_index (graph->outputs, 0);

  if (output->producer != NULL && g_str_equal (output->producer->op, "Softmax"))
    return sonde_node_get_input (output->producer, 0);
  return output;
}

/* Adds the seed input and the gradient nodes. */
static gboolean
add_backward (Pass       *pass,
              const char *input_name,
              GError    **error)
{
  SondeGraphValue *input = sonde_graph_find_value (pass->graph, input_name);
  SondeGraphValue *seed = sonde_graph_add_input (pass->graph, SEED_NAME, &pass->logits->type);

  if (!sonde_pass_gradient (pass->graph, pass->logits, seed, &input, 1, &pass->gradient, error))
    return FALSE;
  if (!g_ptr_array_find (pass->graph->outputs, pass->gradient, NULL))
    sonde_graph_add_output (pass->graph, pass->gradient);
  return TRUE;
}

static Pass *
plan_pass (SondeExplainer *explainer,
           SondeTensor    *inputs,
           gboolean        backward,
           GError        **error)
{
  Pass *pass = g_new0 (Pass, 1);
  SondeBinding bindings[2] = { { explainer->input, sonde_type_tensor (inputs->dtype, &inputs->shape) } };
  SondePlanOptions options = { .bindings = bindings, .n_bindings = 1, .memory = SONDE_MEMORY_PLAN };
  const char *pinned[3] = { NULL };

  g_ptr_array_add (explainer->passes, pass);
  pass->batch = inputs->shape.dims[0];
  pass->backward = backward;
  pass->graph = sonde_graph_copy (explainer->model, FALSE);
  if (!sonde_pass_infer (pass->graph, bindings, 1, error))
    return NULL;
  pass->logits = find_logits (pass->graph);
  if (pass->logits->type.rank != 2)
    {
      g_autofree char *type = sonde_type_to_string (&pass->logits->type);

      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "Output “%s” is %s; explanations need [N, classes].", pass->logits->name, type);
      return NULL;
    }
  if (backward && !add_backward (pass, explainer->input, error))
    return NULL;
  if (backward)
    bindings[options.n_bindings++] = (SondeBinding) { SEED_NAME, pass->logits->type };
  pinned[0] = pass->logits->name;
  pinned[1] = pass->gradient != NULL ? pass->gradient->name : NULL;
  options.pinned = pinned;
  pass->plan = sonde_plan_new (pass->graph, explainer->device, &options, error);
  if (pass->plan != NULL)
    pass->execution = sonde_execution_new (pass->plan, error);
  return pass->execution != NULL ? pass : NULL;
}

static Pass *
find_pass (SondeExplainer *explainer,
           SondeTensor    *inputs,
           gboolean        backward,
           GError        **error)
{
  Pass *pass;

  for (guint i = 0; i < explainer->passes->len; i++)
    {
      pass = g_ptr_array_index (explainer->passes, i);
      if (pass->batch == inputs->shape.dims[0] && pass->backward == backward)
        return pass;
    }
  pass = plan_pass (explainer, inputs, backward, error);
  if (pass == NULL)
    g_ptr_array_set_size (explainer->passes, (int) explainer->passes->len - 1);
  return pass;
}

gint64
sonde_explainer_get_n_classes (SondeExplainer *explainer,
                               SondeTensor    *inputs,
                               GError        **error)
{
  Pass *pass = find_pass (explainer, inputs, TRUE, error);

  return pass != NULL ? pass->logits->type.dims[1].size : -1;
}

SondeTensor *
sonde_explainer_forward (SondeExplainer *explainer,
                         SondeTensor    *inputs,
                         GError        **error)
{
  Pass *pass = find_pass (explainer, inputs, FALSE, error);

  if (pass == NULL || !sonde_execution_set_input (pass->execution, explainer->input, inputs, error)
      || sonde_execution_run (pass->execution, error) != SONDE_RUN_DONE)
    return NULL;
  return sonde_execution_read (pass->execution, pass->logits, error);
}

SondeTensor *
sonde_explainer_gradient (SondeExplainer *explainer,
                          SondeTensor    *inputs,
                          SondeTensor    *seeds,
                          SondeTensor   **logits,
                          GError        **error)
{
  Pass *pass = find_pass (explainer, inputs, TRUE, error);

  if (pass == NULL || !sonde_execution_set_input (pass->execution, explainer->input, inputs, error)
      || !sonde_execution_set_input (pass->execution, SEED_NAME, seeds, error)
      || sonde_execution_run (pass->execution, error) != SONDE_RUN_DONE)
    return NULL;
  if (logits != NULL)
    {
      *logits = sonde_execution_read (pass->execution, pass->logits, error);
      if (*logits == NULL)
        return NULL;
    }
  return sonde_execution_read (pass->execution, pass->gradient, error);
}

SondeTensor *
sonde_explainer_softmax (SondeTensor *logits)
{
  SondeTensor *result = sonde_tensor_new (SONDE_DTYPE_F32, &logits->shape);
  gint64 n = logits->shape.dims[0], classes = logits->shape.dims[1];

  for (gint64 i = 0; i < n; i++)
    {
      double largest = -INFINITY, sum = 0.0;

      for (gint64 c = 0; c < classes; c++)
        largest = fmax (largest, sonde_tensor_get_double (logits, i * classes + c));
      for (gint64 c = 0; c < classes; c++)
        sum += exp (sonde_tensor_get_double (logits, i * classes + c) - largest);
      for (gint64 c = 0; c < classes; c++)
        sonde_tensor_set_double (result, i * classes + c,
                                 exp (sonde_tensor_get_double (logits, i * classes + c) - largest) / sum);
    }
  return result;
}
