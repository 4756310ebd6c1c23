/* SPDX-License-Identifier: Apache-2.0
 * DeformConv, a convolution that reads at places of its own, and Col2Im, which adds blocks up to
 * images.
 * Formulas: ONNX operators of these names; Dai et al. 2017, Zhu et al. 2018 (the mask). */
#include "engine/ops/nn/sonde-deform-conv-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/nn/sonde-window-taps-private.h"

#include <math.h>
#include <string.h>

#define BLOCK 64 /* outputs that are made together */
#define MOST_CORNERS 8

/* ---- DeformConv ---------------------------------------------------------- */

/* Sizes of one node; @corners of a place are interpolated between. */
typedef struct
{
  SondeWindowGeometry window;
  int corners;
  gint64 batch, channels, filters, groups, offset_groups;
  gint64 taps, points, plane;
} Deform;

/* Where the outputs of a block read for one tap. Corners outside have weight 0. */
typedef struct
{
  gint64 at[MOST_CORNERS * BLOCK];
  double weight[MOST_CORNERS * BLOCK];
} Places;

/* Input @k is [N, @second, outputs …]. */
static gboolean
check_per_output (const SondeInferContext *context, guint k, gint64 second,
                  const SondeWindowGeometry *window, GError **error)
{
  gint64 sizes[SONDE_MAX_RANK] = { context->inputs[0].dims[0].size, second };

  for (int d = 0; d < window->n; d++)
    sizes[d + 2] = window->out[d];
  return sonde_infer_need_sizes (context, k, window->n + 2, sizes, error);
}

static gboolean
check_deform_groups (const SondeInferContext *context, gint64 groups, gint64 offset_groups,
                     GError **error)
{
  const SondeType *x = &context->inputs[0], *w = &context->inputs[1];
  gint64 channels = x->dims[1].size;

  if (offset_groups < 1 || offset_groups > G_MAXINT32
      || (channels >= 0 && channels % offset_groups != 0))
    return sonde_infer_fail (error,
                             "%" PRIi64 " channels cannot be in %" PRIi64 " groups of offsets",
                             channels, offset_groups);
  if (channels >= 0 && w->dims[1].size >= 0
      && (channels % groups != 0 || channels / groups != w->dims[1].size))
    return sonde_infer_fail (error,
                             "the input has %" PRIi64 " channels, but the weight takes %" PRIi64
                             " in %" PRIi64 " groups",
                             channels, w->dims[1].size, groups);
  if (w->dims[0].size >= 0 && w->dims[0].size % groups != 0)
    return sonde_infer_fail (error, "%" PRIi64 " filters cannot be in %" PRIi64 " groups",
                             w->dims[0].size, groups);
  return TRUE;
}

