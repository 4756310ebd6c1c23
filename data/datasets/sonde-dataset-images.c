/* SPDX-License-Identifier: Apache-2.0
 * Images in folders, one folder a class: CLASS/NAME.jpg or .png, classes and images in the
 * order of their bytes. A folder that holds "train" and "test" has parts of its own. CIFAR is such
 * a folder with its customary normalisation. A file that does not begin as an image is left out
 * when opening; one that turns out damaged later is a fault, and the pipeline does without it. */
#include "data/datasets/sonde-image-files.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-faults.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-dataset-sources.h"
#include "data/datasets/sonde-pixels.h"

#define MAX_ENCODED_BYTES ((guint64) 256 << 20)
#define MAX_PICTURES 20000000
#define MAX_CLASSES 100000

typedef struct
{
  SondeDataset base;
  const SondeIo *io;
  SondeImageDecoder *decoder; /* owned */
  char *folder;
  GArray *files; /* of SondeImageFile: "cat/0001.jpg", "test/cat/0001.jpg" */
  SondePixelTable table;
  int width, height; /* 0: images as they are */
  gboolean named;    /* the classes were given */
  guint8 *masks;     /* (nullable): [n, H, W]: the class of each pixel; owned */
} Images;

static const SondeDatasetClass images_class;

/* Listing */

static int
compare_names (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

GPtrArray *
sonde_dataset_list_folder (const char *path, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GDir) folder = g_dir_open (path, 0, &reason);
  const char *name;

  if (folder == NULL)
    {
      if (g_error_matches (reason, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                         "there is no folder “%s”", path);
      else
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "cannot list a folder: %s",
                         reason->message);
      return NULL;
    }
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      if (name[0] != '.')
        g_ptr_array_add (names, g_strdup (name));
    }
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

gboolean
sonde_dataset_is_image_file (const char *name)
{
  static const char *const endings[] = { ".jpg", ".jpeg", ".png" };
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      if (g_str_has_suffix (lower, endings[i]))
        return TRUE;
    }
  return FALSE;
}

/* Whether the first bytes are those of a JPEG or PNG; what is not is noted. */
static gboolean
begins_as_image (Images *images, const char *name)
{
  static const guint8 png[] = { 0x89, 'P', 'N', 'G' }, jpeg[] = { 0xff, 0xd8 };
  g_autofree char *path
      = g_path_is_absolute (name) ? g_strdup (name) : g_strconcat (images->folder, "/", name, NULL);
  SondeMessage *fault;
  g_autoptr (GError) error = NULL;
  guint8 bytes[4] = { 0 };
  gssize n = -1;
  int fd = sonde_io_open_regular (images->io, path, NULL, &error);

  if (fd >= 0)
    {
      n = sonde_io_pread_full (images->io, fd, path, bytes, sizeof bytes, 0, &error);
      sonde_io_close (images->io, fd);
    }
  if (n == sizeof bytes
      && (memcmp (bytes, png, sizeof png) == 0 || memcmp (bytes, jpeg, sizeof jpeg) == 0))
    return TRUE;
  if (n == 0)
    fault = sonde_message_new ("%s is left out: the file is empty", name);
  else if (n > 0)
    fault = sonde_message_new ("%s is left out: it is neither a JPEG nor a PNG file", name);
  else
    {
      fault = sonde_error_dup_message (error);
      sonde_message_prepend (fault, "%s is left out: ", name);
    }
  sonde_faults_add (images->base.faults, -1, fault);
  return FALSE;
}

static gboolean
is_folder (const char *parent, const char *name)
{
  g_autofree char *path = g_build_filename (parent, name, NULL);

  return g_file_test (path, G_FILE_TEST_IS_DIR);
}

/* -1 with @error: the classes were given, and this is none of them. */
static int
label_of (Images *images, GPtrArray *classes, const char *name, GError **error)
{
  guint index;

  if (g_ptr_array_find_with_equal_func (classes, name, g_str_equal, &index))
    return (int) index;
  if (images->named)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "“%s” holds the class folder “%s”, which is none of the %u names given for the "
          "classes (“%s” … “%s”)",
          images->folder, name, classes->len, (const char *) g_ptr_array_index (classes, 0),
          (const char *) g_ptr_array_index (classes, classes->len - 1));
      return -1;
    }
  g_ptr_array_add (classes, g_strdup (name));
  return (int) classes->len - 1;
}

