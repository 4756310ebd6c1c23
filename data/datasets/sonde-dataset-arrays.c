/* SPDX-License-Identifier: Apache-2.0
 * Samples and labels in arrays: x [n, …] and y [n, …] out of an .npz, or out of two .npy files. */
#include "data/datasets/sonde-dataset-arrays.h"

#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-dataset-settings.h"
#include "data/datasets/sonde-dataset-sources.h"
#include "data/datasets/sonde-pixels.h"

#define MAX_VOCABULARY (1 << 20)
#define MAX_CLASSES 100000

/* Names that go together; the second pair, where it is there too, is the test part. */
static const struct
{
  const char *x, *y, *test_x, *test_y;
} pairs[] = {
  { "x_train", "y_train", "x_test", "y_test" },
  { "train_images", "train_labels", "test_images", "test_labels" },
  { "x", "y", NULL, NULL },
  { "X", "y", NULL, NULL },
  { "images", "labels", NULL, NULL },
  { "data", "labels", NULL, NULL },
  { "data", "target", NULL, NULL },
  { "arr_0", "arr_1", NULL, NULL },
};

typedef struct
{
  const char *name;   /* static or of the file */
  SondeTensor *x, *y; /* references; y (nullable) */
  guint begin, n;
} Part;

typedef struct
{
  SondeDataset base;
  Part parts[2];
  guint n_parts;
  gboolean pixels; /* of bytes, as images */
  SondePixelReader reader;
  gsize sample_elements, label_elements;
} Arrays;

static const SondeDatasetClass arrays_class;

static gboolean
fail (GError **error, const char *path, const Part *part, const char *reason)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "“%s”, %s: %-s", path,
                   part->name, reason);
  return FALSE;
}

static gboolean
like (const SondeTensor *a, const SondeTensor *b)
{
  SondeShape shape = b->shape;

  if (a->dtype != b->dtype || shape.rank == 0 || a->shape.rank == 0)
    return FALSE;
  shape.dims[0] = a->shape.dims[0];
  return sonde_shape_equal (&a->shape, &shape);
}

/* Reads x and y into row-major memory; they must count the same samples, each like the first
 * part's. */
static gboolean
add_part (Arrays *arrays, const char *name, SondeTensor *x, SondeTensor *y, const char *path,
          GError **error)
{
  Part *part = &arrays->parts[arrays->n_parts++];

  *part = (Part){ name, sonde_tensor_contiguous (x), y != NULL ? sonde_tensor_contiguous (y) : NULL,
                  arrays->base.n, 0 };
  x = part->x;
  y = part->y;
  if (x->dtype == SONDE_DTYPE_STRING || (y != NULL && y->dtype == SONDE_DTYPE_STRING))
    return fail (error, path, part, N_ ("strings cannot be samples"));
  if (x->shape.rank == 0 || sonde_tensor_n_elements (x) == 0)
    return fail (error, path, part, N_ ("it holds no samples; its first dimension counts them"));
  if (y != NULL
      && (y->shape.rank == 0 || y->shape.dims[0] != x->shape.dims[0]
          || sonde_tensor_n_elements (y) == 0))
    return fail (error, path, part, N_ ("samples and labels differ in number"));
  if (x->shape.dims[0] + arrays->base.n > G_MAXINT
      || sonde_tensor_n_elements (x) / x->shape.dims[0] > G_MAXINT / 8)
    return fail (error, path, part, N_ ("there are too many samples, or too large ones"));
  if (part != arrays->parts
      && (!like (arrays->parts[0].x, x) || (y != NULL && !like (arrays->parts[0].y, y))))
    return fail (error, path, part,
                 N_ ("its samples or labels have another shape or dtype than those that train"));
  part->n = (guint) x->shape.dims[0];
  arrays->base.n += part->n;
  return TRUE;
}

/* ---- shapes -------------------------------------------------------------- */

