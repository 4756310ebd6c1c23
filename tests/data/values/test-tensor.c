/* SPDX-License-Identifier: Apache-2.0
 * Tensors: views, copies, slices with NumPy's answers written down, text of elements. */
#include "data/base/sonde-error.h"
#include "data/values/sonde-tensor.h"

#include <math.h>
#include <string.h>

/* int32 0, 1, 2 … of the given shape. */
static SondeTensor *
arange (const SondeShape *shape)
{
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_I32, shape);
  gint32 *data = (void *) tensor->data;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    data[i] = (gint32) i;
  return tensor;
}

/* "2×3: 0 1 2 3 4 5" */
static char *
describe (SondeTensor *tensor)
{
  g_autofree char *shape = sonde_shape_to_string (&tensor->shape);
  GString *text = g_string_new (shape);

  g_string_append_c (text, ':');
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    g_string_append_printf (text, " %" G_GINT64_FORMAT, sonde_tensor_get_int (tensor, i));
  return g_string_free (text, FALSE);
}

static void
test_slices (void)
{
  /* np.arange(24).reshape(2,3,4)[...] and np.arange(6)[...], by hand */
  static const struct
  {
    int rank;
    const char *expression;
    const char *expected;
  } cases[] = {
    { 3, "0", "3×4: 0 1 2 3 4 5 6 7 8 9 10 11" },
    { 3, "-1, -1", "4: 20 21 22 23" },
    { 3, "1, 2, 3", "scalar: 23" },
    { 3, ":, 0", "2×4: 0 1 2 3 12 13 14 15" },
    { 3, "..., 0", "2×3: 0 4 8 12 16 20" },
    { 3, "0, ..., 1", "3: 1 5 9" },
    { 3, "..., 1, 1", "2: 5 17" },
    { 3, "1:, ::2, ::-2", "1×2×2: 15 13 23 21" },
    { 3, "0, :, 1:3", "3×2: 1 2 5 6 9 10" },
    { 3, "None, 0, 0", "1×4: 0 1 2 3" },
    { 3, "0, None, 0, newaxis, 1:2", "1×1×1: 1" },
    { 3, "..., None", "2×3×4×1: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23" },
    { 3, "0, 0, 0, ...", "scalar: 0" },
    { 3, "0,", "3×4: 0 1 2 3 4 5 6 7 8 9 10 11" },
    { 3, "0, 5:1", "0×4:" },
    { 1, "", "6: 0 1 2 3 4 5" },
    { 1, "   ", "6: 0 1 2 3 4 5" },
    { 1, ":", "6: 0 1 2 3 4 5" },
    { 1, "::", "6: 0 1 2 3 4 5" },
    { 1, "...", "6: 0 1 2 3 4 5" },
    { 1, "2:5", "3: 2 3 4" },
    { 1, " 2 : 5 ", "3: 2 3 4" },
    { 1, "2:100", "4: 2 3 4 5" },
    { 1, "-2:", "2: 4 5" },
    { 1, ":-2", "4: 0 1 2 3" },
    { 1, "-100:2", "2: 0 1" },
    { 1, "::2", "3: 0 2 4" },
    { 1, "1::2", "3: 1 3 5" },
    { 1, "::4", "2: 0 4" },
    { 1, "::-1", "6: 5 4 3 2 1 0" },
    { 1, "4:1:-1", "3: 4 3 2" },
    { 1, "4:1:-2", "2: 4 2" },
    { 1, "1:4:-1", "0:" },
    { 1, ":-3:-1", "2: 5 4" },
    { 1, "100::-1", "6: 5 4 3 2 1 0" },
    { 1, "-100::-1", "0:" },
    { 1, "::100", "1: 0" },
    { 1, "::-100", "1: 5" },
    { 1, "::9223372036854775807", "1: 0" },
    { 1, "3:3", "0:" },
    { 1, "6:", "0:" },
    { 1, "+1", "scalar: 1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondeShape cube = sonde_shape_make (3, 2, 3, 4), line = sonde_shape_make (1, 6);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) tensor = arange (cases[i].rank == 3 ? &cube : &line);
      g_autoptr (SondeTensor) slice = sonde_tensor_slice (tensor, cases[i].expression, &error);
      g_autofree char *text = NULL;

      g_test_message ("[%s]", cases[i].expression);
      g_assert_no_error (error);
      text = describe (slice);
      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

static void
test_slice_errors (void)
{
  static const struct
  {
    const char *expression;
    const char *hint; /* part of the message */
  } cases[] = {
    { "2", "index 2 is outside dimension 0 of size 2" },
    { "-3", "index -3 is outside dimension 0 of size 2" },
    { "0, 0, 4", "position 7: index 4 is outside dimension 2 of size 4" },
    { "0, 0, 0, 0", "no dimension 3" },
    { ":, :, :, :", "the shape is 2×3×4" },
    { "..., 0, ...", "a second “...”" },
    { "::0", "the step may not be 0" },
    { "a", "position 1" },
    { "0 1", "a comma is expected" },
    { "1:2:3:4", "a comma is expected" },
    { ",", "position 1" },
    { "0,,1", "position 3" },
    { "-", "a number is missing" },
    { "99999999999999999999999", "outside dimension 0" },
    { "0..", "a comma" },
    { "[0]", "position 1" },
  };
  SondeShape shape = sonde_shape_make (3, 2, 3, 4);
  g_autoptr (SondeTensor) tensor = arange (&shape);
  g_autofree char *many = g_strnfill (1000, ',');

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_tensor_slice (tensor, cases[i].expression, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].hint));
      g_assert_nonnull (strstr (error->message, cases[i].expression));
    }
  g_autoptr (GString) axes = g_string_new ("None");

  for (int i = 0; i < 13; i++)
    g_string_append (axes, ",None");
  g_assert_null (sonde_tensor_slice (tensor, axes->str, NULL)); /* 14 + 3 dimensions */
}

