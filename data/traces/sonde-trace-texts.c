/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-trace-texts.h"

#include <string.h>

#include <xxhash.h>

#define FIRST_SLOTS 1024

/* Bytes that were met, and the text they stand for. */
typedef struct
{
  guint64 hash;
  const char *bytes; /* NULL: the slot is free */
  guint32 n;
  guint32 text;
} Slot;

struct _SondeTraceTexts
{
  GStringChunk *chunk;
  GPtrArray *texts; /* by number, in the chunk */
  Slot *slots;      /* open addressing; a power of two, at most half are taken */
  gsize n_slots, n_taken;
};

SondeTraceTexts *
sonde_trace_texts_new (void)
{
  SondeTraceTexts *texts = g_new0 (SondeTraceTexts, 1);

  texts->chunk = g_string_chunk_new (64 << 10);
  texts->texts = g_ptr_array_new ();
  texts->n_slots = FIRST_SLOTS;
  texts->slots = g_new0 (Slot, texts->n_slots);
  sonde_trace_texts_add (texts, "", 0);
  return texts;
}

void
sonde_trace_texts_free (SondeTraceTexts *texts)
{
  if (texts == NULL)
    return;
  g_string_chunk_free (texts->chunk);
  g_ptr_array_unref (texts->texts);
  g_free (texts->slots);
  g_free (texts);
}

static Slot *
find_slot (const SondeTraceTexts *texts, guint64 hash, const char *bytes, gsize n)
{
  gsize i = hash & (texts->n_slots - 1);

  for (;; i = (i + 1) & (texts->n_slots - 1))
    {
      Slot *slot = &texts->slots[i];

      if (slot->bytes == NULL
          || (slot->hash == hash && slot->n == n && memcmp (slot->bytes, bytes, n) == 0))
        return slot;
    }
}

static void
grow (SondeTraceTexts *texts)
{
  g_autofree Slot *old = texts->slots;
  gsize n = texts->n_slots;

  texts->n_slots *= 2;
  texts->slots = g_new0 (Slot, texts->n_slots);
  for (gsize i = 0; i < n; i++)
    if (old[i].bytes != NULL)
      *find_slot (texts, old[i].hash, old[i].bytes, old[i].n) = old[i];
}

/* Room for one more before a slot is looked for: a slot does not survive growing. */
static void
reserve (SondeTraceTexts *texts)
{
  if ((texts->n_taken + 1) * 2 > texts->n_slots)
    grow (texts);
}

static gboolean
is_whole (const char *bytes, gsize n)
{
  return n <= SONDE_TRACE_TEXT_MAX && memchr (bytes, 0, n) == NULL
         && g_utf8_validate_len (bytes, n, NULL);
}

/* How many of @n bytes to keep, so that no character is cut. */
static gsize
cut_at_character (const char *bytes, gsize n)
{
  if (n <= SONDE_TRACE_TEXT_MAX)
    return n;
  n = SONDE_TRACE_TEXT_MAX;
  for (guint i = 0; i < 3 && ((guchar) bytes[n] & 0xc0) == 0x80; i++)
    n--;
  return n;
}

static guint32
add_mended (SondeTraceTexts *texts, const char *bytes, gsize n)
{
  /* every byte that is no part of a character becomes U+FFFD, NUL too */
  g_autofree char *mended = g_utf8_make_valid (bytes, cut_at_character (bytes, n));
  gsize length = strlen (mended);

  if (length > SONDE_TRACE_TEXT_MAX)
    length = cut_at_character (mended, length);
  return sonde_trace_texts_add (texts, mended, length);
}

guint32
sonde_trace_texts_add (SondeTraceTexts *texts, const char *bytes, gsize n)
{
  guint64 hash = XXH3_64bits (bytes, n);
  Slot *slot = find_slot (texts, hash, bytes, n);
  guint32 text = texts->texts->len;

  if (slot->bytes != NULL)
    return slot->text;
  if (!is_whole (bytes, n))
    {
      text = add_mended (texts, bytes, n);
      if (n > SONDE_TRACE_TEXT_MAX)
        return text; /* not worth remembering what it came from */
    }
  reserve (texts);
  slot = find_slot (texts, hash, bytes, n);
  slot->hash = hash;
  slot->n = n;
  slot->bytes = g_string_chunk_insert_len (texts->chunk, bytes, n);
  slot->text = text;
  texts->n_taken++;
  if (text == texts->texts->len)
    g_ptr_array_add (texts->texts, (gpointer) slot->bytes);
  return text;
}

guint32
sonde_trace_texts_add_string (SondeTraceTexts *texts, const char *string)
{
  return sonde_trace_texts_add (texts, string, strlen (string));
}

const char *
sonde_trace_texts_get (const SondeTraceTexts *texts, guint32 text)
{
  return g_ptr_array_index (texts->texts, text);
}
