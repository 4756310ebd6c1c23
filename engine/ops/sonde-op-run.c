/* SPDX-License-Identifier: Apache-2.0
 * One node alone: inference with its sentence completed by names and types, and the reference
 * run. */
#include "engine/ops/sonde-op-implement.h"

#include <string.h>

/* "node “add1” (Add): SENTENCE (inputs: “a” float32 2×3, “b” float32 4×3)" */
static void
complete_error (GError **error, const SondeNode *node, const SondeType *types, guint n_types)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint k = 0; k < n_types; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);
      g_autofree char *type = sonde_type_to_string (&types[k]);

      if (value != NULL)
        g_string_append_printf (list, "%s“%s” %s", list->len > 0 ? ", " : "", value->name, type);
    }
  if (error != NULL && *error != NULL && list->len > 0)
    {
      /* a text attribute in it may hold any bytes */
      g_autofree char *shown = g_utf8_make_valid ((*error)->message, -1);
      GError *longer
          = g_error_new ((*error)->domain, (*error)->code, "%s (inputs: %s)", shown, list->str);

      g_clear_error (error);
      *error = longer;
    }
  sonde_prefix_error (error, "node “%s” (%s): ", node->name, node->op);
}

static gboolean
check_sizes (const SondeInferContext *context, GError **error)
{
  for (guint k = 0; k < context->n_outputs; k++)
    {
      SondeShape shape;

      if (sonde_type_get_shape (&context->outputs[k], &shape)
          && sonde_shape_n_elements (&shape) < 0)
        return sonde_infer_fail (error, "output %u would have more elements than can be counted",
                                 k);
    }
  return TRUE;
}

static gboolean
check_arity (const SondeOpClass *klass, const SondeNode *node, guint n_outputs, GError **error)
{
  guint n = node->inputs->len;

  if ((int) n < klass->min_inputs || (klass->max_inputs >= 0 && (int) n > klass->max_inputs))
    return sonde_infer_fail (error, "has %u inputs, but %s takes %d to %d", n, klass->name,
                             klass->min_inputs, klass->max_inputs);
  if (klass->max_outputs >= 0 && (int) n_outputs > klass->max_outputs)
    return sonde_infer_fail (error, "has %u outputs, but %s makes at most %d", n_outputs,
                             klass->name, klass->max_outputs);
  for (int k = 0; k < klass->min_inputs; k++)
    if (node->inputs->pdata[k] == NULL)
      return sonde_infer_fail (error, "input %d is missing", k);
  return TRUE;
}

static gboolean
infer (const SondeOpClass *klass, SondeInferContext *context, GError **error)
{
  if (check_arity (klass, context->node, context->n_outputs, error) && klass->infer (context, error)
      && check_sizes (context, error))
    return TRUE;

  complete_error (error, context->node, context->inputs, context->n_inputs);
  return FALSE;
}

static const SondeOpClass *
find_row (const SondeNode *node, GError **error)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  if (klass == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "node “%s”: the operator %s%s%s is not implemented", node->name, node->domain,
                     *node->domain != '\0' ? "." : "", node->op);
  return klass;
}

gboolean
sonde_op_infer_node (const SondeNode *node, SondeTensor *const *known, SondeType *outputs,
                     SondeTensor **known_outputs, GError **error)
{
  const SondeOpClass *klass = find_row (node, error);
  guint n = node->inputs->len;
  g_autofree SondeType *types = g_new0 (SondeType, n + 1);
  g_autofree SondeTensor **constants = g_new0 (SondeTensor *, n + 1);
  g_autofree SondeTensor **results = g_new0 (SondeTensor *, node->outputs->len + 1);
  SondeInferContext context
      = { node, n, types, known ? known : constants, node->outputs->len, outputs, results };
  gboolean good = FALSE;

  if (klass == NULL)
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);

      types[k] = value ? value->type : sonde_type_unknown ();
      /* Others may change from run to run. */
      if (value != NULL && value->constant != NULL && value->role == SONDE_ROLE_CONSTANT)
        constants[k] = sonde_value_get_tensor (value->constant);
    }
  for (guint k = 0; k < node->outputs->len; k++)
    outputs[k] = sonde_type_unknown ();

  good = infer (klass, &context, error);
  for (guint k = 0; k < node->outputs->len; k++)
    if (good && known_outputs != NULL)
      known_outputs[k] = results[k];
    else
      sonde_tensor_unref (results[k]);
  return good;
}

