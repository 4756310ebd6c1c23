/* SPDX-License-Identifier: Apache-2.0
 * What is known of a file <-> bytes of a shared index. A cache of this machine: host byte order, no
 * versions (the schema number of the index is theirs too). A file that is not the same any more is
 * read again whole, so there is no anchor to see how much of it still is. */
#include "data/runs/sonde-run-shared-private.h"

#include <string.h>

#define NO_TEXT G_MAXUINT32 /* in the place of a length */

typedef struct
{
  gint64 numbers[SONDE_RUN_BATCH_NUMBERS];
  guint32 n_tags, n_damage, n_all_damage, n_segments;
} Head;

/* @name: the id of a tag whose name it has, or NO_TEXT and the name follows */
typedef struct
{
  guint64 count;
  gint64 first_step, last_step;
  guint32 kind, name, n_blocks, pad;
} Segment;

/* ---- writing ------------------------------------------------------------- */

static void
put (GByteArray *bytes, const void *data, gsize length)
{
  g_byte_array_append (bytes, data, length);
}

static void
put_text (GByteArray *bytes, const char *text)
{
  guint32 length = text ? strlen (text) : NO_TEXT;

  put (bytes, &length, sizeof length);
  if (text)
    put (bytes, text, length);
}

static void
put_damage (GByteArray *bytes, const SondeFrameDamage *damage)
{
  guint64 numbers[] = { damage->offset, damage->bytes };

  put (bytes, numbers, sizeof numbers);
  put_text (bytes, damage->reason);
}

/* The tag whose name, which is interned, @name is. */
static guint32
find_tag (const GArray *tags, const char *name)
{
  for (guint i = 0; i < tags->len; i++)
    if (g_array_index (tags, SondeRecordTag, i).name == name)
      return i;
  return NO_TEXT;
}

static void
put_segment (GByteArray *bytes, const SondeRunBatchFile *file, const SondeRunBatchSegment *segment)
{
  Segment head = {
    .count = segment->what.count,
    .first_step = segment->what.first_step,
    .last_step = segment->what.last_step,
    .kind = segment->what.kind,
    .name = find_tag (file->tags, segment->what.tag),
    .n_blocks = segment->blocks->len,
  };

  put (bytes, &head, sizeof head);
  if (head.name == NO_TEXT)
    put_text (bytes, segment->what.tag);
  for (guint i = 0; i < segment->blocks->len; i++)
    {
      const SondeRunBlock *block = g_ptr_array_index (segment->blocks, i);
      guint32 n = block->n;

      put (bytes, &n, sizeof n);
      put (bytes, &block->summary, sonde_block_summary_get_size (n));
    }
}

GByteArray *
sonde_run_shared_encode (const SondeRunBatchFile *file)
{
  GByteArray *bytes = g_byte_array_sized_new (4096);
  Head head = {
    .n_tags = file->tags->len,
    .n_damage = file->n_damage,
    .n_all_damage = file->damage->len,
    .n_segments = file->segments->len,
  };

  memcpy (head.numbers, file->numbers, sizeof head.numbers);
  put (bytes, &head, sizeof head);
  for (guint i = 0; i < file->tags->len; i++)
    {
      const SondeRecordTag *tag = &g_array_index (file->tags, SondeRecordTag, i);

      put_text (bytes, tag->name);
      put_text (bytes, tag->state);
    }
  for (guint i = 0; i < file->damage->len; i++)
    put_damage (bytes, g_ptr_array_index (file->damage, i));
  for (guint i = 0; i < file->segments->len; i++)
    put_segment (bytes, file, g_ptr_array_index (file->segments, i));
  return bytes;
}

/* ---- reading ------------------------------------------------------------- */

typedef struct
{
  const guint8 *data;
  gsize length;
  gboolean failed; /* something went past the end */
} Input;

static const void *
take (Input *input, gsize length)
{
  const guint8 *data = input->data;

  if (input->failed || input->length < length)
    {
      input->failed = TRUE;
      return NULL;
    }
  input->data += length;
  input->length -= length;
  return data;
}

static void
take_into (Input *input, void *target, gsize length)
{
  const void *data = take (input, length);

  if (data)
    memcpy (target, data, length);
  else
    memset (target, 0, length);
}

