/* SPDX-License-Identifier: Apache-2.0
 * Boxes and regions: RoiAlign, MaxRoiPool, NonMaxSuppression.
 * Formulas: ONNX operators of these names; RoiAlign after He et al. 2017 (Mask R-CNN), MaxRoiPool
 * after Girshick 2015 (Fast R-CNN), where coordinates are rounded and both ends belong to the
 * box. */
#include "engine/ops/image/sonde-roi-align-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

#define MOST_ELEMENTS (1 << 18) /* of the bins that are prepared together */

/* ---- RoiAlign ------------------------------------------------------------ */

static gboolean
infer_regions (SondeInferContext *context, gint64 rows, gint64 columns, gint64 fields,
               GError **error)
{
  const SondeType *x = &context->inputs[0], *boxes = &context->inputs[1];

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error)
      || !sonde_infer_need_rank (context, 0, 4, error)
      || !sonde_infer_need_rank (context, 1, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (rows < 1 || columns < 1 || rows > G_MAXINT16 || columns > G_MAXINT16)
    return sonde_infer_fail (error, "regions of %" PRIi64 " × %" PRIi64 " are impossible", rows,
                             columns);
  if (boxes->dims[1].size >= 0 && boxes->dims[1].size != fields)
    return sonde_infer_fail (error, "a box has %" PRIi64 " numbers, but needs %" PRIi64,
                             boxes->dims[1].size, fields);
  context->outputs[0] = sonde_infer_type (x->dtype, 4);
  context->outputs[0].dims[0] = boxes->dims[0];
  context->outputs[0].dims[1] = x->dims[1];
  context->outputs[0].dims[2] = sonde_dimension (rows);
  context->outputs[0].dims[3] = sonde_dimension (columns);
  return TRUE;
}

gboolean
sonde_roi_align_infer (SondeInferContext *context, GError **error)
{
  const SondeType *boxes = &context->inputs[1], *batches = &context->inputs[2];
  SondeDimension n;

  if (!sonde_infer_need_integer (context, 2, error)
      || !sonde_infer_need_rank (context, 2, 1, error))
    return FALSE;
  if (boxes->rank == 2 && batches->rank == 1
      && !sonde_dimension_unify (&boxes->dims[0], &batches->dims[0], &n))
    return sonde_infer_fail (error, "%" PRIi64 " boxes with %" PRIi64 " batch indices",
                             boxes->dims[0].size, batches->dims[0].size);
  return infer_regions (context, sonde_node_get_int (context->node, "output_height", 1),
                        sonde_node_get_int (context->node, "output_width", 1), 4, error);
}

void
sonde_align_init (SondeAlign *align, const SondeNode *node, const SondeShape *x,
                  const SondeShape *y)
{
  const char *mode = sonde_node_get_string (node, "coordinate_transformation_mode", "half_pixel");

  *align = (SondeAlign){ x->dims[0], x->dims[1], x->dims[2], x->dims[3], x->dims[2] * x->dims[3],
                         y->dims[2], y->dims[3] };
  align->ratio = CLAMP (sonde_node_get_int (node, "sampling_ratio", 0), 0, SONDE_REGION_SAMPLES);
  align->scale = sonde_node_get_float (node, "spatial_scale", 1);
  align->offset = strcmp (mode, "half_pixel") == 0 ? 0.5 : 0;
  align->maximum = strcmp (sonde_node_get_string (node, "mode", "avg"), "max") == 0;
}

/* Samples in one direction of a bin: as many as it has elements, when nothing else is said, within
 * reason. */
static gint64
count_samples (const SondeAlign *align, double bin)
{
  if (align->ratio > 0)
    return align->ratio;
  return bin > 0 ? (gint64) ceil (MIN (bin, SONDE_REGION_SAMPLES)) : 0;
}

void
sonde_align_box_init (SondeAlignBox *box, const SondeAlign *align, const double *corners)
{
  double width, height;

  box->left = corners[0] * align->scale - align->offset;
  box->top = corners[1] * align->scale - align->offset;
  width = corners[2] * align->scale - align->offset - box->left;
  height = corners[3] * align->scale - align->offset - box->top;
  if (align->offset == 0)
    {
      width = fmax (width, 1);
      height = fmax (height, 1);
    }
  box->bin_width = width / (double) align->columns;
  box->bin_height = height / (double) align->rows;
  box->across = count_samples (align, box->bin_width);
  box->down = count_samples (align, box->bin_height);
}