gboolean
sonde_deform_infer (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0], *w = &context->inputs[1];
  gint64 in[SONDE_WINDOW_DIMS] = { 0 }, kernel[SONDE_WINDOW_DIMS] = { 0 };
  gint64 offset_groups = sonde_node_get_int (context->node, "offset_group", 1);
  gint64 taps = 1;
  SondeWindowGeometry window;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 4, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (!sonde_conv_spatial_sizes (x, w, in, kernel, error)
      || !sonde_window_read (context->node, x->rank - 2, in, kernel, &window, error)
      || !check_deform_groups (context, window.group, offset_groups, error)
      || !sonde_infer_need_sizes (context, 3, 1, &w->dims[0].size, error))
    return FALSE;
  for (int d = 0; d < window.n; d++)
    taps = window.kernel[d] < 0 || taps < 0 ? -1 : taps * window.kernel[d];
  if (!check_per_output (context, 2, taps < 0 ? -1 : offset_groups * taps * window.n, &window,
                         error)
      || !check_per_output (context, 4, taps < 0 ? -1 : offset_groups * taps, &window, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
  context->outputs[0].dims[0] = x->dims[0];
  context->outputs[0].dims[1] = w->dims[0];
  for (int d = 0; d < window.n; d++)
    context->outputs[0].dims[d + 2].size = window.out[d];
  return TRUE;
}

static void
deform_init (Deform *deform, const SondeKernelContext *context)
{
  const SondeShape *x = &context->inputs[0]->shape, *w = &context->inputs[1]->shape,
                   *y = &context->outputs[0]->shape;

  (void) sonde_window_read (context->node, x->rank - 2, x->dims + 2, w->dims + 2, &deform->window,
                            NULL);
  deform->corners = 1 << deform->window.n;
  deform->batch = x->dims[0];
  deform->channels = x->dims[1];
  deform->filters = w->dims[0];
  deform->groups = deform->window.group;
  deform->offset_groups = sonde_node_get_int (context->node, "offset_group", 1);
  deform->taps = sonde_shape_product (w, 2, w->rank);
  deform->points = sonde_shape_product (y, 2, y->rank);
  deform->plane = sonde_shape_product (x, 2, x->rank);
}

/* The corners around coordinate @x of dimension @d join those made so far: one with each of both
 * neighbours. */
static void
add_dimension (const Deform *deform, int d, double x, gint64 i, int made, Places *places)
{
  const gint64 size = deform->window.in[d];
  const double low = floor (x);

  for (int k = 0; k < made; k++)
    for (int side = 1; side >= 0; side--)
      {
        double place = low + side;
        double weight = side ? x - low : 1 - (x - low);
        gboolean inside = place >= 0 && place < (double) size;
        int to = k + side * made;

        places->weight[to * BLOCK + i] = inside ? places->weight[k * BLOCK + i] * weight : 0;
        places->at[to * BLOCK + i]
            = places->at[k * BLOCK + i] * size + (inside ? (gint64) place : 0);
      }
}

#define DEFORM(suffix, T)                                                                          \
  /* Places of tap @tap for outputs @first to before @first + @n. */                               \
  static void find_places_##suffix (const Deform *deform, const T *offsets, const T *mask,         \
                                    gint64 tap, gint64 first, gint64 n, Places *places)            \
  {                                                                                                \
    const SondeWindowGeometry *window = &deform->window;                                           \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        gint64 out_stride = 1, tap_stride = 1;                                                     \
        double x[SONDE_WINDOW_DIMS];                                                               \
        for (int d = window->n - 1; d >= 0; d--)                                                   \
          {                                                                                        \
            gint64 o = (first + i) / out_stride % window->out[d],                                  \
                   k = tap / tap_stride % window->kernel[d];                                       \
            x[d] = (double) (o * window->stride[d] - window->before[d] + k * window->dilation[d])  \
                   + (double) offsets[(tap * window->n + d) * deform->points + first + i];         \
            out_stride *= window->out[d];                                                          \
            tap_stride *= window->kernel[d];                                                       \
          }                                                                                        \
        places->at[i] = 0;                                                                         \
        places->weight[i] = mask ? (double) mask[tap * deform->points + first + i] : 1;            \
        for (int d = 0; d < window->n; d++)                                                        \
          add_dimension (deform, d, x[d], i, 1 << d, places);                                      \
      }                                                                                            \
  }                                                                                                \
                                                                                                   \
  static void read_places_##suffix (const Deform *deform, const Places *places, gint64 n,          \
                                    const T *x, T *column)                                         \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      column[i] = 0;                                                                               \
    for (int k = 0; k < deform->corners; k++)                                                      \
      for (gint64 i = 0; i < n; i++)                                                               \
        {                                                                                          \
          const T weight = (T) places->weight[k * BLOCK + i];                                      \
          column[i] += weight != 0 ? weight * x[places->at[k * BLOCK + i]] : 0;                    \
        }                                                                                          \
  }                                                                                                \
                                                                                                   \
  /* What each channel reads under each tap: @columns [channels, taps, BLOCK]. */                  \
  static void fill_columns_##suffix (const Deform *deform, const T *x, const T *offsets,           \
                                     const T *mask, gint64 first, gint64 n, Places *places,        \
                                     T *columns)                                                   \
  {                                                                                                \
    const gint64 part = deform->channels / deform->offset_groups;                                  \
    for (gint64 g = 0; g < deform->offset_groups; g++)                                             \
      for (gint64 tap = 0; tap < deform->taps; tap++)                                              \
        {                                                                                          \
          find_places_##suffix (                                                                   \
              deform, offsets + g * deform->taps * deform->window.n * deform->points,              \
              mask ? mask + g * deform->taps * deform->points : NULL, tap, first, n, places);      \
          for (gint64 c = g * part; c < (g + 1) * part; c++)                                       \
            read_places_##suffix (deform, places, n, x + c * deform->plane,                        \
                                  columns + (c * deform->taps + tap) * BLOCK);                     \
        }                                                                                          \
  }                                                                                                \
                                                                                                   \
  static void weigh_columns_##suffix (const Deform *deform, const T *columns, const T *w,          \
                                      const T *bias, gint64 first, gint64 n, T *y)                 \
  {                                                                                                \
    const gint64 length = deform->channels / deform->groups * deform->taps;                        \
    const gint64 filters = deform->filters / deform->groups;                                       \
    for (gint64 f = 0; f < deform->filters; f++)                                                   \
      {                                                                                            \
        const T *column = columns + f / filters * length * BLOCK;                                  \
        T *restrict sum = y + f * deform->points + first;                                          \
        for (gint64 i = 0; i < n; i++)                                                             \
          sum[i] = bias ? bias[f] : 0;                                                             \
        for (gint64 k = 0; k < length; k++, column += BLOCK)                                       \
          for (gint64 i = 0; i < n; i++)                                                           \
            sum[i] += w[f * length + k] * column[i];                                               \
      }                                                                                            \
  }                                                                                                \
                                                                                                   \
  static void deform_blocks_##suffix (const Deform *deform, const SondeKernelContext *context,     \
                                      gint64 begin, gint64 end)                                    \
  {                                                                                                \
    SondeTensor *b = sonde_kernel_input (context, 3), *m = sonde_kernel_input (context, 4);        \
    const T *x = (const void *) context->inputs[0]->data,                                          \
            *w = (const void *) context->inputs[1]->data;                                          \
    const T *offsets = (const void *) context->inputs[2]->data;                                    \
    const T *bias = b ? (const void *) b->data : NULL, *mask = m ? (const void *) m->data : NULL;  \
    const gint64 blocks = (deform->points + BLOCK - 1) / BLOCK;                                    \
    const gint64 marks = deform->offset_groups * deform->taps * deform->points;                    \
    g_autofree Places *places = g_new (Places, 1);                                                 \
    g_autofree T *columns = g_new (T, deform->channels * deform->taps * BLOCK + 1);                \
    for (gint64 item = begin; item < end; item++)                                                  \
      {                                                                                            \
        gint64 n = item / blocks, first = item % blocks * BLOCK,                                   \
               count = MIN (BLOCK, deform->points - first);                                        \
        fill_columns_##suffix (deform, x + n * deform->channels * deform->plane,                   \
                               offsets + n * marks * deform->window.n,                             \
                               mask ? mask + n * marks : NULL, first, count, places, columns);     \
        weigh_columns_##suffix (deform, columns, w, bias, first, count,                            \
                                (T *) (void *) context->outputs[0]->data                           \
                                    + n * deform->filters * deform->points);                       \
      }                                                                                            \
  }
