/* SPDX-License-Identifier: Apache-2.0
 * CIFAR-10 and CIFAR-100: the binary files, or class folders of images.
 * Source: https://www.cs.toronto.edu/~kriz/cifar.html (binary version: records of one label byte,
 * for CIFAR-100 a coarse one and a fine one, and 3 × 32 × 32 bytes in planes). */
#include "data/datasets/sonde-dataset-sources.h"

#include <string.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-request.h"
#include "data/datasets/sonde-image-files.h"
#include "data/datasets/sonde-pixels.h"

#define SIDE 32
#define PIXELS (3 * SIDE * SIDE)

/**
 * Kind: of the two
 * @files: (array zero-terminated=1): those that train, in order, and the one of the test
 * @n_labels: bytes in front of the pixels; the last is the class
 * @names: where the classes' names lie, a line each
 */
typedef struct
{
  const char *files[8];
  const char *test;
  const char *names;
  guint n_labels, n_classes;
  float mean[3], std[3];
} Kind;

static const Kind cifar10 = {
  { "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
    "data_batch_5.bin" },
  "test_batch.bin",
  "batches.meta.txt",
  1,
  10,
  { 0.4914f, 0.4822f, 0.4465f },
  { 0.2470f, 0.2435f, 0.2616f },
};

static const Kind cifar100 = {
  { "train.bin" },
  "test.bin",
  "fine_label_names.txt",
  2,
  100,
  { 0.5071f, 0.4865f, 0.4409f },
  { 0.2673f, 0.2564f, 0.2762f },
};

/* A file that is there: its samples are [begin, begin + n). */
typedef struct
{
  char *name;
  GBytes *bytes;
  guint begin, n;
} Part;

typedef struct
{
  SondeDataset base;
  const Kind *kind;
  GArray *parts; /* of Part */
  SondePixelReader reader;
} Cifar;

static const SondeDatasetClass cifar_class;

static gsize
record_size (const Kind *kind)
{
  return kind->n_labels + PIXELS;
}

static const guint8 *
record_of (const Part *part, const Kind *kind, guint index)
{
  return (const guint8 *) g_bytes_get_data (part->bytes, NULL) + index * record_size (kind);
}

static gboolean
check_part (const Kind *kind, const Part *part, const char *path, GError **error)
{
  gsize size = g_bytes_get_size (part->bytes);

  if (size == 0 || size % record_size (kind) != 0)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
          "“%s”, offset %zu: the file ends in the middle of a sample; samples have %zu bytes", path,
          size - size % record_size (kind), record_size (kind));
      return FALSE;
    }
  for (guint i = 0; i < part->n; i++)
    {
      guint label = record_of (part, kind, i)[kind->n_labels - 1];

      if (label >= kind->n_classes)
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
              "“%s”, offset %zu: the label of sample %u is %u; the classes are 0 to %u", path,
              i * record_size (kind) + kind->n_labels - 1, i, label, kind->n_classes - 1);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
read_part (Cifar *cifar, const SondeIo *io, const char *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  Part part = { NULL, NULL, cifar->base.n, 0 };

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  part.bytes = sonde_io_read_file (io, path, SONDE_BUDGET_PARSE_BYTES, error);
  if (part.bytes == NULL)
    return FALSE;
  part.name = g_strndup (name, strlen (name) - strlen (".bin"));
  part.n = (guint) (g_bytes_get_size (part.bytes) / record_size (cifar->kind));
  g_array_append_val (cifar->parts, part);
  cifar->base.n += part.n;
  return check_part (cifar->kind, &part, path, error);
}

static gboolean
read_parts (Cifar *cifar, const SondeIo *io, const char *folder, GError **error)
{
  guint n_train;

  for (gsize i = 0; cifar->kind->files[i] != NULL; i++)
    if (!read_part (cifar, io, folder, cifar->kind->files[i], error))
      return FALSE;
  n_train = cifar->base.n;
  if (!read_part (cifar, io, folder, cifar->kind->test, error))
    return FALSE;
  cifar->base.test_begin = n_train > 0 && cifar->base.n > n_train ? (gint64) n_train : -1;
  return TRUE;
}

/* From the list beside the data, or numbers where it is not there or not whole. */
static void
name_classes (Cifar *cifar, const SondeIo *io, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, cifar->kind->names, NULL);
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, 1 << 16, NULL);
  g_autofree char *text = bytes != NULL
                              ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes))
                              : g_strdup ("");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = cifar->kind->n_classes;
  gboolean listed = g_strv_length (lines) >= n && g_utf8_validate (text, -1, NULL);

  cifar->base.n_classes = n;
  cifar->base.classes = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    cifar->base.classes[i] = listed ? g_strdup (g_strstrip (lines[i])) : g_strdup_printf ("%u", i);
}