/* @n samples in the middles of equal parts of the bin that starts at @start. */
void
sonde_align_sample_line (SondeAlignSample *samples, gint64 n, double start, double bin, gint64 size)
{
  for (gint64 i = 0; i < n; i++)
    {
      double x = start + ((double) i + 0.5) / (double) n * bin;
      gint64 low;

      samples[i] = (SondeAlignSample){ { 0, 0 }, { 0, 0 } };
      if (!(x >= -1 && x <= (double) size) || size == 0)
        continue;
      low = MIN ((gint64) MAX (x, 0), size - 1);
      samples[i].at[0] = low;
      samples[i].at[1] = MIN (low + 1, size - 1);
      samples[i].weight[1] = low == size - 1 ? 0 : MAX (x, 0) - (double) low;
      samples[i].weight[0] = 1 - samples[i].weight[1];
    }
}

/* The elements of one bin and their weights: @n samples, four of each. */
void
sonde_align_fill_bin (const SondeAlign *align, const SondeAlignSample *rows, gint64 down,
                      const SondeAlignSample *columns, gint64 across, SondeAlignElement *elements)
{
  for (gint64 i = 0; i < down; i++)
    for (gint64 j = 0; j < across; j++)
      for (int k = 0; k < 4; k++, elements++)
        {
          elements->weight = rows[i].weight[k / 2] * columns[j].weight[k % 2];
          elements->at = rows[i].at[k / 2] * align->width + columns[j].at[k % 2];
        }
}

/* One bin of one channel; @n elements. The maximum is taken of the weighted elements, as the
 * standard has it, not of the samples. */
#define ALIGN_BIN(suffix, T)                                                                       \
  static inline T align_bin_##suffix (const SondeAlignElement *elements, gint64 n,                 \
                                      gboolean maximum, const T *x)                                \
  {                                                                                                \
    double sum = 0, best = -INFINITY;                                                              \
    if (n == 0)                                                                                    \
      return 0;                                                                                    \
    if (!maximum)                                                                                  \
      {                                                                                            \
        for (gint64 i = 0; i < n; i++)                                                             \
          sum += elements[i].weight == 0 ? 0 : elements[i].weight * (double) x[elements[i].at];    \
        return (T) (sum * 4 / (double) n);                                                         \
      }                                                                                            \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const double part                                                                          \
            = elements[i].weight == 0 ? 0 : elements[i].weight * (double) x[elements[i].at];       \
        best = part > best || part != part ? part : best;                                          \
      }                                                                                            \
    return (T) best;                                                                               \
  }                                                                                                \
                                                                                                   \
  /* @bins of a row with @n elements each, channel by channel. */                                  \
  static void align_row_##suffix (const SondeAlign *align, const SondeAlignElement *elements,      \
                                  gint64 n, gint64 bins, const void *from, void *to)               \
  {                                                                                                \
    for (gint64 c = 0; c < align->channels; c++)                                                   \
      for (gint64 j = 0; j < bins; j++)                                                            \
        ((T *) to)[c * align->rows * align->columns + j] = align_bin_##suffix (                    \
            elements + j * n, n, align->maximum, (const T *) from + c * align->plane);             \
  }
ALIGN_BIN (f32, float)
ALIGN_BIN (f64, double)

static void
align_box (const SondeAlign *align, const double *corners, SondeDtype dtype, const guint8 *x,
           guint8 *y)
{
  gsize size = sonde_dtype_size (dtype);
  g_autofree SondeAlignSample *rows = NULL, *columns = NULL;
  g_autofree SondeAlignElement *elements = NULL;
  SondeAlignBox box;
  gint64 n, most;

  sonde_align_box_init (&box, align, corners);
  n = 4 * box.down * box.across;
  most = CLAMP (MOST_ELEMENTS / MAX (n, 1), 1, align->columns);
  rows = g_new (SondeAlignSample, box.down + 1);
  columns = g_new (SondeAlignSample, box.across + 1);
  elements = g_new (SondeAlignElement, most * n + 1);
  for (gint64 bin = 0, bins = 0; bin < align->rows * align->columns; bin += bins)
    {
      gint64 row = bin / align->columns, first = bin % align->columns;

      bins = MIN (most, align->columns - first);
      sonde_align_sample_line (rows, box.down, box.top + (double) row * box.bin_height,
                               box.bin_height, align->height);
      for (gint64 j = 0; j < bins; j++)
        {
          sonde_align_sample_line (columns, box.across,
                                   box.left + (double) (first + j) * box.bin_width, box.bin_width,
                                   align->width);
          sonde_align_fill_bin (align, rows, box.down, columns, box.across, elements + j * n);
        }
      SONDE_FLOAT_CALL (dtype, align_row, align, elements, n, bins, x, y + (gsize) bin * size);
    }
}

static gint64
roi_align_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *y = &context->outputs[0]->shape;

  *cost = 16 * sonde_shape_product (y, 1, 4);
  return y->dims[0];
}