DEFORM (f32, float)
DEFORM (f64, double)

static gint64
deform_conv_count (const SondeKernelContext *context, gint64 *cost)
{
  Deform deform;

  deform_init (&deform, context);
  *cost = BLOCK * deform.taps * deform.channels * (4 + deform.filters / deform.groups);
  return deform.batch * ((deform.points + BLOCK - 1) / BLOCK);
}

static void
deform_conv_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  Deform deform;

  deform_init (&deform, context);
  if (deform.plane == 0 || deform.channels == 0)
    memset (context->outputs[0]->data, 0, sonde_tensor_n_bytes (context->outputs[0]));
  else
    SONDE_FLOAT_CALL (context->inputs[0]->dtype, deform_blocks, &deform, context, begin, end);
}
SONDE_COMPUTE_PARTS (deform_conv)

static void
cost_deform_conv (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *w = &context->inputs[1], *y = &context->outputs[0];
  gint64 taps = w->rank >= 2 ? sonde_type_product (w, 1, w->rank) : -1;
  gint64 outputs = y->rank >= 0 ? sonde_type_product (y, 0, y->rank) : -1;

  cost->flops = taps > 0 && outputs > 0 ? 2 * (double) taps * (double) outputs : 0;
}

/* ---- Col2Im -------------------------------------------------------------- */

