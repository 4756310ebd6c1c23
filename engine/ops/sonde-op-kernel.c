/* SPDX-License-Identifier: Apache-2.0
 * Helpers of kernels, and running a kernel: half-precision tensors are upcast around it. */
#include "engine/ops/sonde-op-implement.h"

#include <string.h>

SondeTensor *
sonde_kernel_input (const SondeKernelContext *context, guint k)
{
  return k < context->n_inputs ? context->inputs[k] : NULL;
}

SondeTensor *
sonde_kernel_output (const SondeKernelContext *context, guint k)
{
  return k < context->n_outputs ? context->outputs[k] : NULL;
}

gint64 *
sonde_kernel_ints (const SondeKernelContext *context, guint k, gsize *n)
{
  *n = 0;
  return sonde_infer_read_ints (sonde_kernel_input (context, k), n);
}

int
sonde_kernel_axis (const SondeKernelContext *context, gint64 fallback)
{
  int axis = 0;

  (void) sonde_infer_axis (sonde_node_get_int (context->node, "axis", fallback),
                           context->inputs[0]->shape.rank, &axis, NULL);
  return axis;
}

void
sonde_kernel_load (const SondeTensor *tensor, gint64 first, gint64 n, double *to)
{
  sonde_dtype_convert (tensor->dtype,
                       tensor->data + (gsize) first * sonde_dtype_size (tensor->dtype),
                       SONDE_DTYPE_F64, to, (gsize) n);
}

double *
sonde_kernel_doubles (const SondeTensor *tensor)
{
  gint64 n = sonde_tensor_n_elements (tensor);
  double *values = g_new (double, n + 1);

  sonde_kernel_load (tensor, 0, n, values);
  return values;
}

void
sonde_kernel_store (const double *from, gint64 n, SondeTensor *tensor, gint64 first)
{
  if (tensor != NULL)
    sonde_dtype_convert (SONDE_DTYPE_F64, from, tensor->dtype,
                         tensor->data + (gsize) first * sonde_dtype_size (tensor->dtype),
                         (gsize) n);
}

void
sonde_kernel_own_strings (SondeTensor *output)
{
  char **strings = (char **) (void *) output->data;
  gint64 n = sonde_tensor_n_elements (output);

  if (output->dtype != SONDE_DTYPE_STRING)
    return;
  for (gint64 i = 0; i < n; i++)
    strings[i] = g_strdup (strings[i]);
}

void
sonde_kernel_copy (const SondeTensor *from, SondeTensor *to)
{
  if (from->data != to->data)
    memcpy (to->data, from->data, sonde_tensor_n_bytes (from));
  sonde_kernel_own_strings (to);
}

double
sonde_kernel_scalar (const SondeKernelContext *context, guint k, double fallback)
{
  SondeTensor *tensor = sonde_kernel_input (context, k);

  if (tensor == NULL || tensor->dtype == SONDE_DTYPE_STRING
      || sonde_tensor_n_elements (tensor) == 0)
    return fallback;
  return sonde_tensor_get_double (tensor, 0);
}

gboolean
sonde_kernel_infer_values (const SondeValueContext *context,
                           gboolean (*rule) (SondeInferContext *context, GError **error),
                           SondeType *types, GError **error)
{
  g_autofree SondeType *inputs = g_new0 (SondeType, context->n_inputs + 1);
  g_autofree SondeType *outputs = g_new0 (SondeType, context->n_outputs + 1);
  g_autofree SondeTensor **known = g_new0 (SondeTensor *, context->n_inputs + 1);
  g_autofree SondeTensor **results = g_new0 (SondeTensor *, context->n_outputs + 1);
  SondeInferContext infer
      = { context->node, context->n_inputs, inputs, known, context->n_outputs, outputs, results };
  gboolean good = FALSE;

  for (guint k = 0; k < context->n_inputs; k++)
    {
      inputs[k]
          = context->inputs[k] ? sonde_type_of_value (context->inputs[k]) : sonde_type_unknown ();
      known[k] = sonde_value_get_tensor (context->inputs[k]);
    }
  for (guint k = 0; k < context->n_outputs; k++)
    outputs[k] = sonde_type_unknown ();

  good = rule (&infer, error);
  for (guint k = 0; k < context->n_outputs; k++)
    {
      sonde_tensor_unref (results[k]);
      if (types != NULL)
        types[k] = outputs[k];
    }
  return good;
}

