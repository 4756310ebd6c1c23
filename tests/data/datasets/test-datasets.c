/* SPDX-License-Identifier: Apache-2.0
 * Sources from files: MNIST, image folders, ready batches; what damaged ones say; splits. */
#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-batches.h"
#include "data/images/sonde-png.h"
#include "tests/data/datasets/dataset-fixture.h"

#include <glib/gstdio.h>
#include <isa-l/igzip_lib.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static void delete (const Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_cmpint (g_remove (path), ==, 0);
}

static SondeImageDecoder *
new_decoder (void)
{
  return sonde_image_decoder_new ((const char *const[]){ SONDE_TEST_IMAGE_HELPER, NULL });
}

static SondeDataset *
open_kind (const Fixture *fixture, const char *kind, GError **error)
{
  g_autofree char *source = g_strconcat (kind, fixture->folder, NULL);
  SondeDatasetOptions options = { .decoder = new_decoder () };

  return sonde_dataset_open (source, &options, error);
}

static void
assert_refused (const Fixture *fixture, const char *kind, int code, const char *hint)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (open_kind (fixture, kind, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, SONDE_DATA_ERROR, code);
  g_assert_nonnull (strstr (error->message, hint));
}

/* MNIST */

static GByteArray *
idx (int rank, const guint32 *sizes, gsize n_bytes)
{
  GByteArray *bytes = g_byte_array_new ();
  const guint8 magic[4] = { 0, 0, 8, (guint8) rank };

  g_byte_array_append (bytes, magic, 4);
  for (int i = 0; i < rank; i++)
    {
      guint32 size = GUINT32_TO_BE (sizes[i]);

      g_byte_array_append (bytes, (const guint8 *) &size, 4);
    }
  for (gsize i = 0; i < n_bytes; i++)
    {
      guint8 byte = (guint8) (rank == 1 ? i % 10 : i * 7 % 256);

      g_byte_array_append (bytes, &byte, 1);
    }
  return bytes;
}

static void
put_pair (const Fixture *fixture, const char *part, guint n)
{
  const guint32 sizes[] = { n, 4, 5 };
  g_autoptr (GByteArray) images = idx (3, sizes, n * 20), labels = idx (1, sizes, n);
  g_autofree char *images_name = g_strdup_printf ("%s-images-idx3-ubyte", part);
  g_autofree char *labels_name = g_strdup_printf ("%s-labels-idx1-ubyte", part);

  fixture_put (fixture, images_name, images->data, images->len);
  fixture_put (fixture, labels_name, labels->data, labels->len);
}

static void
test_mnist_pair (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL, guessed = NULL;
  g_autoptr (SondeImage) image = NULL;
  g_autofree char *name = NULL;
  float numbers[20];

  put_pair (fixture, "t10k", 12);
  dataset = open_kind (fixture, "mnist:", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->n, ==, 12);
  g_assert_true (dataset->channels == 1 && dataset->height == 4 && dataset->width == 5);
  g_assert_cmpint (dataset->test_begin, ==, -1);
  g_assert_cmpuint (dataset->n_classes, ==, 10);
  g_assert_cmpstr (dataset->classes[7], ==, "7");
  g_assert_true (sonde_dataset_fill (dataset, 11, numbers, &error));
  for (int i = 0; i < 20; i++)
    g_assert_cmpfloat (numbers[i], ==,
                       ((float) ((220 + i) * 7 % 256) / 255.0f - 0.1307f) / 0.3081f);
  g_assert_cmpint (sonde_dataset_get_label (dataset, 11), ==, 1);
  name = sonde_dataset_dup_name (dataset, 11);
  g_assert_cmpstr (name, ==, "t10k/000011");
  image = sonde_dataset_dup_image (dataset, 0, &error);
  g_assert_true (image->channels == 1 && image->width == 5 && image->pixels[1] == 7);

  guessed = open_kind (fixture, "", &error); /* a folder with IDX files in it */
  g_assert_cmpstr (guessed->klass->name, ==, "mnist");
}

