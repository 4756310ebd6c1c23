/* SPDX-License-Identifier: Apache-2.0
 * Images with a class at each pixel: images/NAME.jpg or .png and masks/NAME.png, whose grey
 * values are the classes. Masks are read when opening, so that what is wrong with one is said
 * before anything is trained. */
#include "data/datasets/sonde-dataset-sources.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-image-files.h"

#define MAX_MASK_BYTES ((guint64) 4 << 30)

typedef struct
{
  SondeDataset *dataset; /* the images */
  const char *folder;
  GHashTable *names; /* stem -> name of the mask */
  guint8 *labels;    /* [n, H, W]; owned */
  gboolean seen[256];
} Masks;

static char *
dup_stem (const char *name)
{
  const char *base = strrchr (name, '/') != NULL ? strrchr (name, '/') + 1 : name,
             *dot = strrchr (base, '.');

  return dot != NULL ? g_strndup (base, (gsize) (dot - base)) : g_strdup (base);
}

/* The images of one folder by their stems. */
static GHashTable *
list_stems (const char *folder, const char *part, GError **error)
{
  g_autoptr (GHashTable) stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *path = g_build_filename (folder, part, NULL);
  g_autoptr (GPtrArray) names = sonde_dataset_list_folder (path, error);

  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      g_autofree char *stem = dup_stem (name);
      const char *other = g_hash_table_lookup (stems, stem);

      if (!sonde_dataset_is_image_file (name))
        continue;
      if (other != NULL)
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
              "“%s” holds both “%s” and “%s”; images and masks belong together by what "
              "stands before the dot, "
              "so that each is there once",
              path, other, name);
          return NULL;
        }
      g_hash_table_insert (stems, g_steal_pointer (&stem), g_strdup (name));
    }
  return names != NULL ? g_steal_pointer (&stems) : NULL;
}

/* Every one of @some has one in @others. */
static gboolean
check_pairs (const char *folder, GHashTable *some, const char *part, GHashTable *others,
             const char *other_part, GError **error)
{
  g_autoptr (GList) stems = g_list_sort (g_hash_table_get_keys (some), (GCompareFunc) strcmp);

  for (GList *l = stems; l != NULL; l = l->next)
    if (!g_hash_table_contains (others, l->data))
      {
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                         "“%s”: “%s/%s” has nothing beside it in “%s”; each image images/NAME.jpg "
                         "needs a mask masks/NAME.png",
                         folder, part, (const char *) g_hash_table_lookup (some, l->data),
                         other_part);
        return FALSE;
      }
  return TRUE;
}

static GArray *
list_image_files (GHashTable *images)
{
  GArray *files = g_array_new (FALSE, FALSE, sizeof (SondeImageFile));
  g_autoptr (GList) stems = g_list_sort (g_hash_table_get_keys (images), (GCompareFunc) strcmp);

  for (GList *l = stems; l != NULL; l = l->next)
    {
      SondeImageFile file = { .label = -1 };

      file.name = g_strconcat ("images/", g_hash_table_lookup (images, l->data), NULL);
      g_array_append_val (files, file);
    }
  return files;
}

/* The nearest pixel of the window that the image is scaled and cut to. */
static gboolean
fit_mask (Masks *masks, const SondeImage *image, const char *name, guint8 *into, GError **error)
{
  const SondeDataset *dataset = masks->dataset;
  const double scale
      = MIN ((double) image->width / dataset->width, (double) image->height / dataset->height);
  const double left = (image->width - dataset->width * scale) / 2,
               top = (image->height - dataset->height * scale) / 2;

  for (int y = 0; y < dataset->height; y++)
    for (int x = 0; x < dataset->width; x++)
      {
        const int from_x = MIN ((int) (left + (x + 0.5) * scale), image->width - 1);
        const int from_y = MIN ((int) (top + (y + 0.5) * scale), image->height - 1);
        const guint8 *pixel
            = image->pixels
              + ((gsize) from_y * (gsize) image->width + (gsize) from_x) * (gsize) image->channels;

        if (image->channels >= 3 && (pixel[0] != pixel[1] || pixel[0] != pixel[2]))
          {
            sonde_set_error (
                error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                "the mask “%s/masks/%s” is coloured at column %d, row %d; its grey values "
                "are taken as classes: 0, 1, 2 "
                "…, or 0 and 255",
                masks->folder, name, from_x, from_y);
            return FALSE;
          }
        into[(gsize) y * (gsize) dataset->width + (gsize) x] = pixel[0];
        masks->seen[pixel[0]] = TRUE;
      }
  return TRUE;
}