/* Blocks are the outputs of a window that slides over the image. */
static gboolean
read_blocks (const SondeNode *node, const gint64 *image, gsize n, const gint64 *block,
             gsize n_block, SondeWindowGeometry *window, GError **error)
{
  if (n != n_block || n < 1 || n > SONDE_WINDOW_DIMS)
    return sonde_infer_fail (error,
                             "an image of %zu and blocks of %zu dimensions are not "
                             "possible; both have 1 to %d",
                             n, n_block, SONDE_WINDOW_DIMS);
  for (gsize d = 0; d < n; d++)
    if (image[d] < 0 || block[d] < 1)
      return sonde_infer_fail (error,
                               "sizes %" PRIi64 " of the image and %" PRIi64 " of the blocks are "
                               "impossible",
                               image[d], block[d]);
  return sonde_window_read (node, (int) n, image, block, window, error);
}

static gboolean
check_block_sizes (const SondeType *x, const SondeWindowGeometry *window, gint64 *block,
                   GError **error)
{
  gint64 blocks = 1;

  *block = 1;
  for (int d = 0; d < window->n; d++)
    {
      *block *= window->kernel[d];
      blocks = blocks > G_MAXINT32 ? blocks : blocks * window->out[d];
    }
  if (x->dims[1].size >= 0 && x->dims[1].size % *block != 0)
    return sonde_infer_fail (error,
                             "%" PRIi64 " rows are no multiple of the block's %" PRIi64 " elements",
                             x->dims[1].size, *block);
  if (x->dims[2].size >= 0 && x->dims[2].size != blocks)
    return sonde_infer_fail (error,
                             "the input has %" PRIi64 " blocks, but the image needs %" PRIi64,
                             x->dims[2].size, blocks);
  return TRUE;
}

static gboolean
infer_col2im (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gsize n = 0, n_block = 0;
  g_autofree gint64 *image = sonde_infer_known_ints (context, 1, &n);
  g_autofree gint64 *block = sonde_infer_known_ints (context, 2, &n_block);
  const SondeType *shape = &context->inputs[1];
  gint64 dimensions = image ? (gint64) n : shape->rank == 1 ? shape->dims[0].size : -1;
  gint64 elements = 1;
  SondeWindowGeometry window;

  if (x->dtype == SONDE_DTYPE_STRING || x->dtype == SONDE_DTYPE_BOOL)
    return sonde_infer_fail (error, "%s cannot be added up", sonde_dtype_name (x->dtype));
  if (!sonde_infer_need_rank (context, 0, 3, error) || !sonde_infer_need_integer (context, 1, error)
      || !sonde_infer_need_integer (context, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1) || dimensions < 0)
    return TRUE;
  if (dimensions < 1 || dimensions > SONDE_WINDOW_DIMS)
    return sonde_infer_fail (error,
                             "images of %" PRIi64 " dimensions are not possible, only 1 to %d",
                             dimensions, SONDE_WINDOW_DIMS);
  context->outputs[0] = sonde_infer_type (x->dtype, (int) dimensions + 2);
  context->outputs[0].dims[0] = x->dims[0];
  for (gsize d = 0; d < n && image != NULL; d++)
    context->outputs[0].dims[d + 2] = sonde_dimension (MAX (image[d], -1));
  if (image == NULL || block == NULL)
    return TRUE;
  if (!read_blocks (context->node, image, n, block, n_block, &window, error)
      || !check_block_sizes (x, &window, &elements, error))
    return FALSE;
  if (x->dims[1].size >= 0)
    context->outputs[0].dims[1] = sonde_dimension (x->dims[1].size / elements);
  return TRUE;
}