static void
test_mnist_two_pairs (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  g_autofree char *name = NULL;

  put_pair (fixture, "t10k", 3);
  put_pair (fixture, "train", 7);
  dataset = open_kind (fixture, "mnist:", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->n, ==, 10);
  g_assert_cmpint (dataset->test_begin, ==, 7);
  name = sonde_dataset_dup_name (dataset, 7);
  g_assert_cmpstr (name, ==, "t10k/000000");
}

static GBytes *
gzip (const void *data, gsize length)
{
  g_autofree guint8 *room = g_malloc (length + 1000);
  struct isal_zstream stream;

  isal_deflate_stateless_init (&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.next_in = (guint8 *) data;
  stream.avail_in = (guint32) length;
  stream.next_out = room;
  stream.avail_out = (guint32) length + 1000;
  stream.end_of_stream = 1;
  g_assert_cmpint (isal_deflate_stateless (&stream), ==, COMP_OK);
  return g_bytes_new (room, stream.total_out);
}

static void
test_mnist_gzip (Fixture *fixture, gconstpointer data)
{
  const guint32 sizes[] = { 5000, 8, 8 };
  g_autoptr (GByteArray) images = idx (3, sizes, 5000 * 64), labels = idx (1, sizes, 5000);
  g_autoptr (GBytes) packed_images = gzip (images->data, images->len);
  g_autoptr (GBytes) packed_labels = gzip (labels->data, labels->len);
  gsize length = g_bytes_get_size (packed_images);
  g_autofree guint8 *bytes = g_memdup2 (g_bytes_get_data (packed_images, NULL), length);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  float numbers[64];

  fixture_put (fixture, "train-images-idx3-ubyte.gz", bytes, length);
  fixture_put (fixture, "train-labels-idx1-ubyte.gz", g_bytes_get_data (packed_labels, NULL),
               g_bytes_get_size (packed_labels));
  dataset = open_kind (fixture, "mnist:", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 5000; i += 333)
    {
      g_assert_true (sonde_dataset_fill (dataset, i, numbers, NULL));
      g_assert_cmpfloat (numbers[63], ==,
                         ((float) ((i * 64 + 63) * 7 % 256) / 255.0f - 0.1307f) / 0.3081f);
    }

  for (gsize cut = 1; cut < length; cut += length / 50)
    {
      fixture_put (fixture, "train-images-idx3-ubyte.gz", bytes, cut);
      assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "train-images-idx3-ubyte.gz");
    }
  for (gsize cut = length - 8; cut < length; cut++) /* only the checksum is cut */
    {
      fixture_put (fixture, "train-images-idx3-ubyte.gz", bytes, cut);
      assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "train-images-idx3-ubyte.gz");
    }
  bytes[length - 6] ^= 1;
  fixture_put (fixture, "train-images-idx3-ubyte.gz", bytes, length);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "train-images-idx3-ubyte.gz");
}

static void
put_images (const Fixture *fixture, guint32 n, guint32 height, guint32 width, gsize n_bytes)
{
  const guint32 sizes[] = { n, height, width };
  g_autoptr (GByteArray) images = idx (3, sizes, n_bytes);

  fixture_put (fixture, "train-images-idx3-ubyte", images->data, images->len);
}

