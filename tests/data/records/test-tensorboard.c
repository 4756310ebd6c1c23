/* SPDX-License-Identifier: Apache-2.0
 * TensorBoard's payloads that the samples do not have: kinds of newer writers, values whose
 * metadata came earlier, restarts, and bytes that are wrong. */
#include "data/records/sonde-record-format.h"

#include <glib/gstdio.h>
#include <math.h>

#include "data/base/sonde-error.h"
#include "tests/data/records/wire-writer.h"

static const SondeRecordFormat *const format = &sonde_record_format_tensorboard;

typedef struct
{
  SondeRecordDecoder *decoder;
  SondeRecordBatch batch;
  guint64 offset;
} Scan;

static void
scan_init (Scan *scan)
{
  scan->decoder = format->decoder_new (NULL, 0);
  sonde_record_batch_init (&scan->batch);
  scan->offset = 0;
}

static void
scan_clear (Scan *scan)
{
  format->decoder_free (scan->decoder);
  sonde_record_batch_clear (&scan->batch);
}

/* The decoder of somebody who goes on with the tags only. */
static void
scan_resume (Scan *scan)
{
  SondeRecordDecoder *next = format->decoder_new (
      (const SondeRecordTag *) scan->decoder->tags->data, scan->decoder->tags->len);

  next->session = scan->decoder->session;
  format->decoder_free (scan->decoder);
  scan->decoder = next;
}

static void
scan_payload (Scan *scan, GByteArray *payload)
{
  g_autoptr (GError) error = NULL;

  sonde_record_batch_empty (&scan->batch);
  g_assert_true (format->scan (scan->decoder, payload->data, payload->len, scan->offset,
                               &scan->batch, &error));
  g_assert_no_error (error);
  scan->offset += payload->len + 16;
}

static const SondeRecordRef *
ref_at (Scan *scan, guint i)
{
  g_assert_cmpuint (i, <, scan->batch.refs->len);
  return &g_array_index (scan->batch.refs, SondeRecordRef, i);
}

/* Record @i of the last batch, kind checked; FALSE and no error checked when @fails. */
static void
read_ref (Scan *scan, GByteArray *payload, guint i, SondeRecordKind kind, SondeRecord *record)
{
  g_autoptr (GError) error = NULL;
  const SondeRecordRef *ref = ref_at (scan, i);

  g_assert_cmpint (ref->kind, ==, kind);
  g_assert_true (format->read (scan->decoder, payload->data, payload->len,
                               sonde_record_place_part (ref->place), record, &error));
  g_assert_no_error (error);
  g_assert_cmpint (record->kind, ==, kind);
}

/* ---- building ------------------------------------------------------------ */

/* (transfer full) @content */
static GByteArray *
make_event (gint64 step, guint field, GByteArray *content)
{
  GByteArray *event = g_byte_array_new ();

  wire_double (event, 1, 1700000000.25);
  wire_number (event, 2, (guint64) step);
  wire_message (event, field, content);
  return event;
}

/* A summary of one value: (transfer full) @content in @form, with metadata of @plugin
 * (nullable). */
static GByteArray *
make_summary (gint64 step, const char *tag, guint form, GByteArray *content, const char *plugin,
              const char *plugin_content)
{
  GByteArray *summary = g_byte_array_new (), *value = g_byte_array_new ();

  wire_text (value, 1, tag);
  if (content != NULL)
    wire_message (value, form, content);
  if (plugin != NULL)
    {
      GByteArray *metadata = g_byte_array_new (), *data = g_byte_array_new ();

      wire_text (data, 1, plugin);
      if (plugin_content != NULL)
        wire_text (data, 2, plugin_content);
      wire_message (metadata, 1, data);
      wire_message (value, 9, metadata);
    }
  wire_message (summary, 1, value);
  return make_event (step, 5, summary);
}

static GByteArray *
make_tensor (guint dtype, guint rank, const gint64 *dims)
{
  GByteArray *tensor = g_byte_array_new (), *shape = g_byte_array_new ();

  wire_number (tensor, 1, dtype);
  for (guint i = 0; i < rank; i++)
    {
      GByteArray *dim = g_byte_array_new ();

      wire_number (dim, 1, (guint64) dims[i]);
      wire_message (shape, 2, dim);
    }
  wire_message (tensor, 2, shape);
  return tensor;
}

