/* SPDX-License-Identifier: Apache-2.0
 * Pictures, histograms and loss landscapes of MindSpore's summaries. */
#include "data/records/mindspore/sonde-mindspore-contents-private.h"
#include "data/records/mindspore/sonde-mindspore-tensor-private.h"

#include <math.h>

#include "data/base/sonde-error.h"
#include "data/records/mindspore.pb-c.h"
#include "data/records/sonde-record-format.h"
#include "data/records/sonde-record-text.h"
#include "data/wire/sonde-wire-decode.h"

#define MAX_BUCKETS (1u << 20)

/* ---- pictures ------------------------------------------------------------ */

/* What the message says of the size may be wrong; the header of a PNG is not. */
static void
look_at_png (ProtobufCBinaryData encoded, gint64 *width, gint64 *height)
{
  static const guint8 start[]
      = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R' };
  guint32 sizes[2];

  if (encoded.len < sizeof start + sizeof sizes || memcmp (encoded.data, start, sizeof start) != 0)
    return;
  memcpy (sizes, encoded.data + sizeof start, sizeof sizes);
  *width = GUINT32_FROM_BE (sizes[0]);
  *height = GUINT32_FROM_BE (sizes[1]);
}

gboolean
sonde_mindspore_read_image (ProtobufCBinaryData message, SondeRecord *record, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Mindspore__Image *image
      = sonde_wire_decode_field (&mindspore__image__descriptor, message, &arena, error);
  gint64 width, height;

  if (image == NULL)
    return FALSE;
  width = image->width;
  height = image->height;
  look_at_png (image->encoded_image, &width, &height);
  record->u.image.encoded = g_bytes_new (image->encoded_image.data, image->encoded_image.len);
  record->u.image.width = (int) CLAMP (width, 0, G_MAXINT);
  record->u.image.height = (int) CLAMP (height, 0, G_MAXINT);
  record->u.image.note.label = record->u.image.note.predicted = -1;
  record->u.image.note.label_probability = record->u.image.note.predicted_probability = NAN;
  return TRUE;
}

/* ---- histograms ---------------------------------------------------------- */

static gboolean
fill_bins (SondeBins *bins, const Mindspore__Histogram *histogram, GError **error)
{
  for (gsize i = 0; i < bins->n; i++)
    {
      const Mindspore__Histogram__Bucket *bucket = histogram->buckets[i];

      if (!isfinite (bucket->left) || !isfinite (bucket->width) || bucket->width < 0
          || bucket->count < 0)
        return sonde_record_damaged (
            error, "bucket %zu of the histogram is not an interval with a count", i);
      bins->lefts[i] = bucket->left;
      bins->rights[i] = bucket->left + bucket->width;
      bins->counts[i] = (double) bucket->count;
    }
  return TRUE;
}

gboolean
sonde_mindspore_read_histogram (ProtobufCBinaryData message, SondeRecord *record, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Mindspore__Histogram *histogram
      = sonde_wire_decode_field (&mindspore__histogram__descriptor, message, &arena, error);
  SondeBins *bins;

  if (histogram == NULL)
    return FALSE;
  if (histogram->nan_count < 0 || histogram->pos_inf_count < 0 || histogram->neg_inf_count < 0)
    return sonde_record_damaged (error, "a count of the histogram is negative");
  bins = histogram->n_buckets > MAX_BUCKETS ? NULL : sonde_bins_new (histogram->n_buckets);
  if (bins == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "the histogram has more than %u buckets", MAX_BUCKETS);
      return FALSE;
    }
  record->u.bins = bins;
  if (SONDE_WIRE_OR (histogram, count, -1) >= 0)
    bins->count = (double) histogram->count;
  bins->min = SONDE_WIRE_OR (histogram, min, NAN);
  bins->max = SONDE_WIRE_OR (histogram, max, NAN);
  bins->sum = SONDE_WIRE_OR (histogram, sum, NAN);
  bins->nan = (guint64) histogram->nan_count;
  bins->pos_inf = (guint64) histogram->pos_inf_count;
  bins->neg_inf = (guint64) histogram->neg_inf_count;
  return fill_bins (bins, histogram, error);
}

/* ---- loss landscapes ----------------------------------------------------- */

