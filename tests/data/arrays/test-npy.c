/* SPDX-License-Identifier: Apache-2.0
 * .npy: round trips of all dtypes, headers as NumPy and as an attacker would write them, files of
 * the shared samples. */
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "tests/data/base/faulty-io.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* A version 1 file with the given dict and elements. */
static GByteArray *
file_with (const char *dict, const void *data, gsize length)
{
  GByteArray *bytes = g_byte_array_new ();
  guint16 n = GUINT16_TO_LE ((guint16) strlen (dict));

  g_byte_array_append (bytes, (const guint8 *) "\x93NUMPY\x01\x00", 8);
  g_byte_array_append (bytes, (const guint8 *) &n, 2);
  g_byte_array_append (bytes, (const guint8 *) dict, (guint) strlen (dict));
  g_byte_array_append (bytes, data, (guint) length);
  return bytes;
}

static SondeTensor *
parse (const char *dict, const void *data, gsize length, GError **error)
{
  g_autoptr (GByteArray) bytes = file_with (dict, data, length);

  return sonde_npy_parse (bytes->data, bytes->len, "x.npy", error);
}

static void
test_round_trips (void)
{
  static const int ranks[][4]
      = { { 0 }, { 1, 5 }, { 2, 3, 4 }, { 3, 2, 0, 3 }, { 1, 0 }, { 1, 1 } };

  for (int dtype = SONDE_DTYPE_F64; dtype <= SONDE_DTYPE_BOOL; dtype++)
    for (gsize r = 0; r < G_N_ELEMENTS (ranks); r++)
      {
        gint64 dims[] = { ranks[r][1], ranks[r][2], ranks[r][3] };
        SondeShape shape = sonde_shape_from_array (ranks[r][0], dims);
        g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &shape);
        g_autoptr (SondeTensor) expected = NULL, back = NULL;
        g_autoptr (GBytes) bytes = NULL;
        g_autoptr (GError) error = NULL;

        for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
          sonde_tensor_set_double (tensor, i,
                                   i == 3 && sonde_dtype_is_float (dtype) ? NAN : i * 1.5);
        bytes = sonde_npy_serialise (tensor);
        back = sonde_npy_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "x",
                                &error);
        g_assert_no_error (error);
        expected = sonde_tensor_cast (tensor, dtype == SONDE_DTYPE_BF16 ? SONDE_DTYPE_F32 : dtype);
        g_assert_true (sonde_tensor_equal (back, expected));
      }
}

/* The bytes that numpy.save() writes for np.arange(3, dtype='f4'). */
static void
test_bytes_as_numpy (void)
{
  const float numbers[] = { 0, 1, 2 };
  SondeShape shape = sonde_shape_make (1, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);
  g_autoptr (GBytes) bytes = sonde_npy_serialise (tensor);
  const char *data = g_bytes_get_data (bytes, NULL);
  const char *head
      = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";

  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 128 + 12);
  g_assert_cmpmem (data, 10, head, 10);
  g_assert_true (memcmp (data + 10, head + 10, strlen (head + 10)) == 0);
  g_assert_cmpint (data[127], ==, '\n');
  g_assert_cmpint (data[126], ==, ' ');
  g_assert_cmpmem (data + 128, 12, numbers, 12);
}

static void
test_strings (void)
{
  const char *const words[] = { "eins", "", "drei–vier", "\xF0\x9F\x98\x80" };
  const char *const raw[] = { "\xff\xfe", "a" };
  SondeShape shape = sonde_shape_make (2, 2, 2), pair = sonde_shape_make (1, 2);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, words);
  g_autoptr (SondeTensor) odd = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &pair, raw);
  g_autoptr (GBytes) bytes = sonde_npy_serialise (tensor), odd_bytes = sonde_npy_serialise (odd);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) back
      = sonde_npy_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "x", &error);
  g_autoptr (SondeTensor) odd_back = sonde_npy_parse (g_bytes_get_data (odd_bytes, NULL),
                                                      g_bytes_get_size (odd_bytes), "x", &error);

  g_assert_no_error (error);
  g_assert_true (sonde_tensor_equal (back, tensor));
  g_assert_true (sonde_tensor_equal (odd_back, odd));
}

static void
test_orders (void)
{
  const guint16 fortran[] = { 0, 3, 1, 4, 2, 5 };
  const guint8 big[] = { 0x01, 0x02, 0x03, 0x04 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) turned = parse (
      "{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3)}", fortran, sizeof fortran, &error);
  g_autoptr (SondeTensor) swapped = parse (
      "{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\">u2\"}\n", big, sizeof big, &error);
  g_autoptr (SondeTensor) flags = parse (
      "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", big, sizeof big, &error);

  g_assert_no_error (error);
  for (int i = 0; i < 6; i++)
    g_assert_cmpint (sonde_tensor_get_int (turned, i), ==, i);
  g_assert_cmpint (turned->shape.dims[0], ==, 2);
  g_assert_true (sonde_tensor_is_contiguous (turned));
  g_assert_cmpint (sonde_tensor_get_int (swapped, 0), ==, 0x0102);
  g_assert_cmpint (sonde_tensor_get_int (swapped, 1), ==, 0x0304);
  g_assert_cmpint (flags->data[3], ==, 1);
}