static gboolean
is_channels (gint64 size)
{
  return size == 1 || size == 3 || size == 4;
}

static gboolean
take_pixels (Arrays *arrays, SondeDatasetRequest *request, GError **error)
{
  static const float mean[4] = { 0, 0, 0, 0 }, std[4] = { 1, 1, 1, 1 };
  const SondeShape *shape = &arrays->parts[0].x->shape;
  gboolean grey = shape->rank == 3, last = shape->rank == 4 && is_channels (shape->dims[3]);

  arrays->pixels = TRUE;
  arrays->reader.planar = !last;
  arrays->reader.channels = grey ? 1 : (int) shape->dims[last ? 3 : 1];
  arrays->reader.height = (int) shape->dims[grey || last ? 1 : 2];
  arrays->reader.width = (int) shape->dims[grey || last ? 2 : 3];
  return sonde_pixel_reader_init (&arrays->reader, &arrays->base, request, mean, std, error);
}

/* One more than the largest token; 0 where they are no numbers of a vocabulary. */
static guint
count_tokens (const Arrays *arrays)
{
  gint64 most = -1;

  for (guint p = 0; p < arrays->n_parts; p++)
    for (gint64 i = 0; i < sonde_tensor_n_elements (arrays->parts[p].x); i++)
      {
        gint64 token = sonde_tensor_get_int (arrays->parts[p].x, i);

        if (token < 0 || token >= MAX_VOCABULARY)
          return 0;
        most = MAX (most, token);
      }
  return (guint) (most + 1);
}

static void
take_numbers (Arrays *arrays)
{
  const SondeTensor *x = arrays->parts[0].x;
  SondeDataset *base = &arrays->base;
  const SondeShape *shape = &x->shape;
  gboolean image = shape->rank == 4 && shape->dims[1] <= 4;
  gboolean tokens = sonde_dtype_is_integer (x->dtype) && x->dtype != SONDE_DTYPE_U8;

  base->dtype = tokens ? SONDE_DTYPE_I64 : SONDE_DTYPE_F32;
  base->vocabulary = tokens ? count_tokens (arrays) : 0;
  base->shape = sonde_shape_from_array (shape->rank - 1, shape->dims + 1);
  base->channels = image ? (int) shape->dims[1] : 1;
  base->height = image ? (int) shape->dims[2] : 1;
  base->width = image ? (int) shape->dims[3] : (int) arrays->sample_elements;
  base->in_memory = TRUE;
  if (base->shape.rank == 0)
    base->shape = sonde_shape_make (1, 1);
  for (int c = 0; c < 4; c++)
    base->std[c] = 1;
}

/* ---- labels -------------------------------------------------------------- */

/* One class, a class at each place, or numbers. */
static void
take_label_shape (Arrays *arrays)
{
  const SondeTensor *y = arrays->parts[0].y;
  SondeDataset *base = &arrays->base;
  gboolean classes = y == NULL || sonde_dtype_is_integer (y->dtype) || y->dtype == SONDE_DTYPE_BOOL;

  base->label_dtype = classes ? SONDE_DTYPE_I64 : SONDE_DTYPE_F32;
  arrays->label_elements = y != NULL ? (gsize) (sonde_tensor_n_elements (y) / y->shape.dims[0]) : 1;
  if (classes && arrays->label_elements == 1)
    base->label_shape = sonde_shape_scalar ();
  else if (y->shape.rank == 1)
    base->label_shape = sonde_shape_make (1, 1);
  else
    base->label_shape = sonde_shape_from_array (y->shape.rank - 1, y->shape.dims + 1);
}

