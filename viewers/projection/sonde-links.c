/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-links.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  guint32 other;
  float weight;
} Link;

/* Links out of a row and into it, both by ascending other. @in_starts: [n + 1] */
typedef struct
{
  const SondeNearestTable *nearest;
  SondeLinksRule rule;
  gsize *in_starts;
  Link *out, *in;
} Sides;

static void
sides_clear (Sides *sides)
{
  g_free (sides->in_starts);
  g_free (sides->out);
  g_free (sides->in);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sides, sides_clear)

static int
compare_links (const void *a, const void *b)
{
  guint32 x = ((const Link *) a)->other, y = ((const Link *) b)->other;

  return x < y ? -1 : x > y;
}

static gboolean
fail (gsize n, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                   "there is no memory for the links between %" PRIu64 " points", (guint64) n);
  return FALSE;
}

static gboolean
sides_init (Sides *sides, const float *weights, GError **error)
{
  gsize n = sides->nearest->n, k = sides->nearest->k;
  g_autofree gsize *at = NULL;

  sides->out = g_try_new (Link, n * k);
  sides->in = g_try_new (Link, n * k);
  sides->in_starts = g_try_new0 (gsize, n + 1);
  at = g_try_new (gsize, n);
  if (sides->out == NULL || sides->in == NULL || sides->in_starts == NULL || at == NULL)
    return fail (n, error);
  for (gsize i = 0; i < n * k; i++)
    {
      sides->out[i] = (Link){ sides->nearest->others[i], weights[i] };
      sides->in_starts[sides->nearest->others[i] + 1]++;
    }
  for (gsize i = 0; i < n; i++)
    {
      sides->in_starts[i + 1] += sides->in_starts[i];
      at[i] = sides->in_starts[i];
      qsort (&sides->out[i * k], k, sizeof (Link), compare_links);
    }
  for (gsize i = 0; i < n * k; i++)
    sides->in[at[sides->out[i].other]++] = (Link){ (guint32) (i / k), sides->out[i].weight };
  return TRUE;
}

static float
combine (SondeLinksRule rule, float a, float b)
{
  return rule == SONDE_LINKS_UNION ? a + b - a * b : a + b;
}

/* Row @i of both sides as one. Returns: how many entries; @links: (nullable): they go there from @at */
static gsize
merge_row (const Sides *sides, gsize i, SondeLinks *links, gsize at)
{
  gsize k = sides->nearest->k, a = i * k, b = sides->in_starts[i], n = 0;

  while (a < (i + 1) * k || b < sides->in_starts[i + 1])
    {
      guint32 out = a < (i + 1) * k ? sides->out[a].other : G_MAXUINT32,
              in = b < sides->in_starts[i + 1] ? sides->in[b].other : G_MAXUINT32;
      float weight = combine (sides->rule, out <= in ? sides->out[a].weight : 0,
                              in <= out ? sides->in[b].weight : 0);

      a += out <= in;
      b += in <= out;
      if (!(weight > 0))
        continue;
      if (links != NULL)
        {
          links->others[at + n] = MIN (out, in);
          links->weights[at + n] = weight;
        }
      n++;
    }
  return n;
}

SondeLinks *
sonde_links_new (const SondeNearestTable *nearest, const float *weights, SondeLinksRule rule,
                 GError **error)
{
  g_autoptr (SondeLinks) links = g_new0 (SondeLinks, 1);
  g_auto (Sides) sides = { .nearest = nearest, .rule = rule };

  links->n = nearest->n;
  links->starts = g_new0 (gsize, nearest->n + 1);
  if (!sides_init (&sides, weights, error))
    return NULL;
  for (gsize i = 0; i < nearest->n; i++)
    links->starts[i + 1] = links->starts[i] + merge_row (&sides, i, NULL, 0);
  links->others = g_try_new (guint32, MAX (links->starts[nearest->n], 1));
  links->weights = g_try_new (float, MAX (links->starts[nearest->n], 1));
  if (links->others == NULL || links->weights == NULL)
    return fail (nearest->n, error), NULL;
  for (gsize i = 0; i < nearest->n; i++)
    merge_row (&sides, i, links, links->starts[i]);
  return g_steal_pointer (&links);
}

void
sonde_links_free (SondeLinks *links)
{
  if (links == NULL)
    return;
  g_free (links->starts);
  g_free (links->others);
  g_free (links->weights);
  g_free (links);
}

double
sonde_links_sum (const SondeLinks *links)
{
  double sum = 0;

  for (gsize i = 0; i < links->starts[links->n]; i++)
    sum += (double) links->weights[i];
  return sum;
}

gboolean
sonde_links_is_connected (const SondeLinks *links)
{
  g_autofree guint32 *queue = g_new (guint32, links->n);
  g_autofree gboolean *seen = g_new0 (gboolean, links->n);
  gsize n_seen = 1;

  queue[0] = 0;
  seen[0] = TRUE;
  for (gsize at = 0; at < n_seen; at++)
    for (gsize e = links->starts[queue[at]]; e < links->starts[queue[at] + 1]; e++)
      if (!seen[links->others[e]])
        {
          seen[links->others[e]] = TRUE;
          queue[n_seen++] = links->others[e];
        }
  return n_seen == links->n;
}
