/* SPDX-License-Identifier: Apache-2.0
 * Opening a dataset by the text of its source: the table of all sources, and which transforms the
 * source does itself. What does not live here: what holds for every dataset (sonde-dataset.c). */
#include "data/datasets/sonde-dataset.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-dataset-sources.h"
#include "data/datasets/sonde-dataset-transformed.h"
#include "data/datasets/sonde-transform-private.h"
#include "data/datasets/sonde-transforms.h"

static const struct
{
  const char *name;
  const char *usage;
  SondeDataset *(*open) (SondeDatasetRequest *request, GError **error);
  gboolean needs_argument;
} sources[] = {
  { "glyphs", "glyphs", sonde_dataset_glyphs_open, FALSE },
  { "mnist", "mnist:DIR", sonde_dataset_mnist_open, TRUE },
  { "fashion-mnist", "fashion-mnist:DIR", sonde_dataset_fashion_mnist_open, TRUE },
  { "cifar10", "cifar10:DIR", sonde_dataset_cifar10_open, TRUE },
  { "cifar100", "cifar100:DIR", sonde_dataset_cifar100_open, TRUE },
  { "images", "images:DIR", sonde_dataset_images_open, TRUE },
  { "masks", "masks:DIR", sonde_dataset_masks_open, TRUE },
  { "list", "list:FILE.tsv", sonde_dataset_list_open, TRUE },
  { "csv", "csv:FILE[;label=COLUMN;…]", sonde_dataset_csv_open, TRUE },
  { "npz", "npz:FILE", sonde_dataset_npz_open, TRUE },
  { "npy", "npy:FILE[;labels=FILE]", sonde_dataset_npy_open, TRUE },
  { "tokens", "tokens:task=NAME[;…]", sonde_dataset_tokens_open, FALSE },
};

/* Transforms */

/* What the list asks of the source itself: sizes and channels of the images it decodes, and how
 * it normalises. A resize behind a crop is not the source's. @rest: what is left when the source
 * does its part. */
static gboolean
split_transforms (SondeDatasetRequest *request, GPtrArray *rest, GPtrArray *all,
                  gboolean *black_is_zero, GError **error)
{
  const char *const *texts = request->options->transforms;
  gboolean moved = FALSE;

  for (gsize i = 0; texts != NULL && texts[i] != NULL; i++)
    {
      SondeTransform transform;
      const SondeTransformClass *klass;
      gboolean taken = FALSE;

      if (!sonde_transform_parse (&transform, texts[i], error))
        return FALSE;
      klass = transform.klass;
      g_ptr_array_add (all, (char *) texts[i]);
      if (klass == &sonde_transform_resize && !moved && request->width == 0)
        taken = (request->width = request->height = transform.size) > 0;
      else if (klass == &sonde_transform_grey || klass == &sonde_transform_rgb)
        taken = (request->channels = klass == &sonde_transform_grey ? 1 : 3) > 0;
      else if (klass == &sonde_transform_normalise && request->n_normalise == 0)
        {
          request->n_normalise = transform.n_numbers;
          memcpy (request->mean, transform.mean, sizeof request->mean);
          memcpy (request->std, transform.std, sizeof request->std);
          *black_is_zero = !moved;
          taken = TRUE;
        }
      if (!taken)
        {
          moved = TRUE;
          g_ptr_array_add (rest, (char *) texts[i]);
        }
    }
  g_ptr_array_add (rest, NULL);
  g_ptr_array_add (all, NULL);
  return TRUE;
}

static gboolean
check_request (const SondeDatasetRequest *request, GError **error)
{
  if (request->width >= 0 && request->width <= SONDE_TRANSFORM_MAX_SIZE && request->height >= 0
      && request->height <= SONDE_TRANSFORM_MAX_SIZE
      && (request->width == 0) == (request->height == 0)
      && (request->channels == 0 || request->channels == 1 || request->channels == 3))
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "samples of %d×%d pixels and %d channels are not possible; sides of 1 to %d and 1 or 3 "
      "channels are",
      request->width, request->height, request->channels, SONDE_TRANSFORM_MAX_SIZE);
  return FALSE;
}

/* Opening */

static SondeDataset *
refuse_source (const char *source, GError **error)
{
  g_autoptr (GString) usages = g_string_new (NULL);

  if (g_path_is_absolute (source) || g_str_has_prefix (source, "./")
      || g_str_has_prefix (source, "../"))
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, "“%s”: %-s", source,
          g_file_test (source, G_FILE_TEST_EXISTS)
              ? N_ ("it is neither a table FILE.tsv nor a folder of images or IDX files")
              : N_ ("there is no such file or folder"));
      return NULL;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    g_string_append_printf (usages, "%s%s", i > 0 ? ", " : "", sources[i].usage);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "“%s” is not a data source; use %s, a table FILE.tsv, or a folder of "
                   "images or IDX files",
                   source, usages->str);
  return NULL;
}

