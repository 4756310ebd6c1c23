/* SPDX-License-Identifier: Apache-2.0
 * Element-wise nodes and normalisations behind each other as one kernel that leaves every result.
 * Values are seen as [rows, width]; the loops, and so the bits, are those of the nodes alone. */
#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"
#include "engine/devices/cpu/sonde-cpu-fusion.h"

/* Elements of a value that would drive others out of the cache. */
#define LARGE 32768

/* ---- what is a chain ----------------------------------------------------- */

static gboolean
has_shape (const SondeGraphValue *value, const SondeShape *shape)
{
  SondeShape own;

  return value != NULL && value->type.dtype == SONDE_DTYPE_F32
         && sonde_type_get_shape (&value->type, &own) && sonde_shape_equal (&own, shape);
}

static gboolean
is_one (const SondeGraphValue *value)
{
  SondeShape own;

  return value != NULL && value->type.dtype == SONDE_DTYPE_F32
         && sonde_type_get_shape (&value->type, &own) && sonde_shape_n_elements (&own) == 1;
}

static gboolean
is_link (const SondeNode *node, const SondeShape *shape)
{
  const SondeGraphValue *a = sonde_node_get_input (node, 0), *b = sonde_node_get_input (node, 1);
  SondeCpuUnary unary;

  if (!has_shape (sonde_node_get_output (node, 0), shape))
    return FALSE;
  if (sonde_cpu_is_plain_normalisation (node))
    return shape->rank >= 3 && shape->rank <= 5 && has_shape (a, shape);
  if (sonde_cpu_find_unary (node, &unary))
    return has_shape (a, shape)
           && (!unary.clip
               || ((b == NULL || is_one (b))
                   && (sonde_node_get_input (node, 2) == NULL
                       || is_one (sonde_node_get_input (node, 2)))));

  return sonde_cpu_find_binary (node) != NULL && a->type.dtype == SONDE_DTYPE_F32
         && b->type.dtype == SONDE_DTYPE_F32 && (has_shape (a, shape) || has_shape (b, shape));
}

