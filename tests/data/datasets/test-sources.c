/* SPDX-License-Identifier: Apache-2.0
 * Further sources: CSV, arrays, CIFAR's binary files, Fashion-MNIST, tokens; and images that
 * cannot be read. */
#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-batches.h"
#include "data/images/sonde-png.h"
#include "tests/data/datasets/dataset-fixture.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static SondeDataset *
open_source (const Fixture *fixture, const char *kind, const char *rest, GError **error)
{
  g_autofree char *source = g_strconcat (kind, fixture->folder, rest, NULL);
  SondeDatasetOptions options = { 0 };

  options.decoder
      = sonde_image_decoder_new ((const char *const[]){ SONDE_TEST_IMAGE_HELPER, NULL });
  return sonde_dataset_open (source, &options, error);
}

static void
assert_refused (const Fixture *fixture, const char *kind, const char *rest, int code,
                const char *hint)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (open_source (fixture, kind, rest, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, SONDE_DATA_ERROR, code);
  if (strstr (error->message, hint) == NULL)
    g_error ("“%s” is not in “%s”", hint, error->message);
}

/* ---- CSV ----------------------------------------------------------------- */

static void
test_csv_classes (Fixture *fixture, gconstpointer data)
{
  static const char text[] = "\xef\xbb\xbfwidth,\"length, \"\"in\"\" cm\",Label\r\n"
                             "1,2.5,virginica\r\n-3e2 , 4,\"setosa\"\r\n\r\n5,6,virginica";
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  float numbers[2];

  fixture_put (fixture, "x.csv", text, -1);
  dataset = open_source (fixture, "csv:", "/x.csv", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->n, ==, 3);
  g_assert_true (dataset->dtype == SONDE_DTYPE_F32 && dataset->shape.rank == 1
                 && dataset->shape.dims[0] == 2);
  g_assert_true (dataset->label_dtype == SONDE_DTYPE_I64 && dataset->label_shape.rank == 0);
  g_assert_cmpuint (dataset->n_classes, ==, 2);
  g_assert_cmpstr (dataset->classes[0], ==, "setosa");
  g_assert_cmpint (sonde_dataset_get_label (dataset, 0), ==, 1);
  g_assert_cmpint (sonde_dataset_get_label (dataset, 1), ==, 0);
  g_assert_true (sonde_dataset_fill (dataset, 1, numbers, NULL));
  g_assert_true (numbers[0] == -300 && numbers[1] == 4);
}

/* Numbers as labels, one and several, by name, number and from the end. */
static void
test_csv_numbers (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeDataset) one = NULL, two = NULL, none = NULL, whole = NULL, sparse = NULL;
  float numbers[2];

  fixture_put (fixture, "x.csv", "1;2;0.5\n3;4;-7\n", -1);
  one = open_source (fixture, "csv:", "/x.csv;separator=;", NULL);
  g_assert_null (one); /* ; goes between settings */
  fixture_put (fixture, "x.csv", "1\t2\t0.5\n3\t4\t-7\n", -1);
  one = open_source (fixture, "csv:", "/x.csv;separator=tab", NULL);
  g_assert_true (one->label_dtype == SONDE_DTYPE_F32 && one->label_shape.rank == 1
                 && one->label_shape.dims[0] == 1);
  sonde_dataset_fill_label (one, 1, numbers);
  g_assert_true (numbers[0] == -7 && sonde_dataset_get_label (one, 1) == -1);
  two = open_source (fixture, "csv:", "/x.csv;separator=tab;label=0,-1", NULL);
  sonde_dataset_fill_label (two, 1, numbers);
  g_assert_true (two->label_shape.dims[0] == 2 && numbers[0] == 3 && numbers[1] == -7);
  none = open_source (fixture, "csv:", "/x.csv;separator=tab;label=none", NULL);
  g_assert_true (none->shape.dims[0] == 3 && sonde_dataset_get_label (none, 0) == -1);

  fixture_put (fixture, "y.csv", "a,y,b\n1,3,2\n4,0,5\n", -1);
  whole = open_source (fixture, "csv:", "/y.csv", NULL);
  g_assert_true (whole->n_classes == 4 && sonde_dataset_get_label (whole, 0) == 3);
  fixture_put (fixture, "y.csv", "1,20\n4,10\n5,9\n", -1);
  sparse = open_source (fixture, "csv:", "/y.csv", NULL);
  g_assert_true (sparse->n_classes == 3 && sonde_dataset_get_label (sparse, 0) == 2);
  g_assert_cmpstr (sparse->classes[0], ==, "9");
}