static SondeDataset *
open_source (SondeDatasetRequest *request, const char *source, GError **error)
{
  gsize length = strcspn (source, ":");

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      if (strlen (sources[i].name) != length || strncmp (sources[i].name, source, length) != 0)
        continue;
      request->argument = source[length] == ':' ? source + length + 1 : "";
      if (sources[i].needs_argument && request->argument[0] == '\0')
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                           "“%s” does not say where the data are; write %s", source,
                           sources[i].usage);
          return NULL;
        }
      return sources[i].open (request, error);
    }

  request->argument = source;
  if (g_str_has_suffix (source, ".tsv") && g_file_test (source, G_FILE_TEST_IS_REGULAR))
    return sonde_dataset_list_open (request, error);
  if (!g_file_test (source, G_FILE_TEST_IS_DIR))
    return refuse_source (source, error);
  return sonde_dataset_is_mnist_folder (source) ? sonde_dataset_mnist_open (request, error)
                                                : sonde_dataset_images_open (request, error);
}

/* What the opener did not say: images of float32, one class a label. */
static void
complete (SondeDataset *dataset)
{
  if (dataset->dtype == SONDE_DTYPE_INVALID)
    {
      dataset->dtype = SONDE_DTYPE_F32;
      dataset->shape = sonde_shape_make (3, dataset->channels, dataset->height, dataset->width);
    }
  if (dataset->label_dtype == SONDE_DTYPE_INVALID)
    {
      dataset->label_dtype = SONDE_DTYPE_I64;
      dataset->label_shape = sonde_shape_scalar ();
    }
}

/* Labels at pixels would stay where the pixels were. */
static gboolean
check_pixel_labels (const SondeDataset *dataset, const SondeDatasetRequest *request, GError **error)
{
  const char *const *texts = request->options->transforms;
  gboolean follows = request->labels_follow;
  static const char *const harmless[] = { "normalise", "grey", "rgb" };

  for (gsize i = 0; dataset->label_shape.rank >= 2 && texts != NULL && texts[i] != NULL; i++)
    {
      gboolean good = follows && g_str_has_prefix (texts[i], "resize");

      follows = follows && !good; /* the first is the source's own */
      for (gsize k = 0; k < G_N_ELEMENTS (harmless); k++)
        good = good || g_str_has_prefix (texts[i], harmless[k]);
      if (good)
        continue;
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "the transform %s moves pixels, but not the labels that each pixel has here; "
          "normalise, grey and rgb are possible",
          texts[i]);
      return FALSE;
    }
  return TRUE;
}

static SondeDataset *
refuse_ready (SondeDataset *dataset, GError **error)
{
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "ready batches go to the model as they are; transforms need samples (arrays x and y)");
  sonde_dataset_free (dataset);
  return NULL;
}

/* Names in place of numbers; folders and lists have kept to them already. */
static gboolean
rename_classes (SondeDataset *dataset, const char *source, const char *const *names, GError **error)
{
  guint n = names != NULL ? g_strv_length ((char **) names) : 0;

  if (names == NULL
      || (dataset->classes != NULL && g_strv_equal ((const char *const *) dataset->classes, names)))
    return TRUE;
  if (n < dataset->n_classes)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "%u names were given for the classes of “%s”, which has %u", n, source,
                       dataset->n_classes);
      return FALSE;
    }
  g_strfreev (dataset->classes);
  dataset->classes = g_strdupv ((char **) names);
  dataset->n_classes = n;
  return TRUE;
}

SondeDataset *
sonde_dataset_open (const char *source, const SondeDatasetOptions *options, GError **error)
{
  SondeDatasetRequest request = { .options = options,
                                  .decoder = options->decoder,
                                  .width = options->size != 0 ? options->size : options->width,
                                  .height = options->size != 0 ? options->size : options->height,
                                  .channels = options->channels };
  g_autoptr (GPtrArray) rest = g_ptr_array_new (), all = g_ptr_array_new ();
  gboolean black_is_zero = FALSE;
  SondeDataset *dataset = NULL;

  if (split_transforms (&request, rest, all, &black_is_zero, error)
      && check_request (&request, error))
    dataset = open_source (&request, source, error);
  sonde_image_decoder_free (request.decoder); /* NULL when the dataset took it */
  if (dataset == NULL)
    return NULL;
  complete (dataset);
  if (request.takes != SONDE_TAKES_ALL && (options->bgr || options->width != 0))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "“%s” holds numbers, not images: they are neither resized nor reordered; "
                       "leave size and channels out",
                       source);
      sonde_dataset_free (dataset);
      return NULL;
    }
  if (!rename_classes (dataset, source, options->names, error)
      || !check_pixel_labels (dataset, &request, error))
    {
      sonde_dataset_free (dataset);
      return NULL;
    }
  if (dataset->klass->get_n_ready != NULL)
    return all->len > 1 ? refuse_ready (dataset, error) : dataset;
  if (request.takes != SONDE_TAKES_ALL)
    return sonde_dataset_transformed_new (dataset, (const char *const *) all->pdata, FALSE, error);
  return sonde_dataset_transformed_new (dataset, (const char *const *) rest->pdata, black_is_zero,
                                        error);
}
