/* SPDX-License-Identifier: Apache-2.0
 * Activations, sums, and layers that move or reshape. */
#include "engine/nn/sonde-layers-private.h"

/* ---- activations --------------------------------------------------------- */

/* x·gate (x), as exporters write it: for recognition of such chains see sonde_pass_fuse(). */
static SondeGraphValue *
gate (SondeLayers *layers, const char *name, SondeGraphValue *x, const char *const *functions)
{
  SondeGraphValue *factors[2] = { x, x };

  sonde_layers_open (layers, name);
  for (guint i = 0; functions[i] != NULL; i++)
    {
      g_autofree char *part = g_ascii_strdown (functions[i], -1);

      factors[1] = sonde_layers_done (
          layers, sonde_layers_add_node (layers, part, functions[i], 1, &factors[1], 1));
    }
  x = sonde_layers_done (layers, sonde_layers_add_node (layers, "product", "Mul", 2, factors, 1));
  sonde_layers_close (layers);
  return x;
}

static SondeGraphValue *
silu (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  return gate (layers, name, x, (const char *[]){ "Sigmoid", NULL });
}

static SondeGraphValue *
mish (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  return gate (layers, name, x, (const char *[]){ "Softplus", "Tanh", NULL });
}

static SondeGraphValue *
relu6 (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  SondeGraphValue *inputs[3] = { x };

  sonde_layers_open (layers, name);
  inputs[1] = sonde_layers_scalar (layers, "least", x->type.dtype, 0);
  inputs[2] = sonde_layers_scalar (layers, "most", x->type.dtype, 6);
  sonde_layers_close (layers);
  return sonde_layers_done (layers, sonde_layers_add_node (layers, name, "Clip", 3, inputs, 1));
}

static SondeGraphValue *
prelu (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  const SondeShape shape = sonde_shape_make (1, 1);
  SondeGraphValue *inputs[2] = { x };

  sonde_layers_open (layers, name);
  inputs[1] = sonde_layers_parameter (layers, "weight", &shape, "constant:0.25", 0, 0);
  sonde_layers_close (layers);
  return sonde_layers_done (layers, sonde_layers_add_node (layers, name, "PRelu", 2, inputs, 1));
}

static SondeGraphValue *
gelu_tanh (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  SondeNode *node = sonde_layers_add_node (layers, name, "Gelu", 1, &x, 1);

  if (node != NULL)
    sonde_node_set_string (node, "approximate", "tanh");
  return sonde_layers_done (layers, node);
}

/* PyTorch's: min (max (x/6 + 1/2, 0), 1); the standard's default slope is 0.2. */
static SondeGraphValue *
hard_sigmoid (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  SondeNode *node = sonde_layers_add_node (layers, name, "HardSigmoid", 1, &x, 1);

  if (node != NULL)
    sonde_node_set_float (node, "alpha", 1.0 / 6.0);
  return sonde_layers_done (layers, node);
}

/* Either one operator without attributes, or a function. Softmax is over the last dimension. */
static const struct
{
  const char *name, *op;
  SondeGraphValue *(*make) (SondeLayers *layers, const char *name, SondeGraphValue *x);
} activations[] = {
  { "relu", "Relu", NULL },
  { "leaky-relu", "LeakyRelu", NULL },
  { "elu", "Elu", NULL },
  { "selu", "Selu", NULL },
  { "celu", "Celu", NULL },
  { "gelu", "Gelu", NULL },
  { "gelu-tanh", NULL, gelu_tanh },
  { "silu", NULL, silu },
  { "mish", NULL, mish },
  { "hard-swish", "HardSwish", NULL },
  { "sigmoid", "Sigmoid", NULL },
  { "hard-sigmoid", NULL, hard_sigmoid },
  { "tanh", "Tanh", NULL },
  { "softplus", "Softplus", NULL },
  { "softsign", "Softsign", NULL },
  { "softmax", "Softmax", NULL },
  { "log-softmax", "LogSoftmax", NULL },
  { "relu6", NULL, relu6 },
  { "identity", "Identity", NULL },
  { "prelu", NULL, prelu },
};

