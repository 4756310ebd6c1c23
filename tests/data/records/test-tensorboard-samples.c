/* SPDX-License-Identifier: Apache-2.0
 * Every file of samples/tensorboard, decoded, against what an independent reader found in it: every
 * point and record of every tag, in order, with its content; and nothing besides. */
#include "data/records/sonde-record-format.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "data/values/sonde-dtype.h"

typedef struct
{
  const char *tag; /* (nullable) */
  const char *path;
  guint file;
  guint64 frame;
  gboolean is_point;
  double value;
  SondeRecordRef ref; /* of a point only the step and the time */
} Found;

/* All that a run holds, in order; @tags: (element-type GArray of SondeRecordTag): by file */
typedef struct
{
  GArray *found;
  GPtrArray *paths, *tags;
} Run;

/* ---- reading ------------------------------------------------------------- */

static const char *
name_of (SondeRecordDecoder *decoder, guint32 id)
{
  return id == SONDE_RECORD_NO_TAG ? NULL : g_array_index (decoder->tags, SondeRecordTag, id).name;
}

static void
keep_batch (Run *run, SondeRecordDecoder *decoder, const SondeRecordBatch *batch, guint file,
            guint64 frame)
{
  for (gsize i = 0; i < batch->n_points; i++)
    {
      Found found = {
        name_of (decoder, batch->tags[i]),
        run->paths->pdata[file],
        file,
        frame,
        TRUE,
        batch->values[i],
        { .step = batch->steps[i], .wall_time_ns = batch->walls[i], .session = batch->sessions[i] }
      };

      g_array_append_val (run->found, found);
    }
  for (guint i = 0; i < batch->refs->len; i++)
    {
      const SondeRecordRef *ref = &g_array_index (batch->refs, SondeRecordRef, i);
      Found found
          = { name_of (decoder, ref->tag), run->paths->pdata[file], file, frame, FALSE, 0, *ref };

      g_array_append_val (run->found, found);
    }
}

static void
read_file (Run *run, const char *path, guint64 n_frames)
{
  const SondeRecordFormat *format = sonde_record_format_find (NULL, path);
  g_autoptr (SondeFrameReader) frames = NULL;
  SondeRecordDecoder *decoder;
  SondeRecordBatch batch;
  const guint8 *payload;
  guint64 offset, frame = 0;
  gsize length;
  GError *error = NULL;

  g_assert_true (format == &sonde_record_format_tensorboard);
  frames = sonde_frame_reader_open (NULL, path, 0, &error);
  g_assert_no_error (error);
  g_ptr_array_add (run->paths, g_strdup (path));
  decoder = format->decoder_new (NULL, 0);
  sonde_record_batch_init (&batch);
  while (sonde_frame_reader_next (frames, &payload, &length, &offset, &error) == SONDE_FRAME_RECORD)
    {
      sonde_record_batch_empty (&batch);
      format->scan (decoder, payload, length, offset, &batch, &error);
      g_assert_no_error (error);
      keep_batch (run, decoder, &batch, run->paths->len - 1, frame++);
    }
  g_assert_cmpuint (frame, ==, n_frames);
  g_ptr_array_add (run->tags, g_array_ref (decoder->tags));
  sonde_record_batch_clear (&batch);
  format->decoder_free (decoder);
}

static void
read_content (const Run *run, const Found *found, SondeRecord *record)
{
  GArray *tags = run->tags->pdata[found->file];
  GError *error = NULL;

  sonde_record_format_read (&sonde_record_format_tensorboard, NULL, found->path, found->ref.place,
                            (const SondeRecordTag *) tags->data, tags->len, record, &error);
  g_assert_no_error (error);
  g_assert_cmpint (record->kind, ==, found->ref.kind);
  g_assert_cmpint (record->step, ==, found->ref.step);
  g_assert_cmpint (record->wall_time_ns, ==, found->ref.wall_time_ns);
  g_assert_cmpstr (record->tag, ==, found->tag);
}

static void
run_clear (Run *run)
{
  g_array_unref (run->found);
  g_ptr_array_unref (run->paths);
  g_ptr_array_unref (run->tags);
}

/* ---- what must be there -------------------------------------------------- */

static double
number_of (JsonNode *node)
{
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return g_ascii_strtod (json_node_get_string (node), NULL);
  return json_node_get_value_type (node) == G_TYPE_INT64 ? (double) json_node_get_int (node)
                                                         : json_node_get_double (node);
}

