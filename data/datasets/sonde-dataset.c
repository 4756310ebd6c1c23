/* SPDX-License-Identifier: Apache-2.0
 * Opening a source by its text, and what holds for every dataset. */
#include "data/datasets/sonde-dataset-private.h"

#include "data/base/sonde-error.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  const char *usage;
  SondeDataset *(*open) (SondeDatasetRequest *request, GError **error);
  gboolean needs_argument;
} sources[] = {
  { "glyphs", "glyphs", sonde_dataset_glyphs_open, FALSE },
  { "mnist", "mnist:DIR", sonde_dataset_mnist_open, TRUE },
  { "cifar10", "cifar10:DIR", sonde_dataset_cifar10_open, TRUE },
  { "images", "images:DIR", sonde_dataset_images_open, TRUE },
  { "npz", "npz:FILE", sonde_dataset_npz_open, TRUE },
};

/* Transforms */

#define MAX_SIZE 16384

/* "0.1, 0.2" into at most 4 numbers; 0 when it is none. */
static int
parse_numbers (const char *text,
               float       numbers[4])
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  int n = 0;

  for (; parts[n] != NULL; n++)
    {
      char *end;
      double number = g_ascii_strtod (g_strstrip (parts[n]), &end);

      if (n == 4 || end == parts[n] || *end != '\0' || !isfinite (number))
        return 0;
      numbers[n] = (float) number;
    }
  return n;
}

static gboolean
parse_resize (SondeDatasetRequest *request,
              const char          *argument)
{
  guint64 size;

  if (!g_ascii_string_to_unsigned (argument, 10, 1, MAX_SIZE, &size, NULL))
    return FALSE;
  request->size = (int) size;
  return TRUE;
}

static gboolean
parse_grey (SondeDatasetRequest *request,
            const char          *argument)
{
  request->channels = 1;
  return argument[0] == '\0';
}

static gboolean
parse_rgb (SondeDatasetRequest *request,
           const char          *argument)
{
  request->channels = 3;
  return argument[0] == '\0';
}

static gboolean
parse_normalise (SondeDatasetRequest *request,
                 const char          *argument)
{
  g_auto (GStrv) parts = g_strsplit (argument, ":", -1);
  gboolean positive = TRUE;

  if (g_strv_length (parts) != 2)
    return FALSE;
  request->n_normalise = parse_numbers (parts[0], request->mean);
  if (request->n_normalise == 0 || parse_numbers (parts[1], request->deviation) != request->n_normalise)
    return FALSE;
  for (int i = 0; i < request->n_normalise; i++)
    positive = positive && request->deviation[i] > 0;
  return positive;
}

static const struct
{
  const char *name;
  const char *usage;
  gboolean (*parse) (SondeDatasetRequest *request, const char *argument);
} transforms[] = {
  { "resize", "resize:SIZE", parse_resize },
  { "grey", "grey", parse_grey },
  { "rgb", "rgb", parse_rgb },
  { "normalise", "normalise:MEAN[,MEAN…]:DEVIATION[,DEVIATION…]", parse_normalise },
};

static gboolean
parse_transform (SondeDatasetRequest *request,
                 const char          *text,
                 GError             **error)
{
  gsize length = strcspn (text, ":");
  g_autoptr (GString) usages = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (transforms); i++)
    {
      if (strlen (transforms[i].name) == length && strncmp (transforms[i].name, text, length) == 0
          && transforms[i].parse (request, text[length] == ':' ? text + length + 1 : text + length))
        return TRUE;
      g_string_append_printf (usages, "%s%s", i > 0 ? ", " : "", transforms[i].usage);
    }
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
               "“%s” is no transform; there are %s", text, usages->str);
  return FALSE;
}

static gboolean
fill_request (SondeDatasetRequest       *request,
              const SondeDatasetOptions *options,
              GError                   **error)
{
  request->options = options;
  request->decoder = options->decoder;
  request->size = options->size;
  request->channels = options->channels;
  for (gsize i = 0; options->transforms != NULL && options->transforms[i] != NULL; i++)
    {
      if (!parse_transform (request, options->transforms[i], error))
        return FALSE;
    }
  if (request->size >= 0 && request->size <= MAX_SIZE
      && (request->channels == 0 || request->channels == 1 || request->channels == 3))
    return TRUE;
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
               "samples of %d pixels a side and %d channels are not possible; a side of 1 to %d and 1 or 3 "
               "channels are",
               request->size, request->channels, MAX_SIZE);
  return FALSE;
}

