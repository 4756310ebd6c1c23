/* SPDX-License-Identifier: Apache-2.0
 * The part of a value that a screen can show: whole where it fits, never more than the limit. */
#include "viewers/layout/sonde-display-slice.h"

#include "data/values/sonde-tensor.h"

static void
assert_slice (const SondeShape *shape, gboolean is_data, gboolean channels_last,
              const char *expected)
{
  g_autofree char *slice = sonde_display_slice_of_shape (shape, is_data, channels_last);

  g_assert_cmpstr (slice, ==, expected);
}

static void
test_whole (void)
{
  const SondeShape scalar = sonde_shape_make (0), row = sonde_shape_make (1, 10),
                   plane = sonde_shape_make (2, 256, 256),
                   kernel = sonde_shape_make (4, 6, 1, 5, 5);

  assert_slice (&scalar, TRUE, FALSE, "");
  assert_slice (&row, TRUE, FALSE, "");
  assert_slice (&plane, TRUE, FALSE, "");
  assert_slice (&kernel, FALSE, FALSE, "");
}

static void
test_part (void)
{
  const SondeShape batch = sonde_shape_make (4, 8, 16, 28, 28),
                   wide = sonde_shape_make (4, 1, 128, 512, 512),
                   last = sonde_shape_make (4, 1, 300, 300, 96), line = sonde_shape_make (1, 10000);

  assert_slice (&batch, TRUE, FALSE, "0");
  assert_slice (&wide, TRUE, FALSE, "0, :64, ::8, ::8");
  assert_slice (&last, TRUE, TRUE, "0, ::4, ::8, :64");
  assert_slice (&line, TRUE, FALSE, "::3");
}

/* Whatever the shape, what is fetched fits, and the tensor takes the text. */
static void
test_limit (void)
{
  GRand *random = g_rand_new_with_seed (7);

  for (int i = 0; i < 300; i++)
    {
      SondeShape shape = { .rank = g_rand_int_range (random, 0, 7) };
      gboolean is_data = g_rand_boolean (random), channels_last = g_rand_boolean (random);
      g_autofree char *text = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) tensor = NULL, part = NULL;
      gint64 n = 1;

      for (int d = 0; d < shape.rank; d++)
        {
          shape.dims[d] = g_rand_int_range (random, 0, 1 << g_rand_int_range (random, 1, 12));
          n *= MAX (shape.dims[d], 1);
        }
      text = sonde_display_slice_of_shape (&shape, is_data, channels_last);
      if (n > 1 << 23)
        continue; /* more memory than a test should take */
      tensor = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
      part = *text == '\0' ? sonde_tensor_ref (tensor) : sonde_tensor_slice (tensor, text, &error);
      g_assert_no_error (error);
      g_assert_cmpint (sonde_tensor_n_elements (part), <=, SONDE_DISPLAY_MAX_ELEMENTS);
    }
  g_rand_free (random);
}

static void
assert_rows (const SondeShape *shape, gint64 row, gint64 column, const char *expected)
{
  g_autofree char *slice = sonde_display_slice_of_rows (shape, row, 8, column, 4);

  g_assert_cmpstr (slice, ==, expected);
}

static void
test_rows (void)
{
  const SondeShape scalar = sonde_shape_make (0), line = sonde_shape_make (1, 100),
                   cube = sonde_shape_make (4, 2, 3, 64, 32);

  assert_rows (&scalar, 0, 0, "");
  assert_rows (&line, 0, 12, "12:16");
  assert_rows (&cube, 0, 0, "0, 0, 0:8, 0:4");
  /* row 64 · (3 · 1 + 2) + 16 */
  assert_rows (&cube, 336, 28, "1, 2, 16:24, 28:32");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/layout/display-slice/whole", test_whole);
  g_test_add_func ("/viewers/layout/display-slice/part", test_part);
  g_test_add_func ("/viewers/layout/display-slice/limit", test_limit);
  g_test_add_func ("/viewers/layout/display-slice/rows", test_rows);
  return g_test_run ();
}