gboolean
sonde_cpu_can_chain (SondeNode *const *nodes, guint n_nodes)
{
  const SondeGraphValue *value = sonde_node_get_output (nodes[0], 0);
  SondeShape shape;

  if (n_nodes > SONDE_CPU_MOST_LINKS || value == NULL
      || !sonde_type_get_shape (&value->type, &shape) || shape.rank < 1
      || sonde_shape_n_elements (&shape) <= 0)
    return FALSE;

  for (guint i = 0; i < n_nodes; i++)
    {
      for (guint k = 1; k < nodes[i]->outputs->len; k++)
        if (sonde_node_get_output (nodes[i], k) != NULL)
          return FALSE;
      if (!is_link (nodes[i], &shape))
        return FALSE;
    }
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

static int
find_link (const SondePrepareRequest *request, guint before, const SondeGraphValue *value)
{
  for (guint i = 0; i < before; i++)
    if (sonde_node_get_output (request->nodes[i], 0) == value)
      return (int) i;

  return -1;
}

static int
find_output (const SondePrepareRequest *request, const SondeGraphValue *value)
{
  for (guint i = 0; i < request->n_outputs; i++)
    if (request->outputs[i] == value)
      return (int) i;

  return -1;
}

/* Channels-last where a normalisation wants that or a whole operand lies so. Returns the axis whose
 * elements follow each other. */
static int
agree_on_layout (SondeCpuDevice *device, SondePrepareRequest *request, const SondeShape *shape)
{
  gboolean last = FALSE;

  for (guint i = 0; i < request->n_nodes; i++)
    last = last || sonde_node_is (request->nodes[i], SONDE_OP_ID_BATCH_NORMALIZATION);
  for (guint i = 0; i < request->n_inputs; i++)
    last = last
           || (has_shape (request->inputs[i], shape) && request->input_layouts[i] != NULL
               && request->input_layouts[i]->channels_last);

  for (guint i = 0; i < request->n_inputs; i++)
    if (last && has_shape (request->inputs[i], shape))
      sonde_cpu_want_channels_last (device, request, i);
    else
      sonde_cpu_want_plain (device, request, i);
  for (guint i = 0; i < request->n_outputs && last; i++)
    sonde_cpu_give_channels_last (request, i);
  return last ? 1 : shape->rank - 1;
}

/* An outer operand as rows. FALSE: it is none. */
static gboolean
read_operand (const SondeShape *shape, const SondeShape *own, int axis, SondeCpuOperand *operand)
{
  gboolean row = TRUE, column = TRUE, full = own->rank == shape->rank;

  if (own->rank > shape->rank)
    return FALSE;

  for (int i = 0; i < shape->rank; i++)
    {
      int from = i - (shape->rank - own->rank);
      gint64 size = from >= 0 ? own->dims[from] : 1;

      full = full && size == shape->dims[i];
      row = row && size == (i == axis ? shape->dims[i] : 1);
      column = column && size == (i == axis ? 1 : shape->dims[i]);
    }

  operand->row = full ? shape->dims[axis] : column ? 1 : 0;
  operand->step = full || row;
  return full || row || column || sonde_shape_n_elements (own) == 1;
}

static gboolean
fill_operand (const SondePrepareRequest *request, const SondeShape *shape, int axis, guint index,
              guint k, SondeCpuLink *link)
{
  const SondeGraphValue *value = sonde_node_get_input (request->nodes[index], k);
  SondeCpuOperand *operand = &link->operands[k];
  SondeShape own;

  operand->link = find_link (request, index, value);
  operand->input = sonde_cpu_find_value (request, value);
  if (operand->link < 0 && operand->input < 0)
    return FALSE;

  sonde_type_get_shape (&value->type, &own);
  if (!read_operand (shape, &own, axis, operand))
    return FALSE;

  link->by_row = link->by_row || (operand->row != 0) != (operand->step != 0);
  link->grid.rows[k] = operand->row;
  link->grid.steps[k] = operand->step;
  return TRUE;
}

/* Every reader of @value is one of the nodes. */
static gboolean
is_read_inside (const SondePrepareRequest *request, const SondeGraphValue *value)
{
  for (guint k = 0; k < value->users->len; k++)
    {
      gboolean inside = FALSE;

      for (guint i = 0; i < request->n_nodes; i++)
        inside = inside || request->nodes[i] == g_ptr_array_index (value->users, k);
      if (!inside)
        return FALSE;
    }

  return TRUE;
}

static gboolean
fill_link (const SondePrepareRequest *request, const SondeShape *shape, int axis, guint index,
           gsize *floats, SondeCpuLink *link)
{
  const SondeNode *node = request->nodes[index];
  guint n = 1;

  link->output = find_output (request, sonde_node_get_output (node, 0));
  link->streams = link->output >= 0 && sonde_shape_n_elements (shape) >= LARGE
                  && is_read_inside (request, sonde_node_get_output (node, 0));
  link->limits[0] = link->limits[1] = -1;
  link->affine = sonde_node_is (node, SONDE_OP_ID_BATCH_NORMALIZATION);
  if (link->affine)
    {
      link->epsilon = sonde_node_get_float (node, "epsilon", 1e-5);
      link->factors = *floats;
      *floats += 2 * (gsize) shape->dims[axis];
      for (guint i = 0; i < 4; i++)
        if ((link->scale[i] = sonde_cpu_find_input (request, index, i + 1)) < 0)
          return FALSE;
    }
  else if (sonde_cpu_find_unary (node, &link->unary))
    {
      for (guint i = 0; i < 2 && link->unary.clip; i++)
        if (sonde_node_get_input (node, i + 1) != NULL
            && (link->limits[i] = sonde_cpu_find_input (request, index, i + 1)) < 0)
          return FALSE;
    }
  else
    {
      link->block = sonde_cpu_find_binary (node);
      link->grid.rows[2] = shape->dims[axis];
      link->grid.steps[2] = 1;
      n = 2;
    }

  for (guint k = 0; k < n; k++)
    if (!fill_operand (request, shape, axis, index, k, link))
      return FALSE;
  return TRUE;
}

/* Of the outputs that are read outside the last one may lie where an operand lies that no later
 * link reads: parts of both are the same elements. */
static void
offer_memory (const SondeCpuChain *kernel, SondePrepareRequest *request, const SondeShape *shape)
{
  guint writer = 0;

  request->in_place = FALSE;
  for (guint i = 0; i < kernel->n_links; i++)
    if (kernel->links[i].output >= 0 && !kernel->links[i].streams)
      {
        request->in_place = TRUE;
        request->in_place_output = (guint) kernel->links[i].output;
        writer = i;
      }

  request->in_place_inputs = 0;
  for (guint k = 0; k < MIN (request->n_inputs, 64); k++)
    request->in_place_inputs |= (guint64) has_shape (request->inputs[k], shape) << k;
  for (guint i = writer + 1; i < kernel->n_links; i++)
    for (guint k = 0; k < 2; k++)
      if (kernel->links[i].operands[k].link < 0 && kernel->links[i].operands[k].input < 64)
        request->in_place_inputs &= ~((guint64) 1 << kernel->links[i].operands[k].input);
}

static gint64
link_cost (const SondeCpuLink *link)
{
  return link->block != NULL || link->affine ? 1 : link->unary.cost;
}

SondeKernel *
sonde_cpu_prepare_chain (SondeCpuDevice *device, SondePrepareRequest *request)
{
  const SondeGraphValue *value = sonde_node_get_output (request->nodes[0], 0);
  g_autofree SondeCpuChain *kernel
      = g_malloc0 (sizeof (SondeCpuChain) + request->n_nodes * sizeof (SondeCpuLink));
  gsize floats = 0;
  SondeShape shape;
  int axis;

  sonde_type_get_shape (&value->type, &shape);
  if (request->plain_layouts)
    return NULL;

  axis = agree_on_layout (device, request, &shape);
  for (guint i = 0; i < request->n_nodes; i++)
    {
      if (!fill_link (request, &shape, axis, i, &floats, &kernel->links[i]))
        return NULL;
      kernel->n_parts += kernel->links[i].output < 0 || kernel->links[i].streams;
      kernel->cost += link_cost (&kernel->links[i]);
    }

  kernel->base.run = sonde_cpu_run_chain;
  kernel->n_links = request->n_nodes;
  kernel->width = shape.dims[axis];
  kernel->rows = sonde_shape_n_elements (&shape) / kernel->width;
  offer_memory (kernel, request, &shape);
  request->workspace_bytes = floats * sizeof (float);
  request->implementation = "chain";
  return (SondeKernel *) g_steal_pointer (&kernel);
}