static gboolean
read_mask (Masks *masks, guint sample, gboolean scaled, GError **error)
{
  const SondeDataset *dataset = masks->dataset;
  g_autofree char *file = sonde_dataset_dup_name (masks->dataset, sample), *stem = dup_stem (file);
  const char *name = g_hash_table_lookup (masks->names, stem);
  g_autofree char *path = g_strconcat ("masks/", name, NULL);
  g_autoptr (SondeImage) image = sonde_dataset_image_files_decode (masks->dataset, path, error);

  if (image == NULL)
    return FALSE;
  if (!scaled && (image->width != dataset->width || image->height != dataset->height))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "the mask “%s/%s” has %d×%d pixels, the first image %d×%d; the transform "
                       "resize:SIZE makes them equal",
                       masks->folder, path, image->width, image->height, dataset->width,
                       dataset->height);
      return FALSE;
    }
  return fit_mask (
      masks, image, name,
      masks->labels + (gsize) sample * (gsize) dataset->width * (gsize) dataset->height, error);
}

/* Masks of two values are often black and white. */
static guint
count_classes (Masks *masks, gsize n)
{
  guint highest = 0, between = 0;

  for (guint v = 0; v < 256; v++)
    {
      highest = masks->seen[v] ? v : highest;
      between += masks->seen[v] && v > 0 && v < 255;
    }
  if (highest == 255 && between == 0)
    {
      for (gsize i = 0; i < n; i++)
        masks->labels[i] = masks->labels[i] != 0;
      highest = 1;
    }
  return MAX (highest + 1, 2);
}

static gboolean
read_masks (Masks *masks, gboolean scaled, GError **error)
{
  SondeDataset *dataset = masks->dataset;
  const guint64 bytes = (guint64) dataset->n * (guint64) dataset->width * (guint64) dataset->height;

  if (bytes > MAX_MASK_BYTES)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
          "“%s”: %u masks of %d×%d pixels take more than 4 GiB; the transform resize:SIZE "
          "makes them smaller",
          masks->folder, dataset->n, dataset->width, dataset->height);
      return FALSE;
    }
  masks->labels = g_malloc (bytes);
  for (guint i = 0; i < dataset->n; i++)
    if (!read_mask (masks, i, scaled, error))
      return FALSE;
  sonde_dataset_image_files_take_masks (dataset, masks->labels, count_classes (masks, bytes));
  masks->labels = NULL;
  return TRUE;
}

SondeDataset *
sonde_dataset_masks_open (SondeDatasetRequest *request, GError **error)
{
  const gboolean scaled = request->width != 0;
  g_autoptr (GHashTable) images = list_stems (request->argument, "images", error);
  g_autoptr (GHashTable) names
      = images != NULL ? list_stems (request->argument, "masks", error) : NULL;
  Masks masks = { .folder = request->argument, .names = names };
  g_autoptr (SondeDataset) dataset = NULL;

  if (names == NULL || !check_pairs (request->argument, images, "images", names, "masks", error)
      || !check_pairs (request->argument, names, "masks", images, "images", error))
    return NULL;
  dataset = sonde_dataset_image_files_open (request, request->argument, list_image_files (images),
                                            g_new0 (char *, 1), error);
  if (dataset == NULL)
    return NULL;
  masks.dataset = dataset;
  if (!read_masks (&masks, scaled, error))
    {
      g_free (masks.labels);
      return NULL;
    }
  request->labels_follow = TRUE;
  return g_steal_pointer (&dataset);
}