static void
test_mnist_damaged (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GByteArray) bytes = NULL;
  const guint32 seven = 7;

  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_NOT_FOUND, "holds no MNIST files");
  put_images (fixture, 7, 4, 5, 140);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_NOT_FOUND, "no file of labels");
  put_pair (fixture, "train", 7);
  put_images (fixture, 8, 4, 5, 160);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "7 labels, but there are 8 images");
  put_images (fixture, 7, 4, 5, 139);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "ends before all its elements");
  put_images (fixture, 7, 4, 5, 141);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "offset 156: more bytes follow");
  put_images (fixture, 0xffffffff, 4, 5, 140);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_LIMIT, "size 4294967295 in dimension 0");
  put_images (fixture, 7, 0xffffffff, 0xffffffff, 140);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_LIMIT, "size 4294967295 in dimension 1");
  put_images (fixture, 7, 0, 5, 0);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_LIMIT, "size 0 in dimension 1");
  put_images (fixture, 50000, 100, 200, 100); /* 1 GB promised, 100 bytes there */
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "ends before");
  fixture_put (fixture, "train-images-idx3-ubyte", "\0\0\x08", 3);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "offset 3");
  fixture_put (fixture, "train-images-idx3-ubyte", "\0\0\x0d\3AAAABBBBCCCC", 16);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "00 00 0d 03");
  fixture_put (fixture, "train-images-idx3-ubyte", "", 0);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "offset 0");

  put_pair (fixture, "train", 7);
  bytes = idx (1, &seven, 7);
  bytes->data[8 + 3] = 10;
  fixture_put (fixture, "train-labels-idx1-ubyte", bytes->data, bytes->len);
  assert_refused (fixture, "mnist:", SONDE_DATA_ERROR_DAMAGED, "label 3 is 10");
  delete (fixture, "train-labels-idx1-ubyte");
}

static void
test_sources (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "nothing", "cvs:x", "mnist", "mnist:", "glyphs2", "", ":" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      SondeDatasetOptions options = { 0 };

      g_assert_null (sonde_dataset_open (names[i], &options, &error));
      g_test_message ("%s", error->message);
      g_assert_true (error->domain == SONDE_DATA_ERROR);
      g_assert_nonnull (strstr (error->message, "mnist:DIR"));
    }
  g_autofree char *missing = g_build_filename (fixture->folder, "missing", NULL);
  Fixture other = { missing };

  assert_refused (&other, "mnist:", SONDE_DATA_ERROR_NOT_FOUND, "missing");
  assert_refused (&other, "images:", SONDE_DATA_ERROR_NOT_FOUND, "missing");
  assert_refused (&other, "npz:", SONDE_DATA_ERROR_NOT_FOUND, "missing");
}

/* Image folders */

