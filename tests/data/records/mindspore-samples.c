/* SPDX-License-Identifier: Apache-2.0
 * Sample runs, read as the run store does: frames, scanning, places. */
#include "tests/data/records/mindspore-samples.h"

#include <math.h>

char *
sample_path (const char *name)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path
      = g_build_filename (shared != NULL ? shared : "", "samples", "mindspore", name, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip ("no samples: SONDE_SHARED does not name their folder");
  return NULL;
}

static char *
make_key (guint file, guint record, SondeRecordKind kind, const char *tag)
{
  return g_strdup_printf ("%u:%u:%d:%s", file, record, kind, tag != NULL ? tag : "(none)");
}

static void
sample_file_free (gpointer data)
{
  SampleFile *file = data;

  g_free (file->path);
  g_clear_pointer (&file->tags, g_array_unref);
  g_free (file);
}

static void
add_record (SampleRun *run, SampleRecord record)
{
  SampleRecord *own = g_memdup2 (&record, sizeof record);

  g_ptr_array_add (run->records, own);
  g_assert_true (g_hash_table_insert (run->by_key,
                                      make_key (own->file, own->record, own->kind, own->tag), own));
}

static const char *
name_of (const SondeRecordDecoder *decoder, guint32 tag)
{
  return tag == SONDE_RECORD_NO_TAG ? NULL
                                    : g_array_index (decoder->tags, SondeRecordTag, tag).name;
}

static void
add_batch (SampleRun *run, guint record, const SondeRecordDecoder *decoder,
           const SondeRecordBatch *batch)
{
  const guint file = run->files->len;

  for (gsize i = 0; i < batch->n_points; i++)
    add_record (run, (SampleRecord){ file, record, SONDE_RECORD_SCALARS,
                                     name_of (decoder, batch->tags[i]), batch->steps[i],
                                     batch->walls[i], batch->values[i], 0, batch->sessions[i] });
  for (guint i = 0; i < batch->refs->len; i++)
    {
      const SondeRecordRef *ref = &g_array_index (batch->refs, SondeRecordRef, i);

      add_record (run,
                  (SampleRecord){ file, record, ref->kind, name_of (decoder, ref->tag), ref->step,
                                  ref->wall_time_ns, NAN, ref->place, ref->session });
    }
}

static void
read_file (SampleRun *run, const char *name)
{
  SampleFile *file = g_new0 (SampleFile, 1);
  g_autoptr (SondeFrameReader) frames = NULL;
  g_autoptr (GError) error = NULL;
  SondeRecordDecoder *decoder;
  SondeRecordBatch batch;
  const guint8 *payload;
  guint64 offset;
  gsize length;

  file->path = g_build_filename (run->folder, name, NULL);
  file->format = sonde_record_format_find (NULL, file->path);
  g_assert_nonnull (file->format);
  g_assert_cmpstr (file->format->name, ==, "mindspore");
  frames = sonde_frame_reader_open (NULL, file->path, 0, &error);
  g_assert_no_error (error);
  decoder = file->format->decoder_new (NULL, 0);
  sonde_record_batch_init (&batch);
  while (sonde_frame_reader_next (frames, &payload, &length, &offset, NULL) == SONDE_FRAME_RECORD)
    {
      sonde_record_batch_empty (&batch);
      g_assert_true (file->format->scan (decoder, payload, length, offset, &batch, &error));
      g_assert_no_error (error);
      g_assert_true (batch.has_time);
      add_batch (run, file->records++, decoder, &batch);
    }
  g_assert_false (sonde_frame_reader_is_waiting (frames));
  sonde_record_batch_clear (&batch);
  file->tags = g_array_ref (decoder->tags);
  file->format->decoder_free (decoder);
  g_ptr_array_add (run->files, file);
}

JsonObject *
sample_run_get_object (SampleRun *run)
{
  return json_object_get_object_member (json_object_get_object_member (run->expected, "runs"), ".");
}

SampleRun *
sample_run_open (const char *folder)
{
  g_autofree char *path = sample_path (folder), *json = NULL;
  g_autoptr (GError) error = NULL;
  SampleRun *run;
  JsonArray *files;

  if (path == NULL)
    return NULL;
  run = g_new0 (SampleRun, 1);
  run->folder = g_steal_pointer (&path);
  run->files = g_ptr_array_new_with_free_func (sample_file_free);
  run->records = g_ptr_array_new_with_free_func (g_free);
  run->by_key = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run->parser = json_parser_new ();
  json = g_build_filename (run->folder, "expected.json", NULL);
  g_assert_true (json_parser_load_from_file (run->parser, json, &error));
  run->expected = json_node_get_object (json_parser_get_root (run->parser));
  files = json_object_get_array_member (sample_run_get_object (run), "files");
  for (guint i = 0; i < json_array_get_length (files); i++)
    {
      JsonObject *file = json_array_get_object_element (files, i);

      read_file (run, json_object_get_string_member (file, "name"));
      g_assert_cmpuint (((SampleFile *) run->files->pdata[i])->records, ==,
                        json_object_get_int_member (file, "records"));
    }
  return run;
}

