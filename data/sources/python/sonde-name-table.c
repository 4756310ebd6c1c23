/* SPDX-License-Identifier: Apache-2.0
 * Open addressing over the texts' hashes; the texts lie in a chunk. */
#include "data/sources/python/sonde-name-table.h"

#include <string.h>

typedef struct
{
  const char *text;
  guint32 length, hash;
} Name;

struct _SondeNameTable
{
  GStringChunk *texts;
  GArray *names;    /* of Name */
  guint32 *buckets; /* number + 1; 0 is free */
  guint32 mask;
};

#define FIRST_BUCKETS 4096

SondeNameTable *
sonde_name_table_new (void)
{
  SondeNameTable *table = g_new0 (SondeNameTable, 1);

  table->texts = g_string_chunk_new (16384);
  table->names = g_array_new (FALSE, FALSE, sizeof (Name));
  table->buckets = g_new0 (guint32, FIRST_BUCKETS);
  table->mask = FIRST_BUCKETS - 1;
  return table;
}

void
sonde_name_table_free (SondeNameTable *table)
{
  if (table == NULL)
    return;
  g_string_chunk_free (table->texts);
  g_array_unref (table->names);
  g_free (table->buckets);
  g_free (table);
}

/* FNV-1a */
static guint32
hash_bytes (const char *text, gsize length)
{
  guint32 hash = 2166136261u;

  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guint8) text[i]) * 16777619u;
  return hash;
}

/* The bucket that holds the text, or the free one where it would be. */
static guint32 *
find_bucket (const SondeNameTable *table, const char *text, gsize length, guint32 hash)
{
  for (guint32 i = hash & table->mask;; i = (i + 1) & table->mask)
    {
      guint32 *bucket = &table->buckets[i];
      const Name *name;

      if (*bucket == 0)
        return bucket;
      name = &g_array_index (table->names, Name, *bucket - 1);
      if (name->hash == hash && name->length == length && memcmp (name->text, text, length) == 0)
        return bucket;
    }
}

static void
grow (SondeNameTable *table)
{
  guint32 n_buckets = (table->mask + 1) * 2;

  g_free (table->buckets);
  table->buckets = g_new0 (guint32, n_buckets);
  table->mask = n_buckets - 1;
  for (guint i = 0; i < table->names->len; i++)
    {
      const Name *name = &g_array_index (table->names, Name, i);

      *find_bucket (table, name->text, name->length, name->hash) = i + 1;
    }
}

guint32
sonde_name_table_add (SondeNameTable *table, const char *text, gsize length)
{
  guint32 hash = hash_bytes (text, length);
  guint32 *bucket = find_bucket (table, text, length, hash);
  Name name;

  if (*bucket != 0)
    return *bucket - 1;
  name.text = g_string_chunk_insert_len (table->texts, text, (gssize) length);
  name.length = (guint32) length;
  name.hash = hash;
  g_array_append_val (table->names, name);
  *bucket = table->names->len;
  if (table->names->len > table->mask / 2)
    grow (table);
  return table->names->len - 1;
}

guint32
sonde_name_table_add_text (SondeNameTable *table, const char *text)
{
  return sonde_name_table_add (table, text, strlen (text));
}

guint32
sonde_name_table_find (const SondeNameTable *table, const char *text, gsize length)
{
  guint32 bucket = *find_bucket (table, text, length, hash_bytes (text, length));

  return bucket == 0 ? SONDE_NO_NAME : bucket - 1;
}

const char *
sonde_name_table_get (const SondeNameTable *table, guint32 name)
{
  return g_array_index (table->names, Name, name).text;
}