static SondeDataset *
open_binary (SondeDatasetRequest *request, const Kind *kind, GError **error)
{
  g_autoptr (SondeDataset) dataset = NULL;
  Cifar *cifar = g_new0 (Cifar, 1);

  dataset = &cifar->base;
  dataset->klass = &cifar_class;
  cifar->kind = kind;
  cifar->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  if (!read_parts (cifar, request->options->io, request->argument, error))
    return NULL;
  name_classes (cifar, request->options->io, request->argument);
  cifar->reader
      = (SondePixelReader){ .width = SIDE, .height = SIDE, .channels = 3, .planar = TRUE };
  if (!sonde_pixel_reader_init (&cifar->reader, dataset, request, kind->mean, kind->std, error))
    return NULL;
  return g_steal_pointer (&dataset);
}

static gboolean
is_binary (const Kind *kind, const char *folder)
{
  g_autofree char *test = g_build_filename (folder, kind->test, NULL);
  gboolean found = g_file_test (test, G_FILE_TEST_EXISTS);

  for (gsize i = 0; !found && kind->files[i] != NULL; i++)
    {
      g_autofree char *path = g_build_filename (folder, kind->files[i], NULL);

      found = g_file_test (path, G_FILE_TEST_EXISTS);
    }
  return found;
}

static SondeDataset *
open_kind (SondeDatasetRequest *request, const Kind *kind, GError **error)
{
  if (is_binary (kind, request->argument))
    return open_binary (request, kind, error);
  return sonde_dataset_folder_open (request, kind->mean, kind->std, error);
}

SondeDataset *
sonde_dataset_cifar10_open (SondeDatasetRequest *request, GError **error)
{
  return open_kind (request, &cifar10, error);
}

SondeDataset *
sonde_dataset_cifar100_open (SondeDatasetRequest *request, GError **error)
{
  return open_kind (request, &cifar100, error);
}

/* The part that holds *@sample, which becomes its number there. */
static const Part *
part_of (const Cifar *cifar, guint *sample)
{
  guint i = 0;

  while (i + 1 < cifar->parts->len && *sample >= g_array_index (cifar->parts, Part, i + 1).begin)
    i++;
  *sample -= g_array_index (cifar->parts, Part, i).begin;
  return &g_array_index (cifar->parts, Part, i);
}

static gboolean
cifar_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  const Cifar *cifar = (const Cifar *) dataset;
  const Part *part = part_of (cifar, &sample);

  sonde_pixel_reader_fill (&cifar->reader,
                           record_of (part, cifar->kind, sample) + cifar->kind->n_labels, into);
  return TRUE;
}

static gint64
cifar_get_label (SondeDataset *dataset, guint sample)
{
  const Cifar *cifar = (const Cifar *) dataset;
  const Part *part = part_of (cifar, &sample);

  return record_of (part, cifar->kind, sample)[cifar->kind->n_labels - 1];
}

static char *
cifar_dup_name (SondeDataset *dataset, guint sample)
{
  const Part *part = part_of ((const Cifar *) dataset, &sample);

  return g_strdup_printf ("%s/%06u", part->name, sample);
}

static SondeImage *
cifar_dup_image (SondeDataset *dataset, guint sample, GError **error)
{
  const Cifar *cifar = (const Cifar *) dataset;
  const Part *part = part_of (cifar, &sample);

  return sonde_pixel_reader_dup_image (&cifar->reader, record_of (part, cifar->kind, sample)
                                                           + cifar->kind->n_labels);
}

static void
cifar_free (SondeDataset *dataset)
{
  Cifar *cifar = (Cifar *) dataset;

  for (guint i = 0; i < cifar->parts->len; i++)
    {
      g_free (g_array_index (cifar->parts, Part, i).name);
      g_bytes_unref (g_array_index (cifar->parts, Part, i).bytes);
    }
  g_array_unref (cifar->parts);
  g_free (cifar);
}

static const SondeDatasetClass cifar_class = {
  .name = "cifar",
  .free = cifar_free,
  .fill = cifar_fill,
  .get_label = cifar_get_label,
  .dup_name = cifar_dup_name,
  .dup_image = cifar_dup_image,
};
