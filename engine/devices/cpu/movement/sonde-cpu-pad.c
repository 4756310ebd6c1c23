/* SPDX-License-Identifier: Apache-2.0
 * Pad in all modes: each dimension has a map from places of the result to places of the input, rows
 * are copied around the part that is dense in both. Channels-last memory is read as it lies. */
#include "engine/devices/cpu/movement/sonde-cpu-copy.h"

#include <string.h>

typedef enum
{
  PAD_CONSTANT,
  PAD_EDGE,
  PAD_REFLECT,
  PAD_WRAP,
} PadMode;

/**
 * PadKernel: dimensions as they lie, channels last or not
 * @maps: by dimension and place of the result: the place of the input, −1 is outside
 * @first, @run: of the last dimension: the first place that is @run places of the input, one after
 * the other
 * @value_input: index of the input with the constant, −1: zero
 */
typedef struct
{
  SondeKernel base;
  int rank;
  gint64 in[SONDE_MAX_RANK], out[SONDE_MAX_RANK], strides[SONDE_MAX_RANK];
  gint64 *maps[SONDE_MAX_RANK];
  gint64 rows, first, run;
  gsize size;
  gint64 value_input;
} PadKernel;

typedef struct
{
  const PadKernel *kernel;
  const guint8 *x;
  guint8 *y;
  guint64 value; /* an element's bytes come first */
} PadCall;

static inline void
put (gsize size, guint8 *to, const guint8 *from)
{
  if (size == 4)
    memcpy (to, from, 4);
  else if (size == 8)
    memcpy (to, from, 8);
  else
    memcpy (to, from, size);
}

/* @x: the input's row, NULL: all of the row is outside */
static void
pad_row (const PadCall *call, const guint8 *x, guint8 *y)
{
  const PadKernel *kernel = call->kernel;
  const gint64 n = kernel->out[kernel->rank - 1];
  const gint64 *map = kernel->maps[kernel->rank - 1];
  const guint8 *value = (const guint8 *) &call->value;
  const gint64 size = (gint64) kernel->size;

  for (gint64 i = 0; i < n; i++)
    {
      if (x != NULL && i == kernel->first && kernel->run > 0)
        {
          memcpy (y + i * size, x + map[i] * size, (gsize) (kernel->run * size));
          i += kernel->run - 1;
          continue;
        }
      put (kernel->size, y + i * size, x != NULL && map[i] >= 0 ? x + map[i] * size : value);
    }
}

static void
pad_range (gint64 begin, gint64 end, gpointer data)
{
  const PadCall *call = data;
  const PadKernel *kernel = call->kernel;
  const int last = kernel->rank - 1;

  for (gint64 row = begin; row < end; row++)
    {
      gint64 rest = row, offset = 0;
      gboolean inside = TRUE;

      for (int d = last - 1; d >= 0; d--)
        {
          gint64 place = kernel->maps[d][rest % kernel->out[d]];

          rest /= kernel->out[d];
          inside = inside && place >= 0;
          offset += place * kernel->strides[d];
        }

      pad_row (call, inside ? call->x + offset * (gint64) kernel->size : NULL,
               call->y + row * kernel->out[last] * (gint64) kernel->size);
    }
}

static gboolean
run_pad (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
         GError **error)
{
  const PadKernel *kernel = (PadKernel *) base;
  PadCall call = { kernel, arguments->inputs[0], arguments->outputs[0], 0 };

  if (kernel->value_input >= 0)
    memcpy (&call.value, arguments->inputs[kernel->value_input], kernel->size);
  sonde_cpu_for (device, kernel->rows, kernel->out[kernel->rank - 1], pad_range, &call);
  return TRUE;
}

static void
free_pad (SondeKernel *base)
{
  PadKernel *kernel = (PadKernel *) base;

  for (int d = 0; d < kernel->rank; d++)
    g_free (kernel->maps[d]);
  g_free (kernel);
}

/* ---- preparing ----------------------------------------------------------- */

static gint64
map_place (PadMode mode, gint64 place, gint64 size)
{
  if (place >= 0 && place < size)
    return place;
  if (mode == PAD_CONSTANT)
    return -1;
  if (mode == PAD_EDGE)
    return CLAMP (place, 0, size - 1);
  if (mode == PAD_WRAP)
    return (place % size + size) % size;
  return size == 1 ? 0 : place < 0 ? -place : 2 * size - 2 - place;
}

static gboolean
read_mode (const SondeNode *node, PadMode *mode)
{
  static const char *const names[] = { "constant", "edge", "reflect", "wrap" };
  const char *name = sonde_node_get_string (node, "mode", "constant");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      {
        *mode = (PadMode) i;
        return TRUE;
      }

  return FALSE;
}