static void
test_version_2 (void)
{
  const char *dict = "{'descr': '<i8', 'fortran_order': False, 'shape': ()}";
  guint8 bytes[200] = "\x93NUMPY\x02\x00";
  guint32 n = GUINT32_TO_LE ((guint32) strlen (dict));
  gint64 number = GINT64_TO_LE (-5);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;

  memcpy (bytes + 8, &n, 4);
  memcpy (bytes + 12, dict, strlen (dict));
  memcpy (bytes + 12 + strlen (dict), &number, 8);
  tensor = sonde_npy_parse (bytes, 12 + strlen (dict) + 8, "x", &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_tensor_get_int (tensor, 0), ==, -5);
}

static const struct
{
  const char *dict;
  int code;
  const char *hint;
} hostile[] = {
  { "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", SONDE_DATA_ERROR_UNSUPPORTED,
    "pickle" },
  { "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}",
    SONDE_DATA_ERROR_UNSUPPORTED, "structured" },
  { "{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", SONDE_DATA_ERROR_UNSUPPORTED,
    "<c8" },
  { "{'descr': '<f3', 'fortran_order': False, 'shape': (3,)}", SONDE_DATA_ERROR_UNSUPPORTED,
    "<f3" },
  { "{'descr': '', 'fortran_order': False, 'shape': (3,)}", SONDE_DATA_ERROR_UNSUPPORTED,
    "element type" },
  { "{'descr': '<U99999999999999', 'fortran_order': False, 'shape': (3,)}",
    SONDE_DATA_ERROR_UNSUPPORTED, "element type" },
  { "{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000,)}", SONDE_DATA_ERROR_LIMIT,
    "no bytes" },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}", SONDE_DATA_ERROR_DAMAGED,
    "declares the shape 4" },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000)}",
    SONDE_DATA_ERROR_DAMAGED, "1000000×1000000" },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
    SONDE_DATA_ERROR_DAMAGED, "declares" },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
    SONDE_DATA_ERROR_LIMIT, "2^63" },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", SONDE_DATA_ERROR_DAMAGED,
    "0 or more" },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
    SONDE_DATA_ERROR_LIMIT, "16 dimensions" },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (3 3)}", SONDE_DATA_ERROR_DAMAGED,
    "expected" },
  { "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,)}", SONDE_DATA_ERROR_DAMAGED,
    "True or False" },
  { "{'descr': '<f4', 'fortran_order': False}", SONDE_DATA_ERROR_DAMAGED, "missing" },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'extra': 1}", SONDE_DATA_ERROR_DAMAGED,
    "extra" },
  { "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}", SONDE_DATA_ERROR_UNSUPPORTED,
    "<f4, " },
  { "{'descr': '<f4", SONDE_DATA_ERROR_DAMAGED, "does not end" },
  { "{'a name that is far too long to be one of the three keys': 1}", SONDE_DATA_ERROR_DAMAGED,
    "does not end" },
  { "", SONDE_DATA_ERROR_DAMAGED, "expected" },
  { "__import__('os').system('true')", SONDE_DATA_ERROR_DAMAGED, "expected" },
};

static void
test_hostile (void)
{
  const float numbers[] = { 1, 2, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (hostile); i++)
    {
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", hostile[i].dict);
      g_assert_null (parse (hostile[i].dict, numbers, sizeof numbers, &error));
      g_assert_error (error, SONDE_DATA_ERROR, hostile[i].code);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, hostile[i].hint));
      g_assert_nonnull (strstr (error->message, "x.npy"));
    }
}

/* Every prefix and every flipped byte of a good file is refused or read, never worse. */
static void
test_mutations (void)
{
  SondeShape shape = sonde_shape_make (2, 3, 4);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GBytes) bytes = sonde_npy_serialise (tensor);
  gsize n;
  g_autofree guint8 *copy = g_memdup2 (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

  n = g_bytes_get_size (bytes);
  for (gsize length = 0; length < n; length++)
    {
      g_autofree guint8 *exact = g_memdup2 (copy, length); /* so that a checker sees any overrun */

      g_assert_null (sonde_npy_parse (exact, length, "x", NULL));
    }
  for (gsize i = 0; i < 128; i++)
    for (int bit = 0; bit < 8; bit++)
      {
        g_autoptr (SondeTensor) parsed = NULL;

        copy[i] ^= (guint8) (1 << bit);
        parsed = sonde_npy_parse (copy, n, "x", NULL);
        copy[i] ^= (guint8) (1 << bit);
      }
}

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("sonde-npy-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "x.npy", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->path);
  g_free (fixture->folder);
}

