/* SPDX-License-Identifier: Apache-2.0
 * CSV files as runs: the forms that loggers write, growth, damage. */
#include <math.h>
#include <string.h>
#include <utime.h>

#include "data/records/sonde-record-format.h"
#include "tests/data/records/temporary-file.h"

/* Everything that was read so far, as lines "TAG STEP VALUE" and "TAG STEP 'TEXT'". */
typedef struct
{
  TemporaryFile file;
  GString *lines, *reasons;
  guint64 position, n_records;
  GArray *tags;
} Fixture;

static void
fixture_init (Fixture *fixture)
{
  memset (fixture, 0, sizeof *fixture);
  temporary_file_init (&fixture->file);
  g_free (fixture->file.path);
  fixture->file.path = g_build_filename (fixture->file.folder, "metrics.csv", NULL);
  fixture->lines = g_string_new (NULL);
  fixture->reasons = g_string_new (NULL);
  fixture->tags = g_array_new (FALSE, TRUE, sizeof (SondeRecordTag));
}

static void
fixture_clear (Fixture *fixture)
{
  temporary_file_clear (&fixture->file);
  g_string_free (fixture->lines, TRUE);
  g_string_free (fixture->reasons, TRUE);
  g_array_unref (fixture->tags);
}

static void
write_text (Fixture *fixture, const char *text, gboolean is_old)
{
  const struct utimbuf old = { 1000000000, 1000000000 };

  temporary_file_write (&fixture->file, text, strlen (text));
  if (is_old)
    g_assert_cmpint (utime (fixture->file.path, &old), ==, 0);
}

static void
add_lines (Fixture *fixture, const SondeRecordBatch *batch)
{
  const SondeRecordTag *tags = (const SondeRecordTag *) fixture->tags->data;

  for (gsize i = 0; i < batch->n_points; i++)
    g_string_append_printf (fixture->lines, "%s %" G_GINT64_FORMAT " %g\n",
                            tags[batch->tags[i]].name, batch->steps[i], batch->values[i]);
  for (guint i = 0; i < batch->refs->len; i++)
    {
      const SondeRecordRef *ref = &g_array_index (batch->refs, SondeRecordRef, i);
      g_autoptr (GError) error = NULL;
      SondeRecord record;

      g_assert_cmpint (ref->kind, ==, SONDE_RECORD_TEXT);
      g_assert_true (sonde_record_format_read (&sonde_record_format_csv, NULL, fixture->file.path,
                                               ref->place, tags, fixture->tags->len, &record,
                                               &error));
      g_assert_no_error (error);
      g_assert_cmpstr (record.tag, ==, tags[ref->tag].name);
      g_assert_cmpint (record.step, ==, ref->step);
      g_assert_cmpint (record.wall_time_ns, ==, ref->wall_time_ns);
      g_string_append_printf (fixture->lines, "%s %" G_GINT64_FORMAT " '%s'\n", record.tag,
                              record.step, record.u.text);
      sonde_record_clear (&record);
    }
}

/* Reads on from where an earlier reading stopped, with a source of its own. Returns the wall time
 * of the first record. */
static gint64
read_on (Fixture *fixture)
{
  const SondeRecordFormat *format = &sonde_record_format_csv;
  g_autoptr (GPtrArray) damage
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  g_autoptr (GArray) tags = g_steal_pointer (&fixture->tags);
  g_autoptr (GError) error = NULL;
  SondeRecordBatch batch;
  guint64 n_records;
  gpointer source;
  gint64 first = 0;

  source = format->open (NULL, fixture->file.path, fixture->position,
                         (const SondeRecordTag *) tags->data, tags->len, &error);
  g_assert_no_error (error);
  sonde_record_batch_init (&batch);
  while (format->next (source, &batch, &fixture->position, &n_records, damage, &error)
         == SONDE_FRAME_RECORD)
    fixture->n_records += n_records;
  g_assert_no_error (error);
  fixture->tags = g_array_ref (format->get_tags (source));
  add_lines (fixture, &batch);
  for (guint i = 0; i < damage->len; i++)
    {
      const SondeFrameDamage *stretch = damage->pdata[i];

      g_string_append_printf (fixture->reasons, "%d+%d %s\n", (int) stretch->offset,
                              (int) stretch->bytes, stretch->reason);
    }
  if (batch.has_time)
    first = batch.first_time_ns;
  sonde_record_batch_clear (&batch);
  format->close (source);
  return first;
}

