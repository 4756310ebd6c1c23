/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's messages that no sample has: old and rare forms, and hostile bytes. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "tests/data/records/mindspore-samples.h"

/* ---- writing messages ---------------------------------------------------- */

static void
put_varint (GByteArray *out, guint64 value)
{
  do
    {
      guint8 byte = (guint8) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

      g_byte_array_append (out, &byte, 1);
      value >>= 7;
    }
  while (value > 0);
}

static void
put_int (GByteArray *out, guint number, gint64 value)
{
  put_varint (out, number << 3);
  put_varint (out, (guint64) value);
}

static void
put_double (GByteArray *out, guint number, double value)
{
  put_varint (out, number << 3 | 1);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

static void
put_float (GByteArray *out, guint number, float value)
{
  put_varint (out, number << 3 | 5);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

static void
put_bytes (GByteArray *out, guint number, const void *data, gsize length)
{
  put_varint (out, number << 3 | 2);
  put_varint (out, length);
  g_byte_array_append (out, data, (guint) length);
}

static void
put_text (GByteArray *out, guint number, const char *text)
{
  put_bytes (out, number, text, strlen (text));
}

/* @inner is freed. */
static void
put_message (GByteArray *out, guint number, GByteArray *inner)
{
  put_bytes (out, number, inner->data, inner->len);
  g_byte_array_unref (inner);
}

/* An Event or LineageEvent with content @number, which is freed. */
static GByteArray *
make_event (guint number, GByteArray *content)
{
  GByteArray *event = g_byte_array_new ();

  put_double (event, 1, 1700000000.5);
  put_int (event, 2, 7);
  put_message (event, number, content);
  return event;
}

/* A Summary of one value with field @number. */
static GByteArray *
make_summary (const char *tag, guint number, GByteArray *content)
{
  GByteArray *summary = g_byte_array_new (), *value = g_byte_array_new ();

  put_text (value, 1, tag);
  put_message (value, number, content);
  put_message (summary, 1, value);
  return make_event (5, summary);
}

/* ---- reading them -------------------------------------------------------- */

/* Scans @event, which is freed, and reads its record number @part. FALSE with @error, of either. */
static gboolean
try_read (const SondeRecordFormat *format, GByteArray *event, guint part, SondeRecord *record,
          GError **error)
{
  SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
  SondeRecordBatch batch;
  gboolean right;

  sonde_record_batch_init (&batch);
  right = format->scan (decoder, event->data, event->len, 0, &batch, error);
  g_assert_true (right || (batch.n_points == 0 && batch.refs->len == 0));
  if (right)
    {
      g_assert_cmpuint (batch.refs->len, >, part);
      right = format->read (decoder, event->data, event->len, part, record, error);
    }
  if (right)
    g_assert_cmpint (record->kind, ==, g_array_index (batch.refs, SondeRecordRef, part).kind);
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
  g_byte_array_unref (event);
  return right;
}

static void
read_event (GByteArray *event, SondeRecord *record)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (try_read (&sonde_record_format_mindspore_event, event, 0, record, &error));
  g_assert_no_error (error);
  g_assert_cmpint (record->step, ==, 7);
  g_assert_cmpint (record->wall_time_ns, ==, 1700000000500000000);
}

static void
refuse (const SondeRecordFormat *format, GByteArray *event, const char *words)
{
  g_autoptr (GError) error = NULL;
  SondeRecord record;

  g_assert_false (try_read (format, event, 0, &record, &error));
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” says nothing of “%s”", error->message, words);
}

/* ---- tensors ------------------------------------------------------------- */

static GByteArray *
make_tensor (gint64 data_type, gint64 n, guint field, GByteArray *data)
{
  GByteArray *tensor = g_byte_array_new ();

  if (n != -1)
    put_int (tensor, 1, n);
  put_int (tensor, 2, data_type);
  if (data != NULL)
    put_message (tensor, field, data);
  return tensor;
}

static GByteArray *
bytes_of (const void *data, gsize length)
{
  return g_byte_array_append (g_byte_array_new (), data, (guint) length);
}

static void
test_tensors (void)
{
  static const float floats[] = { 1, -2 };
  static const double doubles[] = { 1, -2 };
  static const guint8 varints[] = { 1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 };
  static const gint16 raw[] = { 1, -2 };
  static const struct
  {
    gint64 data_type;
    guint field;
    const void *data;
    gsize length;
    SondeDtype dtype;
    double second;
  } cases[] = {
    { 11, 3, floats, sizeof floats, SONDE_DTYPE_F32, -2 },
    { 12, 3, floats, sizeof floats, SONDE_DTYPE_F64, -2 },
    { 2, 3, floats, sizeof floats, SONDE_DTYPE_I8, -2 },
    { 10, 3, floats, sizeof floats, SONDE_DTYPE_F16, -2 },
    { 1, 3, floats, sizeof floats, SONDE_DTYPE_BOOL, 1 },
    { 99, 3, floats, sizeof floats, SONDE_DTYPE_F32, -2 },
    { 12, 6, doubles, sizeof doubles, SONDE_DTYPE_F64, -2 },
    { 4, 4, varints, sizeof varints, SONDE_DTYPE_I32, -2 },
    { 5, 5, varints, sizeof varints, SONDE_DTYPE_I64, -2 },
    { 3, 8, raw, sizeof raw, SONDE_DTYPE_I16, -2 },
    { 9, 7, varints, sizeof varints, SONDE_DTYPE_U64, 18446744073709551614.0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gint64 n = 2; n >= -1; n -= 3) /* with dims and without */
      {
        SondeRecord record;

        if (n < 0 && cases[i].field == 8)
          continue;
        read_event (make_summary ("t", 8,
                                  make_tensor (cases[i].data_type, n, cases[i].field,
                                               bytes_of (cases[i].data, cases[i].length))),
                    &record);
        g_assert_cmpint (record.u.tensor->dtype, ==, cases[i].dtype);
        g_assert_cmpint (sonde_tensor_n_elements (record.u.tensor), ==, 2);
        g_assert_cmpfloat (sonde_tensor_get_double (record.u.tensor, 0), ==, 1);
        g_assert_cmpfloat (sonde_tensor_get_double (record.u.tensor, 1), ==, cases[i].second);
        sonde_record_clear (&record);
      }
}

static void
test_bad_tensors (void)
{
  static const float floats[] = { 1, -2 };
  const SondeRecordFormat *format = &sonde_record_format_mindspore_event;
  GByteArray *deep = make_tensor (11, 1, 3, bytes_of (floats, 4));

  refuse (format, make_summary ("t", 8, make_tensor (11, 3, 3, bytes_of (floats, 8))), "elements");
  refuse (format, make_summary ("t", 8, make_tensor (11, 0, 3, bytes_of (floats, 8))), "elements");
  refuse (format, make_summary ("t", 8, make_tensor (11, G_MAXINT64, 3, bytes_of (floats, 8))),
          "more elements than can be");
  refuse (format, make_summary ("t", 8, make_tensor (11, G_MININT64, 3, bytes_of (floats, 8))),
          "negative");
  refuse (format, make_summary ("t", 8, make_tensor (11, 2, 3, bytes_of (floats, 7))),
          "list of its type");
  refuse (format, make_summary ("t", 8, make_tensor (3, 2, 8, bytes_of (floats, 7))), "elements");
  refuse (format, make_summary ("t", 8, make_tensor (99, 2, 8, bytes_of (floats, 8))),
          "element type 99");
  refuse (format, make_summary ("t", 8, make_tensor (11, 2, 3, NULL)), "elements");
  for (guint i = 0; i < 64; i++)
    put_int (deep, 1, 1);
  refuse (format, make_summary ("t", 8, deep), "dimensions");
}

/* ---- histograms, pictures, landscapes ------------------------------------ */

static GByteArray *
make_histogram (double left, double width, gint64 count)
{
  GByteArray *histogram = g_byte_array_new (), *bucket = g_byte_array_new ();

  put_double (bucket, 1, left);
  put_double (bucket, 2, width);
  put_int (bucket, 3, count);
  put_message (histogram, 1, bucket);
  return histogram;
}

static void
test_values (void)
{
  const SondeRecordFormat *format = &sonde_record_format_mindspore_event;
  GByteArray *landscape = g_byte_array_new ();
  SondeRecord record;

  read_event (make_summary ("h", 9, make_histogram (1, 2, 3)), &record);
  g_assert_true (isnan (record.u.bins->count) && isnan (record.u.bins->min));
  g_assert_cmpfloat (record.u.bins->rights[0], ==, 3);
  sonde_record_clear (&record);
  refuse (format, make_summary ("h", 9, make_histogram (NAN, 2, 3)), "interval");
  refuse (format, make_summary ("h", 9, make_histogram (1, -1, 3)), "interval");
  refuse (format, make_summary ("h", 9, make_histogram (1, 1, -3)), "interval");
  read_event (make_summary ("i", 4, g_byte_array_new ()), &record);
  g_assert_cmpuint (g_bytes_get_size (record.u.image.encoded), ==, 0);
  sonde_record_clear (&record);
  put_int (landscape, 1, 5);
  refuse (format, make_summary ("l", 10, landscape), "wire type");
  refuse (format, make_summary ("l", 10, g_byte_array_new ()), "heights");
  read_event (make_summary ("later", 12, bytes_of ("abc", 3)), &record);
  g_assert_cmpint (record.kind, ==, SONDE_RECORD_OTHER);
  g_assert_cmpstr (record.u.other.plugin, ==, "field 12");
  g_assert_cmpuint (record.u.other.bytes, ==, 3);
  sonde_record_clear (&record);
  read_event (make_event (9, bytes_of ("abcd", 4)), &record);
  g_assert_cmpuint (record.u.other.bytes, ==, 4);
  g_assert_null (record.tag);
  sonde_record_clear (&record);
}

/* ---- tags, times, steps -------------------------------------------------- */

static void
test_odd_events (void)
{
  static const double times[] = { NAN, INFINITY, -INFINITY, 1e300, -1 };
  static const gint64 steps[] = { G_MININT64, -1, G_MAXINT64 };
  const SondeRecordFormat *format = &sonde_record_format_mindspore_event;
  SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
  SondeRecordBatch batch;

  sonde_record_batch_init (&batch);
  g_assert_true (format->scan (decoder, NULL, 0, 0, &batch, NULL)); /* an empty record */
  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (steps); k++)
      {
        g_autoptr (GByteArray) event = g_byte_array_new ();
        GByteArray *summary = g_byte_array_new (), *value = g_byte_array_new ();

        put_bytes (value, 1, "a\0b", k + 1); /* "a", "a\0", "a\0b" */
        put_float (value, 3, NAN);
        put_message (summary, 1, value);
        put_double (event, 1, times[i]);
        put_int (event, 2, steps[k]);
        put_message (event, 5, summary);
        g_assert_true (format->scan (decoder, event->data, event->len, 9, &batch, NULL));
        g_assert_cmpint (batch.steps[batch.n_points - 1], ==, steps[k]);
        g_assert_cmpint (batch.walls[batch.n_points - 1], ==, i == 4 ? -1000000000 : 0);
      }
  g_assert_cmpuint (decoder->tags->len, ==, 3);
  g_assert_cmpuint (decoder->session, ==, 1);
  for (guint i = 0; i < 2; i++)
    {
      GByteArray *event = make_event (3, bytes_of ("MindSpore.Event:1", 17));

      g_assert_true (format->scan (decoder, event->data, event->len, i * 100, &batch, NULL));
      g_byte_array_unref (event);
    }
  g_assert_cmpuint (decoder->session, ==, 2); /* the second one is a restart */
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
}

/* ---- explanations -------------------------------------------------------- */

static GByteArray *
make_explain (void)
{
  GByteArray *explain = g_byte_array_new (), *inference = g_byte_array_new (),
             *map = g_byte_array_new ();
  GByteArray *score = g_byte_array_new (), *metadata = g_byte_array_new (),
             *hoc = g_byte_array_new ();
  GByteArray *layer = g_byte_array_new ();

  put_int (explain, 1, 0);
  put_text (explain, 2, "_explain_1/origin_images/0/0.jpg");
  put_int (explain, 3, 4);
  put_float (inference, 1, 0.75f);
  put_int (inference, 2, 5);
  put_int (inference, 2, 6);
  put_float (inference, 3, 0.5f);
  put_float (inference, 3, 0.25f);
  put_float (inference, 7, 0.125f);
  put_message (explain, 4, inference);
  put_text (map, 1, "GradCAM");
  put_int (map, 2, 5);
  put_text (map, 3, "_explain_1/heatmap/GradCAM/0/0_5.jpg");
  put_message (explain, 5, map);
  put_text (score, 1, "Localization");
  put_text (score, 2, "GradCAM");
  put_float (score, 3, 0.5f);
  put_float (score, 4, 0.25f);
  put_float (score, 4, 1);
  put_message (explain, 6, score);
  put_text (metadata, 1, "cat");
  put_text (metadata, 1, "dog");
  put_text (metadata, 2, "GradCAM");
  put_message (explain, 7, metadata);
  put_text (explain, 8, "run");
  put_int (hoc, 1, 5);
  put_text (hoc, 2, "gaussian:9");
  put_float (layer, 1, 0.5f);
  for (int i = 0; i < 9; i++)
    put_int (layer, 2, i);
  put_message (hoc, 3, layer);
  put_message (explain, 9, hoc);
  return explain;
}

static void
test_explanation (void)
{
  const SondeExplanation *explanation;
  SondeRecord record;

  read_event (make_event (6, make_explain ()), &record);
  explanation = record.u.explanation;
  g_assert_true (explanation->has_sample && explanation->sample == 0);
  g_assert_cmpstr (explanation->image, ==, "_explain_1/origin_images/0/0.jpg");
  g_assert_cmpstr (explanation->status, ==, "run");
  g_assert_cmpuint (explanation->n_truths, ==, 1);
  g_assert_cmpint (explanation->truths[0].label, ==, 4);
  g_assert_cmpfloat (explanation->truths[0].probability, ==, 0.75);
  g_assert_true (isnan (explanation->truths[0].deviation));
  g_assert_cmpuint (explanation->n_predictions, ==, 2);
  g_assert_cmpfloat (explanation->predictions[1].probability, ==, 0.25);
  g_assert_cmpfloat (explanation->predictions[0].deviation, ==, 0.125);
  g_assert_true (isnan (explanation->predictions[1].deviation));
  g_assert_cmpuint (explanation->n_maps, ==, 1);
  g_assert_cmpstr (explanation->maps[0].heat_map, ==, "_explain_1/heatmap/GradCAM/0/0_5.jpg");
  g_assert_cmpuint (explanation->n_scores, ==, 1);
  g_assert_cmpuint (explanation->scores[0].n_label_scores, ==, 2);
  g_assert_cmpfloat (explanation->scores[0].label_scores[1], ==, 1);
  g_assert_cmpstr (explanation->labels[1], ==, "dog");
  g_assert_null (explanation->benchmarks);
  g_assert_cmpstr (explanation->occlusions[0].mask, ==, "gaussian:9");
  /* the ninth number is no box */
  g_assert_cmpuint (explanation->occlusions[0].layers[0].n_boxes, ==, 2);
  g_assert_cmpint (explanation->occlusions[0].layers[0].boxes[7], ==, 7);
  sonde_record_clear (&record);
}

static void
test_old_explanation (void)
{
  GByteArray *explain = g_byte_array_new (), *map = g_byte_array_new (),
             *score = g_byte_array_new ();
  GByteArray *total = g_byte_array_new (), *labels = g_byte_array_new ();
  const SondeExplanation *explanation;
  SondeRecord record;

  put_text (explain, 1, "img_7");
  put_bytes (explain, 2, "\xff\xd8", 2);
  put_text (map, 1, "RISE");
  put_int (map, 2, 3);
  put_bytes (map, 3, "\xff\xd8", 2);
  put_message (explain, 5, map);
  put_text (score, 1, "RISE");
  put_text (total, 1, "Faithfulness");
  put_float (total, 2, 0.5f);
  put_message (score, 2, total);
  put_float (labels, 1, 0.25f);
  put_text (labels, 2, "Faithfulness");
  put_message (score, 3, labels);
  put_message (explain, 6, score);
  read_event (make_event (6, explain), &record);
  explanation = record.u.explanation;
  g_assert_false (explanation->has_sample);
  g_assert_cmpstr (explanation->image, ==, "img_7");
  g_assert_cmpstr (explanation->maps[0].method, ==, "RISE");
  g_assert_cmpstr (explanation->maps[0].heat_map, ==, "");
  g_assert_cmpuint (explanation->n_scores, ==, 1);
  g_assert_cmpstr (explanation->scores[0].benchmark, ==, "Faithfulness");
  g_assert_cmpstr (explanation->scores[0].method, ==, "RISE");
  g_assert_cmpfloat (explanation->scores[0].total, ==, 0.5);
  g_assert_cmpfloat (explanation->scores[0].label_scores[0], ==, 0.25);
  sonde_record_clear (&record);
}

/* ---- graphs -------------------------------------------------------------- */

static GByteArray *
make_node (const char *name, const char *input, gint64 edge)
{
  GByteArray *node = g_byte_array_new (), *edge_bytes = g_byte_array_new ();

  put_text (edge_bytes, 1, input);
  put_int (edge_bytes, 2, edge);
  put_message (node, 1, edge_bytes);
  put_text (node, 2, name);
  put_text (node, 3, "Add");
  put_text (node, 4, "Default/a");
  return node;
}

/* A constant in the debugger's numbering, a cycle, a missing input, names twice, a control edge. */
static void
test_graph (void)
{
  GByteArray *graph = g_byte_array_new (), *constant = g_byte_array_new (),
             *value = g_byte_array_new ();
  GByteArray *tensor = g_byte_array_new ();
  static const float one = 1;
  SondeGraphValue *found;
  SondeRecord record;

  put_message (graph, 1, make_node ("1", "2", 0));
  put_message (graph, 1, make_node ("2", "1", 0));
  put_message (graph, 1, make_node ("3", "1", 1));
  put_message (graph, 1, make_node ("3", "nowhere", 0));
  put_message (graph, 1, make_node ("4", "c", 0));
  put_bytes (tensor, 3, &one, sizeof one);
  put_int (tensor, 5, 11);
  put_int (value, 1, 14);
  put_message (value, 8, tensor);
  put_text (constant, 1, "c");
  put_message (constant, 2, value);
  put_message (graph, 5, constant);
  read_event (make_event (4, graph), &record);
  g_assert_cmpuint (sonde_graph_count_nodes (record.u.graph.graph), ==, 5);
  found = sonde_graph_find_value (record.u.graph.graph, "c");
  g_assert_cmpfloat (sonde_tensor_get_double (sonde_value_get_tensor (found->constant), 0), ==, 1);
  g_assert_null (sonde_graph_sort (record.u.graph.graph, NULL));
  found = sonde_graph_find_value (record.u.graph.graph, "3");
  g_assert_cmpstr (found->producer->name, ==, "Default/a/Add-op3");
  g_assert_cmpstr (sonde_node_get_input (found->producer, 0)->name, ==, "^1");
  g_assert_true (sonde_node_get_input (found->producer, 0)->producer
                 == sonde_graph_find_value (record.u.graph.graph, "1")->producer);
  g_assert_nonnull (sonde_graph_find_value (record.u.graph.graph, "nowhere"));
  sonde_record_clear (&record);
}

/* ---- nesting ------------------------------------------------------------- */

/* @head, then the message of one level less in field @number, @depth times. */
static GByteArray *
make_nested (guint number, guint depth, guint dtype)
{
  GByteArray *inner = g_byte_array_new ();

  for (guint i = 0; i < depth; i++)
    {
      GByteArray *outer = g_byte_array_new ();

      if (dtype != 0)
        put_int (outer, 1, dtype);
      put_message (outer, number, inner);
      inner = outer;
    }
  return inner;
}

static GByteArray *
make_nested_graph (guint depth)
{
  GByteArray *graph = g_byte_array_new (), *node = make_node ("1", "x", 0),
             *attribute = g_byte_array_new ();

  put_text (attribute, 1, "deep");
  put_message (attribute, 2, make_nested (18, depth, 31));
  put_message (node, 5, attribute);
  put_message (graph, 1, node);
  return make_event (4, graph);
}

static void
test_nesting (void)
{
  static const guint depths[] = { 102, 3000, 20000 };
  const SondeRecordFormat *lineage = &sonde_record_format_mindspore_lineage;
  g_autoptr (GError) error = NULL;
  SondeRecord record;

  read_event (make_nested_graph (99), &record);
  sonde_record_clear (&record);
  g_assert_true (try_read (lineage, make_event (9, make_nested (1, 100, 0)), 0, &record, &error));
  g_assert_cmpuint (sonde_graph_count_nodes (record.u.lineage.pipeline), ==, 101);
  sonde_record_clear (&record);
  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    {
      refuse (&sonde_record_format_mindspore_event, make_nested_graph (depths[i]), "nested");
      refuse (lineage, make_event (9, make_nested (1, depths[i], 0)), "nested");
      refuse (lineage, make_event (10, make_nested (1, depths[i], 0)), "nested");
    }
}

static void
test_custom (void)
{
  GByteArray *info = g_byte_array_new (), *inner = g_byte_array_new (),
             *entry = g_byte_array_new ();
  GByteArray *number = g_byte_array_new ();
  SondeRecord record;

  put_text (number, 1, "depth");
  put_int (number, 2, -3);
  put_message (inner, 3, number);
  put_text (entry, 1, "model");
  put_message (entry, 2, inner);
  put_message (info, 2, entry);
  g_assert_true (
      try_read (&sonde_record_format_mindspore_lineage, make_event (10, info), 0, &record, NULL));
  g_assert_cmpuint (record.u.lineage.n, ==, 1);
  g_assert_cmpstr (record.u.lineage.items[0].key, ==, "model.depth");
  g_assert_cmpstr (record.u.lineage.items[0].text, ==, "-3");
  sonde_record_clear (&record);
}

/* ---- damage -------------------------------------------------------------- */

/* Whatever happens to a payload: it is read, or refused with a sentence, and never more. */
static void
try_payload (const SondeRecordFormat *format, const guint8 *payload, gsize length, guint *n_refused)
{
  SondeRecordDecoder *decoder = format->decoder_new (NULL, 0);
  g_autoptr (GError) error = NULL;
  SondeRecordBatch batch;

  sonde_record_batch_init (&batch);
  if (!format->scan (decoder, payload, length, 0, &batch, &error))
    {
      g_assert_nonnull (error);
      g_assert_cmpuint (batch.n_points + batch.refs->len, ==, 0);
      (*n_refused)++;
    }
  for (guint i = 0; i < MIN (batch.refs->len, 4); i++)
    {
      SondeRecord record;

      if (format->read (decoder, payload, length, i, &record, NULL))
        sonde_record_clear (&record);
    }
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
}

static void
test_mutations (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n_refused = 0;

  for (guint kind = 0; kind < 4; kind++)
    {
      const SondeRecordFormat *format = kind == 3 ? &sonde_record_format_mindspore_lineage
                                                  : &sonde_record_format_mindspore_event;
      g_autoptr (GByteArray) event = kind == 0   ? make_event (6, make_explain ())
                                     : kind == 1 ? make_nested_graph (5)
                                     : kind == 2 ? make_summary ("h", 9, make_histogram (1, 2, 3))
                                                 : make_event (9, make_nested (1, 4, 0));

      for (guint n = 0; n < event->len; n++)
        {
          g_autofree guint8 *cut = g_memdup2 (event->data, n);

          try_payload (format, cut, n, &n_refused);
        }
      for (guint i = 0; i < 5000; i++)
        {
          g_autofree guint8 *bytes = g_memdup2 (event->data, event->len);

          for (guint k = 0; k < 1 + i % 4; k++)
            bytes[g_rand_int_range (rand, 0, (gint32) event->len)] = (guint8) g_rand_int (rand);
          try_payload (format, bytes, event->len, &n_refused);
        }
    }
  g_assert_cmpuint (n_refused, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mindspore/wire/tensors", test_tensors);
  g_test_add_func ("/mindspore/wire/bad-tensors", test_bad_tensors);
  g_test_add_func ("/mindspore/wire/values", test_values);
  g_test_add_func ("/mindspore/wire/odd-events", test_odd_events);
  g_test_add_func ("/mindspore/wire/explanation", test_explanation);
  g_test_add_func ("/mindspore/wire/old-explanation", test_old_explanation);
  g_test_add_func ("/mindspore/wire/graph", test_graph);
  g_test_add_func ("/mindspore/wire/nesting", test_nesting);
  g_test_add_func ("/mindspore/wire/custom", test_custom);
  g_test_add_func ("/mindspore/wire/mutations", test_mutations);
  return g_test_run ();
}
