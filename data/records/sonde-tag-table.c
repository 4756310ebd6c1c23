/* SPDX-License-Identifier: Apache-2.0
 * Tag name <-> small id. */
#include "data/records/sonde-tag-table-private.h"

#include "data/base/sonde-error.h"

struct _SondeTagTable
{
  GPtrArray *names; /* interned, NULL where undeclared */
  GHashTable *ids;  /* name -> id + 1 */
  gsize bytes;      /* of all names ever taken */
  SondeWireArena arena;
};

SondeTagTable *
sonde_tag_table_new (void)
{
  SondeTagTable *table = g_new0 (SondeTagTable, 1);

  table->names = g_ptr_array_new ();
  table->ids = g_hash_table_new (g_str_hash, g_str_equal);
  return table;
}

void
sonde_tag_table_free (SondeTagTable *table)
{
  if (table == NULL)
    return;
  sonde_wire_arena_clear (&table->arena);
  g_hash_table_unref (table->ids);
  g_ptr_array_unref (table->names);
  g_free (table);
}

gsize
sonde_tag_table_get_length (const SondeTagTable *table)
{
  return table->names->len;
}

void
sonde_tag_table_truncate (SondeTagTable *table, gsize length)
{
  while (table->names->len > length)
    {
      const char *name = table->names->pdata[table->names->len - 1];

      if (name != NULL)
        g_hash_table_remove (table->ids, name);
      g_ptr_array_set_size (table->names, (int) table->names->len - 1);
    }
}

guint32
sonde_tag_table_add (SondeTagTable *table, const char *name, gboolean *is_new)
{
  guint id = GPOINTER_TO_UINT (g_hash_table_lookup (table->ids, name));

  *is_new = id == 0;
  if (id == 0)
    {
      name = g_intern_string (name);
      g_ptr_array_add (table->names, (char *) name);
      id = table->names->len;
      g_hash_table_insert (table->ids, (char *) name, GUINT_TO_POINTER (id));
    }
  return id - 1;
}

gboolean
sonde_tag_table_check (guint32 id, GError **error)
{
  if (id < SONDE_TAG_TABLE_MAX_TAGS)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "tag number %u exceeds the limit of %d tags per file", id,
                   SONDE_TAG_TABLE_MAX_TAGS);
  return FALSE;
}

gboolean
sonde_tag_table_declare (SondeTagTable *table, guint32 id, const char *name, GError **error)
{
  gsize bytes = strlen (name);

  if (!sonde_tag_table_check (id, error))
    return FALSE;
  if (id < table->names->len && g_strcmp0 (table->names->pdata[id], name) == 0)
    return TRUE;
  if (bytes > SONDE_TAG_TABLE_MAX_BYTES - table->bytes)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "the tag names of this file exceed the limit of %zu bytes",
                       SONDE_TAG_TABLE_MAX_BYTES);
      return FALSE;
    }
  table->bytes += bytes;
  if (id >= table->names->len)
    g_ptr_array_set_size (table->names, (int) id + 1);
  table->names->pdata[id] = (char *) g_intern_string (name);
  g_hash_table_insert (table->ids, table->names->pdata[id], GUINT_TO_POINTER (id + 1));
  return TRUE;
}

static const char *
intern_number (guint32 id)
{
  char name[24];

  g_snprintf (name, sizeof name, "tag#%u", id);
  return g_intern_string (name);
}

const char *
sonde_tag_table_lookup (SondeTagTable *table, guint32 id, GError **error)
{
  if (id < table->names->len && table->names->pdata[id] != NULL)
    return table->names->pdata[id];
  return sonde_tag_table_check (id, error) ? intern_number (id) : NULL;
}

SondeWireArena *
sonde_tag_table_get_arena (SondeTagTable *table)
{
  return &table->arena;
}
