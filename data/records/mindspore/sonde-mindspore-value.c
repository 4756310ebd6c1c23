/* SPDX-License-Identifier: Apache-2.0
 * Pictures, histograms and loss landscapes of MindSpore's summaries. */
#include "data/records/mindspore/sonde-mindspore-private.h"

#include <math.h>

#include "data/base/sonde-error.h"

#define MAX_BUCKETS (1u << 20)

/* ---- pictures ------------------------------------------------------------ */

typedef struct
{
  gint64 height, width;
  SondeWireItem encoded;
} Image;

static const SondeMindsporeField image_fields[] = {
  { 1, SONDE_MINDSPORE_INT, offsetof (Image, height), "Image.height" },
  { 2, SONDE_MINDSPORE_INT, offsetof (Image, width), "Image.width" },
  { 4, SONDE_MINDSPORE_BYTES, offsetof (Image, encoded), "Image.encoded_image" },
};

/* What the message says of the size may be wrong; the header of a PNG is not. */
static void
look_at_png (const SondeWireItem *encoded, gint64 *width, gint64 *height)
{
  static const guint8 start[]
      = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R' };
  guint32 sizes[2];

  if (encoded->length < sizeof start + sizeof sizes
      || memcmp (encoded->bytes, start, sizeof start) != 0)
    return;
  memcpy (sizes, encoded->bytes + sizeof start, sizeof sizes);
  *width = GUINT32_FROM_BE (sizes[0]);
  *height = GUINT32_FROM_BE (sizes[1]);
}

gboolean
sonde_mindspore_read_image (const SondeWireItem *message, SondeRecord *record, GError **error)
{
  Image image = { 0 };

  if (!sonde_mindspore_take (message, image_fields, G_N_ELEMENTS (image_fields), &image, error))
    return FALSE;
  look_at_png (&image.encoded, &image.width, &image.height);
  record->u.image.encoded = g_bytes_new (image.encoded.bytes, image.encoded.length);
  record->u.image.width = (int) CLAMP (image.width, 0, G_MAXINT);
  record->u.image.height = (int) CLAMP (image.height, 0, G_MAXINT);
  record->u.image.note.label = record->u.image.note.predicted = -1;
  record->u.image.note.label_probability = record->u.image.note.predicted_probability = NAN;
  return TRUE;
}

/* ---- histograms ---------------------------------------------------------- */

typedef struct
{
  GArray *buckets;
  gint64 nan, pos_inf, neg_inf, count;
  double max, min, sum;
} Histogram;

static const SondeMindsporeField histogram_fields[] = {
  { 1, SONDE_MINDSPORE_ITEMS, offsetof (Histogram, buckets), "Histogram.buckets" },
  { 2, SONDE_MINDSPORE_INT, offsetof (Histogram, nan), "Histogram.nan_count" },
  { 3, SONDE_MINDSPORE_INT, offsetof (Histogram, pos_inf), "Histogram.pos_inf_count" },
  { 4, SONDE_MINDSPORE_INT, offsetof (Histogram, neg_inf), "Histogram.neg_inf_count" },
  { 5, SONDE_MINDSPORE_DOUBLE, offsetof (Histogram, max), "Histogram.max" },
  { 6, SONDE_MINDSPORE_DOUBLE, offsetof (Histogram, min), "Histogram.min" },
  { 7, SONDE_MINDSPORE_DOUBLE, offsetof (Histogram, sum), "Histogram.sum" },
  { 8, SONDE_MINDSPORE_INT, offsetof (Histogram, count), "Histogram.count" },
};

typedef struct
{
  double left, width;
  gint64 count;
} Bucket;

static const SondeMindsporeField bucket_fields[] = {
  { 1, SONDE_MINDSPORE_DOUBLE, offsetof (Bucket, left), "bucket.left" },
  { 2, SONDE_MINDSPORE_DOUBLE, offsetof (Bucket, width), "bucket.width" },
  { 3, SONDE_MINDSPORE_INT, offsetof (Bucket, count), "bucket.count" },
};

static gboolean
fill_bins (SondeBins *bins, const Histogram *histogram, GError **error)
{
  for (gsize i = 0; i < bins->n; i++)
    {
      const SondeWireItem *item = &g_array_index (histogram->buckets, SondeWireItem, i);
      Bucket bucket = { 0 };

      if (!sonde_mindspore_take (item, bucket_fields, G_N_ELEMENTS (bucket_fields), &bucket, error))
        return FALSE;
      if (!isfinite (bucket.left) || !isfinite (bucket.width) || bucket.width < 0
          || bucket.count < 0)
        return sonde_mindspore_damaged (
            error, "bucket %zu of the histogram is not an interval with a count", i);
      bins->lefts[i] = bucket.left;
      bins->rights[i] = bucket.left + bucket.width;
      bins->counts[i] = (double) bucket.count;
    }
  return TRUE;
}

gboolean
sonde_mindspore_read_histogram (const SondeWireItem *message, SondeRecord *record, GError **error)
{
  Histogram histogram = { .count = -1, .max = NAN, .min = NAN, .sum = NAN };
  gboolean right = sonde_mindspore_take (message, histogram_fields, G_N_ELEMENTS (histogram_fields),
                                         &histogram, error);
  g_autoptr (GArray) buckets = histogram.buckets;
  gsize n = buckets != NULL ? buckets->len : 0;
  SondeBins *bins;

  if (!right)
    return FALSE;
  if (histogram.nan < 0 || histogram.pos_inf < 0 || histogram.neg_inf < 0)
    return sonde_mindspore_damaged (error, "a count of the histogram is negative");
  bins = n > MAX_BUCKETS ? NULL : sonde_bins_new (n);
  if (bins == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "the histogram has more than %u buckets", MAX_BUCKETS);
      return FALSE;
    }
  record->u.bins = bins;
  if (histogram.count >= 0)
    bins->count = (double) histogram.count;
  bins->min = histogram.min;
  bins->max = histogram.max;
  bins->sum = histogram.sum;
  bins->nan = (guint64) histogram.nan;
  bins->pos_inf = (guint64) histogram.pos_inf;
  bins->neg_inf = (guint64) histogram.neg_inf;
  return fill_bins (bins, &histogram, error);
}

