/* SPDX-License-Identifier: Apache-2.0
 * Layers over sequences [N, T, F]: embeddings, recurrent layers, attention, the transformer's
 * block. */
#include "engine/nn/sonde-layers-private.h"

SondeGraphValue *
sonde_layers_embedding (SondeLayers *layers, const char *name, SondeGraphValue *indices, gint64 n,
                        gint64 size, const char *initialiser)
{
  const SondeShape shape = sonde_shape_make (2, n, size);
  SondeGraphValue *inputs[2] = { NULL, indices };

  if (!sonde_layers_begin (layers, name, indices))
    return NULL;
  if (n <= 0 || size <= 0)
    return sonde_layers_refuse (
        layers, name, SONDE_ENGINE_ERROR_INVALID,
        "a table of %" PRIi64 " rows of %" PRIi64 " numbers is not possible.", n, size);
  sonde_layers_open (layers, name);
  inputs[0] = sonde_layers_parameter (layers, "weight", &shape,
                                      initialiser != NULL ? initialiser : "normal", 0, 0);
  sonde_layers_close (layers);
  return sonde_layers_done (layers, sonde_layers_add_node (layers, name, "Gather", 2, inputs, 1));
}

/* ---- recurrent ----------------------------------------------------------- */

static const struct
{
  const char *op;
  gint64 gates;
  guint n_outputs;
} recurrent[] = {
  [SONDE_RECURRENT_RNN] = { "RNN", 1, 2 },
  [SONDE_RECURRENT_LSTM] = { "LSTM", 4, 3 },
  [SONDE_RECURRENT_GRU] = { "GRU", 3, 2 },
};

/* x is [T, N, F] here, as the standard has it. */
static SondeNode *
add_recurrent (SondeLayers *layers, SondeGraphValue *x, SondeRecurrentKind kind, gint64 units,
               gint64 directions)
{
  gint64 gates = recurrent[kind].gates * units,
         features = sonde_layers_need_size (layers, "steps", x, 2);
  const SondeShape w = sonde_shape_make (3, directions, gates, features),
                   r = sonde_shape_make (3, directions, gates, units);
  const SondeShape b = sonde_shape_make (2, directions, 2 * gates);
  SondeGraphValue *inputs[4] = { x };
  SondeNode *node;

  /* PyTorch draws all of them within ±1/√units. */
  inputs[1] = sonde_layers_parameter (layers, "weight_ih", &w, "torch", units, 0);
  inputs[2] = sonde_layers_parameter (layers, "weight_hh", &r, "torch", units, 0);
  inputs[3] = sonde_layers_parameter (layers, "bias", &b, "torch", units, 0);
  node = sonde_layers_add_node (layers, "steps", recurrent[kind].op, 4, inputs,
                                recurrent[kind].n_outputs);
  if (node == NULL)
    return NULL;
  sonde_node_set_int (node, "hidden_size", units);
  if (directions == 2)
    sonde_node_set_string (node, "direction", "bidirectional");
  if (kind == SONDE_RECURRENT_GRU)
    sonde_node_set_int (node, "linear_before_reset", 1);
  return node;
}

SondeGraphValue *
sonde_layers_recurrent (SondeLayers *layers, const char *name, SondeGraphValue *x,
                        SondeRecurrentKind kind, gint64 units, gboolean bidirectional,
                        SondeGraphValue **last)
{
  gint64 directions = bidirectional ? 2 : 1;
  SondeGraphValue *y;
  SondeNode *node;

  if (last != NULL)
    *last = NULL;
  if (!sonde_layers_begin_rank (layers, name, x, 3, 3))
    return NULL;
  if (units <= 0)
    return sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                                "it has %" PRIi64 " units.", units);
  sonde_layers_open (layers, name);
  x = sonde_layers_transpose (layers, "time-first", x, 3, (gint64[]){ 1, 0, 2 });
  node = x != NULL ? add_recurrent (layers, x, kind, units, directions) : NULL;
  y = sonde_layers_done (layers, node);
  /* Y is [T, directions, N, units], the last state [directions, N, units]. */
  y = y != NULL ? sonde_layers_transpose (layers, "batch-first", y, 4, (gint64[]){ 2, 0, 1, 3 })
                : NULL;
  y = y != NULL
          ? sonde_layers_reshape (layers, "join", y, 3, (gint64[]){ 0, 0, directions * units })
          : NULL;
  if (last != NULL && y != NULL)
    {
      *last = sonde_layers_transpose (layers, "last", sonde_node_get_output (node, 1), 3,
                                      (gint64[]){ 1, 0, 2 });
      *last = sonde_layers_reshape (layers, "last-join", *last, 2,
                                    (gint64[]){ 0, directions * units });
    }
  sonde_layers_close (layers);
  return y;
}

/* ---- attention ----------------------------------------------------------- */

/* Three parts of @size of @x along @axis. */
static gboolean
split (SondeLayers *layers, const char *name, SondeGraphValue *x, int axis, gint64 size,
       SondeGraphValue **parts)
{
  SondeGraphValue *inputs[2] = { x };
  SondeNode *node;

  sonde_layers_open (layers, name);
  inputs[1] = sonde_layers_ints (layers, "sizes", (gint64[]){ size, size, size }, 3);
  sonde_layers_close (layers);
  node = sonde_layers_add_node (layers, name, "Split", 2, inputs, 3);
  if (node == NULL)
    return FALSE;
  sonde_node_set_int (node, "axis", axis);
  parts[0] = sonde_layers_done (layers, node);
  parts[1] = sonde_node_get_output (node, 1);
  parts[2] = sonde_node_get_output (node, 2);
  return parts[0] != NULL;
}

