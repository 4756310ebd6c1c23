/* SPDX-License-Identifier: Apache-2.0
 * MNIST's IDX files, plain or .gz: pictures [n, h, w] of bytes and labels [n]. A folder holds the pair
 * "train", the pair "t10k", or both; with both, t10k is the test part.
 * Source: http://yann.lecun.com/exdb/mnist (big-endian; magic 0, 0, type, rank). */
#include "data/datasets/sonde-dataset-private.h"

#include "data/base/sonde-budget.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

#include <isa-l/igzip_lib.h>
#include <string.h>

#define N_CLASSES 10
#define MAX_SIDE 4096
#define IDX_BYTES 0x08 /* type: unsigned bytes */

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
  SondePixelTable table;
  Part parts[2];
  int n_parts;
} Mnist;

static const SondeDatasetClass mnist_class;

static const char *const part_names[] = { "train", "t10k" };

/* What goes by these names in the world. */
static const char *const endings[] = { "-ubyte", "-ubyte.gz" };

static char *
find_file (const char *folder,
           const char *part,
           const char *kind)
{
  static const char separators[] = { '-', '.' };

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (separators); k++)
      {
        g_autofree char *name = g_strdup_printf ("%s-%s%c%s%s", part, g_str_has_prefix (kind, "idx3") ? "images" : "labels",
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

/* Bytes of a file, inflated piece by piece when it is .gz, so that never more is made than was asked. */
typedef struct
{
  const char *path;
  GBytes *file; /* owned */
  gboolean compressed;
  struct inflate_state inflate;
  gsize at; /* in the plain file */
} Stream;

static gboolean
stream_open (Stream        *stream,
             const SondeIo *io,
             const char    *path,
             GError       **error)
{
  gsize length;
  const guint8 *data;

  stream->path = path;
  stream->at = 0;
  stream->file = sonde_io_read_file (io, path, SONDE_BUDGET_PARSE_BYTES, error);
  if (stream->file == NULL)
    return FALSE;
  data = g_bytes_get_data (stream->file, &length);
  stream->compressed = length >= 2 && data[0] == 0x1f && data[1] == 0x8b;
  if (stream->compressed)
    {
      isal_inflate_init (&stream->inflate);
      stream->inflate.crc_flag = ISAL_GZIP;
      stream->inflate.next_in = (guint8 *) data;
      stream->inflate.avail_in = (guint32) length;
    }
  return TRUE;
}

static gboolean
fail (const Stream  *stream,
      SondeDataError code,
      gsize          offset,
      GError       **error,
      const char    *reason)
{
  g_set_error (error, SONDE_DATA_ERROR, code, "“%s”, offset %" G_GSIZE_FORMAT "%s: %s", stream->path,
               offset, stream->compressed ? " when unpacked" : "", reason);
  return FALSE;
}

static gsize
take_plain (Stream *stream,
            guint8 *to,
            gsize   length)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (stream->file, &size);
  gsize part = MIN (length, size - stream->at);

  if (part > 0)
    memcpy (to, data + stream->at, part);
  return part;
}

/* FALSE when the compressed bytes are damaged. */
static gboolean
take_inflated (Stream *stream,
               guint8 *to,
               gsize   length,
               gsize  *got)
{
  stream->inflate.next_out = to;
  stream->inflate.avail_out = (guint32) length;
  while (stream->inflate.avail_out > 0 && stream->inflate.block_state != ISAL_BLOCK_FINISH)
    {
      guint32 in = stream->inflate.avail_in, out = stream->inflate.avail_out;

      if (isal_inflate (&stream->inflate) != ISAL_DECOMP_OK)
        return FALSE;
      if (in == stream->inflate.avail_in && out == stream->inflate.avail_out)
        break; /* the file ends before its data does */
    }
  *got = length - stream->inflate.avail_out;
  return TRUE;
}

static gboolean
stream_read (Stream *stream,
             guint8 *to,
             gsize   length,
             GError **error)
{
  gsize got = 0;

  if (stream->compressed && !take_inflated (stream, to, length, &got))
    return fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                 "the compressed data are damaged");
  if (!stream->compressed)
    got = take_plain (stream, to, length);
  stream->at += got;
  if (got < length)
    return fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                 "the file ends before all its elements");
  return TRUE;
}