static void
test_slice_of_slice (void)
{
  SondeShape shape = sonde_shape_make (2, 4, 5);
  g_autoptr (SondeTensor) tensor = arange (&shape);
  g_autoptr (SondeTensor) reversed = sonde_tensor_slice (tensor, "::-1, ::-2", NULL);
  g_autoptr (SondeTensor) corner = sonde_tensor_slice (reversed, "1::-1, :2", NULL);
  g_autofree char *text = describe (corner);

  g_assert_cmpstr (text, ==, "2×2: 14 12 19 17");
  g_assert_true (corner->buffer == tensor->buffer);
  sonde_tensor_set_double (corner, 3, -7);
  g_assert_cmpint (sonde_tensor_get_int (tensor, 17), ==, -7);
}

static void
test_transpose_copy (void)
{
  static const int order[] = { 2, 0, 1 };
  SondeShape shape = sonde_shape_make (3, 2, 3, 4);
  SondeShape flat_shape = sonde_shape_make (1, 24);
  g_autoptr (SondeTensor) tensor = arange (&shape);
  g_autoptr (SondeTensor) turned = sonde_tensor_transpose (tensor, order);
  g_autoptr (SondeTensor) copy = sonde_tensor_copy (turned);
  g_autofree char *text = describe (copy);
  g_autofree char *view_text = describe (turned);

  /* np.arange(24).reshape(2,3,4).transpose(2,0,1) */
  g_assert_cmpstr (text, ==,
                   "4×2×3: 0 4 8 12 16 20 1 5 9 13 17 21 2 6 10 14 18 22 3 7 11 15 19 23");
  g_assert_cmpstr (view_text, ==, text);
  g_assert_false (sonde_tensor_is_contiguous (turned));
  g_assert_true (sonde_tensor_is_contiguous (copy));
  g_assert_true (sonde_tensor_equal (turned, copy));
  g_assert_null (sonde_tensor_reshape (turned, &flat_shape));
  g_autoptr (SondeTensor) flat = sonde_tensor_reshape (copy, &flat_shape);
  g_assert_cmpint (sonde_tensor_get_int (flat, 23), ==, 23);
  g_assert_true (flat->buffer == copy->buffer);
  g_assert_cmpuint ((guintptr) copy->data % 64, ==, 0);
}

