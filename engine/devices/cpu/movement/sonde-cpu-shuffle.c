/* SPDX-License-Identifier: Apache-2.0
 * A shuffle of channels, which exporters write as Reshape, Transpose, Reshape: [N, C, …] as [N, G,
 * C/G, …], the two exchanged, and back. On channels-last memory it is one permutation, the same for
 * every pixel. Where the values between are wanted, they are views: the memory of the first one
 * with other strides. */
#include "engine/devices/cpu/movement/sonde-cpu-shuffle.h"

#include "engine/devices/cpu/sonde-cpu-fusion.h"

typedef struct
{
  SondeKernel base;
  gint64 rows, channels, groups;
} ShuffleKernel;

typedef struct
{
  const ShuffleKernel *kernel;
  const guint32 *x;
  guint32 *y;
} ShuffleCall;

/* @groups is a number that the compiler knows, so that it can interleave whole vectors. */
#define SHUFFLE(groups)                                                                            \
  SONDE_CPU_CLONES static void shuffle_##groups (gint64 width, const guint32 *restrict x,          \
                                                 guint32 *restrict y)                              \
  {                                                                                                \
    for (gint64 i = 0; i < width; i++)                                                             \
      for (int g = 0; g < groups; g++)                                                             \
        y[i * groups + g] = x[g * width + i];                                                      \
  }
SHUFFLE (2)
SHUFFLE (3)
SHUFFLE (4)
SHUFFLE (8)

static void
shuffle_any (gint64 width, gint64 groups, const guint32 *x, guint32 *y)
{
  for (gint64 i = 0; i < width; i++)
    for (gint64 g = 0; g < groups; g++)
      y[i * groups + g] = x[g * width + i];
}

static void
shuffle_range (gint64 begin, gint64 end, gpointer data)
{
  static void (*const loops[]) (gint64, const guint32 *, guint32 *)
      = { [2] = shuffle_2, [3] = shuffle_3, [4] = shuffle_4, [8] = shuffle_8 };
  const ShuffleCall *call = data;
  const ShuffleKernel *k = call->kernel;
  gint64 groups = k->groups, width = k->channels / groups;

  for (gint64 r = begin; r < end; r++)
    {
      const guint32 *x = call->x + r * k->channels;
      guint32 *y = call->y + r * k->channels;

      if (groups < (gint64) G_N_ELEMENTS (loops) && loops[groups] != NULL)
        loops[groups](width, x, y);
      else
        shuffle_any (width, groups, x, y);
    }
}

static gboolean
run_shuffle (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  const ShuffleKernel *k = (ShuffleKernel *) base;
  ShuffleCall call = { k, arguments->inputs[0], arguments->outputs[0] };

  sonde_cpu_for (device, k->rows, k->channels, shuffle_range, &call);
  return TRUE;
}

static gboolean
get_shape (const SondeNode *node, gboolean input, SondeShape *shape)
{
  const SondeGraphValue *value
      = input ? sonde_node_get_input (node, 0) : sonde_node_get_output (node, 0);

  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR
         && sonde_type_get_shape (&value->type, shape);
}

/* [N, C, spatial…] → [N, G, C/G, …]; what the spatial dimensions become is all one. */
static gboolean
splits_channels (const SondeShape *whole, const SondeShape *split)
{
  return whole->rank >= 3 && whole->rank <= 5 && split->rank >= 3
         && split->dims[0] == whole->dims[0] && split->dims[1] * split->dims[2] == whole->dims[1];
}

static gboolean
read_shuffle (SondeNode *const *nodes, guint n_nodes, SondeShape *shape, gint64 *groups)
{
  SondeShape split, result;
  const gint64 *permutation;
  gsize n;

  if (n_nodes != 3 || !sonde_node_is (nodes[0], SONDE_OP_ID_RESHAPE)
      || !sonde_node_is (nodes[1], SONDE_OP_ID_TRANSPOSE)
      || !sonde_node_is (nodes[2], SONDE_OP_ID_RESHAPE)
      || sonde_node_get_input (nodes[1], 0) != sonde_node_get_output (nodes[0], 0)
      || sonde_node_get_input (nodes[2], 0) != sonde_node_get_output (nodes[1], 0)
      || !get_shape (nodes[0], TRUE, shape) || !get_shape (nodes[0], FALSE, &split)
      || !get_shape (nodes[2], FALSE, &result) || !sonde_shape_equal (shape, &result)
      || sonde_shape_n_elements (shape) <= 0 || !splits_channels (shape, &split))
    return FALSE;

  permutation = sonde_node_get_ints (nodes[1], "perm", &n);
  if (permutation == NULL || n != (gsize) split.rank || permutation[1] != 2 || permutation[2] != 1)
    return FALSE;

  for (int i = 0; i < split.rank; i++)
    if (i != 1 && i != 2 && permutation[i] != i)
      return FALSE;

  *groups = split.dims[1];
  return sonde_dtype_size (sonde_node_get_input (nodes[0], 0)->type.dtype) == sizeof (guint32);
}

static gboolean
match_shuffle (SondeNode *const *nodes, guint n_nodes)
{
  SondeShape shape;
  gint64 groups;

  return read_shuffle (nodes, n_nodes, &shape, &groups);
}