/* ---- loss landscapes ----------------------------------------------------- */

typedef struct
{
  SondeWireItem axes[3]; /* x, y, z */
} Point;

static const SondeMindsporeField point_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Point, axes[0]), "Point.x" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Point, axes[1]), "Point.y" },
  { 3, SONDE_MINDSPORE_BYTES, offsetof (Point, axes[2]), "Point.z" },
};

typedef struct
{
  GArray *intervals;
  SondeWireItem points;
} Path;

static const SondeMindsporeField path_fields[] = {
  { 1, SONDE_MINDSPORE_INTS, offsetof (Path, intervals), "LossPath.intervals" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Path, points), "LossPath.points" },
};

typedef struct
{
  SondeWireItem decomposition, unit;
  gint64 steps_per_epoch;
} Metadata;

static const SondeMindsporeField metadata_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Metadata, decomposition), "Metadata.decomposition" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Metadata, unit), "Metadata.unit" },
  { 3, SONDE_MINDSPORE_INT, offsetof (Metadata, steps_per_epoch), "Metadata.step_per_epoch" },
};

typedef struct
{
  SondeWireItem landscape, path, metadata, convergence;
} Landscape;

static const SondeMindsporeField landscape_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Landscape, landscape), "LossLandscape.landscape" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Landscape, path), "LossLandscape.loss_path" },
  { 3, SONDE_MINDSPORE_BYTES, offsetof (Landscape, metadata), "LossLandscape.metadata" },
  { 4, SONDE_MINDSPORE_BYTES, offsetof (Landscape, convergence),
    "LossLandscape.convergence_point" },
};

/* @tensors: (out): NULL for an axis that is not there */
static gboolean
read_point (const SondeWireItem *message, SondeTensor **tensors[3], GError **error)
{
  Point point = { 0 };

  if (!sonde_mindspore_take (message, point_fields, G_N_ELEMENTS (point_fields), &point, error))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    if (point.axes[i].number != 0)
      {
        *tensors[i]
            = sonde_mindspore_tensor (&point.axes[i], SONDE_MINDSPORE_TENSOR_SUMMARY, error);
        if (*tensors[i] == NULL)
          {
            sonde_prefix_error (error, "%s: ", point_fields[i].name);
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
  return sonde_mindspore_damaged (error,
                                  "the number of heights of the landscape does not match its axes");
}

/* The path has a point for each interval; the landscape of the result alone has neither. */
static gboolean
read_path (const SondeWireItem *message, SondeRecord *record, GError **error)
{
  SondeTensor **axes[3]
      = { &record->u.landscape.path_x, &record->u.landscape.path_y, &record->u.landscape.path_z };
  Path path = { 0 };
  gboolean right
      = sonde_mindspore_take (message, path_fields, G_N_ELEMENTS (path_fields), &path, error);
  g_autoptr (GArray) intervals = path.intervals;
  SondeShape shape;

  if (!right || !read_point (&path.points, axes, error))
    return FALSE;
  if (intervals == NULL)
    {
      for (guint i = 0; i < 3; i++)
        g_clear_pointer (axes[i], sonde_tensor_unref);
      return TRUE;
    }
  for (guint i = 0; i < 3; i++)
    if (length_of (*axes[i]) != intervals->len)
      return sonde_mindspore_damaged (
          error, "the path of the landscape does not have one point per interval");
  shape = sonde_shape_make (1, intervals->len);
  record->u.landscape.intervals = sonde_tensor_try_new_from_data (
      SONDE_DTYPE_I64, &shape, intervals->data, "intervals of the landscape", error);
  return record->u.landscape.intervals != NULL;
}

static gboolean
read_metadata (const SondeWireItem *message, SondeRecord *record, GError **error)
{
  Metadata metadata = { 0 };

  if (!sonde_mindspore_take (message, metadata_fields, G_N_ELEMENTS (metadata_fields), &metadata,
                             error))
    return FALSE;
  if (metadata.decomposition.number != 0)
    record->u.landscape.decomposition = sonde_mindspore_dup_text (&metadata.decomposition);
  if (metadata.unit.number != 0)
    record->u.landscape.unit = sonde_mindspore_dup_text (&metadata.unit);
  record->u.landscape.steps_per_epoch = (int) CLAMP (metadata.steps_per_epoch, 0, G_MAXINT);
  return TRUE;
}

static gboolean
read_convergence (const SondeWireItem *message, SondeRecord *record, GError **error)
{
  SondeTensor *tensors[3] = { NULL }, **axes[3] = { &tensors[0], &tensors[1], &tensors[2] };
  gboolean right = read_point (message, axes, error);

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
sonde_mindspore_read_landscape (const SondeWireItem *message, SondeRecord *record, GError **error)
{
  SondeTensor **axes[3]
      = { &record->u.landscape.x, &record->u.landscape.y, &record->u.landscape.z };
  Landscape landscape = { { 0 } };

  return sonde_mindspore_take (message, landscape_fields, G_N_ELEMENTS (landscape_fields),
                               &landscape, error)
         && read_point (&landscape.landscape, axes, error) && check_surface (record, error)
         && read_path (&landscape.path, record, error)
         && read_metadata (&landscape.metadata, record, error)
         && read_convergence (&landscape.convergence, record, error);
}