/* One plane: every element of a block is a row of the input, over all blocks. */
#define ADD_BLOCKS(suffix, T)                                                                      \
  static void add_blocks_##suffix (const SondeWindowGeometry *window, const SondeTap *taps,        \
                                   gint64 n_taps, const void *from, void *to)                      \
  {                                                                                                \
    const gint64 blocks = window->out[0] * window->out[1] * window->out[2],                        \
                 step = window->stride[2];                                                         \
    for (gint64 t = 0; t < n_taps; t++)                                                            \
      for (gint64 i = taps[t].low[0]; i < taps[t].high[0]; i++)                                    \
        for (gint64 j = taps[t].low[1]; j < taps[t].high[1]; j++)                                  \
          {                                                                                        \
            const T *x                                                                             \
                = (const T *) from + t * blocks + (i * window->out[1] + j) * window->out[2];       \
            T *restrict y = (T *) to + sonde_tap_row (window, &taps[t], i, j);                     \
            for (gint64 k = taps[t].low[2]; k < taps[t].high[2]; k++)                              \
              y[k * step] += x[k];                                                                 \
          }                                                                                        \
  }
ADD_BLOCKS (f32, float)
ADD_BLOCKS (f64, double)
ADD_BLOCKS (u64, guint64)

static void
add_all_blocks (const SondeKernelContext *context, const SondeTensor *x, SondeTensor *y)
{
  gsize n = 0, n_block = 0, size = sonde_dtype_size (x->dtype);
  g_autofree gint64 *image = sonde_kernel_ints (context, 1, &n);
  g_autofree gint64 *block = sonde_kernel_ints (context, 2, &n_block);
  g_autofree SondeTap *taps = NULL;
  gint64 n_taps = 0, planes = y->shape.dims[0] * y->shape.dims[1];
  SondeWindowGeometry window;

  memset (y->data, 0, sonde_tensor_n_bytes (y));
  if (!read_blocks (context->node, image, n, block, n_block, &window, NULL)
      || sonde_tensor_n_elements (y) == 0)
    return;
  sonde_window_extend (&window);
  taps = sonde_window_make_taps (&window, &n_taps);
  for (gint64 p = 0; p < planes; p++)
    {
      const guint8 *from = x->data + (gsize) (p * n_taps * x->shape.dims[2]) * size;
      guint8 *to = y->data + (gsize) (p * sonde_shape_product (&y->shape, 2, y->shape.rank)) * size;

      if (x->dtype == SONDE_DTYPE_U64)
        add_blocks_u64 (&window, taps, n_taps, from, to);
      else
        SONDE_FLOAT_CALL (x->dtype, add_blocks, &window, taps, n_taps, from, to);
    }
}

/* Integers wrap, which unsigned 64 bits do for all of them. */
static void
compute_col2im (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  g_autoptr (SondeTensor) wide_x = NULL, wide_y = NULL;

  if (sonde_dtype_is_float (x->dtype))
    {
      add_all_blocks (context, x, y);
      return;
    }
  wide_x = sonde_tensor_cast (x, SONDE_DTYPE_U64);
  wide_y = sonde_tensor_new (SONDE_DTYPE_U64, &y->shape);
  add_all_blocks (context, wide_x, wide_y);
  sonde_dtype_convert (SONDE_DTYPE_U64, wide_y->data, y->dtype, y->data,
                       (gsize) sonde_tensor_n_elements (y));
}

