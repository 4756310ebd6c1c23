/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for MindSpore's messages and files and for CSV. Built by gcc it replays the files
 * named on the command line (a test); with clang -fsanitize=fuzzer -DSONDE_LIBFUZZER it is a
 * libFuzzer target.
 *
 * First byte of the input: 0 an event's payload, 1 a lineage event's; from 2 on a file of
 * names[]. */
#include "data/records/sonde-record-format.h"
#include "tests/data/records/memory-io.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

/* Whose bytes, and what the name says of them. */
static const char *const names[] = {
  "/metrics.csv",
  "/rank_0/net/0/1/statistic.csv",
  "/rank_0/graphs/ms_output_graph_0.pb",
  "/rank_0/net/0/1/Add.Default_Add-op0.1.2.1700000000000001",
  "/rank_0/net/0/1/Add.Default_Add-op0.1.2.1700000000000001.output.0.DefaultFormat.npy",
  "/data_dump.json",
  "/ckpt_dir/net_1_step.ckpt",
};

#define N_PAYLOADS 2

static void
read_payload (const SondeRecordFormat *format, const guint8 *payload, gsize length)
{
  SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
  SondeRecordBatch batch;

  sonde_record_batch_init (&batch);
  if (!format->scan (decoder, payload, length, 0, &batch, NULL))
    g_assert (batch.n_points == 0 && batch.refs->len == 0);
  for (guint i = 0; i < MIN (batch.refs->len, 100); i++)
    {
      const SondeRecordRef *ref = &g_array_index (batch.refs, SondeRecordRef, i);
      SondeRecord record;

      if (!format->read (decoder, payload, length, sonde_record_place_part (ref->place), &record,
                         NULL))
        continue;
      g_assert (record.kind == ref->kind && record.step == ref->step
                && record.wall_time_ns == ref->wall_time_ns);
      sonde_record_clear (&record);
    }
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
}

static void
read_file (const char *path, const guint8 *data, gsize length, gsize max_bytes)
{
  g_autoptr (GPtrArray) damage
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  const SondeRecordFormat *format;
  SondeRecordBatch batch;
  guint64 position = 0, n_records;
  MemoryIo memory;
  gpointer source;
  GArray *tags;

  memory_io_init (&memory, data, length, max_bytes);
  format = sonde_record_format_find (&memory.io, path);
  if (format == NULL || format->open == NULL)
    return;
  source = format->open (&memory.io, path, 0, NULL, 0, NULL);
  g_assert (source != NULL);
  sonde_record_batch_init (&batch);
  while (format->next (source, &batch, &position, &n_records, damage, NULL) == SONDE_FRAME_RECORD)
    g_assert (position <= length);
  tags = format->get_tags (source);
  for (guint i = 0; i < MIN (batch.refs->len, 100); i++)
    {
      SondeRecord record;

      if (sonde_record_format_read (format, &memory.io, path,
                                    g_array_index (batch.refs, SondeRecordRef, i).place,
                                    (const SondeRecordTag *) tags->data, tags->len, &record, NULL))
        sonde_record_clear (&record);
    }
  sonde_record_batch_clear (&batch);
  format->close (source);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  if (length == 0 || data[0] >= N_PAYLOADS + G_N_ELEMENTS (names))
    return 0;
  if (data[0] == 0)
    read_payload (&sonde_record_format_mindspore_event, data + 1, length - 1);
  else if (data[0] == 1)
    read_payload (&sonde_record_format_mindspore_lineage, data + 1, length - 1);
  else
    {
      read_file (names[data[0] - N_PAYLOADS], data + 1, length - 1, G_MAXSIZE);
      read_file (names[data[0] - N_PAYLOADS], data + 1, length - 1, 3);
    }
  return 0;
}

#ifndef SONDE_LIBFUZZER
int
main (int argc, char *argv[])
{
  g_autoptr (GDir) dir = argc == 2 ? g_dir_open (argv[1], 0, NULL) : NULL;
  const char *name;
  int n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (argv[1], name, NULL), *data = NULL;
      gsize length;

      if (!g_file_get_contents (path, &data, &length, NULL))
        continue;
      LLVMFuzzerTestOneInput ((const guint8 *) data, length);
      n++;
    }
  g_print ("1..1\n%s 1 - /data/records/fuzz-mindspore # %d inputs\n", n > 0 ? "ok" : "not ok", n);
  return n > 0 ? 0 : 1;
}
#endif