/* Input 0 lies channels-last, perhaps by another name. */
static SondeKernel *
answer (SondeCpuDevice *device, SondePrepareRequest *request, const SondeShape *shape,
        gint64 groups)
{
  ShuffleKernel *kernel = g_new0 (ShuffleKernel, 1);

  kernel->base.run = run_shuffle;
  kernel->channels = shape->dims[1];
  kernel->rows = sonde_shape_n_elements (shape) / shape->dims[1];
  kernel->groups = groups;
  for (guint i = 1; i < request->n_inputs; i++)
    sonde_cpu_want_plain (device, request, i);
  sonde_cpu_give_channels_last (request, 0);
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "channels-last";
  return &kernel->base;
}

static SondeKernel *
prepare_fused_shuffle (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeShape shape;
  gint64 groups;

  /* Where the value lies plain, moving whole planes is as good and needs no reorder. */
  if (request->plain_layouts || request->n_outputs != 1
      || !read_shuffle (request->nodes, request->n_nodes, &shape, &groups)
      || sonde_cpu_find_input (request, 0, 0) != 0 || !sonde_cpu_lies_channels_last (request, 0))
    return NULL;

  return answer (device, request, &shape, groups);
}

/* ---- views --------------------------------------------------------------- */

static SondeNode *
only_reader (const SondeGraphValue *value)
{
  return value != NULL && value->users->len == 1
                 && (value->captures == NULL || value->captures->len == 0)
                 && value->update_of == NULL
             ? g_ptr_array_index (value->users, 0)
             : NULL;
}

/* The shuffle of float32 that @node is number @index of. */
static gboolean
find_shuffle (const SondeNode *node, guint index, SondeShape *shape, gint64 *groups)
{
  SondeNode *nodes[3] = { NULL };

  nodes[index] = (SondeNode *) node;
  for (guint i = index; i > 0; i--)
    {
      const SondeGraphValue *value = sonde_node_get_input (nodes[i], 0);

      if (value == NULL || value->producer == NULL)
        return FALSE;
      nodes[i - 1] = value->producer;
    }
  for (guint i = 0; i < 2; i++)
    {
      SondeNode *reader = only_reader (sonde_node_get_output (nodes[i], 0));

      if (reader == NULL || (nodes[i + 1] != NULL && nodes[i + 1] != reader))
        return FALSE;
      nodes[i + 1] = reader;
    }

  return read_shuffle (nodes, 3, shape, groups)
         && sonde_node_get_input (nodes[0], 0)->type.dtype == SONDE_DTYPE_F32;
}

/* How a value of [N, G, C/G, …] lies that is one of [N, C, …], channels-last; @turned: of [N, C/G,
 * G, …]. */
static SondeLayout *
describe_view (const SondeGraphValue *value, gint64 groups, gboolean turned)
{
  SondeShape shape;
  gint64 strides[SONDE_MAX_RANK], channels, pixels = 1;

  if (!sonde_type_get_shape (&value->type, &shape) || shape.rank < 3 || shape.rank > 5)
    return NULL;

  channels = shape.dims[1] * shape.dims[2];
  strides[1] = turned ? 1 : channels / groups;
  strides[2] = turned ? channels / groups : 1;
  for (int i = shape.rank - 1; i > 2; i--)
    {
      strides[i] = pixels * channels;
      pixels *= shape.dims[i];
    }
  strides[0] = pixels * channels;
  return sonde_dnnl_strided (SONDE_DTYPE_F32, &shape, strides);
}

static gboolean
lies_turned (const SondeNode *last, const SondeLayout *layout, gint64 groups)
{
  SondeLayout *turned = describe_view (sonde_node_get_input (last, 0), groups, TRUE);
  gboolean equal = turned != NULL && sonde_layout_equal (turned, layout);

  sonde_layout_unref (turned);
  return equal;
}

SondeLayout *
sonde_cpu_find_view (const SondeNode *node, const SondeLayout *from)
{
  SondeLayout *split, *result = NULL;
  SondeShape shape;
  gint64 groups;

  if (from == NULL)
    return NULL;
  if (from->channels_last)
    return find_shuffle (node, 0, &shape, &groups)
               ? describe_view (sonde_node_get_output (node, 0), groups, FALSE)
               : NULL;
  if (!find_shuffle (node, 1, &shape, &groups))
    return NULL;

  split = describe_view (sonde_node_get_input (node, 0), groups, FALSE);
  if (split != NULL && sonde_layout_equal (split, from))
    result = describe_view (sonde_node_get_output (node, 0), groups, TRUE);
  sonde_layout_unref (split);
  return result;
}

/* The last Reshape, where the values before it are views. */
static SondeKernel *
prepare_last (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeShape shape;
  gint64 groups;

  return !request->plain_layouts && request->n_outputs == 1 && request->input_layouts[0] != NULL
                 && find_shuffle (request->nodes[0], 2, &shape, &groups)
                 && lies_turned (request->nodes[0], request->input_layouts[0], groups)
             ? answer (device, request, &shape, groups)
             : NULL;
}

const SondeCpuRow sonde_cpu_shuffle_rows[] = {
  { "", "Reshape", prepare_last },
  { NULL, NULL, NULL },
};

const SondeCpuFusion sonde_cpu_shuffle_fusion = {
  .match = match_shuffle,
  .prepare = prepare_fused_shuffle,
};