/* Elements before each dimension; FALSE: not constant. */
static gboolean
read_pads (const SondePrepareRequest *request, int rank, gint64 *before)
{
  const SondeGraphValue *pads = sonde_cpu_has_input (request, 1) ? request->inputs[1] : NULL;
  const SondeGraphValue *axes = sonde_cpu_has_input (request, 3) ? request->inputs[3] : NULL;
  SondeTensor *list, *places = NULL;
  gint64 n;

  if (pads == NULL || pads->constant == NULL || pads->role != SONDE_ROLE_CONSTANT
      || (axes != NULL && (axes->constant == NULL || axes->role != SONDE_ROLE_CONSTANT)))
    return FALSE;

  list = sonde_value_get_tensor (pads->constant);
  if (axes != NULL)
    places = sonde_value_get_tensor (axes->constant);
  n = sonde_tensor_n_elements (list) / 2;
  for (int d = 0; d < rank; d++)
    before[d] = 0;
  for (gint64 i = 0; i < n; i++)
    {
      gint64 axis = places != NULL ? sonde_tensor_get_int (places, i) : i;

      axis += axis < 0 ? rank : 0;
      if (axis < 0 || axis >= rank)
        return FALSE;
      before[axis] = sonde_tensor_get_int (list, i);
    }

  return TRUE;
}

static void
find_run (PadKernel *kernel)
{
  const gint64 *map = kernel->maps[kernel->rank - 1];
  const gint64 n = kernel->out[kernel->rank - 1];

  for (gint64 i = 0; i < n; i++)
    {
      gint64 run = 0;

      while (i + run < n && map[i] >= 0 && map[i + run] == map[i] + run)
        run++;
      if (run > kernel->run)
        {
          kernel->first = i;
          kernel->run = run;
        }
      i += MAX (run - 1, 0);
    }
}

/* @order: dimension of the shape that stands at each place of memory */
static void
fill_maps (PadKernel *kernel, PadMode mode, const SondeShape *x, const SondeShape *y,
           const gint64 *before, const int *order)
{
  gint64 stride = 1;

  kernel->rank = x->rank;
  kernel->rows = 1;
  for (int d = x->rank - 1; d >= 0; d--)
    {
      const gint64 size = x->dims[order[d]], n = y->dims[order[d]];

      kernel->in[d] = size;
      kernel->out[d] = n;
      kernel->strides[d] = stride;
      stride *= size;
      if (d < x->rank - 1)
        kernel->rows *= n;
      kernel->maps[d] = g_new (gint64, n);
      for (gint64 i = 0; i < n; i++)
        kernel->maps[d][i] = map_place (mode, i - before[order[d]], size);
    }

  find_run (kernel);
}

/* Reflection once around is all that the maps know. */
static gboolean
is_simple (PadMode mode, const SondeShape *x, const SondeShape *y, const gint64 *before)
{
  for (int d = 0; d < x->rank; d++)
    if (mode == PAD_REFLECT
        && (before[d] >= x->dims[d] || y->dims[d] - before[d] - x->dims[d] >= x->dims[d])
        && y->dims[d] != x->dims[d])
      return FALSE;

  return TRUE;
}

static SondeKernel *
prepare_pad (SondeCpuDevice *device, SondePrepareRequest *request)
{
  gint64 before[SONDE_MAX_RANK];
  int order[SONDE_MAX_RANK];
  gboolean channels_last;
  SondeShape x, y;
  PadKernel *kernel;
  SondeDtype dtype;
  PadMode mode;

  if (!sonde_cpu_has_input (request, 0) || !sonde_cpu_has_output (request, 0)
      || !sonde_type_get_shape (&request->inputs[0]->type, &x)
      || !sonde_type_get_shape (&request->outputs[0]->type, &y) || sonde_shape_n_elements (&x) <= 0
      || sonde_shape_n_elements (&y) <= 0 || x.rank != y.rank || x.rank == 0
      || !read_mode (request->nodes[0], &mode) || !read_pads (request, x.rank, before)
      || !is_simple (mode, &x, &y, before))
    return NULL;

  dtype = request->inputs[0]->type.dtype;
  if (dtype == SONDE_DTYPE_STRING)
    return NULL;

  channels_last = request->input_layouts[0] != NULL && request->input_layouts[0]->channels_last;
  for (guint k = channels_last ? 1 : 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  if (channels_last)
    sonde_cpu_give_channels_last (request, 0);

  for (int d = 0; d < x.rank; d++)
    order[d] = !channels_last || d == 0 ? d : d == x.rank - 1 ? 1 : d + 1;

  kernel = g_new0 (PadKernel, 1);
  kernel->base.run = run_pad;
  kernel->base.free = free_pad;
  kernel->size = sonde_dtype_size (dtype);
  kernel->value_input = sonde_cpu_has_input (request, 2) ? 2 : -1;
  fill_maps (kernel, mode, &x, &y, before, order);
  request->in_place = FALSE;
  request->workspace_bytes = 0;
  request->implementation = "copy";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_pad_rows[] = {
  { "", "Pad", prepare_pad },
  { NULL, NULL, NULL },
};
