/* SPDX-License-Identifier: Apache-2.0
 * Subsets for KernelSHAP. */
#include "explain/attribution/sonde-coalitions.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"

#define STREAM_SIZES "kernelshap-sizes"
#define STREAM_MEMBERS "kernelshap-members"
#define TRIES 4    /* for each subset still wanted: a subset may be drawn again */
#define LARGE_M 60 /* from here on no budget holds all subsets */

/**
 * Coalitions: under construction
 * @sets: bytes, @m a set; @weights: of double
 * @known: of drawn sets: GBytes -> index + 1
 */
typedef struct
{
  gint64 m;
  GByteArray *sets;
  GArray *weights;
  GHashTable *known;
} Coalitions;

gint64
sonde_coalitions_budget (gint64 m)
{
  return 2 * m + 2048;
}

static void
append (Coalitions *coalitions, const guint8 *set, gboolean complement, double weight)
{
  guint at = coalitions->sets->len;

  g_byte_array_append (coalitions->sets, set, (guint) coalitions->m);
  for (gint64 j = 0; complement && j < coalitions->m; j++)
    coalitions->sets->data[at + j] = !set[j];
  g_array_append_val (coalitions->weights, weight);
}

/* All sets of @size, in lexicographic order, each followed by its complement where @paired. */
static void
append_size (Coalitions *coalitions, gint64 size, gboolean paired, double weight)
{
  gint64 m = coalitions->m, at;
  g_autofree gint64 *members = g_new (gint64, size);
  g_autofree guint8 *set = g_new (guint8, m);

  for (gint64 i = 0; i < size; i++)
    members[i] = i;
  do
    {
      memset (set, 0, (gsize) m);
      for (gint64 i = 0; i < size; i++)
        set[members[i]] = 1;
      append (coalitions, set, FALSE, weight);
      if (paired)
        append (coalitions, set, TRUE, weight);
      for (at = size - 1; at >= 0 && members[at] == m - size + at; at--)
        ;
      if (at >= 0)
        {
          members[at]++;
          for (gint64 i = at + 1; i < size; i++)
            members[i] = members[i - 1] + 1;
        }
    }
  while (at >= 0);
}

static double
choose (gint64 m, gint64 k)
{
  double result = 1.0;

  for (gint64 i = 0; i < k; i++)
    result = result * (double) (m - i) / (double) (i + 1);
  return result;
}

/* A drawn set: a new one, or one more time an old one. Returns: how many are new */
static gint64
append_drawn (Coalitions *coalitions, const guint8 *set, gboolean complement)
{
  guint index = coalitions->weights->len;
  GBytes *key;
  void *found;

  append (coalitions, set, complement, 1.0);
  key = g_bytes_new (coalitions->sets->data + (gsize) index * (gsize) coalitions->m,
                     (gsize) coalitions->m);
  found = g_hash_table_lookup (coalitions->known, key);
  if (found == NULL)
    {
      g_hash_table_insert (coalitions->known, key, GUINT_TO_POINTER (index + 1));
      return 1;
    }
  g_bytes_unref (key);
  g_array_set_size (coalitions->weights, index);
  g_byte_array_set_size (coalitions->sets, coalitions->sets->len - (guint) coalitions->m);
  g_array_index (coalitions->weights, double, GPOINTER_TO_UINT (found) - 1) += 1.0;
  return 0;
}

/* The first @size places of a drawn order of all features. */
static void
draw_members (gint64 m, gint64 size, guint64 seed, guint64 number, gint64 *order, guint8 *set)
{
  guint64 stream = sonde_random_stream (STREAM_MEMBERS);

  memset (set, 0, (gsize) m);
  for (gint64 j = 0; j < m; j++)
    order[j] = j;
  for (gint64 j = 0; j < size; j++)
    {
      gint64 k = j
                 + (gint64) (sonde_random_uniform (seed, stream, number * (guint64) m + (guint64) j)
                             * (double) (m - j));
      gint64 kept = order[j];

      order[j] = order[k];
      order[k] = kept;
      set[order[j]] = 1;
    }
}

/* @shares: of the sizes from @first on, of all of them. */
static void
draw_rest (Coalitions *coalitions, gint64 left, const double *shares, gint64 first, gint64 n_sizes,
           guint64 seed)
{
  gint64 m = coalitions->m, tries = TRIES * left;
  guint64 stream = sonde_random_stream (STREAM_SIZES);
  g_autofree gint64 *order = g_new (gint64, m);
  g_autofree guint8 *set = g_new (guint8, m);
  guint begin = coalitions->weights->len;
  double rest = 0.0, drawn = 0.0;

  for (gint64 size = first; size <= n_sizes; size++)
    rest += shares[size];
  for (gint64 number = 0; left > 0 && number < tries; number++)
    {
      double at = sonde_random_uniform (seed, stream, (guint64) number) * rest;
      gint64 size = first;

      for (; size < n_sizes && at >= shares[size]; size++)
        at -= shares[size];
      draw_members (m, size, seed, (guint64) number, order, set);
      left -= append_drawn (coalitions, set, FALSE);
      if (left > 0 && 2 * size != m)
        left -= append_drawn (coalitions, set, TRUE);
    }
  for (guint i = begin; i < coalitions->weights->len; i++)
    drawn += g_array_index (coalitions->weights, double, i);
  for (guint i = begin; i < coalitions->weights->len; i++)
    g_array_index (coalitions->weights, double, i) *= rest / drawn;
}

guint8 *
sonde_coalitions_new (gint64 m, gint64 budget, guint64 seed, gint64 *n, double **weights)
{
  Coalitions coalitions = { .m = m,
                            .sets = g_byte_array_new (),
                            .weights = g_array_new (FALSE, FALSE, sizeof (double)) };
  gint64 n_sizes = m / 2, left = m < LARGE_M ? MIN (budget, ((gint64) 1 << m) - 2) : budget, size;
  g_autofree double *shares = g_new0 (double, n_sizes + 1);
  double sum = 0.0, rest = 1.0;

  coalitions.known
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  for (size = 1; size <= n_sizes; size++)
    sum += shares[size]
        = (2 * size == m ? 1.0 : 2.0) * (double) (m - 1) / (double) (size * (m - size));
  for (size = 1; size <= n_sizes; size++)
    shares[size] /= sum;
  for (size = 1; size <= n_sizes; size++)
    {
      double all = choose (m, size) * (2 * size == m ? 1.0 : 2.0);

      if ((double) left * shares[size] / rest < all - 1e-8)
        break;
      append_size (&coalitions, size, 2 * size != m, shares[size] / all);
      left -= (gint64) all;
      rest -= shares[size];
    }
  if (size <= n_sizes && left > 0)
    draw_rest (&coalitions, left, shares, size, n_sizes, seed);
  g_hash_table_unref (coalitions.known);
  *n = coalitions.weights->len;
  *weights = (double *) (void *) g_array_free (coalitions.weights, FALSE);
  return g_byte_array_free (coalitions.sets, FALSE);
}
