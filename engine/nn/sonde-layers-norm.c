/* SPDX-License-Identifier: Apache-2.0
 * Normalisation and dropout, and their forms for inference. */
#include "engine/nn/sonde-layers-private.h"

#define EPSILON 1e-5
#define KEEP_RUNNING 0.9 /* PyTorch's momentum 0.1: of the batch */

/* Parameters [dims from @axis, @n of them] weight of ones and bias of zeros; bias NULL: none is
 * wanted. */
static void
add_scale (SondeLayers *layers, const char *name, const SondeShape *shape, SondeGraphValue **weight,
           SondeGraphValue **bias)
{
  sonde_layers_open (layers, name);
  *weight = sonde_layers_parameter (layers, "weight", shape, "ones", 0, 0);
  if (bias != NULL)
    *bias = sonde_layers_parameter (layers, "bias", shape, "zeros", 0, 0);
  sonde_layers_close (layers);
}

/* [C] of an input [N, C, …]; FALSE with the problem kept. */
static gboolean
begin_channels (SondeLayers *layers, const char *name, SondeGraphValue *x, int least,
                SondeShape *shape)
{
  if (!sonde_layers_begin_rank (layers, name, x, least, SONDE_MAX_RANK))
    return FALSE;
  *shape = sonde_shape_make (1, sonde_layers_need_size (layers, name, x, 1));
  return layers->error == NULL;
}

SondeGraphValue *
sonde_layers_batch_norm (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  SondeGraphValue *inputs[5] = { x };
  SondeShape shape;
  SondeNode *node;

  if (!begin_channels (layers, name, x, 2, &shape))
    return NULL;
  add_scale (layers, name, &shape, &inputs[1], &inputs[2]);
  sonde_layers_open (layers, name);
  inputs[3] = sonde_layers_buffer (layers, "running_mean", &shape, 0);
  inputs[4] = sonde_layers_buffer (layers, "running_var", &shape, 1);
  sonde_layers_close (layers);
  node = sonde_layers_add_node (layers, name, "BatchNormalization", 5, inputs, 3);
  if (node == NULL)
    return NULL;
  sonde_node_set_float (node, "epsilon", EPSILON);
  sonde_node_set_float (node, "momentum", KEEP_RUNNING);
  sonde_node_set_int (node, "training_mode", 1);
  return sonde_layers_done (layers, node);
}

SondeGraphValue *
sonde_layers_layer_norm (SondeLayers *layers, const char *name, SondeGraphValue *x, int axis)
{
  SondeGraphValue *inputs[3] = { x };
  SondeShape shape = { 0 };
  SondeNode *node;
  int first;

  if (!sonde_layers_begin_rank (layers, name, x, 1, SONDE_MAX_RANK))
    return NULL;
  first = axis < 0 ? axis + x->type.rank : axis;
  if (first < 0 || first >= x->type.rank)
    return sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                                "its input “%s” has no axis %d.", x->name, axis);
  for (int d = first; d < x->type.rank; d++)
    shape.dims[shape.rank++] = sonde_layers_need_size (layers, name, x, d);
  add_scale (layers, name, &shape, &inputs[1], &inputs[2]);
  node = sonde_layers_add_node (layers, name, "LayerNormalization", 3, inputs, 1);
  if (node == NULL)
    return NULL;
  sonde_node_set_int (node, "axis", axis);
  sonde_node_set_float (node, "epsilon", EPSILON);
  return sonde_layers_done (layers, node);
}

SondeGraphValue *
sonde_layers_rms_norm (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  SondeGraphValue *inputs[2] = { x };
  SondeShape shape;
  SondeNode *node;

  if (!sonde_layers_begin_rank (layers, name, x, 1, SONDE_MAX_RANK))
    return NULL;
  shape = sonde_shape_make (1, sonde_layers_need_size (layers, name, x, -1));
  add_scale (layers, name, &shape, &inputs[1], NULL);
  node = sonde_layers_add_node (layers, name, "RMSNormalization", 2, inputs, 1);
  if (node == NULL)
    return NULL;
  sonde_node_set_float (node, "epsilon", EPSILON);
  return sonde_layers_done (layers, node);
}

SondeGraphValue *
sonde_layers_group_norm (SondeLayers *layers, const char *name, SondeGraphValue *x, gint64 groups)
{
  SondeGraphValue *inputs[3] = { x };
  SondeShape shape;
  SondeNode *node;

  if (!begin_channels (layers, name, x, 3, &shape))
    return NULL;
  if (groups <= 0 || shape.dims[0] % groups != 0)
    return sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                                "%" PRIi64 " channels cannot be divided into %" PRIi64
                                " groups of equal size.",
                                shape.dims[0], groups);
  add_scale (layers, name, &shape, &inputs[1], &inputs[2]);
  node = sonde_layers_add_node (layers, name, "GroupNormalization", 3, inputs, 1);
  if (node == NULL)
    return NULL;
  sonde_node_set_int (node, "num_groups", groups);
  sonde_node_set_float (node, "epsilon", EPSILON);
  return sonde_layers_done (layers, node);
}