static void
test_broadcast_view (void)
{
  const gint64 strides[] = { 0, 1 };
  SondeShape line = sonde_shape_make (1, 3), wide = sonde_shape_make (2, 2, 3);
  g_autoptr (SondeTensor) tensor = arange (&line);
  g_autoptr (SondeTensor) view = sonde_tensor_view (tensor, &wide, strides, 0);
  g_autoptr (SondeTensor) copy = sonde_tensor_contiguous (view);
  g_autofree char *text = describe (copy);

  g_assert_cmpstr (text, ==, "2×3: 0 1 2 0 1 2");
  g_assert_cmpuint (sonde_tensor_n_bytes (view), ==, 24);
}

static void
count_release (void *data)
{
  ++*(int *) data;
}

static void
test_take (void)
{
  float numbers[] = { 1, 2, 3 };
  int released = 0;
  SondeShape shape = sonde_shape_make (1, 3);
  SondeTensor *tensor
      = sonde_tensor_new_take (SONDE_DTYPE_F32, &shape, numbers, count_release, &released);
  SondeTensor *view = sonde_tensor_slice (tensor, "1:", NULL);

  g_assert_true (tensor->data == (void *) numbers);
  sonde_tensor_unref (tensor);
  g_assert_cmpint (released, ==, 0);
  g_assert_cmpfloat (sonde_tensor_get_double (view, 1), ==, 3);
  sonde_tensor_unref (view);
  g_assert_cmpint (released, ==, 1);
}

static void
test_try_new (void)
{
  g_autoptr (GError) error = NULL;
  SondeShape big = sonde_shape_make (2, 1 << 20, 1 << 19);
  SondeShape impossible = sonde_shape_make (2, G_MAXINT64, 2);
  SondeShape small = sonde_shape_make (1, 10);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeBudget budget;

  sonde_budget_init (&budget, 100, "test");
  g_assert_null (sonde_tensor_try_new (SONDE_DTYPE_F32, &big, &budget, "tensor “w”", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "tensor “w”"));
  g_clear_error (&error);
  g_assert_null (sonde_tensor_try_new (SONDE_DTYPE_F32, &impossible, NULL, "tensor “w”", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_clear_error (&error);
  tensor = sonde_tensor_try_new (SONDE_DTYPE_F32, &small, &budget, "tensor “w”", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sonde_tensor_get_double (tensor, 9), ==, 0);
}

static void
test_strings (void)
{
  const char *const words[] = { "eins", NULL, "drei", "" };
  SondeShape shape = sonde_shape_make (1, 4);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, words);
  g_autoptr (SondeTensor) reversed = sonde_tensor_slice (tensor, "::-1", NULL);
  g_autoptr (SondeTensor) copy = sonde_tensor_copy (reversed);
  g_autofree char *last = sonde_tensor_format_element (copy, 3);
  g_autofree char *null = sonde_tensor_format_element (copy, 2);

  g_assert_cmpstr (last, ==, "eins");
  g_assert_cmpstr (null, ==, "");
  g_assert_true (sonde_tensor_equal (reversed, copy));
  g_assert_false (sonde_tensor_equal (tensor, copy));
}

static void
check_format (SondeDtype dtype, double value, const char *expected)
{
  SondeShape scalar = sonde_shape_scalar ();
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &scalar);
  g_autofree char *text = NULL;

  sonde_tensor_set_double (tensor, 0, value);
  text = sonde_tensor_format_element (tensor, 0);
  g_assert_cmpstr (text, ==, expected);
}

