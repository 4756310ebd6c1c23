/* SPDX-License-Identifier: Apache-2.0
 * Joins model, loss, gradients and updates. Nothing is folded: parameters change. */
#include "engine/nn/sonde-training-graph.h"

#include <math.h>

#define LOSS_OUTPUT_PREFIX "output:"

GArray *
sonde_training_bind_inputs (SondeGraph *graph,
                            guint       batch)
{
  GArray *bindings = g_array_new (FALSE, TRUE, sizeof (SondeBinding));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      SondeBinding binding = { input->name, input->type };

      /* The batch is the first dimension; further symbolic sizes are 1, as for `infer` without input. */
      for (int d = 0; d < MAX (binding.type.rank, 0); d++)
        if (binding.type.dims[d].size < 0)
          binding.type.dims[d] = (SondeDimension) { d == 0 ? batch : 1, NULL };
      g_array_append_val (bindings, binding);
    }
  return bindings;
}

/* Copy, checked, legalised and inferred for the batch. */
static SondeGraph *
prepare_forward (SondeGraph *model,
                 guint       batch,
                 GError    **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (model, TRUE);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) bindings = NULL;

  if (!sonde_pass_inline (graph, error) || !sonde_pass_legalise (graph, error))
    return NULL;
  if (!sonde_pass_check (graph, problems))
    {
      g_autofree char *text = NULL;

      g_ptr_array_add (problems, NULL);
      text = g_strjoinv ("\n", (char **) problems->pdata);
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "The model cannot be trained:\n%s", text);
      return NULL;
    }
  bindings = sonde_training_bind_inputs (graph, batch);
  if (!sonde_pass_infer (graph, (SondeBinding *) (void *) bindings->data, bindings->len, error))
    return NULL;
  for (guint i = 0; i < bindings->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);

      input->type = g_array_index (bindings, SondeBinding, i).type;
    }
  return g_steal_pointer (&graph);
}

static gboolean
add_loss (SondeTrainingGraph        *training,
          const SondeTrainerOptions *options,
          GError                   **error)
{
  SondeGraph *graph = training->graph;
  const char *name = options->loss != NULL ? options->loss : "cross-entropy";
  g_autoptr (SondeLoss) loss = NULL;
  SondeType label_type;

  if (g_str_has_prefix (name, LOSS_OUTPUT_PREFIX))
    {
      training->loss = sonde_graph_find_value (graph, name + strlen (LOSS_OUTPUT_PREFIX));
      if (training->loss == NULL)
        g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "train.loss: the model has no value “%s”.", name + strlen (LOSS_OUTPUT_PREFIX));
      return training->loss != NULL;
    }
  loss = sonde_loss_new (name, NULL, error);
  if (loss == NULL)
    return FALSE;
  sonde_loss_get_label_type (loss, &training->logits->type, &label_type);
  training->labels = sonde_graph_add_input (graph, "labels", &label_type);
  training->has_classes = sonde_loss_has_classes (loss);
  training->loss = sonde_loss_build (loss, graph, training->logits, training->labels, error);
  if (training->loss == NULL)
    {
      g_prefix_error (error, "Loss “%s” does not fit output “%s”: ", name, training->logits->name);
      return FALSE;
    }
  sonde_graph_rename_value (graph, training->loss, "loss");
  sonde_graph_add_output (graph, training->loss);
  return TRUE;
}

static void
collect_parameters (SondeTrainingGraph *training)
{
  for (guint i = 0; i < training->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (training->graph->values, i);

      if (value != NULL && value->role == SONDE_ROLE_PARAMETER && value->constant != NULL && value->users->len > 0)
        g_ptr_array_add (training->parameters, value);
    }
}