static void
put_picture (const Fixture *fixture, const char *name, int width, int height, int channels,
             guint8 level)
{
  g_autoptr (SondeImage) image = sonde_image_new (width, height, channels);
  g_autoptr (GBytes) bytes = NULL;

  memset (image->pixels, level, (gsize) width * (gsize) height * (gsize) channels);
  bytes = sonde_png_encode (image);
  fixture_put (fixture, name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
test_images (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  static const char *const expected[] = { "B/1.png", "a/10.png", "a/2.PNG", "ä/x.png" };
  float numbers[3 * 4 * 6];

  put_picture (fixture, "a/10.png", 6, 4, 3, 51);
  put_picture (fixture, "a/2.PNG", 6, 4, 1, 102);
  put_picture (fixture, "B/1.png", 6, 4, 3, 0);
  put_picture (fixture, "ä/x.png", 6, 4, 4, 255);
  fixture_put (fixture, "a/notes.txt", "x", 1);
  fixture_put (fixture, "loose.png", "x", 1);
  fixture_put (fixture, ".hidden/x.png", "x", 1);
  dataset = open_kind (fixture, "images:", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->n, ==, 4);
  g_assert_cmpuint (dataset->n_classes, ==, 3);
  g_assert_cmpstr (dataset->classes[0], ==, "B");
  g_assert_cmpstr (dataset->classes[2], ==, "ä");
  g_assert_true (dataset->channels == 3 && dataset->height == 4 && dataset->width == 6);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *name = sonde_dataset_dup_name (dataset, i);

      g_assert_cmpstr (name, ==, expected[i]);
    }
  g_assert_cmpint (sonde_dataset_get_label (dataset, 2), ==, 1);
  g_assert_true (sonde_dataset_fill (dataset, 2, numbers, &error));
  g_assert_cmpfloat (numbers[71], ==, 102.0f / 255.0f);

  put_picture (fixture, "a/2.PNG", 7, 4, 3, 1);
  g_assert_false (sonde_dataset_fill (dataset, 2, numbers, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "a/2.PNG"));
  g_assert_nonnull (strstr (error->message, "7×4"));
  g_clear_error (&error);
  fixture_put (fixture, "a/2.PNG", "\x89PNG\r\n\x1a\nxxxx", 12);
  g_assert_false (sonde_dataset_fill (dataset, 2, numbers, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "a/2.PNG"));
}

static void
test_images_parts (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  g_autofree char *name = NULL;

  put_picture (fixture, "train/a/1.png", 2, 2, 3, 0);
  put_picture (fixture, "train/b/1.png", 2, 2, 3, 0);
  put_picture (fixture, "test/b/1.png", 2, 2, 3, 0);
  put_picture (fixture, "test/c/1.png", 2, 2, 3, 0);
  dataset = open_kind (fixture, "images:", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->n, ==, 4);
  g_assert_cmpint (dataset->test_begin, ==, 2);
  g_assert_cmpuint (dataset->n_classes, ==, 3);
  g_assert_cmpint (sonde_dataset_get_label (dataset, 2), ==, 1);
  g_assert_cmpint (sonde_dataset_get_label (dataset, 3), ==, 2);
  name = sonde_dataset_dup_name (dataset, 2);
  g_assert_cmpstr (name, ==, "test/b/1.png");
}

/* A mask of 0 with @inner in the columns from 2 on. */
static void
put_mask (const Fixture *fixture, const char *name, int width, int height, guint8 inner)
{
  g_autoptr (SondeImage) image = sonde_image_new (width, height, 1);
  g_autoptr (GBytes) bytes = NULL;

  for (int i = 0; i < width * height; i++)
    image->pixels[i] = i % width >= 2 ? inner : 0;
  bytes = sonde_png_encode (image);
  fixture_put (fixture, name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
test_masks (Fixture *fixture, gconstpointer data)
{
  static const char *const resize[] = { "resize:2", NULL }, *const moving[]
                                                            = { "resize:2", "random-flip", NULL };
  g_autofree char *source = g_strconcat ("masks:", fixture->folder, NULL);
  SondeDatasetOptions options = { .transforms = resize };
  g_autoptr (SondeDataset) dataset = NULL, binary = NULL, small = NULL;
  g_autoptr (GError) error = NULL;
  gint64 labels[4 * 4];

  put_picture (fixture, "images/a.png", 4, 4, 3, 51);
  put_picture (fixture, "images/b.png", 4, 4, 3, 102);
  put_mask (fixture, "masks/a.png", 4, 4, 255);
  put_mask (fixture, "masks/b.png", 4, 4, 0);
  binary = open_kind (fixture, "masks:", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (binary->n_classes, ==, 2);
  sonde_dataset_fill_label (binary, 0, labels);
  for (guint i = 0; i < 16; i++)
    g_assert_cmpint (labels[i], ==, i % 4 >= 2);
  sonde_dataset_fill_label (binary, 1, labels);
  g_assert_cmpint (labels[3], ==, 0);

  put_mask (fixture, "masks/b.png", 4, 4, 3);
  put_mask (fixture, "masks/a.png", 4, 4, 1);
  dataset = open_kind (fixture, "masks:", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->n_classes, ==, 4);
  g_assert_cmpint (dataset->label_shape.rank, ==, 2);
  sonde_dataset_fill_label (dataset, 1, labels);
  g_assert_true (labels[1] == 0 && labels[2] == 3);

  /* Scaled as the image is, by whole pixels. */
  options.decoder = new_decoder ();
  small = sonde_dataset_open (source, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpint (small->width, ==, 2);
  sonde_dataset_fill_label (small, 1, labels);
  g_assert_true (labels[0] == 0 && labels[1] == 3 && labels[2] == 0 && labels[3] == 3);
  options.transforms = moving;
  options.decoder = new_decoder ();
  g_assert_null (sonde_dataset_open (source, &options, &error));
  g_assert_nonnull (strstr (error->message, "random-flip"));
}

static void
test_masks_refused (Fixture *fixture, gconstpointer data)
{
  assert_refused (fixture, "masks:", SONDE_DATA_ERROR_NOT_FOUND, "images");
  put_picture (fixture, "images/a.png", 4, 4, 3, 51);
  assert_refused (fixture, "masks:", SONDE_DATA_ERROR_NOT_FOUND, "masks");
  put_mask (fixture, "masks/b.png", 4, 4, 1);
  assert_refused (fixture, "masks:", SONDE_DATA_ERROR_INVALID, "images/a.png");
  put_mask (fixture, "masks/a.png", 4, 4, 1);
  assert_refused (fixture, "masks:", SONDE_DATA_ERROR_INVALID, "masks/b.png");
  put_picture (fixture, "images/b.png", 4, 4, 3, 51);
  put_mask (fixture, "masks/b.png", 5, 4, 1);
  assert_refused (fixture, "masks:", SONDE_DATA_ERROR_INVALID, "5×4");
  fixture_put (fixture, "masks/b.png", "\x89PNG\r\n\x1a\nxxxx", 12);
  assert_refused (fixture, "masks:", SONDE_DATA_ERROR_DAMAGED, "masks/b.png");
  put_picture (fixture, "masks/b.png", 4, 4, 3, 7);
  put_mask (fixture, "images/b.jpg", 4, 4, 1);
  assert_refused (fixture, "masks:", SONDE_DATA_ERROR_INVALID, "b.jpg");
}

static void
test_images_transforms (Fixture *fixture, gconstpointer data)
{
  static const char *const transforms[] = { "resize:4", "grey", "normalise:0.5:0.25", NULL };
  static const char *const bad[]
      = { "resize:0",          "resize",     "blur", "normalise:1:0", "normalise:a:1", "grey:1",
          "normalise:1,2:1,2", "normalise:1" };
  g_autofree char *source = g_strconcat ("images:", fixture->folder, NULL);
  SondeDatasetOptions options = { .decoder = new_decoder (), .transforms = transforms };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  g_autoptr (SondeImage) image = NULL;
  float numbers[16];

  put_picture (fixture, "a/1.png", 90, 60, 3, 204);
  dataset = sonde_dataset_open (source, &options, &error);
  g_assert_no_error (error);
  g_assert_true (dataset->channels == 1 && dataset->height == 4 && dataset->width == 4);
  g_assert_true (sonde_dataset_fill (dataset, 0, numbers, &error));
  for (int i = 0; i < 16; i++)
    g_assert_cmpfloat_with_epsilon (numbers[i], (0.8 - 0.5) / 0.25, 1e-6);
  image = sonde_dataset_dup_image (dataset, 0, NULL);
  g_assert_true (image->width == 4 && image->pixels[15] == 204);

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      const char *list[] = { bad[i], NULL };

      options.decoder = new_decoder ();
      options.transforms = list;
      g_clear_error (&error);
      g_assert_null (sonde_dataset_open (source, &options, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
    }
}

static void
test_images_refused (Fixture *fixture, gconstpointer data)
{
  g_autofree char *source = g_strconcat ("images:", fixture->folder, NULL);
  SondeDatasetOptions options = { 0 };
  g_autoptr (GError) error = NULL;

  assert_refused (fixture, "images:", SONDE_DATA_ERROR_NOT_FOUND, "CLASS/NAME.jpg");
  put_picture (fixture, "a/1.png", 2, 2, 3, 0);
  g_assert_null (sonde_dataset_open (source, &options, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
}

/* Ready batches */

static void
add_array (SondeNamedTensors *arrays, const char *name, SondeDtype dtype, SondeShape shape)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, (double) (i % 100));
  sonde_named_tensors_set (arrays, name, tensor);
}

static SondeDataset *
open_npz (const Fixture *fixture, const SondeNamedTensors *arrays, GError **error)
{
  g_autofree char *path = g_build_filename (fixture->folder, "b.npz", NULL);
  g_autofree char *source = g_strconcat ("npz:", path, NULL);
  SondeDatasetOptions options = { 0 };

  g_assert_true (sonde_npz_write (NULL, path, arrays, NULL));
  return sonde_dataset_open (source, &options, error);
}

static void
test_npz (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeNamedTensors) arrays = sonde_named_tensors_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  g_autoptr (SondeBatches) batches = NULL;
  g_autoptr (SondeTensor) x = NULL, y = NULL;
  SondeSplitPart split;
  SondeBatchesOptions options = { .batch = 2, .shuffle = TRUE };
  guint samples[2];
  float numbers[6];

  add_array (arrays, "x0", SONDE_DTYPE_I64, sonde_shape_make (2, 4, 6));
  add_array (arrays, "y0", SONDE_DTYPE_I64, sonde_shape_make (1, 4));
  add_array (arrays, "x1", SONDE_DTYPE_I64, sonde_shape_make (2, 3, 6));
  add_array (arrays, "y1", SONDE_DTYPE_I64, sonde_shape_make (1, 3));
  dataset = open_npz (fixture, arrays, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->n, ==, 7);
  g_assert_cmpuint (dataset->n_classes, ==, 4);
  g_assert_cmpuint (sonde_dataset_get_ready_batch (dataset), ==, 4);
  g_assert_cmpint (sonde_dataset_get_label (dataset, 6), ==, 2);
  g_assert_true (sonde_dataset_fill (dataset, 5, numbers, NULL));
  g_assert_cmpfloat (numbers[0], ==, 6);
  g_assert_true (sonde_dataset_split (dataset, 0, -1, -1, &split, &error));
  g_assert_true (split.n_train == 7 && split.n_test == 0);

  options.samples = split.train;
  options.n = split.n_train;
  batches = sonde_batches_new (dataset, &options, &error);
  g_assert_cmpuint (sonde_batches_get_count (batches), ==, 2);
  g_assert_true (sonde_batches_load (batches, 5, 1, &x, &y, samples, &error));
  g_assert_true (x->dtype == SONDE_DTYPE_I64 && x->shape.rank == 2 && x->shape.dims[0] == 3);
  g_assert_true (sonde_tensor_equal (y, sonde_named_tensors_lookup (arrays, "y1")));
  g_assert_true (samples[0] == 4 && samples[1] == 5); /* no more than there is room for */
  sonde_split_part_clear (&split);
}

static void
test_npz_refused (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name;
    SondeDtype dtype;
    SondeShape shape;
    const char *hint;
  } steps[] = {
    { "other", SONDE_DTYPE_F32, { 1, { 3 } }, "no array x0" },
    { "x0", SONDE_DTYPE_F32, { 2, { 4, 6 } }, "an x but no y" },
    { "y0", SONDE_DTYPE_I64, { 1, { 3 } }, "different numbers" },
    { "y0", SONDE_DTYPE_I64, { 0, { 0 } }, "different numbers" },
    { "x0", SONDE_DTYPE_F32, { 0, { 0 } }, "no samples" },
    { "x0", SONDE_DTYPE_F32, { 2, { 0, 6 } }, "no samples" },
    { "x0", SONDE_DTYPE_STRING, { 1, { 3 } }, "strings" },
    { "x0", SONDE_DTYPE_F32, { 2, { 3, 6 } }, "different numbers" },
    { "y0", SONDE_DTYPE_I64, { 1, { 4 } }, "different numbers" },
    { "x1", SONDE_DTYPE_F32, { 2, { 5, 6 } }, "different numbers" },
    { "x0", SONDE_DTYPE_F32, { 2, { 4, 6 } }, "an x but no y" },
    { "y1", SONDE_DTYPE_I64, { 1, { 5 } }, "only the last may hold fewer" },
    { "x1", SONDE_DTYPE_I64, { 2, { 5, 6 } }, "another shape or dtype" },
  };
  g_autoptr (SondeNamedTensors) arrays = sonde_named_tensors_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (GError) error = NULL;

      if (steps[i].dtype == SONDE_DTYPE_STRING)
        {
          g_autoptr (SondeTensor) texts = sonde_tensor_new (SONDE_DTYPE_STRING, &steps[i].shape);

          sonde_named_tensors_set (arrays, steps[i].name, texts);
        }
      else
        add_array (arrays, steps[i].name, steps[i].dtype, steps[i].shape);
      g_assert_null (open_npz (fixture, arrays, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, steps[i].hint));
    }
}

/* Splits */

static void
check_split (SondeDataset *dataset, guint modulo, gint64 n_train, gint64 n_test,
             const char *expected) /* "0 1 2 | 3 4", NULL: refused */
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  SondeSplitPart split;
  gboolean done = sonde_dataset_split (dataset, modulo, n_train, n_test, &split, &error);

  g_assert_true (done == (expected != NULL));
  if (!done)
    {
      g_test_message ("%s", error->message);
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
      return;
    }
  for (guint i = 0; i < split.n_train; i++)
    g_string_append_printf (text, "%u ", split.train[i]);
  g_string_append_c (text, '|');
  for (guint i = 0; i < split.n_test; i++)
    g_string_append_printf (text, " %u", split.test[i]);
  g_assert_cmpstr (text->str, ==, expected);
  sonde_split_part_clear (&split);
}

static void
test_split (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeDataset) one = NULL, two = NULL;

  put_pair (fixture, "train", 10);
  one = open_kind (fixture, "mnist:", NULL);
  check_split (one, 0, -1, -1, "0 1 2 3 4 5 6 7 | 8 9");
  check_split (one, 0, 3, 2, "0 1 2 | 3 4");
  check_split (one, 0, 3, -1, "0 1 2 | 3 4 5 6 7 8 9");
  check_split (one, 0, -1, 3, "0 1 2 3 4 5 6 | 7 8 9");
  check_split (one, 0, 10, 0, "0 1 2 3 4 5 6 7 8 9 |");
  check_split (one, 0, 9, 2, NULL);
  check_split (one, 0, 11, -1, NULL);
  check_split (one, 0, -1, 11, NULL);
  check_split (one, 5, -1, -1, "0 1 2 3 5 6 7 8 | 4 9");
  check_split (one, 5, 3, 1, "0 1 2 | 4");
  check_split (one, 5, 9, -1, NULL);
  check_split (one, 2, -1, -1, "0 2 4 6 8 | 1 3 5 7 9");
  check_split (one, 1, -1, -1, NULL);

  put_pair (fixture, "t10k", 3);
  two = open_kind (fixture, "mnist:", NULL);
  check_split (two, 0, -1, -1, "0 1 2 3 4 5 6 7 8 9 | 10 11 12");
  check_split (two, 0, 2, 1, "0 1 | 10");
  check_split (two, 0, 11, -1, NULL);
  check_split (two, 4, -1, -1, "0 1 2 4 5 6 8 9 10 12 | 3 7 11");
}

/* Shared samples */

static SondeDataset *
open_shared (const char *kind, const char *path)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *folder = g_build_filename (shared != NULL ? shared : "", path, NULL);
  Fixture fixture = { folder };
  g_autoptr (GError) error = NULL;
  SondeDataset *dataset;

  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("SONDE_SHARED is not there");
      return NULL;
    }
  dataset = open_kind (&fixture, kind, &error);
  g_assert_no_error (error);
  return dataset;
}