static gboolean
add_class (Images *images, const char *prefix, /* "" or "train/" */
           const char *class_name, int label, GError **error)
{
  g_autofree char *path = g_strconcat (images->folder, "/", prefix, class_name, NULL);
  g_autoptr (GPtrArray) names = sonde_dataset_list_folder (path, error);
  guint n_before = images->files->len;

  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      SondeImageFile file = { .label = label };

      if (!sonde_dataset_is_image_file (name))
        continue;
      if (images->files->len == MAX_PICTURES)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                           "“%s” holds more than %d images", images->folder, MAX_PICTURES);
          return FALSE;
        }
      file.name = g_strconcat (prefix, class_name, "/", name, NULL);
      if (begins_as_image (images, file.name))
        g_array_append_val (images->files, file);
      else
        g_free (file.name);
    }
  if (names != NULL && images->files->len == n_before)
    sonde_faults_add (images->base.faults, -1,
                      sonde_message_new (
                          "the class folder “%s%s” holds no images; the class keeps its number, %d",
                          prefix, class_name, label));
  return names != NULL;
}

/* The class folders of one part. */
static gboolean
add_part (Images *images, const char *prefix, GPtrArray *classes, GError **error)
{
  g_autofree char *path = g_strconcat (images->folder, "/", prefix, NULL);
  g_autoptr (GPtrArray) names = sonde_dataset_list_folder (path, error);

  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      int label;

      if (!is_folder (path, name))
        continue;
      if (classes->len == MAX_CLASSES)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                           "“%s” holds more than %d classes", images->folder, MAX_CLASSES);
          return FALSE;
        }
      label = label_of (images, classes, name, error);
      if (label < 0 || !add_class (images, prefix, name, label, error))
        return FALSE;
    }
  return names != NULL;
}

static gboolean
list_image_files (Images *images, const char *const *given, GError **error)
{
  g_autoptr (GPtrArray) classes = g_ptr_array_new_with_free_func (g_free);
  gboolean has_parts = is_folder (images->folder, "train") && is_folder (images->folder, "test");
  gboolean listed;

  for (gsize i = 0; given != NULL && given[i] != NULL; i++)
    g_ptr_array_add (classes, g_strdup (given[i]));
  images->named = classes->len > 0;
  images->base.test_begin = -1;
  if (has_parts)
    {
      listed = add_part (images, "train/", classes, error);
      images->base.test_begin = images->files->len;
      listed = listed && add_part (images, "test/", classes, error);
    }
  else
    listed = add_part (images, "", classes, error);

  images->base.n = images->files->len;
  images->base.n_classes = classes->len;
  g_ptr_array_add (classes, NULL);
  images->base.classes = (char **) g_ptr_array_free (g_steal_pointer (&classes), FALSE);
  if (listed && images->base.n == 0)
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
        "“%s” holds no images; they are looked for as CLASS/NAME.jpg or CLASS/NAME.png",
        images->folder);
  return listed && images->base.n > 0;
}

/* Images */

static void
note_fault (Images *images, guint sample, const GError *reason)
{
  SondeMessage *fault = sonde_error_dup_message (reason);

  sonde_message_prepend (fault, "%s: ", g_array_index (images->files, SondeImageFile, sample).name);
  sonde_faults_add (images->base.faults, sample, fault);
}

/* A file that cannot be read or decoded is a fault of the sample; that there is no helper is
 * none. */
static SondeImage *
decode (Images *images, guint sample, GError **error)
{
  const SondeImageFile *file = &g_array_index (images->files, SondeImageFile, sample);
  g_autofree char *path = g_path_is_absolute (file->name)
                              ? g_strdup (file->name)
                              : g_build_filename (images->folder, file->name, NULL);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GBytes) encoded = sonde_io_read_file (images->io, path, MAX_ENCODED_BYTES, &reason);
  SondeImage *image = encoded != NULL
                          ? sonde_image_decoder_decode (images->decoder, encoded, path, &reason)
                          : NULL;

  if (image != NULL)
    return image;
  if (encoded == NULL || !g_error_matches (reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO))
    note_fault (images, sample, reason);
  g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