static gboolean
add_gradients (SondeTrainingGraph *training,
               GError            **error)
{
  SondeGraph *graph = training->graph;
  guint n = training->parameters->len;
  SondeNode *norm;

  if (n == 0)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The model has no parameters to train (no floating-point initialiser is read by a node).");
      return FALSE;
    }
  g_ptr_array_set_size (training->gradients, (int) n);
  if (!sonde_pass_gradient (graph, training->loss, NULL, (SondeGraphValue **) training->parameters->pdata, n,
                            (SondeGraphValue **) training->gradients->pdata, error))
    return FALSE;
  norm = sonde_graph_add_node (graph, "gradient-norm", SONDE_DOMAIN, "GlobalNorm",
                               (SondeGraphValue **) training->gradients->pdata, n, 1);
  norm->phase = SONDE_PHASE_BACKWARD;
  norm->origin_kind = SONDE_ORIGIN_GRADIENT;
  if (!sonde_build_infer (graph, norm, error))
    return FALSE;
  training->gradient_norm = sonde_node_get_output (norm, 0);
  sonde_graph_rename_value (graph, training->gradient_norm, "gradient-norm");
  sonde_graph_add_output (graph, training->gradient_norm);
  return TRUE;
}

/* Running statistics of a BatchNormalization in training mode take effect after the step. */
static void
mark_running_statistics (SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);

      if (node == NULL || !g_str_equal (node->op, "BatchNormalization"))
        continue;
      for (guint k = 1; k <= 2; k++)
        {
          SondeGraphValue *updated = sonde_node_get_output (node, k);
          SondeGraphValue *running = sonde_node_get_input (node, k + 2);

          if (updated != NULL && running != NULL && running->constant != NULL)
            {
              running->role = SONDE_ROLE_STATE;
              updated->update_of = running;
            }
        }
    }
}

static gboolean
add_updates (SondeTrainingGraph        *training,
             const SondeTrainerOptions *options,
             GError                   **error)
{
  const char *name = options->optimiser != NULL ? options->optimiser : "sgd";
  g_autoptr (SondeOptimiser) optimiser = sonde_optimiser_new (name, options->momentum, options->weight_decay, error);
  SondeShape scalar = sonde_shape_scalar ();
  SondeType rate_type = sonde_type_tensor (SONDE_DTYPE_F32, &scalar);
  SondeType step_type = sonde_type_tensor (SONDE_DTYPE_I64, &scalar);

  if (optimiser == NULL)
    return FALSE;
  training->learning_rate = sonde_graph_add_input (training->graph, "learning-rate", &rate_type);
  training->step = sonde_graph_add_input (training->graph, "step", &step_type);
  for (guint i = 0; i < training->parameters->len; i++)
    if (!sonde_optimiser_build (optimiser, training->graph, g_ptr_array_index (training->parameters, i),
                                g_ptr_array_index (training->gradients, i), training->learning_rate, training->step, NAN,
                                error))
      return FALSE;
  return TRUE;
}

SondeTrainingGraph *
sonde_training_graph_build (SondeGraph                *model,
                            const SondeTrainerOptions *options,
                            guint                      batch,
                            gboolean                   evaluation,
                            GError                   **error)
{
  g_autoptr (SondeTrainingGraph) training = g_new0 (SondeTrainingGraph, 1);

  training->parameters = g_ptr_array_new ();
  training->gradients = g_ptr_array_new ();
  training->graph = prepare_forward (model, batch, error);
  if (training->graph == NULL)
    return NULL;
  if (training->graph->outputs->len == 0)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "The model has no output.");
      return NULL;
    }
  training->logits = g_ptr_array_index (training->graph->outputs, 0);
  if (!add_loss (training, options, error))
    return NULL;
  collect_parameters (training);
  if (evaluation)
    {
      sonde_pass_prune (training->graph);
      return g_steal_pointer (&training);
    }
  mark_running_statistics (training->graph);
  if (!add_gradients (training, error) || !add_updates (training, options, error))
    return NULL;
  return g_steal_pointer (&training);
}

void
sonde_training_graph_free (SondeTrainingGraph *training)
{
  if (training == NULL)
    return;
  g_clear_pointer (&training->graph, sonde_graph_unref);
  g_clear_pointer (&training->parameters, g_ptr_array_unref);
  g_clear_pointer (&training->gradients, g_ptr_array_unref);
  g_free (training);
}