static double
number (JsonObject *object, const char *name)
{
  return number_of (json_object_get_member (object, name));
}

static void
assert_number (double number, JsonNode *expected)
{
  double wanted = number_of (expected);

  if (isnan (wanted))
    g_assert_true (isnan (number));
  else
    g_assert_cmpfloat (number, ==, wanted);
}

static void
assert_digest (const char *expected, const void *data, gsize length)
{
  g_autofree char *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, length);

  g_assert_cmpstr (digest, ==, expected);
}

static void
assert_bytes (JsonObject *expected, GBytes *bytes)
{
  g_assert_cmpuint (g_bytes_get_size (bytes), ==,
                    (guint64) json_object_get_int_member (expected, "bytes"));
  assert_digest (json_object_get_string_member (expected, "sha256"), g_bytes_get_data (bytes, NULL),
                 g_bytes_get_size (bytes));
}

/* The digest is of the elements as TensorBoard's reader gives them. */
static void
assert_tensor (JsonObject *point, SondeTensor *tensor)
{
  JsonArray *shape = json_object_get_array_member (point, "shape");

  g_assert_cmpuint ((guint) tensor->shape.rank, ==, json_array_get_length (shape));
  for (int i = 0; i < tensor->shape.rank; i++)
    g_assert_cmpint (tensor->shape.dims[i], ==, json_array_get_int_element (shape, (guint) i));
  if (json_object_has_member (point, "fields_present"))
    {
      JsonArray *values = json_object_get_array_member (
          json_object_get_object_member (point, "fields_present"), "uint32_val");

      g_assert_cmpint (tensor->dtype, ==, SONDE_DTYPE_U8);
      for (guint i = 0; i < json_array_get_length (values); i++)
        g_assert_cmpfloat (sonde_tensor_get_double (tensor, i), ==,
                           number_of (json_array_get_element (values, i)));
      return;
    }
  {
    SondeDtype dtype = sonde_dtype_from_name (json_object_get_string_member (point, "dtype"));
    g_autoptr (SondeTensor) as_found = sonde_tensor_cast (tensor, dtype);

    assert_digest (json_object_get_string_member (point, "sha256_le_bytes"), as_found->data,
                   sonde_tensor_n_bytes (as_found));
  }
}

/* ---- kinds --------------------------------------------------------------- */

/* Outer buckets without a count are not kept; the edges between the others are. */
static void
check_buckets (JsonObject *point, const SondeBins *bins)
{
  JsonArray *limits, *counts;
  guint start = 0, end;

  g_assert_cmpfloat (bins->min, ==, number (point, "min"));
  g_assert_cmpfloat (bins->max, ==, number (point, "max"));
  g_assert_cmpfloat (bins->count, ==, number (point, "num"));
  g_assert_cmpfloat (bins->sum, ==, number (point, "sum"));
  g_assert_cmpfloat (bins->sum_squares, ==, number (point, "sum_squares"));
  g_assert_cmpfloat (sonde_bins_total (bins), ==, number (point, "num"));
  g_assert_cmpfloat (bins->lefts[0], ==, bins->min);
  g_assert_cmpfloat (bins->rights[bins->n - 1], ==, bins->max);
  if (!json_object_has_member (point, "bucket"))
    {
      /* so many zeros before and behind give the digest of all counts */
      guint n = (guint) json_object_get_int_member (point, "buckets"), i;

      g_assert_cmpuint (bins->n, <=, n);
      for (i = 0; i <= n - bins->n; i++)
        {
          g_autofree double *all = g_new0 (double, n);
          g_autofree char *digest = NULL;

          memcpy (all + i, bins->counts, bins->n * sizeof *all);
          digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) all,
                                                n * sizeof *all);
          if (g_str_equal (digest, json_object_get_string_member (point, "bucket_sha256")))
            break;
        }
      g_assert_cmpuint (i, <=, n - bins->n);
      return;
    }
  limits = json_object_get_array_member (point, "bucket_limit");
  counts = json_object_get_array_member (point, "bucket");
  end = json_array_get_length (counts);
  while (start < end && number_of (json_array_get_element (counts, start)) <= 0)
    start++;
  while (end > start && number_of (json_array_get_element (counts, end - 1)) <= 0)
    end--;
  g_assert_cmpuint (bins->n, ==, end - start);
  for (guint i = 0; i < bins->n; i++)
    {
      assert_number (bins->counts[i], json_array_get_element (counts, start + i));
      if (i + 1 < bins->n)
        {
          assert_number (bins->rights[i], json_array_get_element (limits, start + i));
          g_assert_cmpfloat (bins->lefts[i + 1], ==, bins->rights[i]);
        }
    }
}