void
sample_run_free (SampleRun *run)
{
  if (run == NULL)
    return;
  g_hash_table_unref (run->by_key);
  g_ptr_array_unref (run->records);
  g_ptr_array_unref (run->files);
  g_object_unref (run->parser);
  g_free (run->folder);
  g_free (run);
}

SampleRecord *
sample_run_find (SampleRun *run, guint file, guint record, SondeRecordKind kind, const char *tag)
{
  g_autofree char *key = make_key (file, record, kind, tag);
  SampleRecord *found = g_hash_table_lookup (run->by_key, key);

  if (found == NULL)
    g_error ("no record %s", key);
  found->seen = TRUE;
  return found;
}

void
sample_run_read (SampleRun *run, SampleRecord *found, SondeRecord *record)
{
  const SampleFile *file = run->files->pdata[found->file];
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_record_format_read (file->format, NULL, file->path, found->place,
                                           (const SondeRecordTag *) file->tags->data,
                                           file->tags->len, record, &error));
  g_assert_no_error (error);
  g_assert_cmpint (record->kind, ==, found->kind);
  g_assert_cmpint (record->step, ==, found->step);
  g_assert_cmpint (record->wall_time_ns, ==, found->wall_time_ns);
  g_assert_cmpstr (record->tag, ==, found->tag);
}

/* ---- graphs -------------------------------------------------------------- */

static const char *
string_at (JsonArray *array, guint i)
{
  return json_array_get_string_element (array, i);
}

static void
check_node (const SondeGraph *graph, JsonArray *expected)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, string_at (expected, 0));
  JsonArray *inputs = json_array_get_array_element (expected, 4);
  JsonNode *shape = json_array_get_element (expected, 5);
  const SondeNode *node;

  g_assert_nonnull (value);
  node = value->producer;
  g_assert_cmpstr (node->op, ==, string_at (expected, 1));
  g_assert_cmpstr (node->scope, ==, string_at (expected, 2));
  g_assert_cmpstr (node->name, ==, string_at (expected, 3));
  g_assert_cmpuint (node->inputs->len, ==, json_array_get_length (inputs));
  for (guint i = 0; i < node->inputs->len; i++)
    {
      JsonArray *input = json_array_get_array_element (inputs, i);
      g_autofree char *name = g_strconcat (json_array_get_int_element (input, 1) == 1 ? "^" : "",
                                           string_at (input, 0), NULL);

      g_assert_cmpstr (sonde_node_get_input (node, i)->name, ==, name);
    }
  if (!JSON_NODE_HOLDS_ARRAY (shape) || value->type.kind != SONDE_VALUE_TENSOR)
    return;
  g_assert_cmpint (value->type.rank, ==, json_array_get_length (json_node_get_array (shape)));
  for (int i = 0; i < value->type.rank; i++)
    g_assert_cmpint (value->type.dims[i].size, ==,
                     json_array_get_int_element (json_node_get_array (shape), i));
}

void
sample_check_graph (const SondeGraph *graph, JsonObject *expected)
{
  JsonArray *nodes = json_object_get_array_member (expected, "node_list");
  JsonArray *parameters = json_object_get_array_member (expected, "parameters");
  JsonArray *outputs = json_object_get_array_member (expected, "outputs");
  guint edges = 0, constants = 0;
  g_autoptr (GPtrArray) order = NULL;

  g_assert_cmpstr (graph->name, ==, json_object_get_string_member (expected, "name"));
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==,
                    json_object_get_int_member (expected, "nodes"));
  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonArray *inputs = json_array_get_array_element (json_array_get_array_element (nodes, i), 4);

      check_node (graph, json_array_get_array_element (nodes, i));
      edges += json_array_get_length (inputs);
    }
  g_assert_cmpuint (edges, ==, json_object_get_int_member (expected, "edges"));
  g_assert_cmpuint (graph->inputs->len, ==, json_array_get_length (parameters));
  for (guint i = 0; i < graph->inputs->len; i++)
    g_assert_cmpstr (((SondeGraphValue *) graph->inputs->pdata[i])->name, ==,
                     string_at (parameters, i));
  g_assert_cmpuint (graph->outputs->len, ==, json_array_get_length (outputs));
  for (guint i = 0; i < graph->outputs->len; i++)
    g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[i])->name, ==,
                     string_at (outputs, i));
  for (guint i = 0; i < graph->values->len; i++)
    constants += ((SondeGraphValue *) graph->values->pdata[i])->role == SONDE_ROLE_CONSTANT;
  g_assert_cmpuint (constants, ==, json_object_get_int_member (expected, "constants"));
  order = sonde_graph_sort (graph, NULL);
  g_assert_nonnull (order);
}