SondeGraphValue *
sonde_layers_activation (SondeLayers *layers, const char *name, SondeGraphValue *x,
                         const char *function)
{
  GString *names;

  if (!sonde_layers_begin (layers, name, x))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (activations); i++)
    if (g_str_equal (activations[i].name, function))
      return activations[i].make != NULL
                 ? activations[i].make (layers, name, x)
                 : sonde_layers_done (
                     layers, sonde_layers_add_node (layers, name, activations[i].op, 1, &x, 1));
  names = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (activations); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", activations[i].name);
  sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                       "there is no activation “%s”; the available ones are: %s.", function,
                       names->str);
  g_string_free (names, TRUE);
  return NULL;
}

/* ---- sums ---------------------------------------------------------------- */

SondeGraphValue *
sonde_layers_add (SondeLayers *layers, const char *name, SondeGraphValue *a, SondeGraphValue *b)
{
  if (!sonde_layers_begin (layers, name, a) || !sonde_layers_begin (layers, name, b))
    return NULL;
  return sonde_layers_done (
      layers, sonde_layers_add_node (layers, name, "Add", 2, (SondeGraphValue *[]){ a, b }, 1));
}

SondeGraphValue *
sonde_layers_concat (SondeLayers *layers, const char *name, SondeGraphValue *a, SondeGraphValue *b,
                     int axis)
{
  SondeNode *node;

  if (!sonde_layers_begin (layers, name, a) || !sonde_layers_begin (layers, name, b))
    return NULL;
  node = sonde_layers_add_node (layers, name, "Concat", 2, (SondeGraphValue *[]){ a, b }, 1);
  if (node != NULL)
    sonde_node_set_int (node, "axis", axis);
  return sonde_layers_done (layers, node);
}

SondeGraphValue *
sonde_layers_mean (SondeLayers *layers, const char *name, SondeGraphValue *x, int axis)
{
  SondeGraphValue *inputs[2] = { x };
  SondeNode *node;

  if (!sonde_layers_begin_rank (layers, name, x, 1, SONDE_MAX_RANK))
    return NULL;
  sonde_layers_open (layers, name);
  inputs[1] = sonde_layers_ints (layers, "axes", (gint64[]){ axis }, 1);
  sonde_layers_close (layers);
  node = sonde_layers_add_node (layers, name, "ReduceMean", 2, inputs, 1);
  if (node != NULL)
    sonde_node_set_int (node, "keepdims", 0);
  return sonde_layers_done (layers, node);
}

/* ---- shapes -------------------------------------------------------------- */

SondeGraphValue *
sonde_layers_flatten (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  if (!sonde_layers_begin_rank (layers, name, x, 2, SONDE_MAX_RANK))
    return NULL;
  return sonde_layers_done (layers, sonde_layers_add_node (layers, name, "Flatten", 1, &x, 1));
}

SondeGraphValue *
sonde_layers_reshape (SondeLayers *layers, const char *name, SondeGraphValue *x, int rank,
                      const gint64 *dims)
{
  SondeGraphValue *inputs[2] = { x };

  if (!sonde_layers_begin (layers, name, x))
    return NULL;
  sonde_layers_open (layers, name);
  inputs[1] = sonde_layers_ints (layers, "shape", dims, (gsize) rank);
  sonde_layers_close (layers);
  return sonde_layers_done (layers, sonde_layers_add_node (layers, name, "Reshape", 2, inputs, 1));
}

SondeGraphValue *
sonde_layers_transpose (SondeLayers *layers, const char *name, SondeGraphValue *x, int rank,
                        const gint64 *order)
{
  SondeNode *node;

  if (!sonde_layers_begin_rank (layers, name, x, rank, rank))
    return NULL;
  node = sonde_layers_add_node (layers, name, "Transpose", 1, &x, 1);
  if (node != NULL)
    sonde_node_set_ints (node, "perm", order, (gsize) rank);
  return sonde_layers_done (layers, node);
}