/* After the last element: nothing more may come, and the checksum of .gz must be right. */
static gboolean
stream_end (Stream *stream,
            GError **error)
{
  guint8 beyond;
  gsize got = 0;

  if (stream->compressed && !take_inflated (stream, &beyond, 1, &got))
    return fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                 "the checksum of the compressed file does not fit its data");
  if (stream->compressed && got == 0 && stream->inflate.block_state != ISAL_BLOCK_FINISH)
    return fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                 "the compressed file is cut: its checksum is missing");
  if (!stream->compressed)
    got = take_plain (stream, &beyond, 1);
  if (got > 0)
    return fail (stream, SONDE_DATA_ERROR_DAMAGED, stream->at, error,
                 "more bytes follow than the header promises");
  return TRUE;
}

/* The sizes of the header, and the number of elements. */
static gboolean
read_header (Stream  *stream,
             int      rank,
             guint32 *sizes,
             gsize   *n_bytes,
             GError **error)
{
  guint8 header[4 + 4 * 3];
  gsize total = 1;

  if (!stream_read (stream, header, 4 + 4 * (gsize) rank, error))
    return FALSE;
  if (header[0] != 0 || header[1] != 0 || header[2] != IDX_BYTES || header[3] != rank)
    {
      g_autofree char *reason =
        g_strdup_printf ("the first bytes are %02x %02x %02x %02x, those of an IDX file with %s are "
                         "00 00 08 %02x",
                         header[0], header[1], header[2], header[3], rank == 3 ? "pictures" : "labels", rank);

      return fail (stream, SONDE_DATA_ERROR_DAMAGED, 0, error, reason);
    }
  for (int i = 0; i < rank; i++)
    {
      memcpy (&sizes[i], header + 4 + 4 * i, 4);
      sizes[i] = GUINT32_FROM_BE (sizes[i]);
      if (!sonde_checked_mul (&total, total, (gsize) sizes[i]) || total > SONDE_BUDGET_PARSE_BYTES
          || (i > 0 && (sizes[i] == 0 || sizes[i] > MAX_SIDE)))
        {
          g_autofree char *reason = g_strdup_printf ("size %u in dimension %d is impossible, or too much "
                                                     "for the limit of %d MiB",
                                                     sizes[i], i, (int) (SONDE_BUDGET_PARSE_BYTES >> 20));

          return fail (stream, SONDE_DATA_ERROR_LIMIT, 4 + 4 * (gsize) i, error, reason);
        }
    }
  *n_bytes = total;
  return TRUE;
}

/* A plain file tells its size, so that a lie in the header costs no memory. */
static gboolean
check_present (const Stream *stream,
               gsize         n_bytes,
               GError      **error)
{
  gsize size = g_bytes_get_size (stream->file);

  /* deflate packs 1032 bytes into one at best */
  if (stream->compressed ? n_bytes / 1032 <= size : n_bytes <= size - stream->at)
    return TRUE;
  return fail (stream, SONDE_DATA_ERROR_DAMAGED, size, error, "the file ends before all its elements");
}

static guint8 *
read_elements (const SondeIo *io,
               const char    *path,
               int            rank,
               guint32       *sizes,
               GError       **error)
{
  Stream stream;
  gsize n_bytes;
  guint8 *elements = NULL;
  gboolean whole;

  if (!stream_open (&stream, io, path, error))
    return NULL;
  whole = read_header (&stream, rank, sizes, &n_bytes, error) && check_present (&stream, n_bytes, error);
  if (whole)
    elements = sonde_try_alloc (NULL, n_bytes, path, error);
  whole = elements != NULL && (n_bytes == 0 || stream_read (&stream, elements, n_bytes, error))
          && stream_end (&stream, error);
  g_bytes_unref (stream.file);
  if (!whole)
    g_clear_pointer (&elements, g_free);
  return elements;
}

