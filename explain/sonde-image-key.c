/* SPDX-License-Identifier: Apache-2.0
 * Keys of images, and a table of logits by them. */
#include "explain/sonde-image-key.h"

#include <string.h>

#include "data/base/sonde-random.h"

guint
sonde_image_key_hash (gconstpointer key)
{
  return (guint) ((const SondeImageKey *) key)->low;
}

gboolean
sonde_image_key_equal (gconstpointer a, gconstpointer b)
{
  const SondeImageKey *one = a, *other = b;

  return one->low == other->low && one->high == other->high;
}

/* Four chains, each over every fourth word, side by side. */
SondeImageKey
sonde_image_key (const guint8 *bytes, gsize size)
{
  guint64 chains[4]
      = { 0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0xff51afd7ed558ccdu, 0x9fb21c651e98df25u };
  SondeImageKey key;

  for (gsize at = 0; at < size; at += sizeof chains)
    {
      guint64 words[4] = { 0 };

      memcpy (words, bytes + at, MIN (sizeof words, size - at));
      for (int k = 0; k < 4; k++)
        {
          chains[k] = (chains[k] ^ words[k]) * 0xbf58476d1ce4e5b9u;
          chains[k] ^= chains[k] >> 29;
        }
    }
  key.low = sonde_random_mix (sonde_random_mix (chains[0]) + sonde_random_mix (chains[1] + 1) * 3
                              + sonde_random_mix (chains[2] + 2) * 5
                              + sonde_random_mix (chains[3] + 3) * 7);
  key.high = sonde_random_mix (
      sonde_random_mix (chains[0] + 4) + sonde_random_mix (chains[1] + 5) * 11
      + sonde_random_mix (chains[2] + 6) * 13 + sonde_random_mix (chains[3] + 7) * 17);
  return key;
}

/* ---- what a network said ------------------------------------------------- */

typedef struct
{
  SondeImageKey key;
  float logits[];
} Known;

struct _SondeLogitMemo
{
  GHashTable *known; /* (element-type Known): itself -> itself */
  guint most_rows;
};

SondeLogitMemo *
sonde_logit_memo_new (guint most_rows)
{
  SondeLogitMemo *memo = g_new0 (SondeLogitMemo, 1);

  memo->known = g_hash_table_new_full (sonde_image_key_hash, sonde_image_key_equal, g_free, NULL);
  memo->most_rows = most_rows;
  return memo;
}

void
sonde_logit_memo_free (SondeLogitMemo *memo)
{
  if (memo == NULL)
    return;
  g_clear_pointer (&memo->known, g_hash_table_unref);
  g_free (memo);
}

const float *
sonde_logit_memo_find (SondeLogitMemo *memo, SondeImageKey key)
{
  const Known *known = g_hash_table_lookup (memo->known, &key);

  return known != NULL ? known->logits : NULL;
}

void
sonde_logit_memo_add (SondeLogitMemo *memo, SondeImageKey key, const float *logits, guint classes)
{
  Known *known;

  if (g_hash_table_size (memo->known) >= memo->most_rows)
    return;
  known = g_malloc (sizeof (Known) + classes * sizeof (float));
  known->key = key;
  memcpy (known->logits, logits, classes * sizeof (float));
  g_hash_table_add (memo->known, known);
}