static void
test_csv_missing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeDataset) mean = NULL, zero = NULL;
  float numbers[2];

  fixture_put (fixture, "x.csv", "a,b,y\n1,NA,0\n2,4,1\n,8,0\n", -1);
  assert_refused (fixture, "csv:", "/x.csv", SONDE_DATA_ERROR_DAMAGED,
                  "line 2, column 1 (b): “NA” is missing");
  mean = open_source (fixture, "csv:", "/x.csv;missing=mean", NULL);
  g_assert_true (sonde_dataset_fill (mean, 0, numbers, NULL));
  g_assert_true (numbers[0] == 1 && numbers[1] == 6);
  g_assert_true (sonde_dataset_fill (mean, 2, numbers, NULL));
  g_assert_true (numbers[0] == 1.5f && numbers[1] == 8);
  zero = open_source (fixture, "csv:", "/x.csv;missing=-2.5", NULL);
  g_assert_true (sonde_dataset_fill (zero, 0, numbers, NULL));
  g_assert_cmpfloat (numbers[1], ==, -2.5f);
}

static void
test_csv_pictures (Fixture *fixture, gconstpointer data)
{
  static const char *const transforms[]
      = { "normalise:0:10", "random-flip:1", "centre-crop:1", NULL };
  g_autofree char *source = g_strdup_printf ("csv:%s/x.csv;shape=2x3;label=0", fixture->folder);
  SondeDatasetOptions options = { .transforms = transforms };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  float number;

  fixture_put (fixture, "x.csv", "0,1,2,3,4,5,6\n1,10,20,30,40,50,60\n", -1);
  dataset = sonde_dataset_open (source, &options, &error);
  g_assert_no_error (error);
  g_assert_true (dataset->shape.rank == 3 && dataset->height == 1 && dataset->width == 1);
  g_assert_true (sonde_dataset_fill (dataset, 1, &number, NULL));
  g_assert_cmpfloat (number, ==, 2);
  g_assert_cmpfloat (dataset->std[0], ==, 10);
}

static void
test_csv_refused (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text, *settings;
    int code;
    const char *hint;
  } cases[] = {
    { "", "", SONDE_DATA_ERROR_DAMAGED, "is empty" },
    { "\n\n", "", SONDE_DATA_ERROR_DAMAGED, "is empty" },
    { "a,b\n", "", SONDE_DATA_ERROR_DAMAGED, "no rows" },
    { "1,2\n3\n", "", SONDE_DATA_ERROR_DAMAGED, "line 2: there are 1 columns" },
    { "1,2\n\n\nx,4\n", "", SONDE_DATA_ERROR_DAMAGED, "line 4, column 0: “x” is not a number" },
    { "1,2\nnan,4\n", "", SONDE_DATA_ERROR_DAMAGED, "line 2, column 0: “nan” is missing" },
    { "1,2\ninf,4\n", "", SONDE_DATA_ERROR_DAMAGED, "“inf” is too large" },
    { "1,2\n1e300,4\n", "", SONDE_DATA_ERROR_DAMAGED, "too large" },
    { "1,2\n3,\n", "", SONDE_DATA_ERROR_DAMAGED, "is not a label" },
    { "1,2\n3,\"4\n", "", SONDE_DATA_ERROR_DAMAGED, "line 2: a quoted field has no end" },
    { "1,2\n3,\"4\"5\n", "", SONDE_DATA_ERROR_DAMAGED, "behind the closing quote" },
    { "1\n2\n", "", SONDE_DATA_ERROR_INVALID, "all of them labels" },
    { "1,2\n", ";label=2", SONDE_DATA_ERROR_INVALID, "no column “2”" },
    { "a,b\n1,2\n", ";label=c", SONDE_DATA_ERROR_INVALID, "0 to 1: a, b" },
    { "1,2\n", ";shape=2x2", SONDE_DATA_ERROR_INVALID, "shape=2x2" },
    { "1,2\n", ";shape=x", SONDE_DATA_ERROR_INVALID, "shape=x" },
    { "1,2\n", ";colour=red", SONDE_DATA_ERROR_INVALID, "“colour=red” is not understood" },
    { "1,2\n", ";kind=red", SONDE_DATA_ERROR_INVALID, "auto, class or number" },
    { "1,2\n", ";missing=some", SONDE_DATA_ERROR_INVALID, "mean or a number" },
    { "1,a,b\n", ";label=1,2", SONDE_DATA_ERROR_DAMAGED, "several labels must be numbers" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *rest = g_strconcat ("/x.csv", cases[i].settings, NULL);

      fixture_put (fixture, "x.csv", cases[i].text, -1);
      assert_refused (fixture, "csv:", rest, cases[i].code, cases[i].hint);
    }
  assert_refused (fixture, "csv:", "/missing.csv", SONDE_DATA_ERROR_NOT_FOUND, "missing.csv");
}

