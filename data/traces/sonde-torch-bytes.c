/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-torch-bytes.h"

#include <string.h>

#define PREFIX "aten::"

/* ---- types --------------------------------------------------------------- */

guint
sonde_torch_type_get_size (const char *name, gsize n)
{
  static const struct
  {
    const char *name;
    guint size;
  } types[] = { { "float", 4 },
                { "double", 8 },
                { "c10::Half", 2 },
                { "c10::BFloat16", 2 },
                { "long int", 8 },
                { "long", 8 },
                { "int", 4 },
                { "short int", 2 },
                { "short", 2 },
                { "signed char", 1 },
                { "unsigned char", 1 },
                { "bool", 1 },
                { "c10::complex<float>", 8 },
                { "c10::complex<double>", 16 } };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (strlen (types[i].name) == n && memcmp (types[i].name, name, n) == 0)
      return types[i].size;
  return 0;
}

/* ---- sizes --------------------------------------------------------------- */

static gboolean
is_tensor (const SondeTorchInput *input)
{
  return input->rank >= 0 && input->item_size > 0;
}

/* What lies in memory: a dimension of stride 0 is there once. */
static double
count_input (const SondeTorchInput *input)
{
  double n = input->item_size;

  for (int d = 0; d < input->rank; d++)
    if (d >= input->n_strides || input->strides[d] != 0 || input->dims[d] == 0)
      n *= (double) input->dims[d];
  return n;
}

static double
count_inputs (const SondeTorchInput *inputs, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    if (is_tensor (&inputs[i]))
      sum += count_input (&inputs[i]);
  return sum;
}

static double
multiply (const SondeTorchInput *input)
{
  double n = input->item_size;

  for (int d = 0; d < input->rank; d++)
    n *= (double) input->dims[d];
  return n;
}

/* ---- operators ----------------------------------------------------------- */

/* All tensors are read; the result has the size that they have together, and their type. 0: they differ in it, or
 * do not fit each other */
static double
count_pointwise (const SondeTorchInput *inputs, guint n)
{
  gint64 dims[SONDE_TORCH_MAX_RANK];
  guint size = 0;
  int rank = 0;
  double result;

  for (int d = 0; d < SONDE_TORCH_MAX_RANK; d++)
    dims[d] = 1;
  for (guint i = 0; i < n; i++)
    {
      if (!is_tensor (&inputs[i]))
        continue;
      if (size != 0 && inputs[i].item_size != size)
        return 0;
      size = inputs[i].item_size;
      rank = MAX (rank, inputs[i].rank);
      for (int d = 0; d < inputs[i].rank; d++) /* from the last one */
        {
          gint64 one = inputs[i].dims[inputs[i].rank - 1 - d];

          if (one != dims[d] && one != 1 && dims[d] != 1)
            return 0;
          dims[d] = dims[d] == 1 ? one : dims[d];
        }
    }
  result = size;
  for (int d = 0; d < rank; d++)
    result *= (double) dims[d];
  return size == 0 ? 0 : count_inputs (inputs, n) + result;
}

/* All tensors are read, the first one is written. */
static double
count_in_place (const SondeTorchInput *inputs, guint n)
{
  return n > 0 && is_tensor (&inputs[0]) ? count_inputs (inputs, n) + multiply (&inputs[0]) : 0;
}

/* The first one is only written. */
static double
count_written (const SondeTorchInput *inputs, guint n)
{
  return n > 0 && is_tensor (&inputs[0]) ? multiply (&inputs[0]) + count_inputs (inputs + 1, n - 1)
                                         : 0;
}

static const char *const pointwise[] = { "add",
                                         "sub",
                                         "mul",
                                         "div",
                                         "relu",
                                         "clamp_min",
                                         "clamp",
                                         "sigmoid",
                                         "tanh",
                                         "exp",
                                         "log",
                                         "sqrt",
                                         "rsqrt",
                                         "neg",
                                         "abs",
                                         "gelu",
                                         "silu",
                                         "elu",
                                         "leaky_relu",
                                         "hardswish",
                                         "_softmax",
                                         "_log_softmax",
                                         "threshold_backward",
                                         "sigmoid_backward",
                                         "tanh_backward",
                                         "gelu_backward",
                                         "silu_backward",
                                         "_softmax_backward_data",
                                         "_log_softmax_backward_data" };
static const char *const in_place[]
    = { "add_",  "sub_",  "mul_", "div_",     "relu_",    "clamp_min_", "clamp_", "sigmoid_",
        "tanh_", "sqrt_", "exp_", "addcmul_", "addcdiv_", "lerp_",      "neg_" };
static const char *const written[] = { "copy_", "zero_", "fill_" };

static gboolean
is_among (const char *const *names, gsize n, const char *name)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (names[i], name) == 0)
      return TRUE;
  return FALSE;
}

double
sonde_torch_bytes_count (const char *name, const SondeTorchInput *inputs, guint n)
{
  const SondeTorchInput *first = n > 0 ? &inputs[0] : NULL;
  double results;

  if (first == NULL || !g_str_has_prefix (name, PREFIX))
    return 0;
  results = sonde_torch_cost_count_results (name, inputs, n);
  if (results > 0)
    return is_tensor (first) ? count_inputs (inputs, n) + results * first->item_size : 0;
  name += strlen (PREFIX);
  if (is_among (pointwise, G_N_ELEMENTS (pointwise), name))
    return count_pointwise (inputs, n);
  if (is_among (in_place, G_N_ELEMENTS (in_place), name))
    return count_in_place (inputs, n);
  if (is_among (written, G_N_ELEMENTS (written), name))
    return count_written (inputs, n);
  return 0;
}

gboolean
sonde_torch_bytes_knows (const char *name)
{
  if (!g_str_has_prefix (name, PREFIX))
    return FALSE;
  name += strlen (PREFIX);
  return is_among (pointwise, G_N_ELEMENTS (pointwise), name)
         || is_among (in_place, G_N_ELEMENTS (in_place), name)
         || is_among (written, G_N_ELEMENTS (written), name);
}
