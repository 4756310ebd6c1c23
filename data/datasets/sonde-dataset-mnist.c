/* SPDX-License-Identifier: Apache-2.0
 * MNIST and Fashion-MNIST: IDX files of images [n, h, w] and labels [n], plain or .gz. A folder
 * holds the pair "train", the pair "t10k", or both; with both, t10k is the test part. */
#include "data/datasets/sonde-dataset-sources.h"

#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-idx-private.h"
#include "data/datasets/sonde-pixels.h"

#define N_CLASSES 10

typedef struct
{
  const char *name; /* "train" or "t10k" */
  guint n;
  guint8 *pixels; /* [n, height, width]; owned */
  guint8 *labels; /* [n]; owned */
  int height, width;
} Part;

typedef struct
{
  SondeDataset base;
  SondePixelReader reader;
  Part parts[2];
  int n_parts;
} Mnist;

static const SondeDatasetClass mnist_class;

static const char *const part_names[] = { "train", "t10k" };

/* What goes by these names in the world. */
static const char *const endings[] = { "-ubyte", "-ubyte.gz" };

static char *
find_file (const char *folder, const char *part, const char *kind)
{
  static const char separators[] = { '-', '.' };

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (separators); k++)
      {
        g_autofree char *name = g_strdup_printf (
            "%s-%s%c%s%s", part, g_str_has_prefix (kind, "idx3") ? "images" : "labels",
            separators[k], kind, endings[i]);
        g_autofree char *path = g_build_filename (folder, name, NULL);

        if (g_file_test (path, G_FILE_TEST_EXISTS))
          return g_steal_pointer (&path);
      }
  return NULL;
}

gboolean
sonde_dataset_is_mnist_folder (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (part_names); i++)
    {
      g_autofree char *images = find_file (path, part_names[i], "idx3");

      if (images != NULL)
        return TRUE;
    }
  return FALSE;
}

static gboolean
check_labels (const Part *part, const char *path, guint n_labels, GError **error)
{
  if (n_labels != part->n)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s” holds %u labels, but there are %u images beside it", path, n_labels,
                       part->n);
      return FALSE;
    }
  for (guint i = 0; i < n_labels; i++)
    {
      if (part->labels[i] >= N_CLASSES)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                           "“%s”: label %u is %u; the classes are 0 to %d", path, i,
                           part->labels[i], N_CLASSES - 1);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
read_part (Part *part, const SondeIo *io, const char *folder, const char *images, GError **error)
{
  g_autofree char *labels = find_file (folder, part->name, "idx1");
  guint32 sizes[3], n_labels;

  if (labels == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "“%s” has no file of labels beside it (%s-labels-idx1-ubyte, or .gz)",
                       images, part->name);
      return FALSE;
    }
  part->pixels = sonde_idx_read (io, images, 3, sizes, error);
  if (part->pixels == NULL)
    return FALSE;
  part->n = sizes[0];
  part->height = (int) sizes[1];
  part->width = (int) sizes[2];
  part->labels = sonde_idx_read (io, labels, 1, &n_labels, error);
  return part->labels != NULL && check_labels (part, labels, n_labels, error);
}

static gboolean
read_parts (Mnist *mnist, const SondeIo *io, const char *folder, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (part_names); i++)
    {
      g_autofree char *images = find_file (folder, part_names[i], "idx3");

      if (images == NULL)
        continue;
      mnist->parts[mnist->n_parts].name = part_names[i];
      mnist->n_parts++; /* also what was read in half is freed */
      if (!read_part (&mnist->parts[mnist->n_parts - 1], io, folder, images, error))
        return FALSE;
    }
  if (mnist->n_parts > 0)
    return TRUE;
  if (g_file_test (folder, G_FILE_TEST_IS_DIR))
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
        "“%s” holds no MNIST files (train-images-idx3-ubyte or t10k-images-idx3-ubyte, or .gz)",
        folder);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, "there is no folder “%s”",
                     folder);
  return FALSE;
}