/* A row of a million columns is read, one more than the limit is not; quotes by the thousand are
 * one pass. */
static void
test_csv_wide (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (SondeDataset) dataset = NULL;

  for (guint i = 0; i < 1000000; i++)
    g_string_append (text, i % 1000 == 0 ? "\"1\"," : "1,");
  g_string_append (text, "0\n");
  fixture_put (fixture, "x.csv", text->str, (gssize) text->len);
  dataset = open_source (fixture, "csv:", "/x.csv", NULL);
  g_assert_cmpint (dataset->shape.dims[0], ==, 1000000);
  g_string_set_size (text, text->len - 1);
  for (guint i = 0; i < 100000; i++)
    g_string_append (text, ",1");
  fixture_put (fixture, "x.csv", text->str, (gssize) text->len);
  assert_refused (fixture, "csv:", "/x.csv", SONDE_DATA_ERROR_LIMIT, "more than 1048576 columns");
}

/* ---- arrays -------------------------------------------------------------- */

static SondeTensor *
new_array (SondeDtype dtype, SondeShape shape)
{
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, (double) (i % 100));
  return tensor;
}

static void
put_arrays (const Fixture *fixture, const char *x_name, SondeTensor *x, const char *y_name,
            SondeTensor *y)
{
  g_autofree char *path = g_build_filename (fixture->folder, "a.npz", NULL);
  g_autoptr (SondeNamedTensors) arrays = sonde_named_tensors_new ();

  sonde_named_tensors_set (arrays, x_name, x);
  sonde_named_tensors_set (arrays, y_name, y);
  if (g_str_equal (x_name, "x_train"))
    {
      sonde_named_tensors_set (arrays, "x_test", x);
      sonde_named_tensors_set (arrays, "y_test", y);
    }
  g_assert_true (sonde_npz_write (NULL, path, arrays, NULL));
}

static void
test_arrays (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *x_name, *y_name;
    SondeDtype x, y;
    SondeShape x_shape, y_shape;
    SondeDtype dtype, label_dtype;
    SondeShape shape, label_shape;
  } cases[] = {
    { "x",
      "y",
      SONDE_DTYPE_U8,
      SONDE_DTYPE_U8,
      { 3, { 4, 2, 3 } },
      { 1, { 4 } },
      SONDE_DTYPE_F32,
      SONDE_DTYPE_I64,
      { 3, { 1, 2, 3 } },
      { 0, { 0 } } },
    { "images",
      "labels",
      SONDE_DTYPE_U8,
      SONDE_DTYPE_I32,
      { 4, { 4, 2, 5, 3 } },
      { 2, { 4, 1 } },
      SONDE_DTYPE_F32,
      SONDE_DTYPE_I64,
      { 3, { 3, 2, 5 } },
      { 0, { 0 } } },
    { "data",
      "target",
      SONDE_DTYPE_U8,
      SONDE_DTYPE_I64,
      { 4, { 4, 3, 2, 5 } },
      { 1, { 4 } },
      SONDE_DTYPE_F32,
      SONDE_DTYPE_I64,
      { 3, { 3, 2, 5 } },
      { 0, { 0 } } },
    { "x_train",
      "y_train",
      SONDE_DTYPE_F64,
      SONDE_DTYPE_F32,
      { 2, { 4, 6 } },
      { 1, { 4 } },
      SONDE_DTYPE_F32,
      SONDE_DTYPE_F32,
      { 1, { 6 } },
      { 1, { 1 } } },
    { "x",
      "y",
      SONDE_DTYPE_F32,
      SONDE_DTYPE_F64,
      { 3, { 4, 6, 2 } },
      { 2, { 4, 3 } },
      SONDE_DTYPE_F32,
      SONDE_DTYPE_F32,
      { 2, { 6, 2 } },
      { 1, { 3 } } },
    { "x",
      "y",
      SONDE_DTYPE_I32,
      SONDE_DTYPE_I32,
      { 2, { 4, 6 } },
      { 2, { 4, 6 } },
      SONDE_DTYPE_I64,
      SONDE_DTYPE_I64,
      { 1, { 6 } },
      { 1, { 6 } } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeTensor) x = new_array (cases[i].x, cases[i].x_shape),
                              y = new_array (cases[i].y, cases[i].y_shape);
      g_autoptr (SondeTensor) inputs = NULL, labels = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeDataset) dataset = NULL;
      g_autoptr (SondeBatches) batches = NULL;
      guint samples[] = { 2, 1 };
      SondeBatchesOptions options = { .samples = samples, .n = 2, .batch = 2, .workers = 1 };

      put_arrays (fixture, cases[i].x_name, x, cases[i].y_name, y);
      dataset = open_source (fixture, "npz:", "/a.npz", &error);
      g_assert_no_error (error);
      g_assert_true (dataset->dtype == cases[i].dtype
                     && dataset->label_dtype == cases[i].label_dtype);
      g_assert_true (sonde_shape_equal (&dataset->shape, &cases[i].shape));
      g_assert_true (sonde_shape_equal (&dataset->label_shape, &cases[i].label_shape));
      g_assert_cmpint (dataset->test_begin, ==, i == 3 ? 4 : -1);
      batches = sonde_batches_new (dataset, &options, NULL);
      g_assert_true (sonde_batches_load (batches, 0, 0, &inputs, &labels, NULL, NULL));
      g_assert_true (inputs->dtype == cases[i].dtype && labels->dtype == cases[i].label_dtype);
      g_assert_cmpint (inputs->shape.rank, ==, cases[i].shape.rank + 1);
      g_assert_cmpint (labels->shape.rank, ==, cases[i].label_shape.rank + 1);
      for (gint64 k = 0; k < sonde_tensor_n_elements (labels) / 2; k++)
        g_assert_cmpfloat (sonde_tensor_get_double (labels, k), ==,
                           sonde_tensor_get_double (y, 2 * (sonde_tensor_n_elements (y) / 4) + k));
      if (i == 1) /* [H, W, C] became planes: pixel 1, channel 2 */
        g_assert_cmpfloat (sonde_tensor_get_double (inputs, 2 * 10 + 1), ==,
                           (double) (65.0f / 255.0f));
      if (i == 2)
        g_assert_cmpfloat (sonde_tensor_get_double (inputs, 2 * 10 + 1), ==,
                           (double) (81.0f / 255.0f));
      if (i > 2)
        g_assert_cmpfloat (sonde_tensor_get_double (inputs, 1), ==,
                           sonde_tensor_get_double (x, 2 * (sonde_tensor_n_elements (x) / 4) + 1));
    }
}