static const char wav[]
    = "RIFF\x2c\0\0\0WAVEfmt "
      "\x10\0\0\0\1\0\2\0\x40\x1f\0\0\0\x7d\0\0\4\0\x10\0data\x08\0\0\0abcdefgh";

/* ---- kinds --------------------------------------------------------------- */

static void
test_audio_tensor (void)
{
  GByteArray *tensor = make_tensor (7, 2, (const gint64[]){ 2, 2 });
  g_autoptr (GByteArray) payload = NULL, again = NULL;
  SondeRecord record;
  Scan scan;

  for (guint i = 0; i < 2; i++)
    {
      wire_bytes (tensor, 8, wav, sizeof wav - 1);
      wire_text (tensor, 8, i == 0 ? "first" : "second");
    }
  g_byte_array_ref (tensor);
  payload = make_summary (3, "sound", 8, tensor, "audio", NULL);
  again = make_summary (4, "sound", 8, tensor, NULL, NULL);
  scan_init (&scan);
  scan_payload (&scan, payload);
  g_assert_cmpuint (scan.batch.refs->len, ==, 2);
  g_assert_false (ref_at (&scan, 0)->same);
  g_assert_true (ref_at (&scan, 1)->same);
  read_ref (&scan, payload, 1, SONDE_RECORD_AUDIO, &record);
  g_assert_cmpstr (record.u.audio.label, ==, "second");
  g_assert_cmpstr (record.u.audio.content_type, ==, "audio/wav");
  g_assert_cmpint (record.u.audio.index, ==, 1);
  g_assert_cmpint (record.u.audio.n_channels, ==, 2);
  g_assert_cmpint (record.u.audio.n_frames, ==, 2);
  g_assert_cmpfloat (record.u.audio.sample_rate, ==, 8000);
  g_assert_cmpuint (g_bytes_get_size (record.u.audio.encoded), ==, sizeof wav - 1);
  sonde_record_clear (&record);
  scan_resume (&scan);
  scan_payload (&scan, again);
  read_ref (&scan, again, 0, SONDE_RECORD_AUDIO, &record);
  g_assert_cmpstr (record.u.audio.label, ==, "first");
  sonde_record_clear (&record);
  scan_clear (&scan);
}

/* The metadata of a mesh come once; its later values know their part by the state of the tag. */
static void
test_mesh_later (void)
{
  GByteArray *tensor = make_tensor (1, 3, (const gint64[]){ 1, 1, 3 });
  g_autoptr (GByteArray) first = NULL, second = NULL;
  SondeRecord record;
  Scan scan;

  for (guint i = 0; i < 3; i++)
    wire_float (tensor, 5, (float) i);
  g_byte_array_ref (tensor);
  first = make_summary (0, "m_VERTEX", 8, tensor, "mesh", "\x12\1m\x18\1\x2a\2{}");
  second = make_summary (1, "m_VERTEX", 8, tensor, NULL, NULL);
  scan_init (&scan);
  scan_payload (&scan, first);
  scan_resume (&scan);
  scan_payload (&scan, second);
  read_ref (&scan, second, 0, SONDE_RECORD_MESH, &record);
  g_assert_cmpstr (record.u.mesh.name, ==, "m");
  g_assert_cmpstr (record.u.mesh.settings, ==, "{}");
  g_assert_cmpint (record.u.mesh.part, ==, SONDE_MESH_VERTEX);
  g_assert_cmpfloat (sonde_tensor_get_double (record.u.mesh.values, 2), ==, 2);
  sonde_record_clear (&record);
  scan_clear (&scan);
}

static void
test_unknown_plugin (void)
{
  GByteArray *tensor = make_tensor (1, 1, (const gint64[]){ 2 });
  g_autoptr (GByteArray) payload = NULL, later = NULL;
  SondeRecord record;
  Scan scan;

  wire_float (tensor, 5, 1);
  wire_float (tensor, 5, 2);
  g_byte_array_ref (tensor);
  payload = make_summary (0, "what", 8, tensor, "some:body's", "secret");
  later = make_summary (1, "what", 8, tensor, NULL, NULL);
  scan_init (&scan);
  for (guint i = 0; i < 2; i++)
    {
      GByteArray *bytes = i == 0 ? payload : later;

      scan_payload (&scan, bytes);
      read_ref (&scan, bytes, 0, SONDE_RECORD_OTHER, &record);
      g_assert_cmpstr (record.u.other.plugin, ==, "some:body's");
      g_assert_cmpmem (g_bytes_get_data (record.u.other.content, NULL),
                       g_bytes_get_size (record.u.other.content), "secret", 6);
      g_assert_cmpint (sonde_tensor_n_elements (record.u.other.tensor), ==, 2);
      g_assert_cmpuint (record.u.other.bytes, >, 6);
      sonde_record_clear (&record);
      scan_resume (&scan);
    }
  scan_clear (&scan);
}