/* (dy, like x, block shape) → dx: every block reads its elements */
static gboolean
infer_col2im_grad (SondeInferContext *context, GError **error)
{
  const SondeType *dy = &context->inputs[0], *x = &context->inputs[1];
  gint64 image[SONDE_MAX_RANK], elements = 1;
  gsize n = 0;
  g_autofree gint64 *block = sonde_infer_known_ints (context, 2, &n);
  SondeWindowGeometry window;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error)
      || !sonde_infer_need_rank (context, 1, 3, error)
      || !sonde_infer_need_integer (context, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  context->outputs[0] = *x;
  if (dy->rank < 3 || dy->rank > SONDE_WINDOW_DIMS + 2)
    return sonde_infer_fail (error, "the gradient has %d dimensions", dy->rank);
  for (int d = 2; d < dy->rank; d++)
    {
      if (dy->dims[d].size < 0)
        return TRUE;
      image[d - 2] = dy->dims[d].size;
    }
  if (block == NULL)
    return TRUE;
  if (!read_blocks (context->node, image, (gsize) dy->rank - 2, block, n, &window, error)
      || !check_block_sizes (x, &window, &elements, error))
    return FALSE;
  if (x->dims[1].size >= 0 && dy->dims[1].size >= 0
      && x->dims[1].size != dy->dims[1].size * elements)
    return sonde_infer_fail (error, "the gradient has %" PRIi64 " channels", dy->dims[1].size);
  if (x->dims[0].size >= 0 && dy->dims[0].size >= 0 && x->dims[0].size != dy->dims[0].size)
    return sonde_infer_fail (error, "the gradient has %" PRIi64 " images", dy->dims[0].size);
  return TRUE;
}

#define READ_BLOCKS(suffix, T)                                                                     \
  static void read_blocks_##suffix (const SondeWindowGeometry *window, const SondeTap *taps,       \
                                    gint64 n_taps, const void *from, void *to)                     \
  {                                                                                                \
    const gint64 blocks = window->out[0] * window->out[1] * window->out[2],                        \
                 step = window->stride[2];                                                         \
    for (gint64 t = 0; t < n_taps; t++)                                                            \
      for (gint64 i = taps[t].low[0]; i < taps[t].high[0]; i++)                                    \
        for (gint64 j = taps[t].low[1]; j < taps[t].high[1]; j++)                                  \
          {                                                                                        \
            const T *y = (const T *) from + sonde_tap_row (window, &taps[t], i, j);                \
            T *restrict x = (T *) to + t * blocks + (i * window->out[1] + j) * window->out[2];     \
            for (gint64 k = taps[t].low[2]; k < taps[t].high[2]; k++)                              \
              x[k] = y[k * step];                                                                  \
          }                                                                                        \
  }
READ_BLOCKS (f32, float)
READ_BLOCKS (f64, double)

/* An item is one image's channel. */
static gint64
col2im_grad_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *dy = &context->inputs[0]->shape, *dx = &context->outputs[0]->shape;

  *cost = dx->dims[1] * dx->dims[2] / MAX (dy->dims[1], 1);
  return dy->dims[0] * dy->dims[1];
}

static void
col2im_grad_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *dy = context->inputs[0], *dx = context->outputs[0];
  gsize n_block = 0, size = sonde_dtype_size (dy->dtype);
  g_autofree gint64 *block = sonde_kernel_ints (context, 2, &n_block);
  g_autofree SondeTap *taps = NULL;
  gint64 n_taps = 0, elements = 1, plane = sonde_shape_product (&dy->shape, 2, dy->shape.rank);
  SondeType type = sonde_type_tensor (dx->dtype, &dx->shape);
  SondeWindowGeometry window;

  /* The block may be known in the run only. */
  if (!read_blocks (context->node, dy->shape.dims + 2, (gsize) dy->shape.rank - 2, block, n_block,
                    &window, NULL)
      || !check_block_sizes (&type, &window, &elements, NULL)
      || dx->shape.dims[1] != dy->shape.dims[1] * elements)
    {
      if (begin == 0)
        memset (dx->data, 0, sonde_tensor_n_bytes (dx));
      return;
    }
  sonde_window_extend (&window);
  taps = sonde_window_make_taps (&window, &n_taps);
  for (gint64 p = begin; p < end; p++)
    {
      gsize each = (gsize) (n_taps * dx->shape.dims[2]) * size;

      memset (dx->data + (gsize) p * each, 0, each);
      SONDE_FLOAT_CALL (dy->dtype, read_blocks, &window, taps, n_taps,
                        dy->data + (gsize) (p * plane) * size, dx->data + (gsize) p * each);
    }
}
SONDE_COMPUTE_PARTS (col2im_grad)

