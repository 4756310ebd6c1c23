/* SPDX-License-Identifier: Apache-2.0
 * Shapes. */
#include "data/values/sonde-shape.h"

#include <inttypes.h>

#include "data/base/sonde-checked.h"

#define MAX_ELEMENTS ((gint64) 1 << 40)

SondeShape
sonde_shape_scalar (void)
{
  SondeShape shape = { .rank = 0 };

  return shape;
}

SondeShape
sonde_shape_from_array (int rank, const gint64 *dims)
{
  SondeShape shape = { .rank = rank };

  g_assert (rank >= 0 && rank <= SONDE_MAX_RANK);
  for (int i = 0; i < rank; i++)
    shape.dims[i] = dims[i];
  return shape;
}

gint64
sonde_shape_n_elements (const SondeShape *shape)
{
  gint64 n = 1;
  gboolean empty = FALSE;

  for (int i = 0; i < shape->rank; i++)
    {
      if (shape->dims[i] < 0)
        return -1;
      empty = empty || shape->dims[i] == 0;
    }
  for (int i = 0; i < shape->rank && !empty; i++)
    {
      if (!sonde_checked_mul (&n, n, shape->dims[i]) || n > MAX_ELEMENTS)
        return -1;
    }
  return empty ? 0 : n;
}

gboolean
sonde_shape_equal (const SondeShape *a, const SondeShape *b)
{
  if (a->rank != b->rank)
    return FALSE;
  for (int i = 0; i < a->rank; i++)
    {
      if (a->dims[i] != b->dims[i])
        return FALSE;
    }
  return TRUE;
}

gboolean
sonde_shape_broadcast (const SondeShape *a, const SondeShape *b, SondeShape *result)
{
  SondeShape fitted = { .rank = MAX (a->rank, b->rank) };

  for (int i = 1; i <= fitted.rank; i++)
    {
      gint64 from_a = i <= a->rank ? a->dims[a->rank - i] : 1;
      gint64 from_b = i <= b->rank ? b->dims[b->rank - i] : 1;

      if (from_a != from_b && from_a != 1 && from_b != 1)
        return FALSE;
      fitted.dims[fitted.rank - i] = from_a == 1 ? from_b : from_a;
    }
  *result = fitted;
  return TRUE;
}

char *
sonde_shape_to_string (const SondeShape *shape)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (shape->rank == 0)
    return g_strdup ("scalar");
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (text, "%s%" PRIi64, i > 0 ? "×" : "", shape->dims[i]);
  return g_strdup (text->str);
}

char *
sonde_shape_format_index (const SondeShape *shape, gint64 index)
{
  gint64 place[SONDE_MAX_RANK];
  GString *text = g_string_new ("[");

  for (int d = shape->rank - 1; d >= 0; d--)
    {
      place[d] = index % shape->dims[d];
      index /= shape->dims[d];
    }
  for (int d = 0; d < shape->rank; d++)
    g_string_append_printf (text, "%s%" PRIi64, d > 0 ? ", " : "", place[d]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}
