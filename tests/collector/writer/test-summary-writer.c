/* SPDX-License-Identifier: Apache-2.0
 * What is added is in the file, bit by bit, from several threads, in several sessions. */
#include "collector/writer/sonde-summary-writer.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "tests/collector/writer/run-folder.h"

static SondeSummaryWriter *
open_writer (const char *run, const SondeSummaryWriterOptions *options)
{
  g_autoptr (GError) error = NULL;
  SondeSummaryWriter *writer = sonde_summary_writer_open (run, options, &error);

  g_assert_no_error (error);
  g_assert_nonnull (writer);
  return writer;
}

static void
close_writer (SondeSummaryWriter *writer)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_summary_writer_close (writer, &error));
  g_assert_no_error (error);
}

/* A clock that stands still. */
static gint64
still_wall (const SondeClock *clock)
{
  return 1795251396000000000;
}

static gint64
still_monotonic (const SondeClock *clock)
{
  return 1000;
}

static const SondeClock still_clock = { still_wall, still_monotonic };

/* ---- every kind ---------------------------------------------------------- */

static void
add_everything (SondeSummaryWriter *writer)
{
  const SondeShape shape = sonde_shape_make (1, 3);
  const float values[] = { 1, -2, NAN };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
  g_autoptr (SondeImage) image = sonde_image_new (5, 4, 3);
  g_autoptr (GBytes) model = g_bytes_new_static ("onnx", 4);
  const SondeHparam hparams[] = { { (char *) "train.batch", (char *) "64" } };
  SondeSampleNote note = { .sample = (char *) "a.jpg",
                           .label = 3,
                           .predicted = 4,
                           .label_probability = 0.25,
                           .predicted_probability = NAN };
  char tag[] = "lent";
  SondeScalar scalars[] = { { "loss", 0.1 }, { tag, -0.0 } };
  g_autoptr (SondeMessage) lost = sonde_message_new ("lost at step %d", 9);
  SondeStatistics statistics;
  SondeHistogram histogram;

  sonde_histogram_init (&histogram);
  sonde_histogram_add (&histogram, tensor);
  sonde_statistics_compute (tensor, &statistics);
  sonde_summary_writer_add_scalars (writer, 7, scalars, 2);
  memcpy (tag, "gone", 4);
  sonde_summary_writer_add_scalar (writer, "single", 8, 1e300);
  sonde_summary_writer_add_histogram (writer, "h", 9, &histogram);
  sonde_summary_writer_add_statistics (writer, "s", 9, &statistics);
  sonde_summary_writer_add_tensor (writer, "t", 9, tensor);
  ((float *) (void *) tensor->data)[0] = 99; /* the trainer goes on */
  sonde_summary_writer_add_image (writer, "i", 9, 2, image, &note);
  memset (image->pixels, 255, 60);
  sonde_summary_writer_add_image (writer, "i", 9, 3, image, NULL);
  sonde_summary_writer_add_graph (writer, "g", 0, model, TRUE);
  sonde_summary_writer_add_hparams (writer, hparams, 1);
  sonde_summary_writer_add_text (writer, "words", 9, "hello");
  sonde_summary_writer_add_message (writer, "debug/lost", 9, lost);
}