static gboolean
is_half (const SondeTensor *tensor)
{
  return tensor != NULL && (tensor->dtype == SONDE_DTYPE_F16 || tensor->dtype == SONDE_DTYPE_BF16);
}

static SondeTensor *
upcast_input (SondeTensor *tensor)
{
  if (tensor == NULL)
    return NULL;
  return is_half (tensor) ? sonde_tensor_cast (tensor, SONDE_DTYPE_F32) : sonde_tensor_ref (tensor);
}

/* The one place where half precision is known: kernels see float32, results are rounded once. */
static void
compute_upcast (const SondeOpClass *klass, const SondeKernelContext *context)
{
  g_autoptr (GPtrArray) inputs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (GPtrArray) outputs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeKernelContext wide = *context;

  for (guint k = 0; k < context->n_inputs; k++)
    g_ptr_array_add (inputs, upcast_input (context->inputs[k]));
  for (guint k = 0; k < context->n_outputs; k++)
    {
      SondeTensor *output = context->outputs[k];

      g_ptr_array_add (outputs, is_half (output)
                                    ? sonde_tensor_new (SONDE_DTYPE_F32, &output->shape)
                                : output != NULL ? sonde_tensor_ref (output)
                                                 : NULL);
    }
  wide.inputs = (SondeTensor *const *) inputs->pdata;
  wide.outputs = (SondeTensor **) outputs->pdata;
  klass->compute (&wide);

  for (guint k = 0; k < context->n_outputs; k++)
    {
      SondeTensor *output = context->outputs[k];

      if (is_half (output))
        sonde_dtype_convert (SONDE_DTYPE_F32, wide.outputs[k]->data, output->dtype, output->data,
                             (gsize) sonde_tensor_n_elements (output));
    }
}

gpointer
sonde_op_prepare (const SondeOpClass *klass, const SondeNode *node)
{
  return klass->prepare != NULL ? klass->prepare (node) : NULL;
}

void
sonde_op_prepared_free (const SondeOpClass *klass, gpointer prepared)
{
  if (klass->prepare != NULL)
    klass->prepared_free (prepared);
}

static void
compute_prepared (const SondeOpClass *klass, const SondeKernelContext *context)
{
  gboolean half = FALSE;

  for (guint k = 0; k < context->n_inputs; k++)
    half |= is_half (context->inputs[k]);
  for (guint k = 0; k < context->n_outputs; k++)
    half |= is_half (context->outputs[k]);

  if (half && !sonde_op_takes_half (klass))
    compute_upcast (klass, context);
  else
    klass->compute (context);
}

void
sonde_op_compute (const SondeOpClass *klass, const SondeKernelContext *context)
{
  SondeKernelContext prepared = *context;

  if (klass->prepare == NULL || context->prepared != NULL)
    {
      compute_prepared (klass, context);
      return;
    }
  prepared.prepared = sonde_op_prepare (klass, context->node);
  compute_prepared (klass, &prepared);
  sonde_op_prepared_free (klass, (gpointer) prepared.prepared);
}

gboolean
sonde_op_check_values (const SondeOpClass *klass, const SondeKernelContext *context, GError **error)
{
  if (klass->check == NULL || klass->check (context, error))
    return TRUE;

  sonde_prefix_error (error, "node “%s” (%s): ", context->node->name, context->node->op);
  return FALSE;
}