/* The model's inputs are the first test images of the split modulo 5. */
static void
test_shared_mnist (void)
{
  g_autoptr (SondeDataset) dataset = open_shared ("mnist:", "datasets/mnist");
  g_autofree char *folder
      = g_build_filename (g_getenv ("SONDE_SHARED") != NULL ? g_getenv ("SONDE_SHARED") : "",
                          "models/lenet-mnist", NULL);
  g_autofree char *inputs_path = g_build_filename (folder, "inputs.npy", NULL);
  g_autofree char *labels_path = g_build_filename (folder, "test-labels.npy", NULL);
  g_autoptr (SondeTensor) inputs = NULL, labels = NULL;
  SondeSplitPart split;
  float numbers[784];

  if (dataset == NULL)
    return;
  g_assert_cmpuint (dataset->n, ==, 10000);
  inputs = sonde_npy_read (NULL, inputs_path, NULL);
  labels = sonde_npy_read (NULL, labels_path, NULL);
  g_assert_true (sonde_dataset_split (dataset, 5, -1, -1, &split, NULL));
  g_assert_true (split.n_train == 8000 && split.n_test == 2000);
  for (guint i = 0; i < 16; i++)
    {
      g_assert_true (sonde_dataset_fill (dataset, split.test[i], numbers, NULL));
      g_assert_cmpmem (numbers, sizeof numbers, inputs->data + i * sizeof numbers, sizeof numbers);
    }
  for (guint i = 0; i < 2000; i++)
    g_assert_cmpint (sonde_dataset_get_label (dataset, split.test[i]), ==,
                     sonde_tensor_get_int (labels, i));
  sonde_split_part_clear (&split);
}