static void
test_arrays_refused (Fixture *fixture, gconstpointer data)
{
  static const char *const grey[] = { "grey", NULL };
  g_autofree char *source = g_strdup_printf ("npz:%s/a.npz", fixture->folder);
  SondeDatasetOptions options = { .transforms = grey };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) x = new_array (SONDE_DTYPE_F32, sonde_shape_make (2, 4, 3));
  g_autoptr (SondeTensor) three = new_array (SONDE_DTYPE_I64, sonde_shape_make (1, 3));
  g_autoptr (SondeTensor) y = new_array (SONDE_DTYPE_I64, sonde_shape_make (1, 4));
  g_autoptr (SondeTensor) empty = new_array (SONDE_DTYPE_F32, sonde_shape_make (2, 0, 3));

  put_arrays (fixture, "x", x, "y", three);
  assert_refused (fixture, "npz:", "/a.npz", SONDE_DATA_ERROR_INVALID, "differ in number");
  put_arrays (fixture, "x", empty, "y", y);
  assert_refused (fixture, "npz:", "/a.npz", SONDE_DATA_ERROR_INVALID, "no samples");
  put_arrays (fixture, "a", x, "b", y);
  assert_refused (fixture, "npz:", "/a.npz", SONDE_DATA_ERROR_NOT_FOUND, "x_train");
  sonde_tensor_set_double (y, 2, -3);
  put_arrays (fixture, "x", x, "y", y);
  assert_refused (fixture, "npz:", "/a.npz", SONDE_DATA_ERROR_INVALID, "sample x[2] is -3");
  sonde_tensor_set_double (y, 2, 1e9);
  put_arrays (fixture, "x", x, "y", y);
  assert_refused (fixture, "npz:", "/a.npz", SONDE_DATA_ERROR_INVALID, "sample x[2] is 1000000000");
  fixture_put (fixture, "a.npz", "PK\3\4", 4);
  assert_refused (fixture, "npz:", "/a.npz", SONDE_DATA_ERROR_DAMAGED, "a.npz");

  /* Ready batches go to the model as they are. */
  put_arrays (fixture, "x0", x, "y0", y);
  g_assert_null (sonde_dataset_open (source, &options, &error));
  g_assert_nonnull (strstr (error->message, "ready batches"));
}