static void
check_histogram (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  const SondeBins *bins = record->u.bins;
  JsonArray *rows;

  if (!json_object_has_member (point, "rows_left_right_count"))
    {
      check_buckets (point, bins);
      return;
    }
  rows = json_object_get_array_member (point, "rows_left_right_count");
  g_assert_cmpuint (bins->n, ==, json_array_get_length (rows));
  for (guint i = 0; i < bins->n; i++)
    {
      JsonArray *row = json_array_get_array_element (rows, i);

      assert_number (bins->lefts[i], json_array_get_element (row, 0));
      assert_number (bins->rights[i], json_array_get_element (row, 1));
      assert_number (bins->counts[i], json_array_get_element (row, 2));
    }
}

static void
check_image (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  JsonObject *picture = point;

  if (json_object_has_member (point, "strings"))
    picture = json_array_get_object_element (json_object_get_array_member (point, "strings"),
                                             (guint) record->u.image.index + 2);
  assert_bytes (picture, record->u.image.encoded);
  g_assert_cmpint (record->u.image.width, ==,
                   json_array_get_int_element (json_object_get_array_member (picture, "size"), 0));
  g_assert_cmpint (record->u.image.height, ==,
                   json_array_get_int_element (json_object_get_array_member (picture, "size"), 1));
}

static void
check_audio (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  assert_bytes (point, record->u.audio.encoded);
  g_assert_cmpfloat (record->u.audio.sample_rate, ==, number (point, "sample_rate"));
  g_assert_cmpint (record->u.audio.n_frames, ==, json_object_get_int_member (point, "frames"));
  g_assert_cmpint (record->u.audio.n_channels, ==, json_object_get_int_member (point, "channels"));
  g_assert_cmpstr (record->u.audio.content_type, ==,
                   json_object_get_string_member (point, "content_type"));
}

static void
check_text (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  JsonArray *strings = json_object_get_array_member (point, "strings");
  JsonArray *shape = json_object_get_array_member (point, "shape");

  if (json_array_get_length (strings) == 1)
    {
      g_assert_cmpstr (record->u.text, ==, json_array_get_string_element (strings, 0));
      g_assert_null (record->u.cells);
      return;
    }
  g_assert_cmpint (record->u.cells->shape.dims[0], ==, json_array_get_int_element (shape, 0));
  for (guint i = 0; i < json_array_get_length (strings); i++)
    g_assert_cmpstr (((char **) record->u.cells->data)[i], ==,
                     json_array_get_string_element (strings, i));
}

static void
check_tensor (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  assert_tensor (point, record->u.tensor);
}

static void
check_pr_curve (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  JsonArray *rows = json_object_get_array_member (point, "rows_tp_fp_tn_fn_precision_recall");

  assert_tensor (point, record->u.pr_curve.rows);
  assert_number (
      sonde_tensor_get_double (record->u.pr_curve.rows, record->u.pr_curve.rows->shape.dims[1]),
      json_array_get_element (json_array_get_array_element (rows, 1), 0));
}

static void
check_mesh (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  static const char *const parts[] = { "UNDEFINED", "VERTEX", "FACE", "COLOR" };
  JsonObject *mesh = json_object_get_object_member (tag, "mesh");

  assert_tensor (point, record->u.mesh.values);
  g_assert_cmpstr (record->u.mesh.name, ==, json_object_get_string_member (mesh, "name"));
  g_assert_cmpstr (parts[record->u.mesh.part], ==,
                   json_object_get_string_member (mesh, "content_type"));
  g_assert_cmpstr (record->u.mesh.settings, ==,
                   json_object_get_string_member_with_default (mesh, "json_config", NULL));
}