static gboolean
join_parts (Mnist *mnist, GError **error)
{
  const Part *a = &mnist->parts[0], *b = &mnist->parts[1];

  mnist->base.test_begin = mnist->n_parts == 2 ? (gint64) a->n : -1;
  mnist->base.n = a->n + b->n;
  mnist->base.channels = 1;
  mnist->base.height = a->height;
  mnist->base.width = a->width;
  if (mnist->n_parts == 1 || (a->height == b->height && a->width == b->width))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "the training images have %d×%d pixels, those of the test %d×%d", a->width,
                   a->height, b->width, b->height);
  return FALSE;
}

static SondeDataset *
open_idx (SondeDatasetRequest *request, const char *const *classes, float mean, float std,
          GError **error)
{
  g_autoptr (SondeDataset) dataset = NULL;
  Mnist *mnist = g_new0 (Mnist, 1);

  dataset = &mnist->base;
  dataset->klass = &mnist_class;
  dataset->n_classes = N_CLASSES;
  dataset->classes = g_strdupv ((char **) classes);
  if (!read_parts (mnist, request->options->io, request->argument, error)
      || !join_parts (mnist, error))
    return NULL;
  mnist->reader
      = (SondePixelReader){ .width = dataset->width, .height = dataset->height, .channels = 1 };
  if (!sonde_pixel_reader_init (&mnist->reader, dataset, request, &mean, &std, error))
    return NULL;
  return g_steal_pointer (&dataset);
}

SondeDataset *
sonde_dataset_mnist_open (SondeDatasetRequest *request, GError **error)
{
  static const char *const classes[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", NULL };

  return open_idx (request, classes, 0.1307f, 0.3081f, error);
}

/* Source: https://github.com/zalandoresearch/fashion-mnist (names); mean and std of its
 * training part. */
SondeDataset *
sonde_dataset_fashion_mnist_open (SondeDatasetRequest *request, GError **error)
{
  static const char *const classes[]
      = { "T-shirt/top", "Trouser", "Pullover", "Dress",      "Coat", "Sandal",
          "Shirt",       "Sneaker", "Bag",      "Ankle boot", NULL };

  return open_idx (request, classes, 0.2860f, 0.3530f, error);
}

/* The part that holds *@sample, which becomes its number there. */
static const Part *
part_of (SondeDataset *dataset, guint *sample)
{
  const Mnist *mnist = (const Mnist *) dataset;

  if (*sample < mnist->parts[0].n)
    return &mnist->parts[0];
  *sample -= mnist->parts[0].n;
  return &mnist->parts[1];
}

static const guint8 *
pixels_of (const Part *part, guint sample)
{
  return part->pixels + (gsize) sample * (gsize) (part->height * part->width);
}

static gboolean
mnist_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  const Part *part = part_of (dataset, &sample);

  sonde_pixel_reader_fill (&((Mnist *) dataset)->reader, pixels_of (part, sample), into);
  return TRUE;
}

static gint64
mnist_get_label (SondeDataset *dataset, guint sample)
{
  const Part *part = part_of (dataset, &sample);

  return part->labels[sample];
}

static char *
mnist_dup_name (SondeDataset *dataset, guint sample)
{
  const Part *part = part_of (dataset, &sample);

  return g_strdup_printf ("%s/%06u", part->name, sample);
}

static SondeImage *
mnist_dup_image (SondeDataset *dataset, guint sample, GError **error)
{
  const Part *part = part_of (dataset, &sample);

  return sonde_pixel_reader_dup_image (&((Mnist *) dataset)->reader, pixels_of (part, sample));
}

static void
mnist_free (SondeDataset *dataset)
{
  Mnist *mnist = (Mnist *) dataset;

  for (int i = 0; i < mnist->n_parts; i++)
    {
      g_free (mnist->parts[i].pixels);
      g_free (mnist->parts[i].labels);
    }
  g_free (mnist);
}

static const SondeDatasetClass mnist_class = {
  .name = "mnist",
  .free = mnist_free,
  .fill = mnist_fill,
  .get_label = mnist_get_label,
  .dup_name = mnist_dup_name,
  .dup_image = mnist_dup_image,
};