/* ---- reference run ------------------------------------------------------- */

static gboolean
allocate_outputs (const SondeNode *node, const SondeOpClass *klass, const SondeType *types,
                  guint n_outputs, GPtrArray *outputs, GError **error)
{
  for (guint k = 0; k < n_outputs; k++)
    {
      SondeShape shape;
      SondeTensor *tensor = NULL;

      if (sonde_node_get_output (node, k) == NULL || (klass->flags & SONDE_OP_DYNAMIC))
        {
          g_ptr_array_add (outputs, NULL);
          continue;
        }
      if (!sonde_type_get_shape (&types[k], &shape))
        {
          g_autofree char *text = sonde_type_to_string (&types[k]);

          sonde_set_error (
              error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
              "node “%s” (%s): the shape of output %u cannot be inferred from its inputs (%s)",
              node->name, node->op, k, text);
          return FALSE;
        }
      tensor = sonde_tensor_try_new (types[k].dtype, &shape, NULL, node->name, error);
      if (tensor == NULL)
        return FALSE;
      g_ptr_array_add (outputs, tensor);
    }
  return TRUE;
}

/* A row that only computes values, for a caller that has tensors. */
static gboolean
run_tensors_as_values (const SondeNode *node, SondeTensor *const *inputs, guint n_inputs,
                       SondeTensor **outputs, guint n_outputs, GError **error)
{
  g_autoptr (GPtrArray) values
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  g_autofree SondeValue **results = g_new0 (SondeValue *, n_outputs + 1);
  gboolean good = TRUE;

  for (guint k = 0; k < n_inputs; k++)
    g_ptr_array_add (values, inputs[k] ? sonde_value_new_tensor (inputs[k]) : NULL);
  if (!sonde_op_run_reference_values (node, (SondeValue *const *) values->pdata, n_inputs, 0, 0,
                                      results, n_outputs, error))
    return FALSE;

  for (guint k = 0; k < n_outputs; k++)
    {
      SondeTensor *tensor = sonde_value_get_tensor (results[k]);

      outputs[k] = tensor ? sonde_tensor_ref (tensor) : NULL;
      if (results[k] != NULL && tensor == NULL && good)
        good = sonde_infer_fail (error, "node “%s” (%s): output %u is not a tensor", node->name,
                                 node->op, k);
      sonde_value_unref (results[k]);
    }
  for (guint k = 0; k < n_outputs && !good; k++)
    g_clear_pointer (&outputs[k], sonde_tensor_unref);
  return good;
}

static gboolean
run_tensors (const SondeOpClass *klass, const SondeNode *node, SondeTensor *const *inputs,
             guint n_inputs, guint64 seed, guint64 step, SondeTensor **outputs, guint n_outputs,
             GError **error)
{
  g_autoptr (GPtrArray) plain
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autofree SondeType *input_types = g_new0 (SondeType, n_inputs + 1);
  g_autofree SondeType *types = g_new0 (SondeType, n_outputs + 1);
  g_autofree SondeTensor **known = g_new0 (SondeTensor *, n_outputs + 1);
  SondeInferContext infer_context
      = { node, n_inputs, input_types, inputs, n_outputs, types, known };
  SondeKernelContext context = { node, n_inputs, NULL, n_outputs, NULL, seed, step };
  gboolean good = FALSE;

  for (guint k = 0; k < n_inputs; k++)
    {
      input_types[k] = inputs[k] ? sonde_type_tensor (inputs[k]->dtype, &inputs[k]->shape)
                                 : sonde_type_unknown ();
      g_ptr_array_add (plain, inputs[k] ? sonde_tensor_contiguous (inputs[k]) : NULL);
    }
  for (guint k = 0; k < n_outputs; k++)
    types[k] = sonde_type_unknown ();

  good = infer (klass, &infer_context, error);
  for (guint k = 0; k < n_outputs; k++)
    g_clear_pointer (&known[k], sonde_tensor_unref);
  if (!good || !allocate_outputs (node, klass, types, n_outputs, made, error))
    return FALSE;

  context.inputs = (SondeTensor *const *) plain->pdata;
  context.outputs = (SondeTensor **) made->pdata;
  if (!sonde_op_check_values (klass, &context, error))
    return FALSE;
  sonde_op_compute (klass, &context);
  for (guint k = 0; k < n_outputs; k++)
    outputs[k] = g_steal_pointer (&made->pdata[k]);
  return TRUE;
}