/* (nullable) @point. @tensors: (out): NULL for an axis that is not there */
static gboolean
read_point (const Mindspore__LossLandscape__Point *point, SondeTensor **tensors[3], GError **error)
{
  static const char *const names[] = { "Point.x", "Point.y", "Point.z" };

  for (guint i = 0; point != NULL && i < 3; i++)
    {
      const ProtobufCBinaryData axis = i == 0 ? point->x : i == 1 ? point->y : point->z;

      if (!(i == 0 ? point->has_x : i == 1 ? point->has_y : point->has_z))
        continue;
      *tensors[i] = sonde_mindspore_tensor (axis, SONDE_MINDSPORE_TENSOR_SUMMARY, error);
      if (*tensors[i] == NULL)
        {
          sonde_prefix_error (error, "%s: ", names[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static gint64
length_of (const SondeTensor *tensor)
{
  return tensor != NULL && tensor->shape.rank == 1 ? tensor->shape.dims[0] : -1;
}

static gboolean
check_surface (const SondeRecord *record, GError **error)
{
  const SondeTensor *z = record->u.landscape.z;

  if (z != NULL && z->shape.rank == 2 && z->shape.dims[0] == length_of (record->u.landscape.y)
      && z->shape.dims[1] == length_of (record->u.landscape.x))
    return TRUE;
  return sonde_record_damaged (error,
                               "the number of heights of the landscape does not match its axes");
}

/* The path has a point for each interval; the landscape of the result alone has neither. */
static gboolean
read_path (const Mindspore__LossLandscape__LossPath *path, SondeRecord *record, GError **error)
{
  SondeTensor **axes[3]
      = { &record->u.landscape.path_x, &record->u.landscape.path_y, &record->u.landscape.path_z };
  const gint64 n = path != NULL ? (gint64) path->n_intervals : 0;
  SondeShape shape;

  if (path != NULL && !read_point (path->points, axes, error))
    return FALSE;
  if (n == 0)
    {
      for (guint i = 0; i < 3; i++)
        g_clear_pointer (axes[i], sonde_tensor_unref);
      return TRUE;
    }
  for (guint i = 0; i < 3; i++)
    if (length_of (*axes[i]) != n)
      return sonde_record_damaged (
          error, "the path of the landscape does not have one point per interval");
  shape = sonde_shape_make (1, n);
  record->u.landscape.intervals = sonde_tensor_try_new_from_data (
      SONDE_DTYPE_I64, &shape, path->intervals, N_ ("intervals of the landscape"), error);
  return record->u.landscape.intervals != NULL;
}

static void
read_metadata (const Mindspore__LossLandscape__Metadata *metadata, SondeRecord *record)
{
  if (metadata == NULL)
    return;
  if (metadata->has_decomposition)
    record->u.landscape.decomposition = sonde_record_dup_bytes (metadata->decomposition);
  if (metadata->has_unit)
    record->u.landscape.unit = sonde_record_dup_bytes (metadata->unit);
  record->u.landscape.steps_per_epoch = (int) CLAMP (metadata->step_per_epoch, 0, G_MAXINT);
}

static gboolean
read_convergence (const Mindspore__LossLandscape__Point *point, SondeRecord *record, GError **error)
{
  SondeTensor *tensors[3] = { NULL }, **axes[3] = { &tensors[0], &tensors[1], &tensors[2] };
  gboolean right = read_point (point, axes, error);

  for (guint i = 0; i < 3; i++)
    {
      record->u.landscape.found[i] = NAN;
      if (tensors[i] != NULL && sonde_tensor_n_elements (tensors[i]) > 0)
        record->u.landscape.found[i] = sonde_tensor_get_double (tensors[i], 0);
      sonde_tensor_unref (tensors[i]);
    }
  return right;
}

gboolean
sonde_mindspore_read_landscape (ProtobufCBinaryData message, SondeRecord *record, GError **error)
{
  SondeTensor **axes[3]
      = { &record->u.landscape.x, &record->u.landscape.y, &record->u.landscape.z };
  g_auto (SondeWireArena) arena = { 0 };
  const Mindspore__LossLandscape *landscape
      = sonde_wire_decode_field (&mindspore__loss_landscape__descriptor, message, &arena, error);

  if (landscape == NULL || !read_point (landscape->landscape, axes, error)
      || !check_surface (record, error) || !read_path (landscape->loss_path, record, error))
    return FALSE;
  read_metadata (landscape->metadata, record);
  return read_convergence (landscape->convergence_point, record, error);
}