static gboolean
check_labels (const Part *part,
              const char *path,
              guint       n_labels,
              GError    **error)
{
  if (n_labels != part->n)
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” holds %u labels, but there are %u pictures beside it", path, n_labels, part->n);
      return FALSE;
    }
  for (guint i = 0; i < n_labels; i++)
    {
      if (part->labels[i] >= N_CLASSES)
        {
          g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "“%s”: label %u is %u; the classes are 0 to %d", path, i, part->labels[i],
                       N_CLASSES - 1);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
read_part (Part          *part,
           const SondeIo *io,
           const char    *folder,
           const char    *images,
           GError       **error)
{
  g_autofree char *labels = find_file (folder, part->name, "idx1");
  guint32 sizes[3], n_labels;

  if (labels == NULL)
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   "“%s” has no file of labels beside it (%s-labels-idx1-ubyte, or .gz)", images, part->name);
      return FALSE;
    }
  part->pixels = read_elements (io, images, 3, sizes, error);
  if (part->pixels == NULL)
    return FALSE;
  part->n = sizes[0];
  part->height = (int) sizes[1];
  part->width = (int) sizes[2];
  part->labels = read_elements (io, labels, 1, &n_labels, error);
  return part->labels != NULL && check_labels (part, labels, n_labels, error);
}

static gboolean
read_parts (Mnist         *mnist,
            const SondeIo *io,
            const char    *folder,
            GError       **error)
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
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
               g_file_test (folder, G_FILE_TEST_IS_DIR)
                 ? "“%s” holds no MNIST files (train-images-idx3-ubyte or t10k-images-idx3-ubyte, or .gz)"
                 : "there is no folder “%s”",
               folder);
  return FALSE;
}

static gboolean
join_parts (Mnist   *mnist,
            GError **error)
{
  const Part *a = &mnist->parts[0], *b = &mnist->parts[1];

  mnist->base.test_begin = mnist->n_parts == 2 ? (gint64) a->n : -1;
  mnist->base.n = a->n + b->n;
  mnist->base.channels = 1;
  mnist->base.height = a->height;
  mnist->base.width = a->width;
  if (mnist->n_parts == 1 || (a->height == b->height && a->width == b->width))
    return TRUE;
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
               "the training pictures have %d×%d pixels, those of the test %d×%d", a->width, a->height,
               b->width, b->height);
  return FALSE;
}

SondeDataset *
sonde_dataset_mnist_open (SondeDatasetRequest *request,
                          GError             **error)
{
  const float mean = 0.1307f, deviation = 0.3081f;
  g_autoptr (SondeDataset) dataset = NULL;
  Mnist *mnist = g_new0 (Mnist, 1);

  dataset = &mnist->base;
  dataset->klass = &mnist_class;
  dataset->n_classes = N_CLASSES;
  dataset->classes = g_new0 (char *, N_CLASSES + 1);
  for (int i = 0; i < N_CLASSES; i++)
    dataset->classes[i] = g_strdup_printf ("%d", i);
  if (!read_parts (mnist, request->options->io, request->argument, error)
      || !join_parts (mnist, error)
      || !sonde_pixel_table_init (&mnist->table, dataset, request, &mean, &deviation, error))
    return NULL;
  return g_steal_pointer (&dataset);
}

/* The part that holds *@sample, which becomes its number there. */
static const Part *
part_of (SondeDataset *dataset,
         guint        *sample)
{
  const Mnist *mnist = (const Mnist *) dataset;

  if (*sample < mnist->parts[0].n)
    return &mnist->parts[0];
  *sample -= mnist->parts[0].n;
  return &mnist->parts[1];
}

static const guint8 *
pixels_of (const Part *part,
           guint       sample)
{
  return part->pixels + (gsize) sample * (gsize) (part->height * part->width);
}

static gboolean
mnist_fill (SondeDataset *dataset,
            guint         sample,
            float        *into,
            GError      **error)
{
  const Part *part = part_of (dataset, &sample);

  sonde_pixel_table_apply (&((Mnist *) dataset)->table, pixels_of (part, sample),
                           (gsize) (part->height * part->width), 1, into);
  return TRUE;
}

static gint64
mnist_get_label (SondeDataset *dataset,
                 guint         sample)
{
  const Part *part = part_of (dataset, &sample);

  return part->labels[sample];
}

static char *
mnist_dup_name (SondeDataset *dataset,
                guint         sample)
{
  const Part *part = part_of (dataset, &sample);

  return g_strdup_printf ("%s/%06u", part->name, sample);
}

static SondeImage *
mnist_dup_image (SondeDataset *dataset,
                 guint         sample,
                 GError      **error)
{
  const Part *part = part_of (dataset, &sample);
  SondeImage *image = sonde_image_new (part->width, part->height, 1);

  memcpy (image->pixels, pixels_of (part, sample), (gsize) (part->height * part->width));
  return image;
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