/* Without metadata the form of the tensor tells. */
static void
test_guesses (void)
{
  static const struct
  {
    guint rank;
    gint64 dims[2];
    gboolean text;
    SondeRecordKind kind; /* SCALARS is a point */
  } rows[] = {
    { 0, { 0 }, FALSE, SONDE_RECORD_SCALARS },      { 1, { 1 }, FALSE, SONDE_RECORD_SCALARS },
    { 2, { 4, 3 }, FALSE, SONDE_RECORD_HISTOGRAM }, { 2, { 6, 5 }, FALSE, SONDE_RECORD_PR_CURVE },
    { 2, { 4, 4 }, FALSE, SONDE_RECORD_TENSOR },    { 0, { 0 }, TRUE, SONDE_RECORD_TEXT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GByteArray *tensor = make_tensor (rows[i].text ? 7 : 1, rows[i].rank, rows[i].dims);
      g_autoptr (GByteArray) payload = NULL;
      Scan scan;

      if (rows[i].text)
        wire_text (tensor, 8, "hello");
      else
        wire_float (tensor, 5, 0.5f);
      payload = make_summary (0, "t", 8, tensor, NULL, NULL);
      scan_init (&scan);
      scan_payload (&scan, payload);
      g_assert_cmpuint (scan.batch.n_points, ==, rows[i].kind == SONDE_RECORD_SCALARS);
      if (rows[i].kind == SONDE_RECORD_SCALARS)
        g_assert_cmpfloat (scan.batch.values[0], ==, 0.5);
      else
        g_assert_cmpint (ref_at (&scan, 0)->kind, ==, rows[i].kind);
      scan_clear (&scan);
    }
}

/* What is no summary: starts, messages, the graph in a MetaGraphDef. */
static void
test_events (void)
{
  GByteArray *start = g_byte_array_new (), *message = g_byte_array_new (),
             *meta = g_byte_array_new (), *graph = g_byte_array_new (), *node = g_byte_array_new (),
             *number = g_byte_array_new ();
  g_autoptr (GByteArray) starts = NULL, says = NULL, has_graph = NULL, point = NULL;
  SondeRecord record;
  Scan scan;

  wire_number (start, 1, 1);
  wire_text (start, 3, "again");
  starts = make_event (7, 7, start);
  wire_number (message, 1, 20);
  wire_text (message, 2, "hello");
  says = make_event (8, 6, message);
  wire_text (node, 1, "n");
  wire_text (node, 2, "NoOp");
  wire_message (graph, 1, node);
  wire_message (meta, 2, graph);
  has_graph = make_event (0, 9, meta);
  wire_text (number, 1, "x");
  wire_float (number, 2, 1);
  {
    GByteArray *summary = g_byte_array_new ();

    wire_message (summary, 1, number);
    point = make_event (5, 5, summary);
  }

  scan_init (&scan);
  scan_payload (&scan, starts); /* the first is no restart */
  g_assert_cmpuint (ref_at (&scan, 0)->session, ==, 1);
  scan_payload (&scan, point);
  scan_payload (&scan, starts);
  read_ref (&scan, starts, 0, SONDE_RECORD_SESSION_LOG, &record);
  g_assert_cmpint (record.u.session_log.status, ==, 1);
  g_assert_cmpstr (record.u.session_log.message, ==, "again");
  g_assert_null (record.u.session_log.checkpoint);
  sonde_record_clear (&record);
  scan_payload (&scan, point);
  g_assert_cmpuint (scan.batch.sessions[0], ==, 2);
  scan_payload (&scan, says);
  read_ref (&scan, says, 0, SONDE_RECORD_TEXT, &record);
  g_assert_cmpstr (record.u.text, ==, "hello");
  sonde_record_clear (&record);
  scan_payload (&scan, has_graph);
  read_ref (&scan, has_graph, 0, SONDE_RECORD_GRAPH, &record);
  g_assert_nonnull (sonde_graph_find_node (record.u.graph.graph, "n"));
  sonde_record_clear (&record);
  scan_clear (&scan);
}

/* Names are bytes: what differs behind a NUL stays two, none is lost. */
static void
test_names (void)
{
  static const struct
  {
    const char *bytes;
    gsize length;
    const char *shown;
  } names[] = {
    { "a\0b", 3, "a\\0b" }, { "a\0c", 3, "a\\0c" }, { "", 0, "" }, { "\xff\xfe", 2, "\xff\xfe" }
  };
  Scan scan;

  scan_init (&scan);
  for (guint round = 0; round < 3; round++)
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      {
        GByteArray *value = g_byte_array_new (), *summary = g_byte_array_new ();
        g_autoptr (GByteArray) payload = NULL;

        wire_bytes (value, 1, names[i].bytes, names[i].length);
        wire_float (value, 2, (float) i);
        wire_message (summary, 1, value);
        payload = make_event (0, 5, summary);
        scan_payload (&scan, payload);
        g_assert_cmpuint (scan.batch.tags[0], ==, i);
        g_assert_cmpstr (g_array_index (scan.decoder->tags, SondeRecordTag, i).name, ==,
                         names[i].shown);
        if (round == 1)
          scan_resume (&scan);
      }
  g_assert_cmpuint (scan.decoder->tags->len, ==, G_N_ELEMENTS (names));
  scan_clear (&scan);
}

/* Times and steps at their ends; a time that is none is 0, the record stays. */
static void
test_times (void)
{
  static const struct
  {
    double seconds;
    gint64 ns;
  } times[] = {
    { 1700000000.25, G_GINT64_CONSTANT (1700000000250000000) },
    { -1.5, G_GINT64_CONSTANT (-1500000000) },
    { 0, 0 },
    { NAN, 0 },
    { INFINITY, 0 },
    { 1e300, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      g_autoptr (GByteArray) event = g_byte_array_new ();
      GByteArray *summary = g_byte_array_new (), *value = g_byte_array_new ();
      Scan scan;

      wire_float (value, 2, NAN);
      wire_text (value, 1, "x");
      wire_message (summary, 1, value);
      wire_message (event, 5, summary);
      wire_number (event, 2, (guint64) G_MININT64);
      wire_double (event, 1, times[i].seconds);
      scan_init (&scan);
      scan_payload (&scan, event);
      g_assert_cmpint (scan.batch.walls[0], ==, times[i].ns);
      g_assert_cmpint (scan.batch.steps[0], ==, G_MININT64);
      g_assert_true (isnan (scan.batch.values[0]));
      scan_clear (&scan);
    }
}

/* ---- wrong bytes --------------------------------------------------------- */

static void
assert_refused (GByteArray *payload, int code)
{
  g_autoptr (GError) error = NULL;
  Scan scan;

  scan_init (&scan);
  g_assert_false (format->scan (scan.decoder, payload->data, payload->len, 0, &scan.batch, &error));
  g_assert_error (error, SONDE_DATA_ERROR, code);
  g_assert_cmpuint (scan.batch.n_points + scan.batch.refs->len, ==, 0);
  scan_clear (&scan);
}

static void
test_wrong_wire (void)
{
  g_autoptr (GByteArray) step = g_byte_array_new (), group = g_byte_array_new (),
                         many = g_byte_array_new (), long_varint = g_byte_array_new ();
  GByteArray *value = g_byte_array_new (), *summary = g_byte_array_new (), *tensor;
  g_autoptr (GByteArray) second = NULL, packed = NULL;

  wire_text (step, 2, "seven");
  assert_refused (step, SONDE_DATA_ERROR_DAMAGED);
  wire_varint (group, 11 << 3 | 3);
  assert_refused (group, SONDE_DATA_ERROR_DAMAGED);
  for (guint i = 0; i < 65; i++)
    wire_text (many, 5, "");
  assert_refused (many, SONDE_DATA_ERROR_LIMIT);
  g_byte_array_append (long_varint,
                       (const guint8 *) "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 12);
  assert_refused (long_varint, SONDE_DATA_ERROR_DAMAGED);

  /* a good point, then a bad one: nothing stays */
  wire_text (value, 1, "x");
  wire_float (value, 2, 1);
  wire_bytes (summary, 1, value->data, value->len);
  g_byte_array_unref (value);
  value = g_byte_array_new ();
  wire_number (value, 1, 3);
  wire_message (summary, 1, value);
  second = make_event (0, 5, summary);
  assert_refused (second, SONDE_DATA_ERROR_DAMAGED);

  /* packed doubles of seven bytes */
  tensor = make_tensor (2, 0, NULL);
  wire_bytes (tensor, 6, "1234567", 7);
  packed = make_summary (0, "x", 8, tensor, NULL, NULL);
  assert_refused (packed, SONDE_DATA_ERROR_DAMAGED);
}

/* One bad histogram is listed and refused when it is asked for; its neighbours are not lost. */
static void
test_bad_histograms (void)
{
  static const struct
  {
    guint n_limits, n_counts;
    double limits[3], counts[3];
    gboolean right;
  } rows[] = {
    { 3, 3, { 1, 2, 3 }, { 1, 0, 2 }, TRUE },    { 3, 2, { 1, 2, 3 }, { 1, 1, 0 }, FALSE },
    { 3, 3, { 1, 3, 2 }, { 1, 1, 1 }, FALSE },   { 3, 3, { 1, 2, NAN }, { 1, 1, 1 }, FALSE },
    { 3, 3, { 1, 2, 3 }, { 1, -1, 1 }, FALSE },  { 3, 3, { 1, 1, 1 }, { 0, 0, 0 }, TRUE },
    { 3, 3, { 1, 2, 3 }, { 1, NAN, 1 }, FALSE }, { 0, 0, { 0 }, { 0 }, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GByteArray *histogram = g_byte_array_new ();
      g_autoptr (GByteArray) payload = NULL;
      g_autoptr (GError) error = NULL;
      SondeRecord record;
      Scan scan;

      wire_double (histogram, 1, 0.5);
      wire_double (histogram, 2, 2.5);
      wire_bytes (histogram, 6, rows[i].limits, rows[i].n_limits * sizeof (double));
      for (guint k = 0; k < rows[i].n_counts; k++)
        wire_double (histogram, 7, rows[i].counts[k]);
      payload = make_summary (0, "h", 5, histogram, NULL, NULL);
      scan_init (&scan);
      scan_payload (&scan, payload);
      g_assert_cmpint (ref_at (&scan, 0)->kind, ==, SONDE_RECORD_HISTOGRAM);
      g_assert_true (format->read (scan.decoder, payload->data, payload->len, 0, &record, &error)
                     == rows[i].right);
      g_assert_true ((error == NULL) == rows[i].right);
      if (i == 0)
        {
          g_assert_cmpuint (record.u.bins->n, ==, 3);
          g_assert_cmpfloat (record.u.bins->lefts[0], ==, 0.5);
          g_assert_cmpfloat (record.u.bins->rights[2], ==, 2.5);
        }
      if (rows[i].right)
        sonde_record_clear (&record);
      scan_clear (&scan);
    }
}

/* Whatever is cut off or flipped: an error or a record, never more than was there. */
static void
test_cut_and_flipped (void)
{
  GByteArray *tensor = make_tensor (7, 1, (const gint64[]){ 3 });
  g_autoptr (GByteArray) payload = NULL;
  guint n_damaged = 0;

  wire_text (tensor, 8, "2");
  wire_text (tensor, 8, "1");
  wire_text (tensor, 8, "\x89PNG no picture but long enough");
  payload = make_summary (9, "p", 8, tensor, "images", "\x08\1");
  for (gsize n = 0; n < payload->len + 8 * payload->len; n++)
    {
      gsize length = n < payload->len ? n : payload->len, bit = n - payload->len;
      g_autofree guint8 *bytes = g_memdup2 (payload->data, length);
      g_autoptr (GError) error = NULL;
      Scan scan;

      if (n >= payload->len)
        bytes[bit / 8] ^= (guint8) (1 << bit % 8);
      scan_init (&scan);
      if (!format->scan (scan.decoder, bytes, length, 0, &scan.batch, &error))
        {
          g_assert_nonnull (error);
          g_assert_cmpuint (scan.batch.n_points + scan.batch.refs->len, ==, 0);
          n_damaged++;
        }
      for (guint i = 0; i < scan.batch.refs->len; i++)
        {
          SondeRecord record;

          if (format->read (scan.decoder, bytes, length,
                            sonde_record_place_part (ref_at (&scan, i)->place), &record, NULL))
            sonde_record_clear (&record);
        }
      scan_clear (&scan);
    }
  g_assert_cmpuint (n_damaged, >, payload->len / 2);
}

/* Files that are not understood are one record with their size. */
static void
test_assets (void)
{
  static const struct
  {
    const char *name, *tag, *plugin;
    const char *planes;
  } files[] = {
    { "host.xplane.pb", "s1/host.xplane.pb", "profile", "/host:CPU\nTask\n" },
    { "host.trace.json.gz", "s1/host.trace.json.gz", "profile", NULL },
    { "tfdbg_events.1.graphs", "s1/tfdbg_events.1.graphs", "debugger-v2", NULL },
    { "events.out.tfevents.1.host.profile-empty", NULL, NULL, NULL },
  };
  g_autofree char *base = g_dir_make_tmp ("sonde-assets-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (base, "plugins", "profile", "s1", NULL), *run = NULL;
  g_autoptr (GByteArray) space = g_byte_array_new ();

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  run = sonde_record_format_tensorboard_asset.dup_run (folder);
  g_assert_cmpstr (run, ==, base);
  for (guint i = 0; i < 2; i++)
    {
      GByteArray *plane = g_byte_array_new ();

      wire_text (plane, 2, i == 0 ? "/host:CPU" : "Task");
      wire_message (space, 1, plane);
    }
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL);
      const SondeRecordFormat *asset;
      SondeRecordBatch batch;
      SondeRecord record;
      guint64 position, n;
      gpointer source;

      g_assert_true (g_file_set_contents (path, (const char *) space->data, space->len, NULL));
      asset = sonde_record_format_find (NULL, path);
      g_assert_true (asset == &sonde_record_format_tensorboard_asset);
      sonde_record_batch_init (&batch);
      source = asset->open (NULL, path, 0, NULL, 0, NULL);
      g_assert_cmpint (asset->next (source, &batch, &position, &n, NULL, NULL), ==,
                       files[i].tag != NULL ? SONDE_FRAME_RECORD : SONDE_FRAME_WAITING);
      g_assert_cmpuint (batch.refs->len, ==, files[i].tag != NULL);
      asset->close (source);
      if (files[i].tag != NULL)
        {
          g_assert_true (sonde_record_format_read (asset, NULL, path, 0, NULL, 0, &record, NULL));
          g_assert_cmpint (record.kind, ==, SONDE_RECORD_OTHER);
          g_assert_cmpstr (record.tag, ==, files[i].tag);
          g_assert_cmpstr (record.u.other.plugin, ==, files[i].plugin);
          g_assert_cmpuint (record.u.other.bytes, ==, space->len);
          if (files[i].planes != NULL)
            g_assert_cmpmem (g_bytes_get_data (record.u.other.content, NULL),
                             g_bytes_get_size (record.u.other.content), files[i].planes,
                             strlen (files[i].planes));
          sonde_record_clear (&record);
        }
      sonde_record_batch_clear (&batch);
      g_remove (path);
    }
  for (guint i = 0; i < 4; i++)
    {
      g_rmdir (folder);
      *strrchr (folder, '/') = '\0';
    }
}

static void
test_files (void)
{
  g_assert_true (sonde_record_format_may_be ("events.out.tfevents.1795251396.host"));
  g_assert_true (sonde_record_format_may_be ("my.tfevents.v2"));
  g_assert_false (format->recognises ("events.out.tfevents.1795251396.host.profile-empty"));
  g_assert_false (sonde_record_format_may_be ("tfevent"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensorboard/audio-tensor", test_audio_tensor);
  g_test_add_func ("/tensorboard/mesh-later", test_mesh_later);
  g_test_add_func ("/tensorboard/unknown-plugin", test_unknown_plugin);
  g_test_add_func ("/tensorboard/guesses", test_guesses);
  g_test_add_func ("/tensorboard/events", test_events);
  g_test_add_func ("/tensorboard/names", test_names);
  g_test_add_func ("/tensorboard/times", test_times);
  g_test_add_func ("/tensorboard/wrong-wire", test_wrong_wire);
  g_test_add_func ("/tensorboard/bad-histograms", test_bad_histograms);
  g_test_add_func ("/tensorboard/cut-and-flipped", test_cut_and_flipped);
  g_test_add_func ("/tensorboard/assets", test_assets);
  g_test_add_func ("/tensorboard/files", test_files);
  return g_test_run ();
}