static SondeImage *
load (Images *images, guint sample, GError **error)
{
  g_autoptr (SondeImage) decoded = decode (images, sample, error);
  g_autoptr (SondeImage) image = NULL;

  if (decoded == NULL)
    return NULL;
  image = sonde_image_fitted (decoded, images->width, images->height, images->base.channels);
  if (image->width == images->base.width && image->height == images->base.height)
    return g_steal_pointer (&image);

  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "“%s/%s” has %d×%d pixels, the first image %d×%d; the transform resize:SIZE makes them "
      "equal",
      images->folder, g_array_index (images->files, SondeImageFile, sample).name, image->width,
      image->height, images->base.width, images->base.height);
  return NULL;
}

/* The first image that can be read decides what all are like, unless a size is asked for. */
static gboolean
find_shape (Images *images, SondeDatasetRequest *request, GError **error)
{
  g_autoptr (SondeImage) first = NULL;

  request->takes = SONDE_TAKES_ALL;
  images->width = request->width;
  images->height = request->height;
  images->base.channels = request->channels != 0 ? request->channels : 3;
  if (request->width != 0)
    {
      images->base.width = request->width;
      images->base.height = request->height;
      return TRUE;
    }
  for (guint i = 0; first == NULL && i < images->base.n; i++)
    {
      g_clear_error (error);
      first = decode (images, i, error);
      if (first == NULL && !sonde_faults_contain (images->base.faults, i))
        return FALSE;
    }
  if (first == NULL)
    return FALSE;
  images->base.width = first->width;
  images->base.height = first->height;
  return TRUE;
}

/* Without images yet. */
static Images *
images_new (SondeDatasetRequest *request, const char *folder, GError **error)
{
  Images *images;

  if (request->decoder == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” holds encoded images, and there is no helper to decode them",
                       request->argument);
      return NULL;
    }
  images = g_new0 (Images, 1);
  images->base.klass = &images_class;
  images->io = request->options->io;
  images->decoder = g_steal_pointer (&request->decoder);
  images->folder = g_strdup (folder);
  images->base.faults = sonde_faults_new ();
  images->files = g_array_new (FALSE, FALSE, sizeof (SondeImageFile));
  return images;
}

SondeDataset *
sonde_dataset_folder_open (SondeDatasetRequest *request, const float *mean, const float *std,
                           GError **error)
{
  Images *images = images_new (request, request->argument, error);
  g_autoptr (SondeDataset) dataset = images != NULL ? &images->base : NULL;

  if (dataset == NULL || !list_image_files (images, request->options->names, error)
      || !find_shape (images, request, error)
      || !sonde_pixel_table_init (&images->table, dataset, request, mean, std, error))
    return NULL;
  return g_steal_pointer (&dataset);
}

static void
refuse_empty_list (SondeDataset *dataset, const char *name, GError **error)
{
  SondeMessage *message = sonde_dataset_dup_fault (dataset, 0);

  if (message != NULL)
    sonde_message_prepend (message, "“%s” names no image that can be read: ", name);
  else
    message = sonde_message_new ("“%s” names no image that can be read", name);
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, message);
}

SondeDataset *
sonde_dataset_image_files_open (SondeDatasetRequest *request, const char *folder, GArray *files,
                                char **classes, GError **error)
{
  const float mean[] = { 0, 0, 0 }, std[] = { 1, 1, 1 };
  Images *images = images_new (request, folder, error);
  g_autoptr (SondeDataset) dataset = images != NULL ? &images->base : NULL;

  for (guint i = 0; i < files->len; i++)
    {
      SondeImageFile file = g_array_index (files, SondeImageFile, i);

      if (images != NULL && begins_as_image (images, file.name))
        g_array_append_val (images->files, file);
      else
        g_free (file.name);
    }
  g_array_unref (files);
  if (dataset == NULL)
    {
      g_strfreev (classes);
      return NULL;
    }
  dataset->classes = classes;
  dataset->n_classes = g_strv_length (classes);
  dataset->n = images->files->len;
  dataset->test_begin = -1;
  if (dataset->n == 0)
    {
      refuse_empty_list (dataset, request->argument, error);
      return NULL;
    }
  if (!find_shape (images, request, error)
      || !sonde_pixel_table_init (&images->table, dataset, request, mean, std, error))
    return NULL;
  return g_steal_pointer (&dataset);
}

SondeDataset *
sonde_dataset_images_open (SondeDatasetRequest *request, GError **error)
{
  const float mean[] = { 0, 0, 0 }, std[] = { 1, 1, 1 };

  return sonde_dataset_folder_open (request, mean, std, error);
}

