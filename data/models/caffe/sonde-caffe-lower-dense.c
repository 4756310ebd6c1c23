/* SPDX-License-Identifier: Apache-2.0
 * Layers with weights that are no windows, and normalisations. */
#include <math.h>

#include "data/models/caffe/sonde-caffe-lower.h"

/* ---- InnerProduct, Embed ------------------------------------------------- */

static gint64
get_num_output (SondeCaffeLowering *self)
{
  gint64 n = sonde_caffe_get_int (self->param, "num_output", 0);

  if (n < 1 || n > 1 << 28)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "num_output is %" PRId64, n);
      return 1;
    }
  return n;
}

/* The axes from @axis on become one, the others count as rows. */
static void
lower_inner_product (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL, *w = NULL;
  SondeShape shape = sonde_caffe_shape_of (x);
  int axis
      = sonde_caffe_axis (self, sonde_caffe_get_int (self->param, "axis", 1), shape.rank, FALSE);
  gint64 n = get_num_output (self), k = sonde_caffe_count_sizes (&shape, axis, shape.rank);
  gboolean transposed = sonde_caffe_get_bool (self->param, "transpose", FALSE);
  SondeShape rows = { 2, { sonde_caffe_count_sizes (&shape, 0, axis), k } };
  SondeShape weights = { 2, { transposed ? k : n, transposed ? n : k } }, bias = { 1, { n } };

  w = sonde_caffe_blob (self, 0, "weight", &weights);
  x = sonde_shape_equal (&shape, &rows) ? x : sonde_caffe_reshape (self, x, &rows);
  if (sonde_caffe_get_bool (self->param, "bias_term", TRUE))
    y = sonde_lowering_op (self->out, "Gemm",
                           SONDE_VALUES (x, w, sonde_caffe_blob (self, 1, "bias", &bias)));
  else
    y = sonde_caffe_op2 (self, "Gemm", x, w);
  sonde_node_set_int (y->producer, "transB", transposed ? 0 : 1);
  shape.rank = axis + 1;
  shape.dims[axis] = n;
  if (axis != 1)
    y = sonde_caffe_reshape (self, y, &shape);
  sonde_caffe_set_top (self, 0, y, &shape);
}

static void
lower_embed (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL;
  SondeShape shape = sonde_caffe_shape_of (x);
  gint64 n = get_num_output (self);
  SondeShape table = { 2, { sonde_caffe_get_int (self->param, "input_dim", 0), n } };
  SondeShape bias = { 1, { n } };
  SondeGraphValue *weights = sonde_caffe_blob (self, 0, "weight", &table);

  x = sonde_lowering_op (self->out, "Cast", SONDE_VALUES (x));
  sonde_node_set_int (x->producer, "to", 7); /* int64 */
  y = sonde_caffe_op2 (self, "Gather", weights, x);
  if (sonde_caffe_get_bool (self->param, "bias_term", TRUE))
    y = sonde_caffe_op2 (self, "Add", y, sonde_caffe_blob (self, 1, "bias", &bias));
  if (shape.rank == SONDE_MAX_RANK)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_LIMIT, "its top has too many dimensions");
  else
    shape.dims[shape.rank++] = n;
  sonde_caffe_set_top (self, 0, y, &shape);
}

/* ---- BatchNorm, Scale, Bias ---------------------------------------------- */

/* Blob @index times @factor, as a constant. */
static SondeGraphValue *
scaled_blob (SondeCaffeLowering *self, guint index, const char *what, const SondeShape *shape,
             double factor)
{
  g_autoptr (SondeTensor) tensor = sonde_caffe_read_blob (self, index, shape);
  g_autofree char *name = g_strdup_printf ("%s.%s", self->layer->name, what);

  if (tensor == NULL)
    return sonde_caffe_number (self, 0);
  for (gint64 i = 0; i < shape->dims[0]; i++)
    ((float *) tensor->data)[i] = (float) (factor * ((const float *) tensor->data)[i]);
  return sonde_lowering_constant (self->out, name, tensor);
}

