/* SPDX-License-Identifier: Apache-2.0
 * TensorProto in all its forms, from bytes written by hand: raw, typed, packed and not, and
 * wrong. */
#include "tests/data/models/wire-builder.h"

#include <string.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

enum
{
  FLOAT_DATA = 4,
  INT32_DATA = 5,
  STRING_DATA = 6,
  INT64_DATA = 7,
  RAW_DATA = 9,
  DOUBLE_DATA = 10,
  UINT64_DATA = 11,
};

/* Reads @tensor (transfer full) as a file of its own. */
static SondeTensor *
read_bytes (GByteArray *tensor, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-tensors-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "input_0.pb", NULL);
  SondeTensor *result = NULL;

  g_assert_true (g_file_set_contents (path, (const char *) tensor->data, tensor->len, NULL));
  result = sonde_model_read_tensor (NULL, path, error);
  g_unlink (path);
  g_rmdir (folder);
  g_byte_array_unref (tensor);
  return result;
}

static void
assert_fails (GByteArray *tensor, int code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (read_bytes (tensor, &error));
  g_assert_error (error, SONDE_DATA_ERROR, code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in: %s", part, error->message);
  g_assert_nonnull (strstr (error->message, "input_0.pb"));
}

static void
assert_elements (GByteArray *tensor, SondeDtype dtype, double first, double second)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) read = read_bytes (tensor, &error);

  g_assert_no_error (error);
  g_assert_cmpint (read->dtype, ==, dtype);
  g_assert_cmpint (read->shape.rank, ==, 1);
  g_assert_cmpint (read->shape.dims[0], ==, 2);
  g_assert_cmpfloat (sonde_tensor_get_double (read, 0), ==, first);
  g_assert_cmpfloat (sonde_tensor_get_double (read, 1), ==, second);
}

static GByteArray *
pair (int data_type)
{
  return wire_tensor ("t", data_type, 1, (const gint64[]){ 2 });
}

static GByteArray *
with_packed (int data_type, guint field, gint64 first, gint64 second)
{
  GByteArray *tensor = pair (data_type), *packed = wire_new ();

  wire_varint (packed, (guint64) first);
  wire_varint (packed, (guint64) second);
  wire_take (tensor, field, packed);
  return tensor;
}

static GByteArray *
with_unpacked (int data_type, guint field, gint64 first, gint64 second)
{
  GByteArray *tensor = pair (data_type);

  wire_int (tensor, field, first);
  wire_int (tensor, field, second);
  return tensor;
}

static GByteArray *
with_bytes (int data_type, guint field, const void *data, gsize length)
{
  GByteArray *tensor = pair (data_type);

  wire_bytes (tensor, field, data, length);
  return tensor;
}