static gboolean
images_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  Images *images = (Images *) dataset;
  g_autoptr (SondeImage) image = load (images, sample, error);

  if (image == NULL)
    return FALSE;
  sonde_pixel_table_apply (&images->table, image->pixels,
                           (gsize) image->width * (gsize) image->height, dataset->channels, into);
  return TRUE;
}

static gint64
images_get_label (SondeDataset *dataset, guint sample)
{
  return g_array_index (((Images *) dataset)->files, SondeImageFile, sample).label;
}

static void
images_fill_label (SondeDataset *dataset, guint sample, void *into)
{
  const Images *images = (const Images *) dataset;
  const gsize n = (gsize) dataset->width * (gsize) dataset->height;
  gint64 *labels = into;

  if (images->masks == NULL)
    *labels = images_get_label (dataset, sample);
  for (gsize i = 0; images->masks != NULL && i < n; i++)
    labels[i] = images->masks[sample * n + i];
}

SondeImage *
sonde_dataset_image_files_decode (SondeDataset *dataset, const char *name, GError **error)
{
  Images *images = (Images *) dataset;
  g_autofree char *path = g_build_filename (images->folder, name, NULL);
  g_autoptr (GBytes) encoded = sonde_io_read_file (images->io, path, MAX_ENCODED_BYTES, error);

  return encoded != NULL ? sonde_image_decoder_decode (images->decoder, encoded, path, error)
                         : NULL;
}

void
sonde_dataset_image_files_take_masks (SondeDataset *dataset, guint8 *masks, guint n_classes)
{
  ((Images *) dataset)->masks = masks;
  dataset->label_dtype = SONDE_DTYPE_I64;
  dataset->label_shape = sonde_shape_make (2, dataset->height, dataset->width);
  g_strfreev (dataset->classes);
  sonde_dataset_number_classes (dataset, n_classes);
}

static char *
images_dup_name (SondeDataset *dataset, guint sample)
{
  return g_strdup (g_array_index (((Images *) dataset)->files, SondeImageFile, sample).name);
}

static SondeImage *
images_dup_image (SondeDataset *dataset, guint sample, GError **error)
{
  return load ((Images *) dataset, sample, error);
}

/* The box of a list, moved as the image was. */
static gboolean
images_get_truth (SondeDataset *dataset, guint sample, SondeBox *box, guint8 *mask)
{
  Images *images = (Images *) dataset;
  const SondeImageFile *file = &g_array_index (images->files, SondeImageFile, sample);
  g_autoptr (SondeImage) original = NULL;
  double scale = 1, left = 0, top = 0;
  int right, bottom;

  if (!file->has_box)
    return FALSE;
  if (images->width != 0 && (original = decode (images, sample, NULL)) != NULL)
    {
      scale = MIN ((double) original->width / dataset->width,
                   (double) original->height / dataset->height);
      left = (original->width - dataset->width * scale) / 2;
      top = (original->height - dataset->height * scale) / 2;
    }
  box->x = CLAMP ((int) floor ((file->box.x - left) / scale), 0, dataset->width);
  box->y = CLAMP ((int) floor ((file->box.y - top) / scale), 0, dataset->height);
  right = CLAMP ((int) ceil (((double) file->box.x + file->box.width - left) / scale), box->x,
                 dataset->width);
  bottom = CLAMP ((int) ceil (((double) file->box.y + file->box.height - top) / scale), box->y,
                  dataset->height);
  box->width = right - box->x;
  box->height = bottom - box->y;
  if (mask != NULL)
    memset (mask, 0, (gsize) dataset->width * (gsize) dataset->height);
  for (int y = box->y; mask != NULL && y < bottom; y++)
    memset (mask + (gsize) y * (gsize) dataset->width + box->x, 1, (gsize) box->width);
  return TRUE;
}

static void
images_free (SondeDataset *dataset)
{
  Images *images = (Images *) dataset;

  for (guint i = 0; i < images->files->len; i++)
    g_free (g_array_index (images->files, SondeImageFile, i).name);
  g_array_unref (images->files);
  sonde_image_decoder_free (images->decoder);
  g_free (images->masks);
  g_free (images->folder);
  g_free (images);
}

static const SondeDatasetClass images_class = {
  .name = "images",
  .free = images_free,
  .fill = images_fill,
  .get_label = images_get_label,
  .fill_label = images_fill_label,
  .dup_name = images_dup_name,
  .dup_image = images_dup_image,
  .get_truth = images_get_truth,
};