SondeGraphValue *
sonde_layers_instance_norm (SondeLayers *layers, const char *name, SondeGraphValue *x)
{
  SondeGraphValue *inputs[3] = { x };
  SondeShape shape;
  SondeNode *node;

  if (!begin_channels (layers, name, x, 3, &shape))
    return NULL;
  add_scale (layers, name, &shape, &inputs[1], &inputs[2]);
  node = sonde_layers_add_node (layers, name, "InstanceNormalization", 3, inputs, 1);
  if (node == NULL)
    return NULL;
  sonde_node_set_float (node, "epsilon", EPSILON);
  return sonde_layers_done (layers, node);
}

SondeGraphValue *
sonde_layers_dropout (SondeLayers *layers, const char *name, SondeGraphValue *x, double ratio)
{
  SondeGraphValue *inputs[3] = { x };

  if (!sonde_layers_begin (layers, name, x))
    return NULL;
  if (!(ratio >= 0 && ratio < 1))
    return sonde_layers_refuse (layers, name, SONDE_ENGINE_ERROR_INVALID,
                                "the dropout ratio is %g, but must be at least 0 and less than 1.",
                                ratio);
  sonde_layers_open (layers, name);
  inputs[1] = sonde_layers_scalar (layers, "ratio", SONDE_DTYPE_F32, ratio);
  inputs[2] = sonde_layers_scalar (layers, "training_mode", SONDE_DTYPE_BOOL, 1);
  sonde_layers_close (layers);
  return sonde_layers_done (layers, sonde_layers_add_node (layers, name, "Dropout", 3, inputs, 1));
}

/* ---- for inference ------------------------------------------------------- */

/* Unused values without producer go; a constant that others read stays. */
static void
drop_value (SondeGraph *graph, SondeGraphValue *value)
{
  if (value->users->len == 0 && (value->captures == NULL || value->captures->len == 0)
      && !g_ptr_array_find (graph->outputs, value, NULL)
      && !g_ptr_array_find (graph->inputs, value, NULL))
    sonde_graph_remove_value (graph, value);
}

static void
quieten_batch_norm (SondeGraph *graph, SondeNode *node)
{
  for (guint k = 1; k < node->outputs->len; k++)
    {
      SondeGraphValue *next = sonde_node_get_output (node, k);

      if (next == NULL)
        continue;
      /* 1 and 3 are means, 2 and 4 variances. */
      sonde_graph_replace_value (graph, next, sonde_node_get_input (node, k % 2 == 1 ? 3 : 4));
      sonde_node_set_output (graph, node, k, NULL);
      drop_value (graph, next);
    }
  g_ptr_array_set_size (node->outputs, 1);
  (void) sonde_node_remove_attribute (node, "training_mode");
}

static void
quieten_dropout (SondeGraph *graph, SondeNode *node)
{
  SondeGraphValue *training = sonde_node_get_input (node, 2);

  if (training == NULL)
    return;
  sonde_node_set_input (graph, node, 2, NULL);
  g_ptr_array_set_size (node->inputs, 2);
  if (training->producer == NULL)
    drop_value (graph, training);
}

static void
add_bodies (GPtrArray *graphs, SondeNode *node)
{
  for (guint i = 0; i < node->attributes->len; i++)
    {
      SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        g_ptr_array_add (graphs, attribute->u.graph);
      for (gsize k = 0; attribute->kind == SONDE_ATTRIBUTE_GRAPHS && k < attribute->n; k++)
        g_ptr_array_add (graphs, attribute->u.graphs[k]);
    }
}

void
sonde_layers_for_inference (SondeGraph *graph)
{
  g_autoptr (GPtrArray) graphs = g_ptr_array_new ();

  g_ptr_array_add (graphs, graph);
  for (guint g = 0; g < graphs->len; g++)
    {
      SondeGraph *body = g_ptr_array_index (graphs, g);

      for (guint i = 0; i < body->nodes->len; i++)
        {
          SondeNode *node = g_ptr_array_index (body->nodes, i);

          if (node == NULL)
            continue;
          if (sonde_node_is (node, SONDE_OP_ID_BATCH_NORMALIZATION)
              && sonde_node_get_int (node, "training_mode", 0) != 0)
            quieten_batch_norm (body, node);
          else if (sonde_node_is (node, SONDE_OP_ID_DROPOUT))
            quieten_dropout (body, node);
          add_bodies (graphs, node);
        }
    }
}