/* Returns: (transfer full) (nullable) */
static char *
take_text (Input *input)
{
  guint32 length;
  const char *bytes;

  take_into (input, &length, sizeof length);
  if (input->failed || length == NO_TEXT)
    return NULL;
  bytes = take (input, length);
  return bytes ? g_strndup (bytes, length) : NULL;
}

/* @guess: (nullable): interned; what it may well be */
static const char *
take_interned (Input *input, const char *guess)
{
  g_autofree char *text = NULL;
  guint32 length;

  if (guess && input->length > sizeof length)
    {
      memcpy (&length, input->data, sizeof length);
      if (length == strlen (guess) && length <= input->length - sizeof length
          && memcmp (input->data + sizeof length, guess, length) == 0)
        return take (input, sizeof length + length) ? guess : NULL;
    }
  text = take_text (input);
  return g_intern_string (text);
}

/* @names: as of the file before */
static void
take_tag (Input *input, GArray *tags, GPtrArray *names)
{
  guint id = tags->len;
  SondeRecordTag tag;

  if (id >= names->len)
    g_ptr_array_set_size (names, id + 1);
  tag.name = take_interned (input, names->pdata[id]);
  tag.state = take_interned (input, NULL);
  names->pdata[id] = (gpointer) tag.name;
  g_array_append_val (tags, tag);
}

static void
take_damage (Input *input, GPtrArray *list)
{
  SondeFrameDamage *damage = g_new0 (SondeFrameDamage, 1);
  guint64 numbers[2];

  take_into (input, numbers, sizeof numbers);
  damage->offset = numbers[0];
  damage->bytes = numbers[1];
  damage->reason = take_text (input);
  if (!damage->reason)
    damage->reason = g_strdup ("");
  g_ptr_array_add (list, damage);
}

/* Block number segment->n_full. */
static void
take_block (Input *input, SondeRunFileReader *file, SondeRunSegment *segment, gint64 row)
{
  g_autoptr (SondeRunBlock) block = NULL;
  SondeBlockSummary summary = { 0 };
  guint32 n;

  take_into (input, &n, sizeof n);
  input->failed |= n < 1 || n > SONDE_BLOCK_POINTS || segment->n_tail > 0;
  if (input->failed)
    return;
  take_into (input, &summary, sonde_block_summary_get_size (n));
  input->failed |= !sonde_block_summary_has_points (&summary, n);
  if (input->failed)
    return;
  block = sonde_run_block_new (segment->n_full, n, NULL, &summary, row, n);
  sonde_run_file_reader_send_block (file, segment, block);
  if (n == SONDE_BLOCK_POINTS)
    segment->n_full++;
  else
    sonde_run_segment_set_saved_tail (segment, block);
}

/* Returns: the row behind those of its blocks */
static gint64
take_segment (Input *input, SondeRunFileReader *file, gint64 row)
{
  SondeRunSegment *segment;
  const char *tag = NULL;
  Segment head;

  take_into (input, &head, sizeof head);
  if (head.name == NO_TEXT)
    tag = take_interned (input, NULL);
  else if (head.name < file->tags->len)
    tag = g_array_index (file->tags, SondeRecordTag, head.name).name;
  input->failed |= !tag;
  if (input->failed)
    return row;
  segment = sonde_run_file_reader_add_segment (file, tag, head.kind);
  segment->what.count = head.count;
  segment->what.first_step = head.first_step;
  segment->what.last_step = head.last_step;
  for (guint i = 0; i < head.n_blocks && !input->failed; i++)
    take_block (input, file, segment, row++);
  return row;
}

gboolean
sonde_run_shared_decode (SondeRunFileReader *file, gint64 first_block, const guint8 *data,
                         gsize length, GPtrArray *names)
{
  Input input = { data, length, FALSE };
  gint64 row = first_block;
  Head head;

  take_into (&input, &head, sizeof head);
  if (input.failed || head.n_damage > head.n_all_damage)
    return FALSE;
  sonde_run_batch_restore_numbers (file, head.numbers);
  for (guint i = 0; i < head.n_tags && !input.failed; i++)
    take_tag (&input, file->tags, names);
  for (guint i = 0; i < head.n_all_damage && !input.failed; i++)
    take_damage (&input, i < head.n_damage ? file->damage : file->tail_damage);
  for (guint i = 0; i < head.n_segments && !input.failed; i++)
    row = take_segment (&input, file, row);
  return !input.failed && input.length == 0 && sonde_run_file_reader_is_plausible (file);
}