static void
check_custom_scalars (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  JsonArray *categories
      = json_object_get_array_member (json_object_get_object_member (point, "layout"), "category");
  gsize n = 0;

  for (guint i = 0; i < json_array_get_length (categories); i++)
    {
      JsonObject *category = json_array_get_object_element (categories, i);
      JsonArray *charts = json_object_get_array_member (category, "chart");

      for (guint k = 0; k < json_array_get_length (charts); k++, n++)
        {
          JsonObject *chart = json_array_get_object_element (charts, k);
          const SondeChartPlan *plan = &record->u.custom_scalars.items[n];
          JsonArray *tags = plan->is_margin
                                ? json_object_get_array_member (
                                    json_object_get_object_member (chart, "margin"), "series")
                                : json_object_get_array_member (
                                    json_object_get_object_member (chart, "multiline"), "tag");

          g_assert_cmpstr (plan->category, ==, json_object_get_string_member (category, "title"));
          g_assert_cmpstr (plan->title, ==, json_object_get_string_member (chart, "title"));
          g_assert_cmpuint (g_strv_length (plan->tags), ==,
                            json_array_get_length (tags) * (plan->is_margin ? 3 : 1));
          if (!plan->is_margin)
            g_assert_cmpstr (plan->tags[0], ==, json_array_get_string_element (tags, 0));
          else
            g_assert_cmpstr (
                plan->tags[2], ==,
                json_object_get_string_member (json_array_get_object_element (tags, 0), "upper"));
        }
    }
  g_assert_cmpuint (record->u.custom_scalars.n, ==, n);
}

static void
assert_hparam (const SondeHparam *items, gsize n, const char *key, JsonNode *expected)
{
  gsize i = 0;

  while (i < n && !g_str_equal (items[i].key, key))
    i++;
  g_assert_cmpuint (i, <, n);
  if (expected == NULL)
    return;
  if (json_node_get_value_type (expected) == G_TYPE_STRING)
    g_assert_cmpstr (items[i].text, ==, json_node_get_string (expected));
  else if (json_node_get_value_type (expected) == G_TYPE_BOOLEAN)
    g_assert_cmpstr (items[i].text, ==, json_node_get_boolean (expected) ? "true" : "false");
  else
    {
      g_assert_cmpint (items[i].type, ==, SONDE_HPARAM_NUMBER);
      g_assert_cmpfloat (g_ascii_strtod (items[i].text, NULL), ==, number_of (expected));
    }
}

static void
check_hparams (JsonObject *tag, JsonObject *point, const SondeRecord *record)
{
  JsonObject *message = json_object_get_object_member (tag, "hparams"), *part;
  g_autoptr (GList) names = NULL;
  JsonArray *infos;

  if (json_object_has_member (message, "session_start_info"))
    {
      part = json_object_get_object_member (message, "session_start_info");
      part = json_object_get_object_member (part, "hparams");
      names = json_object_get_members (part);
      g_assert_cmpint (record->u.hparams.part, ==, SONDE_HPARAMS_VALUES);
      g_assert_cmpuint (record->u.hparams.n, ==, g_list_length (names));
      for (GList *i = names; i != NULL; i = i->next)
        assert_hparam (record->u.hparams.items, record->u.hparams.n, i->data,
                       json_object_get_member (part, i->data));
    }
  else if (json_object_has_member (message, "session_end_info"))
    {
      g_assert_cmpint (record->u.hparams.part, ==, SONDE_HPARAMS_END);
      g_assert_cmpstr (record->u.hparams.status, ==, "success");
    }
  else
    {
      part = json_object_get_object_member (message, "experiment");
      infos = json_object_get_array_member (part, "hparam_infos");
      g_assert_cmpint (record->u.hparams.part, ==, SONDE_HPARAMS_EXPERIMENT);
      g_assert_cmpuint (record->u.hparams.n, ==, json_array_get_length (infos));
      for (guint i = 0; i < record->u.hparams.n; i++)
        assert_hparam (
            record->u.hparams.items, record->u.hparams.n,
            json_object_get_string_member (json_array_get_object_element (infos, i), "name"), NULL);
      infos = json_object_get_array_member (part, "metric_infos");
      g_assert_cmpuint (record->u.hparams.n_metrics, ==, json_array_get_length (infos));
    }
}

