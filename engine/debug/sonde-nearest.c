/* SPDX-License-Identifier: Apache-2.0
 * Edit distance in two rows, given up as soon as it cannot beat the best one so far. */
#include "engine/debug/sonde-nearest.h"

#include <string.h>

#define MAX_CANDIDATES 100000
#define MAX_LENGTH 200
#define WHOLE 2 /* cost of one change; a change of case costs half of it */

static guint
cost_of_change (char a,
                char b)
{
  if (a == b)
    return 0;
  return g_ascii_tolower (a) == g_ascii_tolower (b) ? WHOLE / 2 : WHOLE;
}

/* Distance of @a and @b, or something ≥ @limit when it is not below. */
static guint
distance (const char *a,
          gsize       n_a,
          const char *b,
          gsize       n_b,
          guint       limit)
{
  guint row[MAX_LENGTH + 1];

  for (gsize j = 0; j <= n_b; j++)
    row[j] = (guint) j * WHOLE;
  for (gsize i = 1; i <= n_a; i++)
    {
      guint diagonal = row[0];
      guint least = row[0] = (guint) i * WHOLE;

      for (gsize j = 1; j <= n_b; j++)
        {
          guint changed = diagonal + cost_of_change (a[i - 1], b[j - 1]);
          guint moved = MIN (row[j], row[j - 1]) + WHOLE;

          diagonal = row[j];
          row[j] = MIN (changed, moved);
          least = MIN (least, row[j]);
        }
      if (least >= limit)
        return limit;
    }
  return row[n_b];
}

const char *
sonde_nearest_name (const char            *text,
                    SondeNearestCandidate  candidate,
                    guint                  n,
                    gpointer               data)
{
  gsize length = strlen (text);
  const char *nearest = NULL;
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
  return nearest;
}
