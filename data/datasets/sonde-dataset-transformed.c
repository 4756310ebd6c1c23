/* SPDX-License-Identifier: Apache-2.0
 * A dataset with transforms done to its samples, as they are when a model is tested; the random
 * ones are done by the pipeline, which takes inner dataset and transforms apart. Also whether
 * labels fit a model. */
#include "data/datasets/sonde-dataset-transformed.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-transforms.h"

static const SondeDatasetClass transformed_class;

static gboolean
transformed_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  gsize n = (gsize) sonde_shape_n_elements (&dataset->inner->shape);
  gsize room = sonde_transforms_get_room (dataset->transforms);
  g_autofree float *work = g_malloc (n * sizeof (float) + room);

  if (!sonde_dataset_fill (dataset->inner, sample, work, error))
    return FALSE;
  sonde_transforms_apply (dataset->transforms, NULL, work, into, work + n);
  return TRUE;
}

static gint64
transformed_get_label (SondeDataset *dataset, guint sample)
{
  return sonde_dataset_get_label (dataset->inner, sample);
}

static void
transformed_fill_label (SondeDataset *dataset, guint sample, void *into)
{
  sonde_dataset_fill_label (dataset->inner, sample, into);
}

static char *
transformed_dup_name (SondeDataset *dataset, guint sample)
{
  return sonde_dataset_dup_name (dataset->inner, sample);
}

/* Boxes and masks are those of the source's window. */
static gboolean
transformed_get_truth (SondeDataset *dataset, guint sample, SondeBox *box, guint8 *mask)
{
  return sonde_transforms_keep_image (dataset->transforms)
         && sonde_dataset_get_truth (dataset->inner, sample, box, mask);
}

static gboolean
transformed_get_cue (SondeDataset *dataset, guint sample, SondeBox *box)
{
  return sonde_transforms_keep_image (dataset->transforms)
         && sonde_dataset_get_cue (dataset->inner, sample, box);
}

static SondeImage *
transformed_dup_image (SondeDataset *dataset, guint sample, GError **error)
{
  if (sonde_transforms_keep_image (dataset->transforms))
    return sonde_dataset_dup_image (dataset->inner, sample, error);
  return sonde_dataset_image_of_numbers (dataset, sample, error);
}

static void
transformed_free (SondeDataset *dataset)
{
  g_free (dataset);
}

static const SondeDatasetClass transformed_class = {
  .name = "transformed",
  .free = transformed_free,
  .fill = transformed_fill,
  .get_label = transformed_get_label,
  .fill_label = transformed_fill_label,
  .dup_name = transformed_dup_name,
  .dup_image = transformed_dup_image,
  .get_truth = transformed_get_truth,
  .get_cue = transformed_get_cue,
};

/* [F] is an image of one line to a transform. */
static gboolean
place_of (const SondeDataset *dataset, const char *first, gboolean black_is_zero,
          SondeTransformsPlace *place, GError **error)
{
  *place = (SondeTransformsPlace){
    dataset->channels, dataset->height, dataset->width, { 0 }, { 0 }, { 0 }
  };
  for (int c = 0; c < 4; c++)
    {
      place->mean[c] = dataset->mean[c];
      place->std[c] = dataset->std[c] > 0 ? dataset->std[c] : 1;
      place->black[c] = black_is_zero ? 0 : -place->mean[c] / place->std[c];
    }
  if (dataset->dtype == SONDE_DTYPE_F32 && dataset->channels <= 4)
    return TRUE;
  if (dataset->dtype == SONDE_DTYPE_F32)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "the transform %s is for images of at most 4 channels and for numbers; these "
                     "samples have %d channels",
                     first, dataset->channels);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "the transform %s is for images and floating-point numbers; these samples are "
                     "integers",
                     first);
  return FALSE;
}

static void
take_description (SondeDataset *dataset, const SondeTransformsPlace *place)
{
  const SondeDataset *inner = dataset->inner;
  gboolean flat = inner->shape.rank == 1 && place->channels == 1 && place->height == 1;

  dataset->klass = &transformed_class;
  dataset->n = inner->n;
  dataset->channels = place->channels;
  dataset->height = place->height;
  dataset->width = place->width;
  dataset->dtype = SONDE_DTYPE_F32;
  dataset->shape = flat ? sonde_shape_make (1, place->width)
                        : sonde_shape_make (3, place->channels, place->height, place->width);
  dataset->label_dtype = inner->label_dtype;
  dataset->label_shape = inner->label_shape;
  dataset->vocabulary = inner->vocabulary;
  dataset->in_memory = inner->in_memory;
  dataset->classes = g_strdupv (inner->classes);
  dataset->n_classes = inner->n_classes;
  memcpy (dataset->mean, place->mean, sizeof dataset->mean);
  memcpy (dataset->std, place->std, sizeof dataset->std);
  dataset->test_begin = inner->test_begin;
}

SondeDataset *
sonde_dataset_transformed_new (SondeDataset *inner, const char *const *texts,
                               gboolean black_is_zero, GError **error)
{
  g_autoptr (SondeDataset) owned = inner;
  SondeTransformsPlace place;
  SondeTransforms *transforms;
  SondeDataset *dataset;

  if (texts[0] == NULL)
    return g_steal_pointer (&owned);
  if (!place_of (inner, texts[0], black_is_zero, &place, error))
    return NULL;
  transforms = sonde_transforms_new (texts, &place, error);
  if (transforms == NULL)
    return NULL;
  dataset = g_new0 (SondeDataset, 1);
  dataset->inner = g_steal_pointer (&owned);
  dataset->transforms = transforms;
  take_description (dataset, &place);
  return dataset;
}

gboolean
sonde_dataset_check_labels (SondeDataset *dataset, gint64 n_classes, const char *source,
                            GError **error)
{
  gsize n = (gsize) sonde_shape_n_elements (&dataset->label_shape);
  g_autofree gint64 *labels = NULL;

  if (dataset->label_dtype != SONDE_DTYPE_I64 || dataset->klass->get_n_ready != NULL)
    return TRUE;
  labels = g_new (gint64, MAX (n, 1));
  for (guint i = 0; i < dataset->n; i++)
    {
      sonde_dataset_fill_label (dataset, i, labels);
      for (gsize k = 0; k < n; k++)
        {
          g_autofree char *name = NULL;

          if (labels[k] >= 0 && labels[k] < n_classes)
            continue;
          name = sonde_dataset_dup_name (dataset, i);
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                           "sample %s of “%s” has the label %" PRIi64
                           "; the model has classes 0 to %" PRIi64,
                           name, source, labels[k], n_classes - 1);
          return FALSE;
        }
    }
  return TRUE;
}
