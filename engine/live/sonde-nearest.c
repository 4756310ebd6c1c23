/* SPDX-License-Identifier: Apache-2.0
 * Edit distance in three rows, given up as soon as it cannot beat the best one so far. */
#include "engine/live/sonde-nearest.h"

#include <string.h>

#define MAX_CANDIDATES 100000
#define MAX_LENGTH 200
#define LEAST_PART 3
#define WHOLE 2 /* cost of one change; a change of case costs half of it */

static guint
cost_of_change (char a, char b)
{
  if (a == b)
    return 0;
  return g_ascii_tolower (a) == g_ascii_tolower (b) ? WHOLE / 2 : WHOLE;
}

static guint
least_of (guint a, guint b, guint c)
{
  return MIN (MIN (a, b), c);
}

/* Distance of @a and @b, or something ≥ @limit when it is not below. Two neighbours that changed
 * places are one change. */
static guint
distance (const char *a, gsize n_a, const char *b, gsize n_b, guint limit)
{
  guint rows[3][MAX_LENGTH + 1];

  for (gsize j = 0; j <= n_b; j++)
    rows[0][j] = (guint) j * WHOLE;
  for (gsize i = 1; i <= n_a; i++)
    {
      guint *row = rows[i % 3], *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
      guint least = row[0] = (guint) i * WHOLE;

      for (gsize j = 1; j <= n_b; j++)
        {
          row[j] = least_of (above[j - 1] + cost_of_change (a[i - 1], b[j - 1]), above[j] + WHOLE,
                             row[j - 1] + WHOLE);
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            row[j] = MIN (row[j], higher[j - 2] + WHOLE);
          least = MIN (least, row[j]);
        }
      if (least >= limit + WHOLE) /* a change of places looks two rows back */
        return limit;
    }
  return rows[n_a % 3][n_b];
}

/* For a part of a long name, as "conv1" of "/conv1/Conv". */
static gboolean
holds (const char *name, const char *text, gsize length)
{
  return length >= LEAST_PART && strstr (name, text) != NULL;
}

const char *
sonde_nearest_name (const char *text, SondeNearestCandidate candidate, guint n, gpointer data)
{
  gsize length = strlen (text);
  const char *nearest = NULL, *part = NULL;
  guint least = G_MAXUINT;

  if (length == 0 || length > MAX_LENGTH)
    return NULL;
  for (guint k = 0; k < MIN (n, MAX_CANDIDATES); k++)
    {
      const char *name = candidate (k, data);
      gsize other = name != NULL ? strlen (name) : 0;
      guint limit = (guint) (MAX (length, other) * WHOLE / 3) + 1;
      guint found;

      if (other == 0 || other > MAX_LENGTH)
        continue;
      if (part == NULL && holds (name, text, length))
        part = name;
      limit = MIN (limit, least);
      if ((MAX (length, other) - MIN (length, other)) * WHOLE >= limit)
        continue;
      found = distance (text, length, name, other, limit);
      if (found < limit)
        {
          least = found;
          nearest = name;
        }
    }
  return nearest != NULL ? nearest : part;
}