static void
test_npy (Fixture *fixture, gconstpointer data)
{
  g_autofree char *x_path = g_build_filename (fixture->folder, "x.npy", NULL);
  g_autofree char *y_path = g_build_filename (fixture->folder, "y.npy", NULL);
  g_autofree char *rest = g_strconcat ("/x.npy;labels=", y_path, NULL);
  g_autoptr (SondeTensor) x = new_array (SONDE_DTYPE_F32, sonde_shape_make (4, 3, 2, 4, 4));
  g_autoptr (SondeTensor) y = new_array (SONDE_DTYPE_I64, sonde_shape_make (1, 3));
  g_autoptr (SondeDataset) dataset = NULL, bare = NULL;

  g_assert_true (sonde_npy_write (NULL, x_path, x, NULL)
                 && sonde_npy_write (NULL, y_path, y, NULL));
  dataset = open_source (fixture, "npy:", rest, NULL);
  g_assert_true (dataset->channels == 2 && dataset->height == 4
                 && sonde_dataset_get_label (dataset, 2) == 2);
  bare = open_source (fixture, "npy:", "/x.npy", NULL);
  g_assert_true (bare->n_classes == 0 && sonde_dataset_get_label (bare, 2) == -1);
  assert_refused (fixture, "npy:", "/x.npy;label=1", SONDE_DATA_ERROR_INVALID,
                  "labels=an .npy file");
  assert_refused (fixture, "npy:", "/x.npy;labels=/nowhere.npy", SONDE_DATA_ERROR_NOT_FOUND,
                  "/nowhere.npy");
}

/* ---- CIFAR and Fashion-MNIST --------------------------------------------- */

static void
put_cifar (const Fixture *fixture, const char *name, guint n, guint n_labels, guint8 label)
{
  gsize size = n_labels + 3072;
  g_autofree guint8 *bytes = g_malloc (n * size);

  for (gsize i = 0; i < n * size; i++)
    bytes[i] = (guint8) (i % size < n_labels ? label + i / size : i % 251);
  fixture_put (fixture, name, bytes, (gssize) (n * size));
}

static void
test_cifar (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) ten = NULL, hundred = NULL;
  g_autoptr (SondeImage) image = NULL;
  g_autofree char *name = NULL;
  float numbers[3072];

  put_cifar (fixture, "data_batch_1.bin", 2, 1, 3);
  put_cifar (fixture, "data_batch_2.bin", 3, 1, 0);
  put_cifar (fixture, "test_batch.bin", 1, 1, 9);
  fixture_put (fixture, "batches.meta.txt",
               "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n", -1);
  ten = open_source (fixture, "cifar10:", "", &error);
  g_assert_no_error (error);
  g_assert_true (ten->n == 6 && ten->test_begin == 5 && ten->channels == 3 && ten->height == 32
                 && ten->in_memory);
  g_assert_cmpstr (ten->classes[9], ==, "truck");
  g_assert_true (sonde_dataset_get_label (ten, 1) == 4 && sonde_dataset_get_label (ten, 4) == 2);
  name = sonde_dataset_dup_name (ten, 4);
  g_assert_cmpstr (name, ==, "data_batch_2/000002");
  g_assert_true (sonde_dataset_fill (ten, 1, numbers, NULL));
  for (gsize i = 0; i < 3072; i++)
    {
      static const float mean[] = { 0.4914f, 0.4822f, 0.4465f },
                         std[] = { 0.2470f, 0.2435f, 0.2616f };

      g_assert_cmpfloat (numbers[i], ==,
                         ((float) ((3073 + 1 + i) % 251) / 255.0f - mean[i / 1024])
                             / std[i / 1024]);
    }
  image = sonde_dataset_dup_image (ten, 0, NULL);
  g_assert_cmpuint (image->pixels[2], ==, (1 + 2048) % 251);

  put_cifar (fixture, "train.bin", 2, 2, 70);
  hundred = open_source (fixture, "cifar100:", "", &error);
  g_assert_no_error (error);
  g_assert_true (hundred->n_classes == 100 && hundred->n == 2 && hundred->test_begin == -1);
  g_assert_cmpint (sonde_dataset_get_label (hundred, 1), ==, 71); /* the fine one */
  g_assert_cmpstr (hundred->classes[71], ==, "71");

  put_cifar (fixture, "data_batch_2.bin", 3, 1, 8);
  assert_refused (fixture, "cifar10:", "", SONDE_DATA_ERROR_DAMAGED,
                  "offset 6146: the label of sample 2 is 10");
  fixture_put (fixture, "data_batch_2.bin", numbers, 3072);
  assert_refused (fixture, "cifar10:", "", SONDE_DATA_ERROR_DAMAGED,
                  "ends in the middle of a sample");
}

static void
put_idx (const Fixture *fixture, const char *name, guint8 rank, guint8 n)
{
  guint8 bytes[4 + 12 + 200] = { 0, 0, 8, rank };
  gsize length = 4;

  for (guint8 i = 0; i < rank; i++, length += 4)
    bytes[length + 3] = i == 0 ? n : 4;
  for (guint i = 0; i < n * (rank == 3 ? 16u : 1u); i++)
    bytes[length++] = (guint8) i;
  fixture_put (fixture, name, bytes, (gssize) length);
}

