/* SPDX-License-Identifier: Apache-2.0
 * What holds for every dataset, whatever its source. */
#include "data/datasets/sonde-dataset.h"

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-faults.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-transforms.h"

void
sonde_dataset_number_classes (SondeDataset *dataset, guint n)
{
  dataset->n_classes = n;
  dataset->classes = g_new0 (char *, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    dataset->classes[i] = g_strdup_printf ("%u", i);
}

void
sonde_dataset_free (SondeDataset *dataset)
{
  if (dataset == NULL)
    return;
  g_strfreev (dataset->classes);
  sonde_transforms_free (dataset->transforms);
  sonde_faults_free (dataset->faults);
  sonde_dataset_free (dataset->inner); /* which has none */
  dataset->klass->free (dataset);
}

gboolean
sonde_dataset_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  g_return_val_if_fail (sample < dataset->n, FALSE);

  return dataset->klass->fill (dataset, sample, into, error);
}

gint64
sonde_dataset_get_label (SondeDataset *dataset, guint sample)
{
  g_return_val_if_fail (sample < dataset->n, -1);

  return dataset->klass->get_label (dataset, sample);
}

void
sonde_dataset_fill_label (SondeDataset *dataset, guint sample, void *into)
{
  g_return_if_fail (sample < dataset->n);

  if (dataset->klass->fill_label != NULL)
    dataset->klass->fill_label (dataset, sample, into);
  else
    *(gint64 *) into = dataset->klass->get_label (dataset, sample);
}

guint
sonde_dataset_get_n_faults (SondeDataset *dataset)
{
  if (dataset->inner != NULL)
    return sonde_dataset_get_n_faults (dataset->inner);
  return dataset->faults != NULL ? sonde_faults_get_n (dataset->faults) : 0;
}

SondeMessage *
sonde_dataset_dup_fault (SondeDataset *dataset, guint index)
{
  if (dataset->inner != NULL)
    return sonde_dataset_dup_fault (dataset->inner, index);
  return dataset->faults != NULL ? sonde_faults_dup (dataset->faults, index) : NULL;
}

char *
sonde_dataset_dup_name (SondeDataset *dataset, guint sample)
{
  g_return_val_if_fail (sample < dataset->n, NULL);

  return dataset->klass->dup_name (dataset, sample);
}

SondeImage *
sonde_dataset_image_of_numbers (SondeDataset *dataset, guint sample, GError **error)
{
  SondeShape shape = sonde_shape_make (3, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gsize plane = (gsize) dataset->height * (gsize) dataset->width;
  float *numbers = (void *) tensor->data;
  SondeImage *image;

  if (!dataset->klass->fill (dataset, sample, numbers, error))
    return NULL;
  for (gsize i = 0; i < plane * (gsize) dataset->channels; i++)
    {
      gsize channel = MIN (i / plane, 3);

      numbers[i] = numbers[i] * dataset->std[channel] + dataset->mean[channel];
    }
  image = sonde_image_from_tensor (tensor);
  if (image == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "sample %u is not an image: %d×%d×%d", sample, dataset->channels,
                     dataset->height, dataset->width);
  return image;
}

SondeImage *
sonde_dataset_dup_image (SondeDataset *dataset, guint sample, GError **error)
{
  g_return_val_if_fail (sample < dataset->n, NULL);

  if (dataset->dtype != SONDE_DTYPE_F32)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "sample %u is not an image", sample);
      return NULL;
    }
  if (dataset->klass->dup_image != NULL)
    return dataset->klass->dup_image (dataset, sample, error);
  return sonde_dataset_image_of_numbers (dataset, sample, error);
}

gboolean
sonde_dataset_get_truth (SondeDataset *dataset, guint sample, SondeBox *box, guint8 *mask)
{
  g_return_val_if_fail (sample < dataset->n, FALSE);

  return dataset->klass->get_truth != NULL
         && dataset->klass->get_truth (dataset, sample, box, mask);
}

gboolean
sonde_dataset_get_cue (SondeDataset *dataset, guint sample, SondeBox *box)
{
  g_return_val_if_fail (sample < dataset->n, FALSE);

  return dataset->klass->get_cue != NULL && dataset->klass->get_cue (dataset, sample, box);
}

guint
sonde_dataset_get_ready_batch (SondeDataset *dataset)
{
  SondeTensor *x, *y;

  if (dataset->klass->get_n_ready == NULL)
    return 0;
  dataset->klass->get_ready (dataset, 0, &x, &y);
  return (guint) x->shape.dims[0];
}