static SondeGraphValue *
filled (SondeCaffeLowering *self, const char *what, gint64 n, float value)
{
  const SondeShape shape = { 1, { n } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree char *name = g_strdup_printf ("%s.%s", self->layer->name, what);

  for (gint64 i = 0; i < n; i++)
    ((float *) tensor->data)[i] = value;
  return sonde_lowering_constant (self->out, name, tensor);
}

/* Mean and variance are kept as sums with the number of terms in blob 2; scale and shift are those of
 * a Scale layer behind. */
static void
lower_batch_norm (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL;
  SondeShape shape = sonde_caffe_shape_of (x), one = { 1, { 1 } };
  SondeShape channels = { 1, { shape.rank > 1 ? shape.dims[1] : 1 } };
  g_autoptr (SondeTensor) terms = sonde_caffe_read_blob (self, 2, &one);
  double factor = terms != NULL ? ((const float *) terms->data)[0] : 0;

  if (!sonde_caffe_get_bool (self->param, "use_global_stats", TRUE))
    {
      sonde_caffe_refuse (
          self, sonde_message_new ("it normalises each batch by that batch's own statistics"),
          sonde_message_new ("Set use_global_stats to true"));
      return;
    }
  factor = factor != 0 ? 1 / factor : 0;
  y = sonde_lowering_op (self->out, "BatchNormalization",
                         SONDE_VALUES (x, filled (self, "scale", channels.dims[0], 1),
                                       filled (self, "shift", channels.dims[0], 0),
                                       scaled_blob (self, 0, "mean", &channels, factor),
                                       scaled_blob (self, 1, "variance", &channels, factor)));
  sonde_node_set_float (y->producer, "epsilon", sonde_caffe_get_number (self->param, "eps", 1e-5));
  sonde_caffe_set_same (self, y);
}

/* The axes of a factor or a summand inside of @shape; trailing ones are filled with 1 so that ONNX
 * spreads it. @own: (out): its own shape */
static SondeShape
spread_shape (SondeCaffeLowering *self, const SondeShape *shape, const SondeShape *other,
              SondeShape *own)
{
  int axis
      = sonde_caffe_axis (self, sonde_caffe_get_int (self->param, "axis", 1), shape->rank, FALSE);
  gint64 n = other != NULL ? other->rank : sonde_caffe_get_int (self->param, "num_axes", 1);
  SondeShape spread = { 0 };

  n = n == -1 ? shape->rank - axis : n;
  if (n < 0 || axis + n > shape->rank)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "%" PRId64 " axes from axis %d on are more than there are", n, axis);
      n = 0;
    }
  *own = (SondeShape){ .rank = (int) n };
  for (int i = 0; i < shape->rank - axis; i++)
    {
      gint64 size = i < n ? (other != NULL ? other->dims[i] : shape->dims[axis + i]) : 1;

      if (i < n)
        own->dims[i] = size;
      spread.dims[spread.rank++] = size;
    }
  return spread;
}

/* The second bottom, or blob 0, as what can be multiplied with or added to the first. */
static SondeGraphValue *
get_second (SondeCaffeLowering *self, const char *what, SondeShape *spread)
{
  SondeShape shape = sonde_caffe_shape_of (sonde_caffe_bottom (self, 0)), own = { 0 },
             other = { 0 };

  if (self->layer->bottoms->len < 2)
    {
      *spread = spread_shape (self, &shape, NULL, &own);
      return sonde_caffe_blob (self, 0, what, spread);
    }
  other = sonde_caffe_shape_of (sonde_caffe_bottom (self, 1));
  *spread = spread_shape (self, &shape, &other, &own);
  return sonde_shape_equal (spread, &other)
             ? sonde_caffe_bottom (self, 1)
             : sonde_caffe_reshape (self, sonde_caffe_bottom (self, 1), spread);
}