static void
test_fashion (Fixture *fixture, gconstpointer data)
{
  static const char *const transforms[] = { "resize:8", "rgb", NULL };
  g_autofree char *source = g_strconcat ("mnist:", fixture->folder, NULL);
  SondeDatasetOptions options = { .transforms = transforms };
  g_autoptr (SondeDataset) dataset = NULL, large = NULL;
  float numbers[3 * 64];

  put_idx (fixture, "train-images-idx3-ubyte", 3, 5);
  put_idx (fixture, "train-labels-idx1-ubyte", 1, 5);
  dataset = open_source (fixture, "fashion-mnist:", "", NULL);
  g_assert_true (dataset->n == 5 && dataset->mean[0] == 0.2860f && dataset->std[0] == 0.3530f);
  g_assert_cmpstr (dataset->classes[sonde_dataset_get_label (dataset, 4)], ==, "Coat");
  g_assert_true (sonde_dataset_fill (dataset, 4, numbers, NULL));
  g_assert_cmpfloat (numbers[3], ==, (67.0f / 255.0f - 0.2860f) / 0.3530f);

  /* What a source of bytes does itself: another size, another number of channels. */
  large = sonde_dataset_open (source, &options, NULL);
  g_assert_true (large->channels == 3 && large->height == 8 && !large->in_memory);
  g_assert_true (sonde_dataset_fill (large, 0, numbers, NULL));
  g_assert_cmpfloat (numbers[0], ==, (0.0f - 0.1307f) / 0.3081f);
  g_assert_cmpfloat (numbers[63], ==, numbers[2 * 64 + 63]);
}

/* ---- tokens -------------------------------------------------------------- */

static SondeDataset *
open_tokens (const char *settings, GError **error)
{
  g_autofree char *source = g_strconcat ("tokens:", settings, NULL);
  SondeDatasetOptions options = { .seed = 5 };

  return sonde_dataset_open (source, &options, error);
}

static void
test_tokens (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "copy", "sort", "parity", "majority" };
  guint seen[7] = { 0 };

  for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *settings
          = g_strdup_printf ("task=%s;length=9;vocabulary=7;count=300", names[k]);
      g_autoptr (SondeDataset) dataset = open_tokens (settings, NULL);

      g_assert_true (dataset->n == 300 && dataset->dtype == SONDE_DTYPE_I64
                     && dataset->shape.dims[0] == 9);
      g_assert_cmpint (dataset->label_shape.rank, ==, k < 2 ? 1 : 0);
      g_assert_cmpuint (dataset->n_classes, ==, k == 2 ? 2 : 7);
      for (guint i = 0; i < 300; i++)
        {
          gint64 tokens[9], labels[9], sum = 0;
          guint counts[7] = { 0 }, best = 0;

          g_assert_true (sonde_dataset_fill (dataset, i, tokens, NULL));
          sonde_dataset_fill_label (dataset, i, labels);
          for (int t = 0; t < 9; t++)
            {
              g_assert_true (tokens[t] >= 0 && tokens[t] < 7);
              seen[tokens[t]]++;
              counts[tokens[t]]++;
              sum += tokens[t];
              g_assert_true (k != 0 || labels[t] == tokens[t]);
              g_assert_true (k != 1 || t == 0 || labels[t] >= labels[t - 1]);
            }
          for (guint v = 0; v < 7; v++)
            best = counts[v] > counts[best] ? v : best;
          for (int t = 0; k == 1 && t < 9; t++)
            counts[labels[t]]--;
          g_assert_true (k != 1
                         || counts[0] + counts[1] + counts[2] + counts[3] + counts[4] + counts[5]
                                    + counts[6]
                                == 0);
          g_assert_true (
              k != 2 || (labels[0] == sum % 2 && sonde_dataset_get_label (dataset, i) == sum % 2));
          g_assert_true (k != 3 || labels[0] == best);
        }
    }
  for (int v = 0; v < 7; v++)
    g_assert_cmpuint (seen[v], >, 4 * 300 * 9 / 7 * 9 / 10);
}