typedef struct
{
  const char *name, *text, *lines, *reasons;
} Case;

static const Case cases[] = {
  { "lightning", "epoch,step,train_loss,val_loss\n0,9,0.5,\n0,9,,0.75\n1,19,0.25,\n",
    "epoch 9 0\ntrain_loss 9 0.5\nepoch 9 0\nval_loss 9 0.75\nepoch 19 1\ntrain_loss 19 0.25\n",
    "" },
  { "keras", "epoch,accuracy,loss\n0,0.5,1e-3\n1,NaN,-inf\n",
    "accuracy 0 0.5\nloss 0 0.001\naccuracy 1 nan\nloss 1 -inf\n", "" },
  { "semicolon", "Step;loss;lr\n1;0,5;1,5e-2\n2;.25;+3\n",
    "loss 1 0.5\nlr 1 0.015\nloss 2 0.25\nlr 2 3\n", "" },
  { "tab", "global_step\tloss\n-5\t1\n", "loss -5 1\n", "" },
  { "crlf and a mark", "\xef\xbb\xbfstep,loss\r\n1,2\r\n\r\n3,4\r\n", "loss 1 2\nloss 3 4\n", "" },
  { "quotes", "\"step\",\"a \"\"b\"\", c\"\n\"1\",\"2.5\"\n2,\" 3 \"\n",
    "a \"b\", c 1 2.5\na \"b\", c 2 3\n", "" },
  { "missing", "step,a,b\n1,N/A,null\n2,-,1\n3,?,None\n", "b 2 1\n", "" },
  { "texts", "step,note,loss\n1,\"line\none\",2\n2,,3\n",
    "loss 1 2\nloss 2 3\nnote 1 'line\none'\n", "" },
  { "hexadecimal is text", "step,a\n1,0x10\n", "a 1 '0x10'\n", "" },
  { "another header", "step,a,b\n1,2,3\nstep,b,c\n2,4,5\n", "a 1 2\nb 1 3\nb 2 4\nc 2 5\n", "" },
  { "text that moves", "step,a,t\n1,2,x\nt,step\ny,2\n", "a 1 2\nt 1 'x'\nt 2 'y'\n", "" },
  { "long form", "run,tag,step,wall_time,value\n.,loss,1,1600000000.5,2\na/b,loss,1,,nan\n",
    "loss 1 2\na/b/loss 1 nan\n", "" },
  { "long steps", "step,a\n9007199254740993,1\n1e3,2\n2.0,3\n",
    "a 9007199254740993 1\na 1000 2\na 2 3\n", "" },
  { "no step in a row", "step,a\n,1\nx,2\n3,3\n", "a 3 3\n",
    "7+3 a row without a step\n10+4 a row without a step\n" },
  { "short and long rows", "step,a,b\n1\n2,3\n4,5,6,7\n", "a 2 3\na 4 5\nb 4 6\n", "" },
  { "quote without end", "step,a\n1,\"2\n3,4\n", "a 3 4\n",
    "7+5 quotes inside a row that make no sense\n" },
  { "quote inside", "step,a\n1,5\" pipe\n2,3\n", "a 2 3\na 1 '5\" pipe'\n", "" },
  { "last line without end", "step,a\n1,2\n3,4", "a 1 2\na 3 4\n", "" },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  Fixture fixture;

  fixture_init (&fixture);
  write_text (&fixture, c->text, TRUE);
  g_assert_true (sonde_record_format_find (NULL, fixture.file.path) == &sonde_record_format_csv);
  read_on (&fixture);
  g_assert_cmpstr (fixture.lines->str, ==, c->lines);
  g_assert_cmpstr (fixture.reasons->str, ==, c->reasons);
  g_assert_cmpuint (fixture.position, ==, strlen (c->text));
  fixture_clear (&fixture);
}

/* Written byte by byte and read with a fresh source at each, all points come once and in order. */
static void
test_growth (gconstpointer data)
{
  const Case *c = data;
  const gsize length = strlen (c->text);
  Fixture fixture;

  fixture_init (&fixture);
  for (gsize n = 1; n <= length; n++)
    {
      g_autofree char *part = g_strndup (c->text, n);

      write_text (&fixture, part, n == length);
      read_on (&fixture);
      g_assert_cmpuint (fixture.position, <=, n);
    }
  /* texts come with their batch here, behind no later points */
  if (strchr (c->lines, '\'') == NULL)
    g_assert_cmpstr (fixture.lines->str, ==, c->lines);
  else
    g_assert_cmpuint (fixture.lines->len, ==, strlen (c->lines));
  g_assert_cmpstr (fixture.reasons->str, ==, c->reasons);
  fixture_clear (&fixture);
}