static void
test_every_kind (void)
{
  const SondeSummaryWriterOptions options = { .clock = &still_clock, .program = "sonde test" };
  g_autoptr (GPtrArray) records = NULL;
  SondeSummaryWriter *writer;
  const SondeRecord *record;
  g_autofree char *path = NULL;
  RunFolder run;

  run_folder_init (&run);
  writer = open_writer (run.run, &options);
  path = g_strdup (sonde_summary_writer_get_path (writer));
  g_assert_true (g_str_has_suffix (path, "/run/records/000001.sonde"));
  add_everything (writer);
  close_writer (writer);

  records = read_records (path, NULL);
  g_assert_cmpuint (records->len, ==, 13);
  for (guint i = 0; i < records->len; i++)
    {
      record = records->pdata[i];
      g_assert_cmpuint (record->session, ==, 1);
      g_assert_cmpint (record->wall_time_ns, ==, 1795251396000000000);
    }
  record = records->pdata[12];
  g_assert_cmpint (record->kind, ==, SONDE_RECORD_END);
  g_assert_cmpint (record->step, ==, 9);
  record = records->pdata[0];
  g_assert_cmpint (record->kind, ==, SONDE_RECORD_SESSION);
  g_assert_cmpstr (record->u.session_start.program, ==, "sonde test");
  g_assert_cmpint (record->u.session_start.pid, ==, getpid ());
  record = records->pdata[1];
  g_assert_cmpint (record->step, ==, 7);
  g_assert_cmpuint (record->u.scalars.n, ==, 2);
  g_assert_cmpstr (record->u.scalars.items[1].tag, ==, "lent");
  g_assert_true (signbit (record->u.scalars.items[1].value));
  record = records->pdata[2];
  g_assert_cmpstr (record->u.scalars.items[0].tag, ==, "single");
  record = find_kind (records, SONDE_RECORD_HISTOGRAM);
  g_assert_cmpuint (sonde_histogram_count (record->u.histogram), ==, 3);
  g_assert_cmpuint (record->u.histogram->nan, ==, 1);
  record = find_kind (records, SONDE_RECORD_STATISTICS);
  g_assert_cmpfloat (record->u.statistics.min, ==, -2);
  record = find_kind (records, SONDE_RECORD_TENSOR);
  g_assert_cmpfloat (sonde_tensor_get_double (record->u.tensor, 0), ==, 1);
  record = find_kind (records, SONDE_RECORD_IMAGE);
  g_assert_cmpint (record->u.image.width, ==, 5);
  g_assert_cmpint (record->u.image.index, ==, 2);
  g_assert_cmpstr (record->u.image.note.sample, ==, "a.jpg");
  g_assert_cmpmem (g_bytes_get_data (record->u.image.encoded, NULL), 4, "\x89PNG", 4);
  record = records->pdata[7];
  g_assert_cmpint (record->u.image.note.label, ==, -1);
  record = find_kind (records, SONDE_RECORD_GRAPH);
  g_assert_true (record->u.graph.executed);
  record = find_kind (records, SONDE_RECORD_HPARAMS);
  g_assert_cmpstr (record->tag, ==, "hparams");
  g_assert_cmpstr (record->u.hparams.items[0].text, ==, "64");
  record = find_kind (records, SONDE_RECORD_TEXT);
  g_assert_cmpstr (record->u.text, ==, "hello");
  record = records->pdata[records->len - 2]; /* the last one is the end */
  g_assert_cmpstr (record->tag, ==, "debug/lost");
  g_assert_cmpstr (record->u.text, ==, "lost at step 9");
  g_assert_cmpstr (sonde_message_get_english (record->u.message), ==, "lost at step 9");
  g_assert_cmpuint (sonde_message_get_n_parts (record->u.message), ==, 1);
  run_folder_clear (&run);
}

/* Scalars of one step travel together, whether added at once or one by one; other things between
 * keep their place. */
static void
test_one_record_a_step (void)
{
  const SondeSummaryWriterOptions options = { .clock = &still_clock };
  g_autoptr (GPtrArray) records = NULL;
  g_autofree char *path = NULL;
  SondeSummaryWriter *writer;
  RunFolder run;

  run_folder_init (&run);
  writer = open_writer (run.run, &options);
  path = g_strdup (sonde_summary_writer_get_path (writer));
  sonde_summary_writer_flush (writer);
  for (gint64 step = 0; step < 1000; step++)
    {
      sonde_summary_writer_add_scalar (writer, "a", step, (double) step);
      sonde_summary_writer_add_scalar (writer, "b", step, (double) -step);
      if (step % 100 == 50)
        sonde_summary_writer_add_text (writer, "note", step, "between");
    }
  close_writer (writer);

  records = read_records (path, NULL);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_TEXT), ==, 10);
  /* The thread may come between the two of a step, but not often. */
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_SCALARS), <, 1100);
  {
    gint64 last = -1;
    guint n = 0;

    for (guint i = 1; i < records->len; i++)
      {
        const SondeRecord *record = records->pdata[i];

        g_assert_cmpint (record->step, >=, last);
        g_assert_cmpint (record->step, <=, last + 1);
        last = record->step;
        n += record->kind == SONDE_RECORD_SCALARS ? (guint) record->u.scalars.n : 0;
      }
    g_assert_cmpuint (n, ==, 2000);
  }
  run_folder_clear (&run);
}