/* Queries of @x, keys and values of @memory: one product where they are the same, else a third of
 * the weights each. */
static gboolean
project (SondeLayers *layers, SondeGraphValue *x, SondeGraphValue *memory, gint64 size,
         SondeGraphValue **projected)
{
  static const char *const names[] = { "query", "key", "value" };
  const SondeShape weight_shape = sonde_shape_make (2, 3 * size, size),
                   bias_shape = sonde_shape_make (1, 3 * size);
  SondeGraphValue *weight
      = sonde_layers_parameter (layers, "in_proj_weight", &weight_shape, "xavier-uniform", 0, 0);
  SondeGraphValue *bias
      = sonde_layers_parameter (layers, "in_proj_bias", &bias_shape, "zeros", 0, 0);
  SondeGraphValue *weights[3], *biases[3];

  if (bias == NULL)
    return FALSE;
  if (memory == NULL)
    {
      x = sonde_layers_apply_dense (layers, "in_proj", x, weight, bias);
      return x != NULL && split (layers, "split", x, -1, size, projected);
    }
  if (!split (layers, "split_weight", weight, 0, size, weights)
      || !split (layers, "split_bias", bias, 0, size, biases))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    projected[i]
        = sonde_layers_apply_dense (layers, names[i], i == 0 ? x : memory, weights[i], biases[i]);
  return projected[2] != NULL;
}

static SondeGraphValue *
attend (SondeLayers *layers, SondeGraphValue **projected, SondeGraphValue *mask, gint64 heads,
        gboolean is_causal)
{
  SondeGraphValue *inputs[4] = { projected[0], projected[1], projected[2], mask };
  SondeNode *node
      = sonde_layers_add_node (layers, "attention", "Attention", mask != NULL ? 4 : 3, inputs, 1);

  if (node == NULL)
    return NULL;
  sonde_node_set_int (node, "q_num_heads", heads);
  sonde_node_set_int (node, "kv_num_heads", heads);
  if (is_causal)
    sonde_node_set_int (node, "is_causal", 1);
  return sonde_layers_done (layers, node);
}

SondeGraphValue *
sonde_layers_attention (SondeLayers *layers, const char *name, SondeGraphValue *x,
                        SondeGraphValue *memory, gint64 heads, SondeGraphValue *mask,
                        gboolean is_causal)
{
  SondeGraphValue *projected[3], *y = NULL;
  gint64 size;

  if (!sonde_layers_begin_rank (layers, name, x, 3, 3)
      || (memory != NULL && !sonde_layers_begin_rank (layers, name, memory, 3, 3)))
    return NULL;
  size = sonde_layers_need_size (layers, name, x, 2);
  if (size == 0)
    return NULL;
  if (heads <= 0 || size % heads != 0)
    return sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                                "%" PRIi64 " heads cannot share a width of %" PRIi64 ".", heads,
                                size);
  sonde_layers_open (layers, name);
  if (project (layers, x, memory, size, projected))
    y = attend (layers, projected, mask, heads, is_causal);
  y = sonde_layers_dense (layers, "out_proj", y,
                          &(SondeDense){ .outputs = size, .bias_initialiser = "zeros" });
  sonde_layers_close (layers);
  return y;
}

/* ---- transformer --------------------------------------------------------- */

static SondeGraphValue *
feed_forward (SondeLayers *layers, SondeGraphValue *x, const SondeTransformerBlock *block,
              gint64 size)
{
  x = sonde_layers_dense (layers, "linear1", x, &(SondeDense){ .outputs = block->feed_forward });
  x = sonde_layers_activation (layers, "activation", x,
                               block->activation != NULL ? block->activation : "relu");
  if (block->dropout > 0)
    x = sonde_layers_dropout (layers, "dropout", x, block->dropout);
  return sonde_layers_dense (layers, "linear2", x, &(SondeDense){ .outputs = size });
}

/* @branch behind dropout, added to @x. */
static SondeGraphValue *
join (SondeLayers *layers, guint number, SondeGraphValue *x, SondeGraphValue *branch,
      const SondeTransformerBlock *block)
{
  g_autofree char *dropout = g_strdup_printf ("dropout%u", number),
                  *add = g_strdup_printf ("add%u", number);

  if (block->dropout > 0)
    branch = sonde_layers_dropout (layers, dropout, branch, block->dropout);
  return sonde_layers_add (layers, add, x, branch);
}

SondeGraphValue *
sonde_layers_transformer_block (SondeLayers *layers, const char *name, SondeGraphValue *x,
                                const SondeTransformerBlock *block)
{
  SondeGraphValue *y;
  gint64 size;

  if (!sonde_layers_begin_rank (layers, name, x, 3, 3))
    return NULL;
  size = sonde_layers_need_size (layers, name, x, 2);
  sonde_layers_open (layers, name);
  y = block->norm_first ? sonde_layers_layer_norm (layers, "norm1", x, -1) : x;
  y = sonde_layers_attention (layers, "self_attn", y, NULL, block->heads, NULL, FALSE);
  x = join (layers, 1, x, y, block);
  if (!block->norm_first)
    x = sonde_layers_layer_norm (layers, "norm1", x, -1);
  y = block->norm_first ? sonde_layers_layer_norm (layers, "norm2", x, -1) : x;
  x = join (layers, 2, x, feed_forward (layers, y, block, size), block);
  if (!block->norm_first)
    x = sonde_layers_layer_norm (layers, "norm2", x, -1);
  sonde_layers_close (layers);
  return x;
}