/* Boxes of images that are not there give zeros; the check has told of them. */
static void
roi_align_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *x = context->inputs[0], *boxes = context->inputs[1], *y = context->outputs[0];
  gsize size = sonde_dtype_size (x->dtype);
  SondeAlign align;

  sonde_align_init (&align, context->node, &x->shape, &y->shape);
  for (gint64 i = begin; i < end; i++)
    {
      gint64 batch = sonde_tensor_get_int (context->inputs[2], i);
      gsize bytes = (gsize) (align.channels * align.rows * align.columns) * size;
      double corners[4];

      sonde_dtype_convert (boxes->dtype, boxes->data + 4 * (gsize) i * size, SONDE_DTYPE_F64,
                           corners, 4);
      if (batch < 0 || batch >= align.batch || align.plane == 0)
        memset (y->data + (gsize) i * bytes, 0, bytes);
      else
        align_box (&align, corners, x->dtype,
                   x->data + (gsize) (batch * align.channels * align.plane) * size,
                   y->data + (gsize) i * bytes);
    }
}
SONDE_COMPUTE_PARTS (roi_align)

static gboolean
check_batch (gint64 batch, gint64 n, gint64 box, GError **error)
{
  if (batch >= 0 && batch < n)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "box %" PRIi64 " is of image %" PRIi64 ", but there are %" PRIi64, box, batch,
                   n);
  return FALSE;
}

static gboolean
check_roi_align (const SondeKernelContext *context, GError **error)
{
  for (gint64 i = 0; i < context->inputs[2]->shape.dims[0]; i++)
    if (!check_batch (sonde_tensor_get_int (context->inputs[2], i),
                      context->inputs[0]->shape.dims[0], i, error))
      return FALSE;
  return TRUE;
}

/* ---- MaxRoiPool ---------------------------------------------------------- */

gboolean
sonde_max_roi_pool_infer (SondeInferContext *context, GError **error)
{
  gsize n = 0;
  const gint64 *shape = sonde_node_get_ints (context->node, "pooled_shape", &n);

  if (n != 2)
    return sonde_infer_fail (error, "pooled_shape has %zu sizes, but needs 2", n);
  return infer_regions (context, shape[0], shape[1], 5, error);
}

gint64
sonde_roi_image (const SondeTensor *boxes, gint64 i)
{
  double batch = sonde_tensor_get_double (boxes, 5 * i);

  return batch >= 0 && batch < 1e9 ? (gint64) batch : -1;
}

static gboolean
check_max_roi_pool (const SondeKernelContext *context, GError **error)
{
  const SondeTensor *boxes = context->inputs[1];

  for (gint64 i = 0; i < boxes->shape.dims[0]; i++)
    if (!check_batch (sonde_roi_image (boxes, i), context->inputs[0]->shape.dims[0], i, error))
      return FALSE;
  return TRUE;
}

/* Elements of bin @k of @bins between the rounded ends of a box, cut to the image. */
void
sonde_roi_bin_range (double first, double last, gint64 bins, gint64 k, gint64 size, gint64 *begin,
                     gint64 *end)
{
  double start = isfinite (first) ? round (first) : 0;
  double extent = isfinite (last) ? fmax (round (last) - start + 1, 1) : 1;
  double bin = extent / (double) bins;

  *begin = (gint64) CLAMP (floor ((double) k * bin) + start, 0, (double) size);
  *end = (gint64) CLAMP (ceil ((double) (k + 1) * bin) + start, 0, (double) size);
}

#define MAX_BIN(suffix, T)                                                                         \
  static void max_bin_##suffix (const void *from, gint64 plane, gint64 channels, gint64 width,     \
                                const gint64 *rows, const gint64 *columns, void *to, gint64 step)  \
  {                                                                                                \
    const gboolean empty = rows[0] >= rows[1] || columns[0] >= columns[1];                         \
    for (gint64 c = 0; c < channels; c++)                                                          \
      {                                                                                            \
        const T *x = (const T *) from + c * plane;                                                 \
        T best = empty ? 0 : -INFINITY;                                                            \
        for (gint64 i = rows[0]; i < rows[1]; i++)                                                 \
          for (gint64 j = columns[0]; j < columns[1]; j++)                                         \
            best = x[i * width + j] > best || x[i * width + j] != x[i * width + j]                 \
                       ? x[i * width + j]                                                          \
                       : best;                                                                     \
        ((T *) to)[c * step] = best;                                                               \
      }                                                                                            \
  }
MAX_BIN (f32, float)
MAX_BIN (f64, double)