/* Many tags in one step: more than one chunk holds. */
static void
test_many_tags (void)
{
  g_autoptr (GPtrArray) records = NULL;
  g_autofree SondeScalar *scalars = g_new (SondeScalar, 20000);
  g_autofree char *path = NULL;
  SondeSummaryWriter *writer;
  const SondeRecord *record;
  RunFolder run;

  run_folder_init (&run);
  for (guint i = 0; i < 20000; i++)
    {
      g_autofree char *name = g_strdup_printf ("group%u/tag%u", i % 100, i);

      scalars[i] = (SondeScalar){ g_intern_string (name), i };
    }
  writer = open_writer (run.run, NULL);
  path = g_strdup (sonde_summary_writer_get_path (writer));
  sonde_summary_writer_add_scalars (writer, 1, scalars, 20000);
  close_writer (writer);
  records = read_records (path, NULL);
  record = find_kind (records, SONDE_RECORD_SCALARS);
  g_assert_cmpuint (record->u.scalars.n, ==, 20000);
  for (guint i = 0; i < 20000; i++)
    {
      g_assert_cmpstr (record->u.scalars.items[i].tag, ==, scalars[i].tag);
      g_assert_cmpfloat (record->u.scalars.items[i].value, ==, i);
    }
  run_folder_clear (&run);
}

/* ---- threads ------------------------------------------------------------- */

#define N_THREADS 4
#define N_STEPS 20000

typedef struct
{
  SondeSummaryWriter *writer;
  guint number;
} Adder;

static double
value_of (guint thread, gint64 step)
{
  return sin ((double) step * 0.37 + thread) * pow (10, (double) (step % 600) - 300);
}

static gpointer
add_many (gpointer data)
{
  const Adder *adder = data;
  g_autofree char *tag = g_strdup_printf ("thread%u", adder->number);

  for (gint64 step = 0; step < N_STEPS; step++)
    {
      sonde_summary_writer_add_scalar (adder->writer, tag, step, value_of (adder->number, step));
      if (step % 1000 == 0)
        sonde_summary_writer_add_text (adder->writer, tag, step, tag);
      if (step % 5000 == 0)
        sonde_summary_writer_flush (adder->writer);
    }
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (GPtrArray) records = NULL;
  g_autofree char *path = NULL;
  SondeSummaryWriterState state;
  SondeSummaryWriter *writer;
  GThread *threads[N_THREADS];
  Adder adders[N_THREADS];
  gint64 next[N_THREADS] = { 0 };
  RunFolder run;

  run_folder_init (&run);
  writer = open_writer (run.run, NULL);
  path = g_strdup (sonde_summary_writer_get_path (writer));
  for (guint i = 0; i < N_THREADS; i++)
    {
      adders[i] = (Adder){ writer, i };
      threads[i] = g_thread_new ("adder", add_many, &adders[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  sonde_summary_writer_flush (writer);
  sonde_summary_writer_get_state (writer, &state);
  g_assert_cmpuint (state.lost_records, ==, 0);
  g_assert_false (state.failing);
  close_writer (writer);

  records = read_records (path, NULL);
  g_assert_cmpuint (records->len, ==, state.written_records + 1); /* and the end */
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_TEXT), ==, N_THREADS * N_STEPS / 1000);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      for (gsize k = 0; record->kind == SONDE_RECORD_SCALARS && k < record->u.scalars.n; k++)
        {
          guint thread = (guint) (record->u.scalars.items[k].tag[6] - '0');
          double expected = value_of (thread, next[thread]);

          g_assert_cmpint (record->step, ==, next[thread]);
          g_assert_cmpmem (&record->u.scalars.items[k].value, sizeof (double), &expected,
                           sizeof (double));
          next[thread]++;
        }
    }
  for (guint i = 0; i < N_THREADS; i++)
    g_assert_cmpint (next[i], ==, N_STEPS);
  run_folder_clear (&run);
}