/* Classes are counted by the largest; one below 0 is refused where a sample has but one. */
static gboolean
count_classes (Arrays *arrays, const char *path, GError **error)
{
  gboolean single = arrays->base.label_shape.rank == 0;
  gint64 n = 0;

  for (guint p = 0; p < arrays->n_parts && arrays->base.label_dtype == SONDE_DTYPE_I64; p++)
    for (gint64 i = 0;
         arrays->parts[p].y != NULL && i < sonde_tensor_n_elements (arrays->parts[p].y); i++)
      {
        gint64 label = sonde_tensor_get_int (arrays->parts[p].y, i);

        if ((label < 0 && single) || label >= MAX_CLASSES)
          {
            sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                             "“%s”: the label of sample %s[%" PRIi64 "] is %" PRIi64
                             "; classes are 0 to %d at most",
                             path, arrays->parts[p].name, i / (gint64) arrays->label_elements,
                             label, MAX_CLASSES - 1);
            return FALSE;
          }
        n = MAX (n, label + 1);
      }
  sonde_dataset_number_classes (&arrays->base, (guint) n);
  return TRUE;
}

static SondeDataset *
open_parts (Arrays *arrays, SondeDatasetRequest *request, const char *path, GError **error)
{
  g_autoptr (SondeDataset) dataset = &arrays->base;
  const SondeTensor *x = arrays->parts[0].x;

  arrays->sample_elements = (gsize) (sonde_tensor_n_elements (x) / x->shape.dims[0]);
  arrays->base.test_begin = arrays->n_parts > 1 ? (gint64) arrays->parts[1].begin : -1;
  if (x->dtype == SONDE_DTYPE_U8
      && (x->shape.rank == 3
          || (x->shape.rank == 4
              && (is_channels (x->shape.dims[3]) || is_channels (x->shape.dims[1])))))
    {
      if (!take_pixels (arrays, request, error))
        return NULL;
    }
  else
    take_numbers (arrays);
  take_label_shape (arrays);
  if (arrays->pixels)
    {
      dataset->dtype = SONDE_DTYPE_F32;
      dataset->shape = sonde_shape_make (3, dataset->channels, dataset->height, dataset->width);
    }
  return count_classes (arrays, path, error) ? g_steal_pointer (&dataset) : NULL;
}

static Arrays *
new_arrays (void)
{
  Arrays *arrays = g_new0 (Arrays, 1);

  arrays->base.klass = &arrays_class;
  return arrays;
}

SondeDataset *
sonde_dataset_arrays_new (SondeDatasetRequest *request, SondeNamedTensors *tensors,
                          const char *path, GError **error)
{
  g_autoptr (SondeNamedTensors) owned = tensors;

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      SondeTensor *x = sonde_named_tensors_lookup (owned, pairs[i].x),
                  *y = sonde_named_tensors_lookup (owned, pairs[i].y);
      SondeTensor *test_x
          = pairs[i].test_x != NULL ? sonde_named_tensors_lookup (owned, pairs[i].test_x) : NULL;
      SondeTensor *test_y
          = pairs[i].test_y != NULL ? sonde_named_tensors_lookup (owned, pairs[i].test_y) : NULL;
      Arrays *arrays;

      if (x == NULL || y == NULL)
        continue;
      arrays = new_arrays ();
      if (add_part (arrays, pairs[i].x, x, y, path, error)
          && (test_x == NULL || test_y == NULL
              || add_part (arrays, pairs[i].test_x, test_x, test_y, path, error)))
        return open_parts (arrays, request, path, error);
      sonde_dataset_free (&arrays->base);
      return NULL;
    }
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
      "“%s” holds no array x0; ready batches are named x0, y0, x1, y1 …, and samples x "
      "and y, or x_train, "
      "y_train, x_test and y_test",
      path);
  return NULL;
}

/* ---- two .npy files ------------------------------------------------------ */

static const SondeDatasetSetting settings[] = { { "labels", "an .npy file" } };