static void
test_typed (void)
{
  static const struct
  {
    int data_type;
    guint field;
    SondeDtype dtype;
    gint64 in[2];
    double out[2];
  } cases[] = {
    { 2, INT32_DATA, SONDE_DTYPE_U8, { 0, 255 }, { 0, 255 } },
    { 3, INT32_DATA, SONDE_DTYPE_I8, { -128, 127 }, { -128, 127 } },
    { 4, INT32_DATA, SONDE_DTYPE_U16, { 1, 65535 }, { 1, 65535 } },
    { 5, INT32_DATA, SONDE_DTYPE_I16, { -32768, 5 }, { -32768, 5 } },
    { 6, INT32_DATA, SONDE_DTYPE_I32, { G_MININT32, G_MAXINT32 }, { G_MININT32, G_MAXINT32 } },
    { 7, INT64_DATA, SONDE_DTYPE_I64, { -3, (gint64) 1 << 40 }, { -3, 1099511627776.0 } },
    { 9, INT32_DATA, SONDE_DTYPE_BOOL, { 1, 0 }, { 1, 0 } },
    { 10, INT32_DATA, SONDE_DTYPE_F16, { 0x3c00, 0xc000 }, { 1, -2 } },
    { 12, UINT64_DATA, SONDE_DTYPE_U32, { 0, G_MAXUINT32 }, { 0, G_MAXUINT32 } },
    { 13, UINT64_DATA, SONDE_DTYPE_U64, { 7, (gint64) 1 << 62 }, { 7, 4611686018427387904.0 } },
    { 16, INT32_DATA, SONDE_DTYPE_BF16, { 0x3f80, 0xc000 }, { 1, -2 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      assert_elements (
          with_packed (cases[i].data_type, cases[i].field, cases[i].in[0], cases[i].in[1]),
          cases[i].dtype, cases[i].out[0], cases[i].out[1]);
      assert_elements (
          with_unpacked (cases[i].data_type, cases[i].field, cases[i].in[0], cases[i].in[1]),
          cases[i].dtype, cases[i].out[0], cases[i].out[1]);
    }
}

static void
test_floats (void)
{
  const float floats[] = { 1.5f, -2 };
  const double doubles[] = { 1.5, -2 };
  GByteArray *unpacked = pair (1);

  wire_float (unpacked, FLOAT_DATA, 1.5f);
  wire_float (unpacked, FLOAT_DATA, -2);
  assert_elements (unpacked, SONDE_DTYPE_F32, 1.5, -2);
  assert_elements (with_bytes (1, FLOAT_DATA, floats, 8), SONDE_DTYPE_F32, 1.5, -2);
  assert_elements (with_bytes (1, RAW_DATA, floats, 8), SONDE_DTYPE_F32, 1.5, -2);
  assert_elements (with_bytes (11, DOUBLE_DATA, doubles, 16), SONDE_DTYPE_F64, 1.5, -2);
  assert_elements (with_bytes (11, RAW_DATA, doubles, 16), SONDE_DTYPE_F64, 1.5, -2);
}

static void
test_raw (void)
{
  assert_elements (with_bytes (3, RAW_DATA, "\xff\x02", 2), SONDE_DTYPE_I8, -1, 2);
  assert_elements (with_bytes (9, RAW_DATA, "\x00\x07", 2), SONDE_DTYPE_BOOL, 0, 1);
  assert_elements (with_bytes (5, RAW_DATA, "\x01\x00\xff\xff", 4), SONDE_DTYPE_I16, 1, -1);
}

static GByteArray *
three (int data_type, guint field, const void *data, gsize length)
{
  GByteArray *tensor = wire_tensor ("t", data_type, 1, (const gint64[]){ 3 });

  wire_bytes (tensor, field, data, length);
  return tensor;
}

/* 4- and 2-bit elements share bytes in files, raw and typed alike; the last byte is padded. */
static void
test_packed (void)
{
  static const struct
  {
    int data_type;
    SondeDtype dtype;
    const char *bytes;
    gsize n;
    double out[3];
  } cases[] = {
    { 22, SONDE_DTYPE_I4, "\x78\x0f", 2, { -8, 7, -1 } },
    { 21, SONDE_DTYPE_U4, "\x78\x0f", 2, { 8, 7, 15 } },
    { 23, SONDE_DTYPE_F4E2M1, "\xf7\x01", 2, { 6, -6, 0.5 } },
    { 26, SONDE_DTYPE_I2, "\x36", 1, { -2, 1, -1 } },
    { 25, SONDE_DTYPE_U2, "\x36", 1, { 2, 1, 3 } },
    { 17, SONDE_DTYPE_F8E4M3FN, "\x38\xfe\x01", 3, { 1, -448, 0.001953125 } },
    { 24, SONDE_DTYPE_F8E8M0, "\x7f\x80\x7d", 3, { 1, 2, 0.25 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int typed = 0; typed < 2; typed++)
      {
        GByteArray *entries = wire_new ();
        g_autoptr (SondeTensor) read = NULL;
        g_autoptr (GError) error = NULL;

        for (gsize k = 0; k < cases[i].n; k++)
          wire_varint (entries, (guint8) cases[i].bytes[k]);
        read = read_bytes (typed
                               ? three (cases[i].data_type, INT32_DATA, entries->data, entries->len)
                               : three (cases[i].data_type, RAW_DATA, cases[i].bytes, cases[i].n),
                           &error);
        g_assert_no_error (error);
        g_assert_cmpint (read->dtype, ==, cases[i].dtype);
        for (int k = 0; k < 3; k++)
          g_assert_cmpfloat (sonde_tensor_get_double (read, k), ==, cases[i].out[k]);
        g_byte_array_unref (entries);
      }
  assert_fails (three (22, RAW_DATA, "\1", 1), SONDE_DATA_ERROR_DAMAGED, "needs 2 bytes, but 1");
  assert_fails (three (26, RAW_DATA, "\1\2", 2), SONDE_DATA_ERROR_DAMAGED, "needs 1 bytes, but 2");
  assert_fails (three (25, INT32_DATA, "\1\2\3", 3), SONDE_DATA_ERROR_DAMAGED,
                "needs 1 entries, but 3");
  assert_fails (with_packed (17, INT32_DATA, 1, 256), SONDE_DATA_ERROR_DAMAGED, "holds 256");
}

/* Long enough to be taken out of the message instead of copied. */
static void
test_large (void)
{
  const gint64 dims[] = { 3, 4000 };
  GByteArray *tensor = wire_tensor ("w", 9, 2, dims);
  g_autofree guint8 *bytes = g_malloc (12000);
  g_autoptr (SondeTensor) read = NULL;

  memset (bytes, 3, 12000);
  wire_bytes (tensor, RAW_DATA, bytes, 12000);
  read = read_bytes (tensor, NULL);
  g_assert_cmpuint ((guintptr) read->data % 64, ==, 0);
  for (int i = 0; i < 12000; i++)
    g_assert_cmpint (sonde_tensor_get_int (read, i), ==, 1);
}

static void
test_strings (void)
{
  GByteArray *tensor = pair (8), *nul = pair (8);
  g_autoptr (SondeTensor) read = NULL;
  g_autofree char *first = NULL, *second = NULL;

  wire_text (tensor, STRING_DATA, "grüße");
  wire_text (tensor, STRING_DATA, "");
  read = read_bytes (tensor, NULL);
  first = sonde_tensor_format_element (read, 0);
  second = sonde_tensor_format_element (read, 1);
  g_assert_cmpstr (first, ==, "grüße");
  g_assert_cmpstr (second, ==, "");

  wire_bytes (nul, STRING_DATA, "a\0b", 3);
  wire_text (nul, STRING_DATA, "c");
  assert_fails (nul, SONDE_DATA_ERROR_UNSUPPORTED, "NUL");
  assert_fails (pair (8), SONDE_DATA_ERROR_DAMAGED, "needs 2 elements, but 0");
  assert_fails (with_bytes (8, RAW_DATA, "ab", 2), SONDE_DATA_ERROR_DAMAGED, "raw_data");
}

static void
test_shapes (void)
{
  const gint64 empty[] = { 3, 0, 2 };
  GByteArray *scalar = wire_tensor ("s", 1, 0, NULL);
  g_autoptr (SondeTensor) read = read_bytes (wire_tensor ("e", 1, 3, empty), NULL);
  const gint64 vast[] = { 0, G_MAXINT64, G_MAXINT64 };
  g_autoptr (SondeTensor) none = read_bytes (wire_tensor ("v", 1, 3, vast), NULL);
  g_autoptr (SondeTensor) one = NULL;

  g_assert_cmpint (sonde_tensor_n_elements (none), ==, 0);
  g_assert_cmpint (sonde_tensor_n_elements (read), ==, 0);
  g_assert_cmpint (read->shape.rank, ==, 3);
  wire_float (scalar, FLOAT_DATA, 4);
  one = read_bytes (scalar, NULL);
  g_assert_cmpint (one->shape.rank, ==, 0);
  g_assert_cmpfloat (sonde_tensor_get_double (one, 0), ==, 4);
}

static void
test_bad_shapes (void)
{
  gint64 many[SONDE_MAX_RANK + 1];
  const struct
  {
    gint64 dims[3];
    guint n;
    SondeDataError code;
    const char *part;
  } cases[] = {
    { { -1 }, 1, SONDE_DATA_ERROR_DAMAGED, "size -1 in dimension 0" },
    { { 2, G_MININT64 }, 2, SONDE_DATA_ERROR_DAMAGED, "in dimension 1" },
    { { (gint64) 1 << 32, (gint64) 1 << 32 }, 2, SONDE_DATA_ERROR_LIMIT, "4294967296×4294967296" },
    { { (gint64) 1 << 62, 4 }, 2, SONDE_DATA_ERROR_LIMIT, "more elements" },
    { { G_MAXINT64, G_MAXINT64, 0 }, 1, SONDE_DATA_ERROR_LIMIT, "more elements" },
    { { (gint64) 1 << 39 }, 1, SONDE_DATA_ERROR_DAMAGED, "needs 2199023255552 bytes, but 0" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_fails (wire_tensor ("t", 1, cases[i].n, cases[i].dims), (int) cases[i].code,
                  cases[i].part);
  for (guint i = 0; i < G_N_ELEMENTS (many); i++)
    many[i] = 1;
  assert_fails (wire_tensor ("t", 1, G_N_ELEMENTS (many), many), SONDE_DATA_ERROR_LIMIT,
                "17 dimensions");
}

static void
test_bad_payloads (void)
{
  GByteArray *both = with_bytes (1, RAW_DATA, "12345678", 8), *segment = pair (1);

  assert_fails (with_bytes (1, RAW_DATA, "1234567", 7), SONDE_DATA_ERROR_DAMAGED,
                "tensor “t” of type FLOAT and shape 2 needs 8 bytes, but 7 are there");
  assert_fails (with_bytes (1, RAW_DATA, "123456789", 9), SONDE_DATA_ERROR_DAMAGED,
                "needs 8 bytes, but 9");
  assert_fails (with_bytes (1, FLOAT_DATA, "1234", 4), SONDE_DATA_ERROR_DAMAGED,
                "needs 2 elements, but 1");
  assert_fails (with_bytes (7, FLOAT_DATA, "12345678", 8), SONDE_DATA_ERROR_DAMAGED,
                "float_data; they belong into int64_data");
  wire_float (both, FLOAT_DATA, 1);
  assert_fails (both, SONDE_DATA_ERROR_DAMAGED, "both raw_data and float_data");
  wire_take (segment, 3, wire_new ());
  assert_fails (segment, SONDE_DATA_ERROR_UNSUPPORTED, "segments");
  assert_fails (with_packed (3, INT32_DATA, 1, 128), SONDE_DATA_ERROR_DAMAGED, "holds 128");
  assert_fails (with_packed (2, INT32_DATA, 1, -1), SONDE_DATA_ERROR_DAMAGED, "holds -1");
  assert_fails (with_packed (9, INT32_DATA, 2, 0), SONDE_DATA_ERROR_DAMAGED, "holds 2");
  assert_fails (with_packed (10, INT32_DATA, 65536, 0), SONDE_DATA_ERROR_DAMAGED, "holds 65536");
  assert_fails (with_packed (12, UINT64_DATA, 0, (gint64) 1 << 32), SONDE_DATA_ERROR_DAMAGED,
                "holds 4294967296");
  /* an element cut in the packed field: the scan says where */
  assert_fails (with_bytes (1, FLOAT_DATA, "12345", 5), SONDE_DATA_ERROR_DAMAGED,
                "TensorProto.float_data");
}

static void
test_types (void)
{
  assert_fails (pair (14), SONDE_DATA_ERROR_UNSUPPORTED,
                "tensor “t” has the element type COMPLEX64");
  assert_fails (pair (15), SONDE_DATA_ERROR_UNSUPPORTED,
                "tensor “t” has the element type COMPLEX128");
  assert_fails (pair (27), SONDE_DATA_ERROR_UNSUPPORTED, "number 27");
  assert_fails (pair (-1), SONDE_DATA_ERROR_UNSUPPORTED, "number -1");
  assert_fails (pair (0), SONDE_DATA_ERROR_DAMAGED, "no element type");
}

/* A tensor alone may not lead to other files. */
static void
test_external (void)
{
  GByteArray *tensor = pair (1), *entry = wire_new (), *odd = pair (1);

  wire_text (entry, 1, "location");
  wire_text (entry, 2, "w.bin");
  wire_take (tensor, 13, entry);
  wire_int (tensor, 14, 1);
  assert_fails (tensor, SONDE_DATA_ERROR_FORBIDDEN, "another file");
  wire_int (odd, 14, 7);
  assert_fails (odd, SONDE_DATA_ERROR_UNSUPPORTED, "location number 7");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/models/tensor/typed", test_typed);
  g_test_add_func ("/data/models/tensor/floats", test_floats);
  g_test_add_func ("/data/models/tensor/raw", test_raw);
  g_test_add_func ("/data/models/tensor/packed", test_packed);
  g_test_add_func ("/data/models/tensor/large", test_large);
  g_test_add_func ("/data/models/tensor/strings", test_strings);
  g_test_add_func ("/data/models/tensor/shapes", test_shapes);
  g_test_add_func ("/data/models/tensor/bad-shapes", test_bad_shapes);
  g_test_add_func ("/data/models/tensor/bad-payloads", test_bad_payloads);
  g_test_add_func ("/data/models/tensor/types", test_types);
  g_test_add_func ("/data/models/tensor/external", test_external);
  return g_test_run ();
}