/* ---- files --------------------------------------------------------------- */

static void
test_sessions (void)
{
  RunFolder run;

  run_folder_init (&run);
  for (guint session = 1; session <= 3; session++)
    {
      SondeSummaryWriter *writer = open_writer (run.run, NULL);
      g_autofree char *name = g_strdup_printf ("/records/%06u.sonde", session);
      g_autofree char *path = g_strdup (sonde_summary_writer_get_path (writer));
      g_autoptr (GPtrArray) records = NULL;

      g_assert_true (g_str_has_suffix (path, name));
      g_assert_cmpuint (sonde_summary_writer_get_session (writer), ==, session);
      sonde_summary_writer_add_scalar (writer, "loss", 1, 2);
      close_writer (writer);
      records = read_records (path, NULL);
      g_assert_cmpuint (records->len, ==, 3);
      g_assert_cmpuint (((SondeRecord *) records->pdata[1])->session, ==, session);
    }
  run_folder_clear (&run);
}

/* Two writers of one run at once have a file each. */
static void
test_two_writers (void)
{
  SondeSummaryWriter *first, *second;
  RunFolder run;

  run_folder_init (&run);
  first = open_writer (run.run, NULL);
  second = open_writer (run.run, NULL);
  g_assert_cmpuint (sonde_summary_writer_get_session (first), ==, 1);
  g_assert_cmpuint (sonde_summary_writer_get_session (second), ==, 2);
  close_writer (first);
  close_writer (second);
  run_folder_clear (&run);
}