static gboolean
gradient_col2im (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0]
      = sonde_rule_own_copying (context, "Col2ImGrad", sonde_rule_dy (context),
                                sonde_rule_x (context, 0), sonde_rule_x (context, 2), NULL);
  return TRUE;
}

/* The image's sizes are those that came back from it. */
static gboolean
gradient_col2im_grad (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *sizes = sonde_rule_unary (context, "Shape", sonde_rule_x (context, 0)),
                  *y = NULL;
  SondeGraphValue *inputs[] = { sonde_rule_dy (context), NULL, sonde_rule_x (context, 2) };

  sonde_node_set_int (sizes->producer, "start", 2);
  inputs[1] = sonde_rule_infer (context, sizes);
  y = sonde_build_op (context->graph, NULL, "", "Col2Im", G_N_ELEMENTS (inputs), inputs);
  sonde_rule_copy_attributes (y->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, y);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static gboolean
gradient_deform (SondeGradientContext *context, GError **error)
{
  static const guint operands[] = { 0, 1, 2, 4 };
  SondeGraphValue *inputs[SONDE_DEFORM_N_INPUTS] = { NULL };
  guint n = context->node->inputs->len;
  SondeNode *node = NULL;

  for (guint k = 0; k < n; k++)
    inputs[k] = k == SONDE_DEFORM_BIAS
                    ? NULL
                    : sonde_rule_x (context, k); /* the bias moves nothing here */
  inputs[SONDE_DEFORM_DY] = sonde_rule_dy (context);
  node = sonde_graph_add_node (context->graph, NULL, SONDE_DOMAIN, "DeformConvGrad", inputs,
                               SONDE_DEFORM_N_INPUTS,
                               n > 4 && sonde_rule_x (context, 4) != NULL ? 4 : 3);
  sonde_rule_copy_attributes (node, context->node);
  (void) sonde_build_infer (context->graph, node, NULL);
  for (guint k = 0; k < node->outputs->len; k++)
    if (context->wanted[operands[k]])
      context->input_gradients[operands[k]] = sonde_node_get_output (node, k);
  if (n > 3 && sonde_rule_x (context, 3) != NULL && context->wanted[3])
    context->input_gradients[3] = sonde_conv_bias_gradient (context, error);
  return n <= 3 || !context->wanted[3] || context->input_gradients[3] != NULL;
}

const SondeAttributeRule sonde_deform_rules[] = {
  { "dilations", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "group", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT32 },
  { "kernel_shape", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "offset_group", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT32 },
  { "pads", SONDE_ATTRIBUTE_INTS },
  { "strides", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { NULL },
};
static const SondeAttributeRule col2im_rules[] = {
  { "dilations", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "pads", SONDE_ATTRIBUTE_INTS },
  { "strides", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { NULL },
};

const SondeOpClass sonde_ops_deform_conv_col2im[] = {
  {
      .domain = "",
      .name = "Col2Im",
      .since = 18,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_OTHER,
      .attributes = col2im_rules,
      .infer = infer_col2im,
      .compute = compute_col2im,
      .gradient = gradient_col2im,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "Col2ImGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = col2im_rules,
      .infer = infer_col2im_grad,
      .compute = compute_col2im_grad,
      .gradient = gradient_col2im_grad,
      .count_parts = col2im_grad_count,
      .compute_part = col2im_grad_part,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "DeformConv",
      .since = 19,
      .min_inputs = 3,
      .max_inputs = 5,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_CONVOLUTION,
      .attributes = sonde_deform_rules,
      .infer = sonde_deform_infer,
      .compute = compute_deform_conv,
      .gradient = gradient_deform,
      .cost = cost_deform_conv,
      .count_parts = deform_conv_count,
      .compute_part = deform_conv_part,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_OWN,
  },
  { NULL },
};