static void
test_format (void)
{
  check_format (SONDE_DTYPE_F32, 0.1, "0.1");
  check_format (SONDE_DTYPE_F64, 0.1, "0.1");
  check_format (SONDE_DTYPE_F64, 1.0 / 3, "0.3333333333333333");
  check_format (SONDE_DTYPE_F32, 1.0 / 3, "0.33333334");
  check_format (SONDE_DTYPE_F16, 1.0 / 3, "0.3333");
  check_format (SONDE_DTYPE_BF16, 1.0 / 3, "0.334");
  check_format (SONDE_DTYPE_F32, 100000, "100000");
  check_format (SONDE_DTYPE_F32, 1e20, "1e+20");
  check_format (SONDE_DTYPE_F32, 1e-7, "1e-07");
  check_format (SONDE_DTYPE_F32, -0.0, "-0");
  check_format (SONDE_DTYPE_F32, NAN, "nan");
  check_format (SONDE_DTYPE_F16, -INFINITY, "-inf");
  check_format (SONDE_DTYPE_F64, INFINITY, "inf");
  check_format (SONDE_DTYPE_BOOL, 3, "true");
  check_format (SONDE_DTYPE_I8, -128, "-128");
  check_format (SONDE_DTYPE_U64, 18446744073709549568.0, "18446744073709549568");
}

static void
test_integers_exact (void)
{
  const gint64 big[] = { G_MAXINT64, G_MININT64, ((gint64) 1 << 53) + 1 };
  SondeShape shape = sonde_shape_make (1, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, big);

  for (int i = 0; i < 3; i++)
    {
      g_autofree char *text = sonde_tensor_format_element (tensor, i);

      g_assert_cmpint (sonde_tensor_get_int (tensor, i), ==, big[i]);
      g_assert_cmpint (g_ascii_strtoll (text, NULL, 10), ==, big[i]);
    }
}

static void
test_equal (void)
{
  const float numbers[] = { NAN, 0.0f };
  const float others[] = { NAN, -0.0f };
  SondeShape shape = sonde_shape_make (1, 2), row = sonde_shape_make (2, 1, 2);
  g_autoptr (SondeTensor) a = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);
  g_autoptr (SondeTensor) b = sonde_tensor_copy (a);
  g_autoptr (SondeTensor) c = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, others);
  g_autoptr (SondeTensor) d = sonde_tensor_reshape (a, &row);
  g_autoptr (SondeTensor) e = sonde_tensor_cast (a, SONDE_DTYPE_F64);

  g_assert_true (sonde_tensor_equal (a, b));
  g_assert_false (sonde_tensor_equal (a, c));
  g_assert_false (sonde_tensor_equal (a, d));
  g_assert_false (sonde_tensor_equal (a, e));
}

static void
test_words (void)
{
  SondeShape shape = sonde_shape_make (3, 2, 3, 4), scalar = sonde_shape_make (0);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree char *type = sonde_tensor_describe (tensor),
                  *first = sonde_shape_format_index (&shape, 0);
  g_autofree char *last = sonde_shape_format_index (&shape, 23),
                  *none = sonde_shape_format_index (&scalar, 0);

  g_assert_cmpstr (type, ==, "float32 [2, 3, 4]");
  g_assert_cmpstr (first, ==, "[0, 0, 0]");
  g_assert_cmpstr (last, ==, "[1, 2, 3]");
  g_assert_cmpstr (none, ==, "[]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/tensor/slices", test_slices);
  g_test_add_func ("/data/values/tensor/slice-errors", test_slice_errors);
  g_test_add_func ("/data/values/tensor/slice-of-slice", test_slice_of_slice);
  g_test_add_func ("/data/values/tensor/transpose-copy", test_transpose_copy);
  g_test_add_func ("/data/values/tensor/broadcast-view", test_broadcast_view);
  g_test_add_func ("/data/values/tensor/take", test_take);
  g_test_add_func ("/data/values/tensor/try-new", test_try_new);
  g_test_add_func ("/data/values/tensor/strings", test_strings);
  g_test_add_func ("/data/values/tensor/format", test_format);
  g_test_add_func ("/data/values/tensor/words", test_words);
  g_test_add_func ("/data/values/tensor/integers-exact", test_integers_exact);
  g_test_add_func ("/data/values/tensor/equal", test_equal);
  return g_test_run ();
}