static void
test_impossible_folder (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *inside = NULL;
  RunFolder run;

  run_folder_init (&run);
  g_assert_true (g_file_set_contents (run.run, "a file", -1, NULL));
  inside = g_build_filename (run.run, "deeper", NULL);
  g_assert_null (sonde_summary_writer_open (inside, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
  g_assert_nonnull (strstr (error->message, inside));
  run_folder_clear (&run);
}

/* What was flushed can be read while the writer lives. */
static void
test_flush (void)
{
  RunFolder run;
  SondeSummaryWriter *writer;

  run_folder_init (&run);
  writer = open_writer (run.run, NULL);
  for (gint64 step = 0; step < 50; step++)
    {
      g_autoptr (GPtrArray) records = NULL;

      sonde_summary_writer_add_scalar (writer, "loss", step, 0);
      sonde_summary_writer_flush (writer);
      records = read_records (sonde_summary_writer_get_path (writer), NULL);
      g_assert_cmpuint (records->len, ==, 2 + step);
    }
  close_writer (writer);
  run_folder_clear (&run);
}

/* Without a flush it does not take long either; an idle writer costs nothing. */
static void
test_written_soon (void)
{
  gint64 start;
  RunFolder run;
  SondeSummaryWriter *writer;
  SondeSummaryWriterState state;

  run_folder_init (&run);
  writer = open_writer (run.run, NULL);
  sonde_summary_writer_flush (writer);
  start = g_get_monotonic_time ();
  sonde_summary_writer_add_scalar (writer, "loss", 1, 0);
  do
    {
      poll (NULL, 0, 1);
      sonde_summary_writer_get_state (writer, &state);
    }
  while (state.written_records < 2 && g_get_monotonic_time () - start < 5 * G_USEC_PER_SEC);
  g_assert_cmpuint (state.written_records, ==, 2);
  close_writer (writer);
  run_folder_clear (&run);
}

/* ---- death --------------------------------------------------------------- */

/* The child: adds, flushes, says through the pipe what is flushed. Never returns. */
static void
write_until_killed (const char *run, int pipe)
{
  SondeSummaryWriter *writer = sonde_summary_writer_open (run, NULL, NULL);

  for (gint64 step = 0; writer != NULL; step++)
    {
      SondeScalar scalars[] = { { "loss", (double) step }, { "accuracy", 0.5 } };

      sonde_summary_writer_add_scalars (writer, step, scalars, 2);
      if (step % 10 == 3)
        sonde_summary_writer_add_text (writer, "text", step,
                                       "some words that make the record longer");
      if (step % 7 == 0)
        {
          sonde_summary_writer_flush (writer);
          if (write (pipe, &step, sizeof step) != sizeof step)
            break;
        }
    }
  _exit (1);
}

/* SIGKILL at any moment: what was flushed is there, at most one record is torn. */
static void
test_kill (void)
{
  const char *asked = g_getenv ("SONDE_KILL_ROUNDS"); /* scripts/kill-writing */
  const guint n_rounds = asked != NULL ? (guint) g_ascii_strtoull (asked, NULL, 10) : 100;
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  gint64 total = 0, acknowledged = 0;
  guint n_torn = 0;

  for (guint round = 0; round < n_rounds; round++)
    {
      g_autoptr (GPtrArray) records = NULL;
      g_autofree char *path = NULL;
      gint64 flushed = -1, step, next = 0;
      guint n_damage;
      int pipes[2];
      RunFolder run;
      pid_t child;

      run_folder_init (&run);
      path = g_build_filename (run.run, "records", "000001.sonde", NULL);
      g_assert_cmpint (pipe (pipes), ==, 0);
      fcntl (pipes[1], F_SETPIPE_SZ, 1 << 20);
      child = fork ();
      if (child == 0)
        write_until_killed (run.run, pipes[1]);
      close (pipes[1]);
      g_assert_cmpint (read (pipes[0], &flushed, sizeof flushed), ==, sizeof flushed);
      g_usleep ((gulong) g_rand_int_range (random, 0, 3000));
      kill (child, SIGKILL);
      waitpid (child, NULL, 0);
      while (read (pipes[0], &step, sizeof step) == sizeof step)
        flushed = step;
      close (pipes[0]);

      records = read_records (path, &n_damage);
      g_assert_cmpuint (n_damage, <=, 1);
      for (guint i = 0; i < records->len; i++)
        {
          const SondeRecord *record = records->pdata[i];

          if (record->kind != SONDE_RECORD_SCALARS)
            continue;
          g_assert_cmpint (record->step, ==, next);
          g_assert_cmpfloat (record->u.scalars.items[0].value, ==, (double) next);
          next++;
        }
      g_assert_cmpint (next, >, flushed);
      total += next;
      acknowledged += flushed + 1;
      n_torn += n_damage;
      run_folder_clear (&run);
    }
  g_test_message ("%u kills: %" G_GINT64_FORMAT " steps written, %" G_GINT64_FORMAT
                  " acknowledged, 0 lost, %u torn",
                  n_rounds, total, acknowledged, n_torn);
}

/* A child of the program may close what it inherited, and nothing more. */
static void
test_fork (void)
{
  g_autoptr (GPtrArray) records = NULL;
  g_autofree char *path = NULL;
  SondeSummaryWriter *writer;
  RunFolder run;
  int status;
  pid_t child;

  run_folder_init (&run);
  writer = open_writer (run.run, NULL);
  path = g_strdup (sonde_summary_writer_get_path (writer));
  sonde_summary_writer_flush (writer);
  sonde_summary_writer_add_scalar (writer, "loss", 1, 1);
  child = fork ();
  if (child == 0)
    {
      alarm (20);
      sonde_summary_writer_flush (writer);
      _exit (sonde_summary_writer_close (writer, NULL) ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  close_writer (writer);
  records = read_records (path, NULL);
  g_assert_cmpuint (records->len, ==, 3);
  run_folder_clear (&run);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collector/writer/kill", test_kill);
  g_test_add_func ("/collector/writer/every-kind", test_every_kind);
  g_test_add_func ("/collector/writer/one-record-a-step", test_one_record_a_step);
  g_test_add_func ("/collector/writer/many-tags", test_many_tags);
  g_test_add_func ("/collector/writer/threads", test_threads);
  g_test_add_func ("/collector/writer/sessions", test_sessions);
  g_test_add_func ("/collector/writer/two-writers", test_two_writers);
  g_test_add_func ("/collector/writer/impossible-folder", test_impossible_folder);
  g_test_add_func ("/collector/writer/flush", test_flush);
  g_test_add_func ("/collector/writer/written-soon", test_written_soon);
  g_test_add_func ("/collector/writer/fork", test_fork);
  return g_test_run ();
}