SondeDataset *
sonde_dataset_npy_open (SondeDatasetRequest *request, GError **error)
{
  gsize length = strcspn (request->argument, ";");
  g_autofree char *path = g_strndup (request->argument, length), *labels = NULL;
  g_autoptr (SondeTensor) x = NULL, y = NULL;
  Arrays *arrays;

  if (!sonde_dataset_settings_read ("npy", request->argument + length, settings, 1, &labels, error))
    return NULL;
  x = sonde_npy_read (request->options->io, path, error);
  if (x == NULL)
    return NULL;
  if (labels != NULL)
    {
      y = sonde_npy_read (request->options->io, labels, error);
      if (y == NULL)
        return NULL;
    }
  arrays = new_arrays ();
  if (add_part (arrays, "x", x, y, path, error))
    return open_parts (arrays, request, path, error);
  sonde_dataset_free (&arrays->base);
  return NULL;
}

/* ---- samples ------------------------------------------------------------- */

/* The part that holds *@sample, which becomes its number there. */
static const Part *
part_of (SondeDataset *dataset, guint *sample)
{
  const Arrays *arrays = (const Arrays *) dataset;
  const Part *part = &arrays->parts[arrays->n_parts > 1 && *sample >= arrays->parts[1].begin];

  *sample -= part->begin;
  return part;
}

static gboolean
arrays_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  const Arrays *arrays = (const Arrays *) dataset;
  const Part *part = part_of (dataset, &sample);
  const guint8 *from
      = part->x->data + sample * arrays->sample_elements * sonde_dtype_size (part->x->dtype);

  if (arrays->pixels)
    sonde_pixel_reader_fill (&arrays->reader, from, into);
  else
    sonde_dtype_convert (part->x->dtype, from, dataset->dtype, into, arrays->sample_elements);
  return TRUE;
}

static void
arrays_fill_label (SondeDataset *dataset, guint sample, void *into)
{
  const Arrays *arrays = (const Arrays *) dataset;
  const Part *part = part_of (dataset, &sample);

  if (part->y == NULL)
    *(gint64 *) into = -1;
  else
    sonde_dtype_convert (part->y->dtype,
                         part->y->data
                             + sample * arrays->label_elements * sonde_dtype_size (part->y->dtype),
                         dataset->label_dtype, into, arrays->label_elements);
}

static gint64
arrays_get_label (SondeDataset *dataset, guint sample)
{
  gint64 label = -1;

  if (dataset->label_dtype == SONDE_DTYPE_I64 && dataset->label_shape.rank == 0)
    arrays_fill_label (dataset, sample, &label);
  return label;
}

static char *
arrays_dup_name (SondeDataset *dataset, guint sample)
{
  const Part *part = part_of (dataset, &sample);

  return g_strdup_printf ("%s[%u]", part->name, sample);
}

static SondeImage *
arrays_dup_image (SondeDataset *dataset, guint sample, GError **error)
{
  const Arrays *arrays = (const Arrays *) dataset;
  guint index = sample;
  const Part *part = part_of (dataset, &index);
  gboolean shown = arrays->pixels
                   && (arrays->reader.channels == 1 || arrays->reader.channels == 3
                       || arrays->reader.channels == 4)
                   && MAX (arrays->reader.width, arrays->reader.height) <= 16384;

  if (!shown)
    return sonde_dataset_image_of_numbers (dataset, sample, error);
  return sonde_pixel_reader_dup_image (&arrays->reader,
                                       part->x->data + index * arrays->sample_elements);
}

static void
arrays_free (SondeDataset *dataset)
{
  Arrays *arrays = (Arrays *) dataset;

  for (guint i = 0; i < arrays->n_parts; i++)
    {
      sonde_tensor_unref (arrays->parts[i].x);
      sonde_tensor_unref (arrays->parts[i].y);
    }
  g_free (arrays);
}

static const SondeDatasetClass arrays_class = {
  .name = "arrays",
  .free = arrays_free,
  .fill = arrays_fill,
  .get_label = arrays_get_label,
  .fill_label = arrays_fill_label,
  .dup_name = arrays_dup_name,
  .dup_image = arrays_dup_image,
};