gboolean
sonde_op_run_reference (const SondeNode *node, SondeTensor *const *inputs, guint n_inputs,
                        SondeTensor **outputs, guint n_outputs, GError **error)
{
  const SondeOpClass *klass = find_row (node, error);

  if (klass == NULL)
    return FALSE;
  return klass->compute != NULL
             ? run_tensors (klass, node, inputs, n_inputs, 0, 0, outputs, n_outputs, error)
             : run_tensors_as_values (node, inputs, n_inputs, outputs, n_outputs, error);
}

/* ---- values of any kind -------------------------------------------------- */

static gboolean
run_values (const SondeOpClass *klass, const SondeNode *node, SondeValue *const *inputs,
            guint n_inputs, guint64 seed, guint64 step, SondeValue **outputs, guint n_outputs,
            GError **error)
{
  g_autoptr (GPtrArray) plain = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  SondeValueContext context = { node, n_inputs, NULL, n_outputs, outputs, seed, step };

  for (guint k = 0; k < n_inputs; k++)
    {
      SondeTensor *tensor = sonde_value_get_tensor (inputs[k]);
      g_autoptr (SondeTensor) contiguous = tensor ? sonde_tensor_contiguous (tensor) : NULL;

      g_ptr_array_add (plain, contiguous  ? sonde_value_new_tensor (contiguous)
                              : inputs[k] ? sonde_value_ref (inputs[k])
                                          : NULL);
    }
  context.inputs = (SondeValue *const *) plain->pdata;
  if (klass->compute_values (&context, error))
    return TRUE;

  for (guint k = 0; k < n_outputs; k++)
    g_clear_pointer (&outputs[k], sonde_value_unref);
  sonde_prefix_error (error, "node “%s” (%s): ", node->name, node->op);
  return FALSE;
}

static gboolean
are_tensors (SondeValue *const *values, guint n)
{
  for (guint k = 0; k < n; k++)
    if (values[k] != NULL && sonde_value_get_tensor (values[k]) == NULL)
      return FALSE;
  return TRUE;
}

gboolean
sonde_op_run_reference_values (const SondeNode *node, SondeValue *const *inputs, guint n_inputs,
                               guint64 seed, guint64 step, SondeValue **outputs, guint n_outputs,
                               GError **error)
{
  const SondeOpClass *klass = find_row (node, error);
  g_autofree SondeTensor **tensors = g_new0 (SondeTensor *, n_inputs + 1);
  g_autofree SondeTensor **results = g_new0 (SondeTensor *, n_outputs + 1);

  if (klass == NULL)
    return FALSE;
  for (guint k = 0; k < n_outputs; k++)
    outputs[k] = NULL;
  if (klass->compute_values != NULL && (klass->compute == NULL || !are_tensors (inputs, n_inputs)))
    return run_values (klass, node, inputs, n_inputs, seed, step, outputs, n_outputs, error);
  if (klass->compute == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "node “%s” (%s): it runs subgraphs, which only a plan can do", node->name,
                       node->op);
      return FALSE;
    }
  for (guint k = 0; k < n_inputs; k++)
    {
      tensors[k] = sonde_value_get_tensor (inputs[k]);
      if (inputs[k] != NULL && tensors[k] == NULL)
        return sonde_infer_fail (error, "node “%s” (%s): input %u is not a tensor", node->name,
                                 node->op, k);
    }
  if (!run_tensors (klass, node, tensors, n_inputs, seed, step, results, n_outputs, error))
    return FALSE;

  for (guint k = 0; k < n_outputs; k++)
    {
      outputs[k] = results[k] ? sonde_value_new_tensor (results[k]) : NULL;
      sonde_tensor_unref (results[k]);
    }
  return TRUE;
}