static const struct
{
  const char *name;
  SondeRecordKind kind;
  void (*check) (JsonObject *tag, JsonObject *point, const SondeRecord *record);
} kinds[] = {
  { "histogram", SONDE_RECORD_HISTOGRAM, check_histogram },
  { "image", SONDE_RECORD_IMAGE, check_image },
  { "audio", SONDE_RECORD_AUDIO, check_audio },
  { "text", SONDE_RECORD_TEXT, check_text },
  { "tensor", SONDE_RECORD_TENSOR, check_tensor },
  { "pr_curve", SONDE_RECORD_PR_CURVE, check_pr_curve },
  { "mesh", SONDE_RECORD_MESH, check_mesh },
  { "custom_scalars", SONDE_RECORD_CUSTOM_SCALARS, check_custom_scalars },
  { "hparams", SONDE_RECORD_HPARAMS, check_hparams },
};

/* ---- runs ---------------------------------------------------------------- */

static void
check_point (const Run *run, const Found *found, JsonObject *tag, JsonObject *point)
{
  const char *kind = json_object_get_string_member (tag, "kind");
  SondeRecord record;
  gsize i = 0;

  g_assert_cmpuint (found->file, ==, (guint) json_object_get_int_member (point, "file"));
  g_assert_cmpuint (found->frame, ==, (guint64) json_object_get_int_member (point, "record"));
  g_assert_cmpint (found->ref.step, ==, json_object_get_int_member (point, "step"));
  /* the double that the file has, again */
  g_assert_cmpfloat ((double) (found->ref.wall_time_ns / 1000000000)
                         + (double) (found->ref.wall_time_ns % 1000000000) / 1e9,
                     ==, number (point, "wall_time"));
  if (found->is_point)
    {
      g_assert_cmpstr (kind, ==, "scalar");
      assert_number (found->value, json_object_has_member (point, "value")
                                       ? json_object_get_member (point, "value")
                                       : json_array_get_element (
                                           json_object_get_array_member (point, "values"), 0));
      return;
    }
  while (i < G_N_ELEMENTS (kinds) && !g_str_equal (kinds[i].name, kind))
    i++;
  g_assert_cmpuint (i, <, G_N_ELEMENTS (kinds));
  g_assert_cmpint (found->ref.kind, ==, kinds[i].kind);
  read_content (run, found, &record);
  kinds[i].check (tag, point, &record);
  sonde_record_clear (&record);
}

/* Returns how many records of the run it was. */
static guint
check_tag (const Run *run, const char *name, JsonObject *tag)
{
  JsonArray *points = json_object_get_array_member (tag, "points");
  guint n = 0, next = 0, n_notes = 0;

  for (guint i = 0; i < run->found->len; i++)
    {
      const Found *found = &g_array_index (run->found, Found, i);
      SondeRecord record;

      if (g_strcmp0 (found->tag, name) != 0)
        continue;
      n++;
      if (!found->is_point && found->ref.kind == SONDE_RECORD_NOTE)
        {
          read_content (run, found, &record);
          g_assert_cmpstr (record.u.tag_note.display_name != NULL ? record.u.tag_note.display_name
                                                                  : "",
                           ==, json_object_get_string_member (tag, "display_name"));
          g_assert_cmpstr (record.u.tag_note.description != NULL ? record.u.tag_note.description
                                                                 : "",
                           ==, json_object_get_string_member (tag, "description"));
          g_assert_cmpuint (++n_notes, <=, run->paths->len); /* one a file */
          sonde_record_clear (&record);
          continue;
        }
      next += !found->ref.same;
      g_assert_cmpuint (next, <=, json_array_get_length (points));
      check_point (run, found, tag, json_array_get_object_element (points, next - 1));
    }
  g_assert_cmpuint (next, ==, json_array_get_length (points));
  g_assert_true (n_notes > 0 || json_object_get_string_member (tag, "description")[0] == '\0');
  return n;
}

static void
assert_graph_node (const SondeGraph *graph, guint i, JsonArray *expected)
{
  const SondeNode *node = graph->nodes->pdata[i];
  JsonArray *inputs = json_array_get_array_element (expected, 2);

  g_assert_cmpstr (node->name, ==, json_array_get_string_element (expected, 0));
  g_assert_cmpstr (node->op, ==, json_array_get_string_element (expected, 1));
  g_assert_cmpuint (node->inputs->len, ==, json_array_get_length (inputs));
  for (guint k = 0; k < node->inputs->len; k++)
    g_assert_cmpstr (sonde_node_get_input (node, k)->name, ==,
                     json_array_get_string_element (inputs, k));
  if (JSON_NODE_HOLDS_ARRAY (json_array_get_element (expected, 3)))
    {
      JsonArray *shapes = json_array_get_array_element (expected, 3);

      for (guint k = 0; k < json_array_get_length (shapes); k++)
        {
          const SondeType *type = &sonde_node_get_output (node, k)->type;
          JsonArray *shape = json_array_get_array_element (shapes, k);

          g_assert_cmpint (type->rank, ==, (int) json_array_get_length (shape));
          for (int d = 0; d < type->rank; d++)
            g_assert_cmpint (type->dims[d].size, ==, json_array_get_int_element (shape, (guint) d));
        }
    }
}

