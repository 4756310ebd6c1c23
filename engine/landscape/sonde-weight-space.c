/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/landscape/sonde-weight-space.h"

#include <string.h>

#include "engine/ops/sonde-engine-error.h"
#include "engine/ops/sonde-op.h"

/* Where the outputs of an operator stand among the dimensions of a weight of it. */
typedef enum
{
  FIRST,
  SECOND,
  LAST,
  FIRST_TWO, /* directions and gates of a recurrent cell */
  NONE,      /* it is no weight */
} FilterDimension;

static FilterDimension
of_gemm (const SondeNode *node, guint input)
{
  gboolean turned = sonde_node_get_int (node, input == 0 ? "transA" : "transB", 0) != 0;

  if (input > 1)
    return NONE;
  return (input == 1) == turned ? FIRST : LAST;
}

static FilterDimension
of_use (const SondeNode *node, guint input)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  switch (klass != NULL ? klass->id : SONDE_OP_ID_NONE)
    {
    case SONDE_OP_ID_GEMM:
      return of_gemm (node, input);
    case SONDE_OP_ID_MATMUL:
      return input == 0 ? FIRST : LAST;
    case SONDE_OP_ID_CONV_TRANSPOSE:
      return SECOND;
    case SONDE_OP_ID_LSTM:
    case SONDE_OP_ID_GRU:
    case SONDE_OP_ID_RNN:
      return input == 1 || input == 2 ? FIRST_TWO : NONE;
    default:
      return klass != NULL && (klass->flags & SONDE_OP_ELEMENTWISE) != 0 ? NONE : FIRST;
    }
}

/* Of the first node that reads @value, past casts. */
static FilterDimension
find_dimension (const SondeGraphValue *value)
{
  const SondeNode *node = value->users->len > 0 ? g_ptr_array_index (value->users, 0) : NULL;

  if (node == NULL)
    return FIRST;
  if (sonde_node_is (node, SONDE_OP_ID_CAST) || sonde_node_is (node, SONDE_OP_ID_IDENTITY))
    return find_dimension (sonde_node_get_output (node, 0));
  for (guint i = 0; i < node->inputs->len; i++)
    if (g_ptr_array_index (node->inputs, i) == value)
      return of_use (node, i);
  return FIRST;
}

static gsize
product (const SondeShape *shape, int from, int to)
{
  gsize n = 1;

  for (int i = from; i < to; i++)
    n *= (gsize) shape->dims[i];
  return n;
}

static void
split (SondeWeightBlock *block, FilterDimension dimension)
{
  const SondeShape *shape = &block->shape;
  int first = dimension == SECOND ? 1 : dimension == LAST ? shape->rank - 1 : 0;
  int behind = first + (dimension == FIRST_TWO ? 2 : 1);

  block->is_plain = shape->rank < 2 || dimension == NONE || block->n == 0;
  if (block->is_plain)
    return;
  block->outer = product (shape, 0, first);
  block->filters = product (shape, first, MIN (behind, shape->rank));
  block->inner = product (shape, MIN (behind, shape->rank), shape->rank);
}

SondeWeightSpace *
sonde_weight_space_new (const GPtrArray *parameters)
{
  SondeWeightSpace *space = g_new0 (SondeWeightSpace, 1);

  space->blocks = g_new0 (SondeWeightBlock, MAX (parameters->len, 1));
  for (guint i = 0; i < parameters->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (parameters, i);
      SondeTensor *tensor = sonde_value_get_tensor (value->constant);
      SondeWeightBlock *block = &space->blocks[space->n_blocks++];

      block->name = g_strdup (value->name);
      block->dtype = tensor->dtype;
      block->shape = tensor->shape;
      block->first = space->n;
      block->n = (gsize) sonde_tensor_n_elements (tensor);
      split (block, find_dimension (value));
      space->n += block->n;
    }
  return space;
}

void
sonde_weight_space_free (SondeWeightSpace *space)
{
  if (space == NULL)
    return;
  for (guint i = 0; i < space->n_blocks; i++)
    g_free (space->blocks[i].name);
  g_free (space->blocks);
  g_free (space);
}

gboolean
sonde_weight_space_collect (const SondeWeightSpace *space, const SondeGraph *model, float *vector,
                            GError **error)
{
  for (guint i = 0; i < space->n_blocks; i++)
    {
      const SondeWeightBlock *block = &space->blocks[i];
      const SondeGraphValue *value = sonde_graph_find_value (model, block->name);
      SondeTensor *tensor = value != NULL && value->constant != NULL
                                ? sonde_value_get_tensor (value->constant)
                                : NULL;
      g_autoptr (SondeTensor) plain = NULL;

      if (tensor == NULL || !sonde_shape_equal (&tensor->shape, &block->shape))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR,
                           tensor == NULL ? SONDE_ENGINE_ERROR_NOT_FOUND : SONDE_ENGINE_ERROR_SHAPE,
                           "The parameter “%s” is missing or has another shape.", block->name);
          return FALSE;
        }
      plain = sonde_tensor_cast (tensor, SONDE_DTYPE_F32);
      memcpy (vector + block->first, plain->data, block->n * sizeof (float));
    }
  return TRUE;
}
