/* SPDX-License-Identifier: Apache-2.0
 * A model file of any format in a program of your own: read it, set its inputs by their order or by
 * name, run it, differentiate it, train it further.
 *
 *   converted-model MODEL [SIGNATURE]    fits the first output to numbers drawn at random, prints the
 *                                        loss, ends with status 1 when it did not fall; sizes that the
 *                                        model leaves open are 2 */
#include <locale.h>
#include <math.h>

#include "data/base/sonde-random.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-grad.h"
#include "engine/nn/sonde-loss.h"

#define SEED 7
#define UNKNOWN_SIZE 2
#define TARGET "wanted"
#define N_STEPS 40
#define LEARNING_RATE 0.05

/* Floats from 0 to 1, zeros of what is whole. */
static SondeTensor *
draw (const SondeType *type, guint64 stream)
{
  SondeShape shape = { .rank = MAX (type->rank, 0) };
  SondeTensor *tensor;

  for (int d = 0; d < shape.rank; d++)
    shape.dims[d] = type->dims[d].size >= 0 ? type->dims[d].size : UNKNOWN_SIZE;
  tensor = sonde_tensor_new (type->dtype, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (
        tensor, i,
        sonde_dtype_is_float (type->dtype) ? sonde_random_uniform (SEED, stream, (guint64) i) : 0);
  return tensor;
}

/* @graph planned for @inputs, which are its own in their order, and with these values. */
static SondeExecution *
prepare (SondeGraph *graph, GPtrArray *inputs, GError **error)
{
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 0, error);
  g_autofree SondeBinding *bindings = g_new0 (SondeBinding, MAX (inputs->len, 1));
  const SondePlanOptions options = { .bindings = bindings, .n_bindings = inputs->len };
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;

  for (guint i = 0; i < inputs->len; i++)
    {
      const SondeTensor *tensor = inputs->pdata[i];

      bindings[i].name = ((SondeGraphValue *) graph->inputs->pdata[i])->name;
      bindings[i].type = sonde_type_tensor (tensor->dtype, &tensor->shape);
    }
  plan = device != NULL ? sonde_plan_new (graph, device, &options, error) : NULL;
  execution = plan != NULL ? sonde_execution_new (plan, error) : NULL;
  for (guint i = 0; execution != NULL && i < inputs->len; i++)
    if (!sonde_execution_set_input (execution, bindings[i].name, inputs->pdata[i], error))
      return NULL;
  return g_steal_pointer (&execution);
}

/* ---- once ---------------------------------------------------------------- */

/* The model as it is, on numbers; its first output. (transfer full) */
static SondeTensor *
run (SondeGraph *model, GPtrArray *inputs, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (model, error);
  g_autoptr (SondeExecution) execution = graph != NULL ? prepare (graph, inputs, error) : NULL;

  if (execution == NULL || sonde_execution_run (execution, error) != SONDE_RUN_DONE)
    return NULL;
  return sonde_execution_read (execution, graph->outputs->pdata[0], error);
}

/* ---- again and again ----------------------------------------------------- */

/* Names of all that is trained. (transfer full) (element-type utf8) */
static GPtrArray *
list_parameters (const SondeGraph *model)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < model->values->len; i++)
    {
      SondeGraphValue *value = model->values->pdata[i];

      if (value != NULL && value->role == SONDE_ROLE_PARAMETER)
        g_ptr_array_add (names, value->name);
    }
  return names;
}

/* The mean squared difference of the first output from a further input, and its gradient with respect to
 * each parameter, in this order. (transfer full) */
static SondeGraph *
differentiate (SondeGraph *model, const SondeTensor *output, const GPtrArray *parameters,
               GError **error)
{
  g_autoptr (SondeLoss) loss = sonde_loss_new ("mse", NULL, error);
  const SondeType type = sonde_type_tensor (output->dtype, &output->shape);
  SondeGraphValue *wanted = sonde_graph_add_input (model, TARGET, &type);
  SondeGraphValue *value = sonde_loss_build (loss, model, model->outputs->pdata[0], wanted, error);
  g_autofree SondeValueRef *with_respect_to = g_new0 (SondeValueRef, parameters->len);
  SondeValueRef what;

  if (value == NULL)
    return NULL;
  what = SONDE_VALUE (value->name);
  for (guint i = 0; i < parameters->len; i++)
    with_respect_to[i] = SONDE_VALUE (parameters->pdata[i]);
  return sonde_value_and_grad (model, &what, 1, with_respect_to, parameters->len, NULL, error);
}