static void
max_roi_box (const SondeTensor *x, const double *box, double scale, gint64 batch,
             const SondeShape *out, guint8 *y)
{
  gint64 channels = x->shape.dims[1], height = x->shape.dims[2], width = x->shape.dims[3];
  gsize size = sonde_dtype_size (x->dtype);
  const guint8 *from = x->data + (gsize) (batch * channels * height * width) * size;

  for (gint64 row = 0; row < out->dims[2]; row++)
    for (gint64 column = 0; column < out->dims[3]; column++)
      {
        gint64 rows[2], columns[2];

        sonde_roi_bin_range (box[2] * scale, box[4] * scale, out->dims[2], row, height, &rows[0],
                             &rows[1]);
        sonde_roi_bin_range (box[1] * scale, box[3] * scale, out->dims[3], column, width,
                             &columns[0], &columns[1]);
        SONDE_FLOAT_CALL (x->dtype, max_bin, from, height * width, channels, width, rows, columns,
                          y + (gsize) (row * out->dims[3] + column) * size,
                          out->dims[2] * out->dims[3]);
      }
}

static gint64
max_roi_pool_count (const SondeKernelContext *context, gint64 *cost)
{
  return roi_align_count (context, cost);
}

static void
max_roi_pool_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *x = context->inputs[0], *boxes = context->inputs[1], *y = context->outputs[0];
  double scale = sonde_node_get_float (context->node, "spatial_scale", 1);
  gsize size = sonde_dtype_size (x->dtype);
  gsize bytes = (gsize) sonde_shape_product (&y->shape, 1, 4) * size;

  for (gint64 i = begin; i < end; i++)
    {
      gint64 batch = sonde_roi_image (boxes, i);
      double box[5];

      sonde_dtype_convert (boxes->dtype, boxes->data + 5 * (gsize) i * size, SONDE_DTYPE_F64, box,
                           5);
      if (batch < 0 || batch >= x->shape.dims[0])
        memset (y->data + (gsize) i * bytes, 0, bytes);
      else
        max_roi_box (x, box, scale, batch, &y->shape, y->data + (gsize) i * bytes);
    }
}
SONDE_COMPUTE_PARTS (max_roi_pool)

/* ---- rows ---------------------------------------------------------------- */

static const char *const align_modes[] = { "avg", "max", NULL };
static const char *const align_transforms[] = { "half_pixel", "output_half_pixel", NULL };
static gboolean
gradient_roi_align (SondeGradientContext *context, GError **error)
{
  if (context->wanted[0])
    context->input_gradients[0] = sonde_rule_own_copying (
        context, "RoiAlignGrad", sonde_rule_dy (context), sonde_rule_x (context, 0),
        sonde_rule_x (context, 1), sonde_rule_x (context, 2), NULL);
  return TRUE;
}

static gboolean
gradient_max_roi_pool (SondeGradientContext *context, GError **error)
{
  if (context->wanted[0])
    context->input_gradients[0]
        = sonde_rule_own_copying (context, "MaxRoiPoolGrad", sonde_rule_dy (context),
                                  sonde_rule_x (context, 0), sonde_rule_x (context, 1), NULL);
  return TRUE;
}

const SondeAttributeRule sonde_roi_align_rules[] = {
  { "coordinate_transformation_mode", SONDE_ATTRIBUTE_STRING, .choices = align_transforms },
  { "mode", SONDE_ATTRIBUTE_STRING, .choices = align_modes },
  { "output_height", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT16 },
  { "output_width", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT16 },
  { "sampling_ratio", SONDE_ATTRIBUTE_INT, .minimum = 0, .maximum = SONDE_REGION_SAMPLES },
  { "spatial_scale", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
const SondeAttributeRule sonde_max_roi_pool_rules[] = {
  { "pooled_shape", SONDE_ATTRIBUTE_INTS, .required = TRUE, .minimum = 1, .maximum = G_MAXINT16 },
  { "spatial_scale", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};

const SondeOpClass sonde_ops_roi_align[] = {
  {
      .domain = "",
      .name = "MaxRoiPool",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = sonde_max_roi_pool_rules,
      .infer = sonde_max_roi_pool_infer,
      .compute = compute_max_roi_pool,
      .check = check_max_roi_pool,
      .gradient = gradient_max_roi_pool,
      .count_parts = max_roi_pool_count,
      .compute_part = max_roi_pool_part,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "RoiAlign",
      .since = 16,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = sonde_roi_align_rules,
      .infer = sonde_roi_align_infer,
      .compute = compute_roi_align,
      .check = check_roi_align,
      .gradient = gradient_roi_align,
      .count_parts = roi_align_count,
      .compute_part = roi_align_part,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { NULL },
};