static guint
check_graphs (const Run *run, JsonArray *graphs)
{
  guint n = 0;

  for (guint i = 0; i < run->found->len; i++)
    {
      const Found *found = &g_array_index (run->found, Found, i);
      SondeRecord record;
      JsonArray *nodes;

      if (found->is_point || found->ref.kind != SONDE_RECORD_GRAPH)
        continue;
      g_assert_cmpuint (n, <, json_array_get_length (graphs));
      nodes
          = json_object_get_array_member (json_array_get_object_element (graphs, n++), "node_list");
      read_content (run, found, &record);
      g_assert_cmpuint (sonde_graph_count_nodes (record.u.graph.graph), ==,
                        json_array_get_length (nodes));
      for (guint k = 0; k < json_array_get_length (nodes); k++)
        assert_graph_node (record.u.graph.graph, k, json_array_get_array_element (nodes, k));
      sonde_record_clear (&record);
    }
  g_assert_cmpuint (n, ==, json_array_get_length (graphs));
  return n;
}

/* Versions are no records of ours; the others are. */
static guint
check_others (const Run *run, JsonArray *others)
{
  guint n = 0;

  for (guint i = 0; i < json_array_get_length (others); i++)
    {
      JsonObject *other = json_array_get_object_element (others, i);
      const Found *found = NULL;
      SondeRecord record;

      if (json_object_has_member (other, "file_version"))
        continue;
      n++;
      for (guint k = 0; k < run->found->len; k++)
        if (g_array_index (run->found, Found, k).frame
                == (guint64) json_object_get_int_member (other, "record")
            && g_array_index (run->found, Found, k).file
                   == (guint) json_object_get_int_member (other, "file"))
          found = &g_array_index (run->found, Found, k);
      g_assert_nonnull (found);
      read_content (run, found, &record);
      if (json_object_has_member (other, "session_log_status"))
        g_assert_cmpint (record.u.session_log.status, ==,
                         json_object_get_int_member (other, "session_log_status"));
      else
        {
          g_assert_cmpstr (record.tag, ==,
                           json_object_get_string_member (other, "tagged_run_metadata"));
          assert_bytes (other, record.u.run_metadata.message);
        }
      sonde_record_clear (&record);
    }
  return n;
}

static void
check_run (const char *folder, const char *name, JsonObject *expected)
{
  JsonArray *files = json_object_get_array_member (expected, "files");
  JsonObject *tags = json_object_get_object_member (expected, "tags");
  g_autoptr (GList) names = json_object_get_members (tags);
  Run run = { g_array_new (FALSE, FALSE, sizeof (Found)), g_ptr_array_new_with_free_func (g_free),
              g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref) };
  guint n = 0;

  for (guint i = 0; i < json_array_get_length (files); i++)
    {
      JsonObject *file = json_array_get_object_element (files, i);
      g_autofree char *path
          = g_build_filename (folder, name, json_object_get_string_member (file, "name"), NULL);

      read_file (&run, path, (guint64) json_object_get_int_member (file, "records"));
    }
  for (GList *i = names; i != NULL; i = i->next)
    n += check_tag (&run, i->data, json_object_get_object_member (tags, i->data));
  n += check_graphs (&run, json_object_get_array_member (expected, "graphs"));
  n += check_others (&run, json_object_get_array_member (expected, "other_events"));
  g_assert_cmpuint (n, ==, run.found->len);
  run_clear (&run);
}

static void
test_folder (gconstpointer data)
{
  g_autofree char *path = g_build_filename (data, "expected.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *runs;
  g_autoptr (GList) names = NULL;
  GError *error = NULL;

  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  runs = json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)),
                                        "runs");
  names = json_object_get_members (runs);
  g_assert_nonnull (names);
  for (GList *i = names; i != NULL; i = i->next)
    check_run (data, i->data, json_object_get_object_member (runs, i->data));
}

