/* SPDX-License-Identifier: Apache-2.0
 * A compressed copy beside its event file counts nothing, whichever of the two comes or goes
 * first. */
#include <glib/gstdio.h>
#include <string.h>

#include "data/records/sonde-event-encoder.h"
#include "tests/data/runs/run-files.h"

#define N_POINTS 300
#define NAME "events.out.tfevents.1700000000.host"

typedef struct
{
  char *folder, *runs, *index, *plain, *packed;
  GBytes *events, *compressed;
  SondeRunStore *store;
} Fixture;

static GBytes *
make_events (void)
{
  g_autoptr (SondeEventEncoder) encoder = sonde_event_encoder_new (SONDE_EVENTS_TENSORBOARD, NULL);
  GByteArray *out = g_byte_array_new ();

  for (int i = 0; i < N_POINTS; i++)
    {
      SondeScalar scalar = { "loss", i };
      SondeRecord record = { .kind = SONDE_RECORD_SCALARS,
                             .step = i,
                             .wall_time_ns = G_GINT64_CONSTANT (1700000000000000000),
                             .session = 1,
                             .u.scalars = { .n = 1, .items = &scalar } };
      SondeEventFile file;
      const char *reason;

      g_assert_true (sonde_event_encoder_encode (encoder, &record, out, &file, &reason));
    }
  return g_byte_array_free_to_bytes (out);
}

static GBytes *
compress (GBytes *bytes)
{
  g_autoptr (GConverter) gzip
      = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6));
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (memory, gzip);

  g_assert_true (g_output_stream_write_all (stream, g_bytes_get_data (bytes, NULL),
                                            g_bytes_get_size (bytes), NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
}

/* In one step, so that no half of it is ever seen. */
static void
put (Fixture *fixture, const char *path, GBytes *bytes)
{
  g_autofree char *made = g_build_filename (fixture->folder, "made", NULL);

  g_assert_true (g_file_set_contents (made, g_bytes_get_data (bytes, NULL),
                                      (gssize) g_bytes_get_size (bytes), NULL));
  g_assert_cmpint (g_rename (made, path), ==, 0);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = run_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
  fixture->plain = g_build_filename (fixture->runs, NAME, NULL);
  fixture->packed = g_build_filename (fixture->runs, NAME ".gz", NULL);
  fixture->events = make_events ();
  fixture->compressed = compress (fixture->events);
  g_assert_cmpint (g_mkdir (fixture->runs, 0700), ==, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->store);
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->index);
  g_free (fixture->plain);
  g_free (fixture->packed);
  g_bytes_unref (fixture->events);
  g_bytes_unref (fixture->compressed);
}

static void
open_store (Fixture *fixture)
{
  g_clear_object (&fixture->store);
  fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
}

static const SondeRunFile *
find_file (Fixture *fixture, const char *name)
{
  GPtrArray *files = sonde_run_get_files (run_store_item (fixture->store, 0));

  for (guint i = 0; i < files->len; i++)
    if (strcmp (((const SondeRunFile *) files->pdata[i])->path, name) == 0)
      return files->pdata[i];
  return NULL;
}

static gboolean
count (const SondeRecord *record, void *data, GError **error)
{
  *(guint *) data += record->kind == SONDE_RECORD_SCALARS ? record->u.scalars.n : 0;
  return TRUE;
}

/* Every point is there once, for the window and for commands. */
static gboolean
counts_once (Fixture *fixture)
{
  SondeSeries *series = sonde_run_get_series (run_store_item (fixture->store, 0), "loss");

  return series && sonde_series_get_n_points (series) == N_POINTS;
}

static void
assert_copy (Fixture *fixture)
{
  SondeRun *run = run_store_item (fixture->store, 0);
  const SondeRunFile *plain = find_file (fixture, NAME), *packed = find_file (fixture, NAME ".gz");
  const SondeRunTag *tag = sonde_run_get_tags (run)->pdata[0];
  guint n = 0;

  g_assert_true (counts_once (fixture));
  g_assert_cmpuint (tag->count, ==, N_POINTS);
  g_assert_false (plain->is_copy);
  g_assert_cmpuint (plain->records, >=, N_POINTS);
  g_assert_true (packed->is_copy);
  g_assert_cmpuint (packed->records, ==, 0);
  g_assert_cmpuint (packed->bytes, ==, g_bytes_get_size (fixture->compressed));
  g_assert_cmpuint (sonde_run_get_damage_count (run), ==, 0);
  g_assert_cmpfloat (sonde_run_get_progress (run), ==, 1);
  g_assert_true (sonde_run_for_each_record (run, count, &n, NULL));
  g_assert_cmpuint (n, ==, N_POINTS);
}

static void
test_both (Fixture *fixture, gconstpointer data)
{
  put (fixture, fixture->plain, fixture->events);
  put (fixture, fixture->packed, fixture->compressed);
  open_store (fixture);
  assert_copy (fixture);
  /* as the index has it */
  open_store (fixture);
  assert_copy (fixture);
}

/* The index holds the points of what is a copy now. */
static void
test_original_comes_back (Fixture *fixture, gconstpointer data)
{
  put (fixture, fixture->packed, fixture->compressed);
  open_store (fixture);
  g_assert_true (counts_once (fixture));
  g_assert_false (find_file (fixture, NAME ".gz")->is_copy);
  g_clear_object (&fixture->store);
  put (fixture, fixture->plain, fixture->events);
  open_store (fixture);
  assert_copy (fixture);
  g_clear_object (&fixture->store);
  g_assert_cmpint (g_unlink (fixture->plain), ==, 0);
  open_store (fixture);
  g_assert_true (counts_once (fixture));
  g_assert_null (find_file (fixture, NAME));
  g_assert_false (find_file (fixture, NAME ".gz")->is_copy);
}

static gboolean
has_become_copy (gpointer data)
{
  const SondeRunFile *packed = find_file (data, NAME ".gz");

  return packed && packed->is_copy && counts_once (data);
}

static gboolean
is_read_alone (gpointer data)
{
  const SondeRunFile *packed = find_file (data, NAME ".gz");

  return packed && !packed->is_copy && !find_file (data, NAME) && counts_once (data);
}

/* As gzip and gunzip do it, under an open store. */
static void
test_live (Fixture *fixture, gconstpointer data)
{
  put (fixture, fixture->plain, fixture->events);
  open_store (fixture);
  for (int i = 0; i < 2; i++)
    {
      put (fixture, i == 0 ? fixture->packed : fixture->plain,
           i == 0 ? fixture->compressed : fixture->events);
      run_wait_until (has_become_copy, fixture);
      assert_copy (fixture);
      g_assert_cmpint (g_unlink (fixture->plain), ==, 0);
      run_wait_until (is_read_alone, fixture);
    }
}

/* Named itself, a copy is read, whatever lies beside it. */
static void
test_named (Fixture *fixture, gconstpointer data)
{
  put (fixture, fixture->plain, fixture->events);
  put (fixture, fixture->packed, fixture->compressed);
  fixture->store = run_store_open (NULL, fixture->packed, fixture->index);
  g_assert_true (counts_once (fixture));
  g_assert_false (find_file (fixture, NAME ".gz")->is_copy);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/data/runs/copies/both", Fixture, NULL, set_up, test_both, tear_down);
  g_test_add ("/data/runs/copies/original-comes-back", Fixture, NULL, set_up,
              test_original_comes_back, tear_down);
  g_test_add ("/data/runs/copies/live", Fixture, NULL, set_up, test_live, tear_down);
  g_test_add ("/data/runs/copies/named", Fixture, NULL, set_up, test_named, tear_down);
  return g_test_run ();
}
