/* SPDX-License-Identifier: Apache-2.0
 * Names of an iteration's values. */
#include "app/worker/dumps/sonde-dump-listing.h"

#include <string.h>

static void
item_clear (gpointer data)
{
  g_free (((SondeDumpItem *) data)->name);
}

static void
listing_clear (gpointer data)
{
  SondeDumpListing *listing = data;

  g_hash_table_unref (listing->by_name);
  g_array_unref (listing->items);
  g_free (listing->signature);
  listing->free_owner (listing->owner);
}

SondeDumpListing *
sonde_dump_listing_new (gpointer owner, GDestroyNotify free_owner)
{
  SondeDumpListing *listing = g_rc_box_new0 (SondeDumpListing);

  listing->owner = owner;
  listing->free_owner = free_owner;
  listing->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  listing->items = g_array_new (FALSE, FALSE, sizeof (SondeDumpItem));
  g_array_set_clear_func (listing->items, item_clear);
  return listing;
}

SondeDumpListing *
sonde_dump_listing_ref (SondeDumpListing *listing)
{
  return g_rc_box_acquire (listing);
}

void
sonde_dump_listing_unref (SondeDumpListing *listing)
{
  if (listing != NULL)
    g_rc_box_release_full (listing, listing_clear);
}

void
sonde_dump_listing_add (SondeDumpListing *listing, char *name, const SondeType *type,
                        gconstpointer item)
{
  SondeDumpItem added = { name, *type, item };

  g_array_append_val (listing->items, added);
  g_hash_table_insert (listing->by_name, name, GUINT_TO_POINTER (listing->items->len));
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
sonde_dump_listing_sign (SondeDumpListing *listing, GPtrArray *lines)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GPtrArray) sorted = g_ptr_array_copy (lines, NULL, NULL);

  g_ptr_array_set_free_func (sorted, NULL);
  g_ptr_array_sort (sorted, compare_texts);
  for (guint i = 0; i < sorted->len; i++)
    {
      const char *line = g_ptr_array_index (sorted, i);

      g_checksum_update (sum, (const guchar *) line, (gssize) strlen (line) + 1);
    }
  listing->signature = g_strdup (g_checksum_get_string (sum));
}

const SondeDumpItem *
sonde_dump_listing_find (const SondeDumpListing *listing, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (listing->by_name, name));

  return index > 0 ? &g_array_index (listing->items, SondeDumpItem, index - 1) : NULL;
}