static void
test_tokens_refused (Fixture *fixture, gconstpointer data)
{
  static const char *const bad[]
      = { "task=dream", "length=0", "length=65537", "vocabulary=1", "count=-1", "copy", "=" };
  static const char *const crop[] = { "centre-crop:3", NULL };
  SondeDatasetOptions options = { .transforms = crop };
  g_autoptr (GError) other = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (open_tokens (bad[i], &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
    }
  g_assert_null (sonde_dataset_open ("tokens:task=copy", &options, &other));
  g_assert_nonnull (strstr (other->message, "integers"));
}

/* ---- images that cannot be read ---------------------------------------- */

static void
put_picture (const Fixture *fixture, const char *name, guint8 level)
{
  g_autoptr (SondeImage) image = sonde_image_new (4, 4, 3);
  g_autoptr (GBytes) bytes = NULL;

  memset (image->pixels, level, 4 * 4 * 3);
  bytes = sonde_png_encode (image);
  fixture_put (fixture, name, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
}

static void
assert_fault (SondeDataset *dataset, const char *begin, const char *hint)
{
  for (guint i = 0; i < sonde_dataset_get_n_faults (dataset); i++)
    {
      g_autoptr (SondeMessage) fault = sonde_dataset_dup_fault (dataset, i);
      const char *text = sonde_message_get_english (fault);

      if (g_str_has_prefix (text, begin) && strstr (text, hint) != NULL)
        return;
    }
  g_error ("no fault begins “%s” and has “%s”", begin, hint);
}

/* An empty class, files that are no images, one that breaks off in the middle, one that goes
 * away. */
static void
test_faults (Fixture *fixture, gconstpointer data)
{
  static const char *const augment[] = { "random-crop:1", "random-flip", NULL };
  g_autofree char *source = g_strconcat ("images:", fixture->folder, NULL);
  g_autofree char *gone = g_build_filename (fixture->folder, "c/2.png", NULL);
  SondeDatasetOptions options = { .transforms = augment };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  g_autoptr (SondeBatches) batches = NULL;
  g_autoptr (SondeTensor) x = NULL, y = NULL;
  guint samples[5] = { 0, 1, 2, 3, 4 }, numbers[5];
  SondeBatchesOptions batching
      = { .samples = samples, .n = 5, .batch = 5, .training = TRUE, .workers = 2 };

  /* sample 0: found out when decoded, as the first */
  fixture_put (fixture, "a/1.png", "\x89PNG\r\n\x1a\nxxxx", 12);
  put_picture (fixture, "a/2.png", 10);
  fixture_put (fixture, "a/3.jpg", "\xff\xd8\xff\xe0 broken", 11);
  fixture_put (fixture, "a/4.png", "", 0);
  fixture_put (fixture, "a/5.png", "GIF89a....", 10);
  fixture_put (fixture, "b/notes.txt", "x", 1);
  put_picture (fixture, "c/1.png", 20);
  put_picture (fixture, "c/2.png", 30);
  options.decoder
      = sonde_image_decoder_new ((const char *const[]){ SONDE_TEST_IMAGE_HELPER, NULL });
  dataset = sonde_dataset_open (source, &options, &error);
  g_assert_no_error (error);
  g_assert_true (dataset->n == 5 && dataset->n_classes == 3 && dataset->width == 4);
  g_assert_cmpuint (sonde_dataset_get_n_faults (dataset), ==, 4);
  assert_fault (dataset, "a/1.png: ", "");
  assert_fault (dataset, "a/4.png is left out: ", "empty");
  assert_fault (dataset, "a/5.png is left out: ", "neither a JPEG nor a PNG");
  assert_fault (dataset, "the class folder “b”", "1");

  g_assert_cmpint (g_remove (gone), ==, 0);
  batches = sonde_batches_new (dataset, &batching, NULL);
  g_assert_true (sonde_batches_load (batches, 0, 0, &x, &y, numbers, &error));
  g_assert_no_error (error);
  g_assert_true (numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 3 && numbers[3] == 3
                 && numbers[4] == 1);
  g_assert_cmpint (sonde_tensor_get_int (y, 2), ==, 2);
  g_assert_cmpint (sonde_tensor_get_int (y, 4), ==, 0);
  g_assert_cmpuint (sonde_dataset_get_n_faults (dataset), ==, 6);
  assert_fault (dataset, "a/3.jpg: ", "");
  assert_fault (dataset, "c/2.png: ", "");
}

/* ---- lists --------------------------------------------------------------- */

/* An image of two halves, the left with @red in red and 10 in blue. */
static void
put_halves (Fixture *fixture, const char *name, int width, int height, guint8 red)
{
  g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
  g_autoptr (SondeImage) image = sonde_image_new (width, height, 3);
  g_autoptr (GBytes) bytes = NULL;

  for (int i = 0; i < width * height; i++)
    {
      image->pixels[3 * i] = i % width < width / 2 ? red : 0;
      image->pixels[3 * i + 2] = 10;
    }
  bytes = sonde_png_encode (image);
  fixture_put (fixture, name, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
}

static SondeDataset *
open_list (Fixture *fixture, SondeDatasetOptions *options, GError **error)
{
  g_autofree char *path = g_build_filename (fixture->folder, "list.tsv", NULL);

  options->decoder
      = sonde_image_decoder_new ((const char *const[]){ SONDE_TEST_IMAGE_HELPER, NULL });
  return sonde_dataset_open (path, options, error);
}

static void
test_list (Fixture *fixture, gconstpointer data)
{
  const char *const names[] = { "dog", "cat", "ant", NULL };
  const char *const normalise[] = { "normalise:0.1,0.2,0.3:1,2,4", NULL };
  SondeDatasetOptions plain
      = { 0 },
      given = { .names = names, .width = 2, .height = 4, .bgr = TRUE, .transforms = normalise };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDataset) dataset = NULL, fitted = NULL;
  g_autofree char *text = NULL;
  float numbers[3 * 8 * 4];
  guint8 mask[32];
  SondeBox box;

  put_halves (fixture, "p/a.png", 8, 4, 200);
  put_halves (fixture, "b.png", 8, 4, 100);
  text = g_strdup_printf ("class\tfile\tx\ty\tw\th\ncat\tp/a.png\t2\t1\t4\t2\ndog\t%s/b.png\n",
                          fixture->folder);
  fixture_put (fixture, "list.tsv", text, -1);
  dataset = open_list (fixture, &plain, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (dataset->n, ==, 2);
  g_assert_cmpstr (dataset->classes[0], ==, "cat"); /* sorted */
  g_assert_cmpint (sonde_dataset_get_label (dataset, 1), ==, 1);
  g_assert_true (sonde_dataset_get_truth (dataset, 0, &box, mask));
  g_assert_true (box.x == 2 && box.y == 1 && box.width == 4 && box.height == 2 && mask[8 + 2] == 1
                 && mask[8 + 6] == 0);
  g_assert_false (sonde_dataset_get_truth (dataset, 1, &box, NULL));
  g_assert_true (sonde_dataset_fill (dataset, 1, numbers, &error));
  g_assert_cmpfloat (numbers[0], ==, 100 / 255.0f);

  /* In the model's order, as blue, green, red, from the middle of the image: columns 3 and 4. */
  fitted = open_list (fixture, &given, &error);
  g_assert_no_error (error);
  g_assert_true (fitted->width == 2 && fitted->height == 4);
  g_assert_cmpint (sonde_dataset_get_label (fitted, 0), ==, 1);
  g_assert_cmpint (sonde_dataset_get_label (fitted, 1), ==, 0);
  g_assert_true (sonde_dataset_fill (fitted, 1, numbers, &error));
  g_assert_cmpfloat_with_epsilon (numbers[0], (10 / 255.0 - 0.3) / 4, 1e-6);
  g_assert_cmpfloat_with_epsilon (numbers[16], (100 / 255.0 - 0.1) / 1, 1e-6);
  g_assert_cmpfloat_with_epsilon (numbers[17], -0.1, 1e-6);
  g_assert_true (sonde_dataset_get_truth (fitted, 0, &box, NULL));
  g_assert_true (box.x == 0 && box.y == 1 && box.width == 2 && box.height == 2);
}

static void
test_list_wrong (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text, *part;
  } cases[] = {
    { "", "empty" },
    { "path\tclass\na.png\tcat\n", "file" },
    { "file\tclass\na.png\tbird\n", "bird" },
    { "file\tclass\tx\ty\tw\th\na.png\tcat\t1\tb\t1\t1\n", "line 2" },
    { "file\tclass\nmissing.png\tcat\n", "missing.png" },
  };
  const char *const names[] = { "cat", "dog", NULL };

  put_halves (fixture, "a.png", 4, 4, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondeDatasetOptions options = { .names = names };
      g_autoptr (GError) error = NULL;

      fixture_put (fixture, "list.tsv", cases[i].text, -1);
      g_assert_null (open_list (fixture, &options, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].part));
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
    { "/data/datasets/csv/classes", test_csv_classes },
    { "/data/datasets/csv/numbers", test_csv_numbers },
    { "/data/datasets/csv/missing", test_csv_missing },
    { "/data/datasets/csv/images", test_csv_pictures },
    { "/data/datasets/csv/refused", test_csv_refused },
    { "/data/datasets/csv/wide", test_csv_wide },
    { "/data/datasets/arrays/all", test_arrays },
    { "/data/datasets/arrays/refused", test_arrays_refused },
    { "/data/datasets/arrays/npy", test_npy },
    { "/data/datasets/cifar/binary", test_cifar },
    { "/data/datasets/mnist/fashion", test_fashion },
    { "/data/datasets/list/all", test_list },
    { "/data/datasets/list/wrong", test_list_wrong },
    { "/data/datasets/tokens/tasks", test_tokens },
    { "/data/datasets/tokens/refused", test_tokens_refused },
    { "/data/datasets/images/faults", test_faults },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, fixture_set_up, tests[i].run, fixture_tear_down);
  return g_test_run ();
}