static void
test_waiting (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  write_text (&fixture, "step,a\n1,2\n3,4", FALSE);
  read_on (&fixture);
  g_assert_cmpstr (fixture.lines->str, ==, "a 1 2\n");
  g_assert_cmpuint (fixture.position, ==, 11);
  g_assert_cmpuint (fixture.n_records, ==, 1);
  write_text (&fixture, "step,a\n1,2\n3,45\n", FALSE);
  read_on (&fixture);
  g_assert_cmpstr (fixture.lines->str, ==, "a 1 2\na 3 45\n");
  g_assert_cmpuint (fixture.tags->len, ==, 1);
  fixture_clear (&fixture);
}

static void
test_times (void)
{
  static const struct
  {
    const char *text;
    gint64 first;
    const char *lines;
  } times[] = {
    { "step,wall_time,a\n1,1600000000.25,2\n", 1600000000250000000, "a 1 2\n" },
    { "Wall time,Step,Value\n1600000000.25,1,2\n", 1600000000250000000, "Value 1 2\n" },
    { "step,timestamp,a\n1,1600000000250,2\n", 1600000000250000000, "a 1 2\n" },
    { "step,date,a\n1,2020-09-13 12:26:40,2\n", 1600000000000000000, "a 1 2\n" },
    { "step,time,a\n1,0.5,2\n", 0, "time 1 0.5\na 1 2\n" }, /* seconds of something */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    {
      Fixture fixture;

      fixture_init (&fixture);
      write_text (&fixture, times[i].text, TRUE);
      g_assert_cmpint (read_on (&fixture), ==, times[i].first);
      g_assert_cmpstr (fixture.lines->str, ==, times[i].lines);
      fixture_clear (&fixture);
    }
}

static void
test_no_records (void)
{
  static const char *const texts[] = {
    "",
    "\n\n",
    "step\n1\n",
    "a,b\n1,2\n",
    "1,2\n3,4\n",
    "x1,x2,label\n0.5,1,0\n",
    "just text\nof a file\n",
    "\"step,a\n1,2",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      Fixture fixture;

      fixture_init (&fixture);
      write_text (&fixture, texts[i], TRUE);
      g_assert_null (sonde_record_format_find (NULL, fixture.file.path));
      fixture_clear (&fixture);
    }
  g_assert_true (sonde_record_format_may_be ("Metrics.CSV"));
  g_assert_false (sonde_record_format_may_be ("metrics.txt"));
}

/* Lines beyond the limit and bytes that are no text end neither the program nor the file. */
static void
test_hostile (void)
{
  g_autoptr (GString) text = g_string_new ("step,a\n1,2\n");
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  Fixture fixture;

  fixture_init (&fixture);
  g_string_append_c (text, '"');
  for (guint i = 0; i < (17u << 20); i++)
    g_string_append_c (text, 'x');
  g_string_append (text, "\n3,4\n");
  write_text (&fixture, text->str, TRUE);
  read_on (&fixture);
  g_assert_cmpstr (fixture.lines->str, ==, "a 1 2\na 3 4\n");
  g_assert_nonnull (strstr (fixture.reasons->str, "no sense"));
  for (guint i = 0; i < 200; i++)
    {
      guint8 bytes[300];

      for (guint k = 0; k < sizeof bytes; k++)
        bytes[k] = (guint8) "\"\n\r,;x1\0\xff.-e"[g_rand_int_range (rand, 0, 13)];
      memcpy (bytes, "step,a\n", 7);
      temporary_file_write (&fixture.file, bytes, sizeof bytes);
      fixture.position = 0;
      g_array_set_size (fixture.tags, 0);
      read_on (&fixture);
    }
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("/csv-records/", cases[i].name, NULL);
      g_autofree char *growth = g_strconcat ("/csv-records/growing/", cases[i].name, NULL);

      g_test_add_data_func (name, &cases[i], test_case);
      if (!g_str_equal (cases[i].name, "quote without end"))
        g_test_add_data_func (growth, &cases[i], test_growth);
    }
  g_test_add_func ("/csv-records/waiting", test_waiting);
  g_test_add_func ("/csv-records/times", test_times);
  g_test_add_func ("/csv-records/no-records", test_no_records);
  g_test_add_func ("/csv-records/hostile", test_hostile);
  return g_test_run ();
}
