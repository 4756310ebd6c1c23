/* SPDX-License-Identifier: Apache-2.0
 * Tensors in tests. */
#include "tests/support/sonde-test-tensor.h"

#include "data/base/sonde-random.h"

#include <math.h>
#include <string.h>

static SondeShape
parse_shape (const char *text)
{
  g_auto (GStrv) sizes = g_strsplit (text, "x", -1);
  SondeShape shape = sonde_shape_scalar ();

  if (strcmp (text, "scalar") == 0)
    return shape;
  for (; sizes[shape.rank] != NULL; shape.rank++)
    shape.dims[shape.rank] = g_ascii_strtoll (sizes[shape.rank], NULL, 10);
  return shape;
}

/* Words between spaces. */
static SondeTensor *
parse_words (SondeTensor *tensor, /* (transfer full) */
             const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  char **strings = (char **) (void *) tensor->data;
  gint64 n = sonde_tensor_n_elements (tensor);
  guint at = 0;

  for (gint64 i = 0; i < n; i++)
    {
      while (words[at] != NULL && *words[at] == '\0')
        at++;
      if (words[at] == NULL)
        g_error ("“%s” has fewer words than elements", text);
      strings[i] = g_strdup (words[at++]);
    }
  return tensor;
}

SondeTensor *
sonde_test_tensor (SondeDtype dtype, const char *text)
{
  const char *colon = strchr (text, ':');
  g_autofree char *head = g_strndup (text, colon ? (gsize) (colon - text) : strlen (text));
  SondeShape shape = parse_shape (g_strstrip (head));
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);
  const char *at = colon ? colon + 1 : "";
  gint64 n = sonde_tensor_n_elements (tensor);
  double value = 0;

  if (dtype == SONDE_DTYPE_STRING)
    return parse_words (tensor, at);
  for (gint64 i = 0; i < n; i++)
    {
      char *end = NULL;
      double next = g_ascii_strtod (at, &end);

      if (end != at)
        value = next;
      at = end;
      sonde_tensor_set_double (tensor, i, value);
    }
  while (g_ascii_isspace (*at))
    at++;
  if (*at != '\0')
    g_error ("“%s” has more numbers than elements", text);
  return tensor;
}

SondeTensor *
sonde_test_tensor_random (SondeDtype dtype, const SondeShape *shape, guint64 seed, double low,
                          double high)
{
  SondeTensor *tensor = sonde_tensor_new (dtype, shape);
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++)
    {
      double value = low + (high - low) * sonde_random_uniform (seed, 1, (guint64) i);

      sonde_tensor_set_double (tensor, i, sonde_dtype_is_float (dtype) ? value : floor (value));
    }
  return tensor;
}

/* Bits equal, or both NaN. */
static gboolean
same_number (double got, double want)
{
  return got == want || (isnan (got) && isnan (want));
}

static char *
compare_strings (SondeTensor *got, SondeTensor *want)
{
  return sonde_tensor_equal (got, want) ? NULL : g_strdup ("the strings differ");
}

static char *
compare_elements (SondeTensor *got, SondeTensor *want, double rtol, double atol)
{
  gint64 n = sonde_tensor_n_elements (want), bad = 0, worst = -1;
  double worst_excess = -1;
  g_autofree char *shape = sonde_shape_to_string (&want->shape);

  for (gint64 i = 0; i < n; i++)
    {
      double g = sonde_tensor_get_double (got, i), w = sonde_tensor_get_double (want, i);
      double excess = fabs (g - w) - (atol + rtol * fabs (w));

      if (same_number (g, w) || excess <= 0)
        continue;
      bad++;
      if (worst < 0 || excess > worst_excess || isnan (excess))
        {
          worst = i;
          worst_excess = isnan (excess) ? INFINITY : excess;
        }
    }
  if (bad == 0)
    return NULL;
  return g_strdup_printf ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                          " elements of %s differ, worst at %" G_GINT64_FORMAT
                          ": got %.9g, want %.9g",
                          bad, n, shape, worst, sonde_tensor_get_double (got, worst),
                          sonde_tensor_get_double (want, worst));
}

char *
sonde_test_tensor_compare (SondeTensor *got, SondeTensor *want, double rtol, double atol)
{
  if (got == NULL || want == NULL)
    return got == want ? NULL : g_strdup (got ? "want nothing" : "got nothing");
  if (got->dtype != want->dtype)
    return g_strdup_printf ("got %s, want %s", sonde_dtype_name (got->dtype),
                            sonde_dtype_name (want->dtype));
  if (!sonde_shape_equal (&got->shape, &want->shape))
    {
      g_autofree char *a = sonde_shape_to_string (&got->shape);
      g_autofree char *b = sonde_shape_to_string (&want->shape);

      return g_strdup_printf ("got shape %s, want %s", a, b);
    }
  if (got->dtype == SONDE_DTYPE_STRING)
    return compare_strings (got, want);
  return compare_elements (got, want, rtol, atol);
}

char *
sonde_test_shared_path (const char *relative)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  char *path = g_build_filename (shared ? shared : "../shared", relative, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_test_skip ("the shared reference folder is not beside the checkout");
  g_free (path);
  return NULL;
}