/* p = p − η·g */
static gboolean
update (SondeExecution *execution, SondeGraphValue *parameter, SondeGraphValue *gradient,
        GError **error)
{
  g_autoptr (SondeTensor) p = sonde_execution_read (execution, parameter, error);
  g_autoptr (SondeTensor) g = p != NULL ? sonde_execution_read (execution, gradient, error) : NULL;

  if (g == NULL)
    return FALSE;
  for (gint64 i = 0; i < sonde_tensor_n_elements (p); i++)
    sonde_tensor_set_double (
        p, i, sonde_tensor_get_double (p, i) - LEARNING_RATE * sonde_tensor_get_double (g, i));
  return sonde_execution_write (execution, parameter, p, error);
}

/* @losses: (out): the first and the last. The graph's outputs are the loss, then the gradients. */
static gboolean
train (SondeExecution *execution, const GPtrArray *parameters, double losses[2], GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  for (guint step = 0; step <= N_STEPS; step++)
    {
      g_autoptr (SondeTensor) value = NULL;

      if (sonde_execution_run (execution, error) == SONDE_RUN_DONE)
        value = sonde_execution_read (execution, graph->outputs->pdata[0], error);
      if (value == NULL)
        return FALSE;
      losses[step > 0] = sonde_tensor_get_double (value, 0);
      if (step % 10 == 0)
        g_print ("step %2u  loss %.5f\n", step, losses[step > 0]);
      for (guint k = 0; k < parameters->len; k++)
        {
          SondeGraphValue *parameter = sonde_graph_find_value (graph, parameters->pdata[k]);

          /* Only other outputs may depend on it. */
          if (parameter != NULL && parameter->users->len > 0
              && !update (execution, parameter, graph->outputs->pdata[1 + k], error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
fine_tune (SondeGraph *model, GPtrArray *inputs, SondeTensor *output, double losses[2],
           GError **error)
{
  g_autoptr (GPtrArray) parameters = list_parameters (model);
  g_autoptr (SondeGraph) graph = differentiate (model, output, parameters, error);
  const SondeType type = sonde_type_tensor (output->dtype, &output->shape);
  g_autoptr (SondeExecution) execution = NULL;

  if (graph == NULL)
    return FALSE;
  g_ptr_array_add (inputs, draw (&type, inputs->len));
  execution = prepare (graph, inputs, error);
  return execution != NULL && train (execution, parameters, losses, error);
}

/* ---- the model ----------------------------------------------------------- */

static gboolean
use (SondeGraph *model, double losses[2], GError **error)
{
  g_autoptr (GPtrArray) inputs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (SondeTensor) output = NULL;

  for (guint i = 0; i < model->inputs->len; i++)
    {
      const SondeGraphValue *input = model->inputs->pdata[i];
      g_autofree char *type = sonde_type_to_string (&input->type);

      g_print ("input %u: %s, %s\n", i, input->name, type);
      g_ptr_array_add (inputs, draw (&input->type, i));
    }
  output = run (model, inputs, error);
  return output != NULL && fine_tune (model, inputs, output, losses, error);
}

int
main (int argc, char **argv)
{
  const SondeModelOptions options = { .signature = argc > 2 ? argv[2] : NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = NULL;
  double losses[2] = { NAN, NAN };

  setlocale (LC_ALL, "");
  if (argc < 2)
    return g_printerr ("Usage: converted-model MODEL [SIGNATURE]\n"), 2;
  model = sonde_model_read (NULL, argv[1], &options, NULL, &error);
  if (model == NULL || !use (model, losses, &error))
    return g_printerr ("%s\n", error->message), 1;
  return losses[1] < losses[0] ? 0 : 1;
}