/* Opening */

static SondeDataset *
refuse_source (const char *source,
               GError    **error)
{
  g_autoptr (GString) usages = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_string_append_printf (usages, "%s, ", sources[i].usage);
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
               "“%s” is no source of data; there are %sor a folder of pictures or IDX files", source,
               usages->str);
  return NULL;
}

static SondeDataset *
open_source (SondeDatasetRequest *request,
             const char          *source,
             GError             **error)
{
  gsize length = strcspn (source, ":");

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      if (strlen (sources[i].name) != length || strncmp (sources[i].name, source, length) != 0)
        continue;
      request->argument = source[length] == ':' ? source + length + 1 : "";
      if (sources[i].needs_argument && request->argument[0] == '\0')
        {
          g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” does not say where the data lie; write %s", source, sources[i].usage);
          return NULL;
        }
      return sources[i].open (request, error);
    }

  request->argument = source;
  if (!g_file_test (source, G_FILE_TEST_IS_DIR))
    return refuse_source (source, error);
  return sonde_dataset_is_mnist_folder (source) ? sonde_dataset_mnist_open (request, error)
                                                : sonde_dataset_images_open (request, error);
}

SondeDataset *
sonde_dataset_open (const char                *source,
                    const SondeDatasetOptions *options,
                    GError                   **error)
{
  SondeDatasetRequest request = { 0 };
  SondeDataset *dataset = NULL;

  if (fill_request (&request, options, error))
    dataset = open_source (&request, source, error);
  sonde_image_decoder_free (request.decoder); /* NULL when the dataset took it */
  return dataset;
}

void
sonde_dataset_free (SondeDataset *dataset)
{
  if (dataset == NULL)
    return;
  g_strfreev (dataset->classes);
  dataset->klass->free (dataset);
}

gboolean
sonde_dataset_fill (SondeDataset *dataset,
                    guint         sample,
                    float        *into,
                    GError      **error)
{
  g_return_val_if_fail (sample < dataset->n, FALSE);

  return dataset->klass->fill (dataset, sample, into, error);
}

gint64
sonde_dataset_get_label (SondeDataset *dataset,
                         guint         sample)
{
  g_return_val_if_fail (sample < dataset->n, -1);

  return dataset->klass->get_label (dataset, sample);
}

char *
sonde_dataset_dup_name (SondeDataset *dataset,
                        guint         sample)
{
  g_return_val_if_fail (sample < dataset->n, NULL);

  return dataset->klass->dup_name (dataset, sample);
}

/* The picture as far as the numbers tell: normalisation undone, cut to what a byte can show. */
static SondeImage *
image_of_numbers (SondeDataset *dataset,
                  guint         sample,
                  GError      **error)
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

      numbers[i] = numbers[i] * dataset->deviation[channel] + dataset->mean[channel];
    }
  image = sonde_image_from_tensor (tensor);
  if (image == NULL)
    g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                 "sample %u is no picture: %d×%d×%d", sample, dataset->channels, dataset->height,
                 dataset->width);
  return image;
}

SondeImage *
sonde_dataset_dup_image (SondeDataset *dataset,
                         guint         sample,
                         GError      **error)
{
  g_return_val_if_fail (sample < dataset->n, NULL);

  if (dataset->klass->dup_image != NULL)
    return dataset->klass->dup_image (dataset, sample, error);
  return image_of_numbers (dataset, sample, error);
}

gboolean
sonde_dataset_get_truth (SondeDataset *dataset,
                         guint         sample,
                         SondeBox     *box,
                         guint8       *mask)
{
  g_return_val_if_fail (sample < dataset->n, FALSE);

  return dataset->klass->get_truth != NULL && dataset->klass->get_truth (dataset, sample, box, mask);
}

gboolean
sonde_dataset_get_cue (SondeDataset *dataset,
                       guint         sample,
                       SondeBox     *box)
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