static void
test_shared_cifar (void)
{
  g_autoptr (SondeDataset) dataset = open_shared ("cifar10:", "datasets/cifar10");
  g_autofree char *name = NULL;
  g_autoptr (SondeImage) image = NULL;
  float numbers[3 * 32 * 32];

  if (dataset == NULL)
    return;
  g_assert_cmpuint (dataset->n, ==, 12000);
  g_assert_cmpint (dataset->test_begin, ==, 10000);
  g_assert_cmpstr (dataset->classes[3], ==, "cat");
  name = sonde_dataset_dup_name (dataset, 10000);
  g_assert_cmpstr (name, ==, "test/airplane/0000.jpg");
  image = sonde_dataset_dup_image (dataset, 10000, NULL);
  g_assert_true (sonde_dataset_fill (dataset, 10000, numbers, NULL));
  g_assert_cmpfloat (numbers[1024], ==, ((float) image->pixels[1] / 255.0f - 0.4822f) / 0.2435f);
}

static void
test_shared_batches (void)
{
  static const char *const nets[] = { "mlp", "lenet", "bn-resnet", "lstm", "encoder" };
  const char *shared = g_getenv ("SONDE_SHARED");

  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *path = g_build_filename (shared != NULL ? shared : "", "models/training",
                                                nets[i], "batches.npz", NULL);
      g_autofree char *source = g_strconcat ("npz:", path, NULL);
      SondeDatasetOptions options = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeDataset) dataset = NULL;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        {
          g_test_skip ("SONDE_SHARED is not there");
          return;
        }
      dataset = sonde_dataset_open (source, &options, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (dataset->klass->get_n_ready (dataset), ==, 5);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Fixture *, gconstpointer);
  } tests[] = {
    { "/data/datasets/mnist/pair", test_mnist_pair },
    { "/data/datasets/mnist/two-pairs", test_mnist_two_pairs },
    { "/data/datasets/mnist/gzip", test_mnist_gzip },
    { "/data/datasets/mnist/damaged", test_mnist_damaged },
    { "/data/datasets/open/sources", test_sources },
    { "/data/datasets/images/folder", test_images },
    { "/data/datasets/images/parts", test_images_parts },
    { "/data/datasets/images/transforms", test_images_transforms },
    { "/data/datasets/masks/pairs", test_masks },
    { "/data/datasets/masks/refused", test_masks_refused },
    { "/data/datasets/images/refused", test_images_refused },
    { "/data/datasets/npz/batches", test_npz },
    { "/data/datasets/npz/refused", test_npz_refused },
    { "/data/datasets/split/all", test_split },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, fixture_set_up, tests[i].run, fixture_tear_down);
  g_test_add_func ("/data/datasets/shared/mnist", test_shared_mnist);
  g_test_add_func ("/data/datasets/shared/cifar", test_shared_cifar);
  g_test_add_func ("/data/datasets/shared/batches", test_shared_batches);
  return g_test_run ();
}