static void
lower_scale (SondeCaffeLowering *self)
{
  SondeShape spread = { 0 };
  guint bias = self->layer->bottoms->len < 2 ? 1 : 0;
  SondeGraphValue *factor = get_second (self, "scale", &spread);
  SondeGraphValue *y = sonde_caffe_op2 (self, "Mul", sonde_caffe_bottom (self, 0), factor);

  if (sonde_caffe_get_bool (self->param, "bias_term", FALSE))
    y = sonde_caffe_op2 (self, "Add", y, sonde_caffe_blob (self, bias, "bias", &spread));
  sonde_caffe_set_same (self, y);
}

static void
lower_bias (SondeCaffeLowering *self)
{
  SondeShape spread = { 0 };
  SondeGraphValue *summand = get_second (self, "bias", &spread);

  sonde_caffe_set_same (self, sonde_caffe_op2 (self, "Add", sonde_caffe_bottom (self, 0), summand));
}

/* ---- MVN, Normalize ------------------------------------------------------ */

static SondeGraphValue *
reduce (SondeCaffeLowering *self, const char *op, SondeGraphValue *x, int from, int rank)
{
  gint64 axes[SONDE_MAX_RANK];
  gsize n = 0;

  for (int i = from; i < rank; i++)
    axes[n++] = i;
  return sonde_caffe_op2 (self, op, x, sonde_lowering_ints (self->out, axes, n));
}

/* (x − mean) / (√variance + eps): eps stands outside of the root */
static void
lower_mvn (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL, *deviation = NULL;
  int rank = sonde_caffe_shape_of (x).rank;
  int from = sonde_caffe_get_bool (self->param, "across_channels", FALSE) ? 1 : 2;

  if (rank < 3)
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "a blob of %d dimensions has no spatial ones", rank);
  y = sonde_caffe_op2 (self, "Sub", x, reduce (self, "ReduceMean", x, from, rank));
  if (sonde_caffe_get_bool (self->param, "normalize_variance", TRUE))
    {
      deviation = reduce (self, "ReduceMean", sonde_caffe_op2 (self, "Mul", y, y), from, rank);
      deviation = sonde_lowering_op (self->out, "Sqrt", SONDE_VALUES (deviation));
      deviation = sonde_caffe_op2 (
          self, "Add", deviation,
          sonde_caffe_number (self, sonde_caffe_get_number (self->param, "eps", 1e-9)));
      y = sonde_caffe_op2 (self, "Div", y, deviation);
    }
  sonde_caffe_set_same (self, y);
}

/* Of the fork for SSD: x / √(Σx² + eps) · scale, over the channels or over all. */
static void
lower_normalize (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *length = NULL;
  SondeShape shape = sonde_caffe_shape_of (x), scale = { 0 };
  gboolean across = sonde_caffe_get_bool (self->param, "across_spatial", TRUE);
  gboolean shared = sonde_caffe_get_bool (self->param, "channel_shared", TRUE);

  length = reduce (self, "ReduceSumSquare", x, 1, across ? shape.rank : MIN (2, shape.rank));
  length = sonde_caffe_op2 (
      self, "Add", length,
      sonde_caffe_number (self, sonde_caffe_get_number (self->param, "eps", 1e-10)));
  length = sonde_lowering_op (self->out, "Sqrt", SONDE_VALUES (length));
  for (int i = 1; i < shape.rank; i++)
    scale.dims[scale.rank++] = i == 1 && !shared ? shape.dims[1] : 1;
  x = sonde_caffe_op2 (self, "Div", x, length);
  sonde_caffe_set_same (
      self, sonde_caffe_op2 (self, "Mul", x, sonde_caffe_blob (self, 0, "scale", &scale)));
}

const SondeCaffeRow sonde_caffe_dense_rows[] = {
  { "BatchNorm", "batch_norm_param", 1, 1, lower_batch_norm },
  { "Bias", "bias_param", 1, 2, lower_bias },
  { "Embed", "embed_param", 1, 1, lower_embed },
  { "InnerProduct", "inner_product_param", 1, 1, lower_inner_product },
  { "MVN", "mvn_param", 1, 1, lower_mvn },
  { "Normalize", "norm_param", 1, 1, lower_normalize },
  { "Scale", "scale_param", 1, 2, lower_scale },
  { NULL },
};
