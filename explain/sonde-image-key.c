/* SPDX-License-Identifier: Apache-2.0
 * Keys of images, and a table of logits by them. */
#include "explain/sonde-image-key.h"

#include <string.h>
#include <xxhash.h>

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

SondeImageKey
sonde_image_key (const guint8 *bytes, gsize size)
{
  XXH128_hash_t hash = XXH3_128bits (bytes, size);

  return (SondeImageKey){ .low = hash.low64, .high = hash.high64 };
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
