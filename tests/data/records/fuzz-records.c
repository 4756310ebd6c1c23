/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for framing and decoding. Built by gcc it replays the files named on the command line
 * (a test); with clang -fsanitize=fuzzer -DSONDE_LIBFUZZER it is a libFuzzer target (scripts/fuzz).
 *
 * First byte of the input: 0 the rest is a file; else the rest is cut into payloads of up to that
 * many bytes, which are framed with right checksums, so that the fuzzer gets behind them. */
#include "data/records/sonde-record-reader.h"
#include "tests/data/records/memory-io.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

/* Reads all frames, the tail included. @offsets: appended to when empty, else compared. Every byte
 * must be in a frame or a damaged stretch. */
static void
read_frames (const guint8 *data, gsize length, gsize max_bytes, GArray *offsets)
{
  MemoryIo memory;
  g_autoptr (SondeFrameReader) reader = NULL;
  const gboolean compare = offsets->len > 0;
  const guint8 *payload;
  gsize bytes;
  guint64 offset, sum = 0;
  guint n = 0;

  memory_io_init (&memory, data, length, max_bytes);
  reader = sonde_frame_reader_open (&memory.io, "memory", 0, NULL);
  g_assert (reader != NULL);
  for (guint pass = 0; pass < 2; pass++)
    {
      while (sonde_frame_reader_next (reader, &payload, &bytes, &offset, NULL)
             == SONDE_FRAME_RECORD)
        {
          if (!compare)
            g_array_append_val (offsets, offset);
          g_assert (n < offsets->len && g_array_index (offsets, guint64, n) == offset);
          n++;
          sum += bytes + SONDE_FRAME_OVERHEAD_BYTES;
        }
      sonde_frame_reader_finish (reader);
    }
  for (guint i = 0; i < sonde_frame_reader_get_damage (reader)->len; i++)
    sum += ((SondeFrameDamage *) sonde_frame_reader_get_damage (reader)->pdata[i])->bytes;
  g_assert (sum == length);
  g_assert (n == offsets->len);
}

/* What was decoded is encoded to something that decodes again. */
static void
decode_payload (const guint8 *payload, gsize length, SondeTagTable *table)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (SondeTagTable) written = sonde_tag_table_new ();
  g_autoptr (SondeTagTable) read = sonde_tag_table_new ();
  SondeRecord record, again;

  if (!sonde_record_decode (payload, length, table, &record, NULL))
    return;
  if (record.kind != SONDE_RECORD_UNKNOWN)
    {
      sonde_record_encode (&record, written, bytes);
      g_assert (sonde_record_decode (bytes->data, bytes->len, read, &again, NULL));
      g_assert (again.kind == record.kind && again.step == record.step);
      g_assert (g_strcmp0 (again.tag, record.tag) == 0);
      sonde_record_clear (&again);
    }
  sonde_record_clear (&record);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autoptr (GByteArray) framed = g_byte_array_new ();
  g_autoptr (SondeTagTable) table = sonde_tag_table_new ();
  gsize part;

  if (length == 0)
    return 0;
  part = data[0];
  if (part == 0)
    {
      read_frames (data + 1, length - 1, G_MAXSIZE, offsets);
      read_frames (data + 1, length - 1, 3, offsets);
      return 0;
    }
  for (gsize at = 1; at < length; at += part)
    {
      gsize bytes = part == 255 ? length - 1 : MIN (part, length - at);

      sonde_frame_append (framed, data + at, bytes);
      decode_payload (data + at, bytes, table);
      if (part == 255)
        break;
    }
  read_frames (framed->data, framed->len, 7, offsets);
  return 0;
}

#ifndef SONDE_LIBFUZZER
static int
replay (const char *path)
{
  g_autofree char *data = NULL;
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  gsize length;
  int n = 0;

  if (dir == NULL)
    {
      if (!g_file_get_contents (path, &data, &length, NULL))
        return 0;
      LLVMFuzzerTestOneInput ((const guint8 *) data, length);
      return 1;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      n += replay (child);
    }
  return n;
}

int
main (int argc, char *argv[])
{
  int n = 0;

  for (int i = 1; i < argc; i++)
    n += replay (argv[i]);
  g_print ("1..1\n%s 1 - /data/records/fuzz-corpus # %d inputs\n", n > 0 ? "ok" : "not ok", n);
  return n > 0 ? 0 : 1;
}
#endif