static void
test_files (Fixture *fixture, gconstpointer data)
{
  SondeShape shape = sonde_shape_make (2, 300, 1000);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) turned = sonde_tensor_transpose (tensor, (const int[]){ 1, 0 });
  g_autoptr (SondeTensor) back = NULL;
  g_autoptr (GError) error = NULL;
  FaultyIo io;

  for (int i = 0; i < 300000; i += 7)
    sonde_tensor_set_double (tensor, i, i);
  faulty_io_init (&io);
  io.max_bytes = 1000;
  io.interrupt_every = 5;
  g_assert_true (sonde_npy_write (&io.io, fixture->path, turned, &error));
  back = sonde_npy_read (&io.io, fixture->path, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_tensor_equal (back, turned));

  g_assert_cmpint (truncate (fixture->path, 100000), ==, 0);
  g_assert_null (sonde_npy_read (NULL, fixture->path, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, fixture->path));
  g_assert_nonnull (strstr (error->message, "offset 128"));
}

static void
test_faults (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_f32 (1);
  g_autoptr (SondeTensor) back = NULL;

  g_assert_true (sonde_npy_write (NULL, fixture->path, tensor, NULL));
  for (guint k = 1; back == NULL; k++)
    {
      g_autoptr (GError) error = NULL;
      FaultyIo io;

      g_assert_cmpuint (k, <, 20);
      faulty_io_init (&io);
      io.fail_call = k;
      io.fail_errno = EIO;
      back = sonde_npy_read (&io.io, fixture->path, &error);
      g_assert_true ((back == NULL) == (error != NULL));
      g_assert_cmpuint (io.n_open, ==, 0);
    }
}

static void
test_shared (void)
{
  static const struct
  {
    const char *path;
    SondeDtype dtype;
    const char *shape;
    gint64 index;
    double value; /* of that element, NaN: not compared */
  } samples[] = {
    { "models/curve/order.npy", SONDE_DTYPE_U16, "3×8000", 0, NAN },
    { "models/lenet-mnist/inputs.npy", SONDE_DTYPE_F32, "16×1×28×28", 0,
      (float) (-0.1307 / 0.3081) },
    { "models/fp16-resnet/inputs.npy", SONDE_DTYPE_F16, "2×3×16×16", 0, NAN },
    { "models/transformer/inputs.npy", SONDE_DTYPE_I64, "3×16", 0, NAN },
    { "models/lenet-mnist/labels16.npy", SONDE_DTYPE_U8, "16", 0, NAN },
  };
  const char *shared = g_getenv ("SONDE_SHARED");

  if (shared == NULL || !g_file_test (shared, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("SONDE_SHARED is not there");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = g_build_filename (shared, samples[i].path, NULL);
      g_autoptr (SondeTensor) tensor = sonde_npy_read (NULL, path, &error);
      g_autofree char *shape = NULL;

      g_assert_no_error (error);
      shape = sonde_shape_to_string (&tensor->shape);
      g_assert_cmpstr (shape, ==, samples[i].shape);
      g_assert_cmpint (tensor->dtype, ==, samples[i].dtype);
      if (!isnan (samples[i].value))
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (tensor, samples[i].index),
                                        samples[i].value, 1e-6);
    }
}

/* order.npy: each of the three epochs is a permutation of 0…7999. */
static void
test_shared_order (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path
      = g_build_filename (shared != NULL ? shared : "", "models/curve/order.npy", NULL);
  g_autoptr (SondeTensor) order = sonde_npy_read (NULL, path, NULL);

  if (order == NULL)
    {
      g_test_skip ("SONDE_SHARED is not there");
      return;
    }
  for (int epoch = 0; epoch < 3; epoch++)
    {
      g_autofree guint8 *seen = g_malloc0 (8000);

      for (int i = 0; i < 8000; i++)
        {
          gint64 index = sonde_tensor_get_int (order, epoch * 8000 + i);

          g_assert_cmpint (index, <, 8000);
          g_assert_cmpint (seen[index]++, ==, 0);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/arrays/npy/round-trips", test_round_trips);
  g_test_add_func ("/data/arrays/npy/bytes-as-numpy", test_bytes_as_numpy);
  g_test_add_func ("/data/arrays/npy/strings", test_strings);
  g_test_add_func ("/data/arrays/npy/orders", test_orders);
  g_test_add_func ("/data/arrays/npy/version-2", test_version_2);
  g_test_add_func ("/data/arrays/npy/hostile", test_hostile);
  g_test_add_func ("/data/arrays/npy/mutations", test_mutations);
  g_test_add ("/data/arrays/npy/files", Fixture, NULL, set_up, test_files, tear_down);
  g_test_add ("/data/arrays/npy/faults", Fixture, NULL, set_up, test_faults, tear_down);
  g_test_add_func ("/data/arrays/npy/shared", test_shared);
  g_test_add_func ("/data/arrays/npy/shared-order", test_shared_order);
  return g_test_run ();
}