/* ---- damage -------------------------------------------------------------- */

static void
assert_payload (JsonObject *readable, const guint8 *payload, gsize length)
{
  g_assert_cmpuint (length, ==, (guint64) json_object_get_int_member (readable, "length"));
  assert_digest (json_object_get_string_member (readable, "payload_sha256"), payload, length);
}

/* All that can be read is found, at its place and decoded; all that cannot is reported, no byte
 * twice. */
static void
test_damaged (gconstpointer data)
{
  g_autofree char *expected_path = g_build_filename (data, "expected.json", NULL), *path = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (SondeFrameReader) frames = NULL;
  SondeRecordDecoder *decoder = sonde_record_format_tensorboard.decoder_new (NULL, 0);
  SondeRecordBatch batch;
  JsonObject *expected;
  JsonArray *readable;
  guint n = 0, n_before;
  guint64 offset, bytes = 0;
  const guint8 *payload;
  gsize length;
  GError *error = NULL;

  json_parser_load_from_file (parser, expected_path, &error);
  g_assert_no_error (error);
  expected = json_node_get_object (json_parser_get_root (parser));
  readable = json_object_get_array_member (expected, "readable");
  n_before = (guint) json_object_get_int_member (expected, "readable_before");
  path = g_build_filename (data, json_object_get_string_member (expected, "source"), NULL);
  frames = sonde_frame_reader_open (NULL, path, 0, &error);
  g_assert_no_error (error);
  sonde_record_batch_init (&batch);
  for (guint pass = 0; pass < 2; pass++)
    {
      while (sonde_frame_reader_next (frames, &payload, &length, &offset, &error)
             == SONDE_FRAME_RECORD)
        {
          JsonObject *record;

          g_assert_cmpuint (n, <, json_array_get_length (readable));
          record = json_array_get_object_element (readable, n++);
          assert_payload (record, payload, length);
          if (n <= n_before)
            {
              g_assert_cmpuint (offset, ==,
                                (guint64) json_object_get_int_member (record, "original_offset"));
              g_assert_cmpuint (sonde_frame_reader_get_damage (frames)->len, ==, 0);
            }
          g_assert_true (sonde_record_format_tensorboard.scan (decoder, payload, length, offset,
                                                               &batch, &error));
          bytes += length + SONDE_FRAME_OVERHEAD_BYTES;
        }
      sonde_frame_reader_finish (frames);
    }
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, json_array_get_length (readable));
  g_assert_cmpuint (batch.n_points, >=, n - (n > 0)); /* all but the version */
  for (guint i = 0; i < sonde_frame_reader_get_damage (frames)->len; i++)
    bytes += ((SondeFrameDamage *) sonde_frame_reader_get_damage (frames)->pdata[i])->bytes;
  g_assert_cmpuint (bytes, ==, (guint64) json_object_get_int_member (expected, "bytes"));
  sonde_record_batch_clear (&batch);
  sonde_record_format_tensorboard.decoder_free (decoder);
}

static void
add_damaged (const char *folder, GPtrArray *paths)
{
  g_autofree char *damaged = g_build_filename (folder, "damaged", NULL);
  g_autoptr (GDir) dir = g_dir_open (damaged, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (damaged, name, NULL);
      g_autofree char *test = g_strconcat ("/tensorboard/damaged/", name, NULL);

      g_ptr_array_add (paths, path);
      g_test_add_data_func (test, path, test_damaged);
    }
}

static void
test_absent (void)
{
  g_test_skip ("the samples of SONDE_SHARED are not here");
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_build_filename (g_getenv ("SONDE_SHARED") != NULL ? g_getenv ("SONDE_SHARED") : "",
                             "samples", "tensorboard", NULL);
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (folder, name, NULL);
      g_autofree char *expected = g_build_filename (path, "expected.json", NULL);
      g_autofree char *test = g_strconcat ("/tensorboard/samples/", name, NULL);

      g_ptr_array_add (paths, path);
      if (g_file_test (expected, G_FILE_TEST_EXISTS))
        g_test_add_data_func (test, path, test_folder);
    }
  add_damaged (folder, paths);
  if (dir == NULL)
    g_test_add_func ("/tensorboard/samples", test_absent);
  return g_test_run ();
}
