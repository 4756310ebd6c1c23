/* SPDX-License-Identifier: Apache-2.0
 * A gzip copy of an event file reads as the file itself; what is cut or damaged in it is
 * reported. */
#include "data/records/sonde-record-format.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <utime.h>

#include "tests/data/records/wire-writer.h"

#define N_EVENTS 60000

static const SondeRecordFormat *const format = &sonde_record_format_tensorboard_gzip;

/* Points of two tags, every hundredth event a text of some length. */
static GByteArray *
make_file (void)
{
  GByteArray *file = g_byte_array_new ();

  for (guint i = 0; i < N_EVENTS; i++)
    {
      g_autoptr (GByteArray) event = g_byte_array_new ();
      GByteArray *value = g_byte_array_new (), *summary = g_byte_array_new ();

      wire_double (event, 1, 1.7e9 + i);
      wire_number (event, 2, i);
      wire_text (value, 1, i % 100 == 0 ? "note" : i % 2 != 0 ? "a" : "b");
      if (i % 100 != 0)
        wire_float (value, 2, (float) i);
      else
        {
          GByteArray *tensor = g_byte_array_new ();
          g_autofree char *text = g_strdup_printf ("text number %u %0200u", i, i * 7919);

          wire_number (tensor, 1, 7);
          wire_text (tensor, 8, text);
          wire_message (value, 8, tensor);
        }
      wire_message (summary, 1, value);
      wire_message (event, 5, summary);
      sonde_frame_append (file, event->data, event->len);
    }
  return file;
}

static GByteArray *
compress (const guint8 *data, gsize length)
{
  g_autoptr (GZlibCompressor) compressor = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);
  GByteArray *out = g_byte_array_new ();
  gsize read = 0;

  for (;;)
    {
      guint8 buffer[4096];
      gsize got, put;
      GConverterResult result
          = g_converter_convert (G_CONVERTER (compressor), data + read, length - read, buffer,
                                 sizeof buffer, G_CONVERTER_INPUT_AT_END, &got, &put, NULL);

      g_assert_cmpint (result, !=, G_CONVERTER_ERROR);
      read += got;
      g_byte_array_append (out, buffer, (guint) put);
      if (result == G_CONVERTER_FINISHED)
        return out;
    }
}

typedef struct
{
  char *folder, *path;
  SondeRecordBatch batch;
  GPtrArray *damage;
  GArray *tags;
  guint64 n, position;
} Copy;

static void
copy_read (Copy *copy, guint64 position, gsize n_tags)
{
  GError *error = NULL;
  gpointer source = format->open (NULL, copy->path, position,
                                  (const SondeRecordTag *) copy->tags->data, n_tags, &error);
  SondeFrameResult result;
  guint64 n;

  g_assert_no_error (error);
  while ((result = format->next (source, &copy->batch, &copy->position, &n, copy->damage, &error))
         == SONDE_FRAME_RECORD)
    copy->n += n;
  g_assert_no_error (error);
  g_assert_cmpint (result, ==, SONDE_FRAME_WAITING);
  g_assert_cmpint (format->next (source, &copy->batch, &position, &n, copy->damage, &error), ==,
                   SONDE_FRAME_WAITING);
  g_array_set_size (copy->tags, 0);
  g_array_append_vals (copy->tags, format->get_tags (source)->data, format->get_tags (source)->len);
  format->close (source);
}

static void
copy_init (Copy *copy, const guint8 *data, gsize length)
{
  *copy = (Copy){ .folder = g_dir_make_tmp ("sonde-gzip-XXXXXX", NULL) };
  copy->path = g_build_filename (copy->folder, "events.out.tfevents.1.host.gz", NULL);
  sonde_record_batch_init (&copy->batch);
  copy->damage = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  copy->tags = g_array_new (FALSE, FALSE, sizeof (SondeRecordTag));
  g_assert_true (g_file_set_contents (copy->path, (const char *) data, (gssize) length, NULL));
  /* long ago: nobody writes it any more */
  g_assert_cmpint (utime (copy->path, &(struct utimbuf){ 1000, 1000 }), ==, 0);
}

static void
copy_clear (Copy *copy)
{
  sonde_record_batch_clear (&copy->batch);
  g_ptr_array_unref (copy->damage);
  g_array_unref (copy->tags);
  g_remove (copy->path);
  g_rmdir (copy->folder);
  g_free (copy->path);
  g_free (copy->folder);
}

static void
assert_text (Copy *copy, guint i)
{
  const SondeRecordRef *ref = &g_array_index (copy->batch.refs, SondeRecordRef, i);
  g_autofree char *start = g_strdup_printf ("text number %" G_GINT64_FORMAT " ", ref->step);
  SondeRecord record;
  GError *error = NULL;

  sonde_record_format_read (format, NULL, copy->path, ref->place,
                            (const SondeRecordTag *) copy->tags->data, copy->tags->len, &record,
                            &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (record.u.text, start));
  sonde_record_clear (&record);
}

static void
test_whole (void)
{
  g_autoptr (GByteArray) file = make_file (), first = NULL, second = NULL;
  gsize half = file->len / 2;
  Copy copy;

  /* two members, cut anywhere */
  first = compress (file->data, half);
  second = compress (file->data + half, file->len - half);
  g_byte_array_append (first, second->data, second->len);
  copy_init (&copy, first->data, first->len);
  g_assert_true (sonde_record_format_find (NULL, copy.path) == format);
  copy_read (&copy, 0, 0);
  g_assert_cmpuint (copy.n, ==, N_EVENTS);
  g_assert_cmpuint (copy.position, ==, file->len);
  g_assert_cmpuint (copy.damage->len, ==, 0);
  g_assert_cmpuint (copy.batch.n_points, ==, N_EVENTS - N_EVENTS / 100);
  for (gsize i = 1; i < copy.batch.n_points; i++)
    {
      g_assert_cmpfloat (copy.batch.values[i], ==, (double) copy.batch.steps[i]);
      g_assert_cmpint (copy.batch.steps[i], >, copy.batch.steps[i - 1]);
    }
  g_assert_cmpuint (copy.batch.refs->len, ==, N_EVENTS / 100);
  assert_text (&copy, 0);
  assert_text (&copy, N_EVENTS / 100 - 1);
  assert_text (&copy, 17);

  /* nothing new behind the end */
  copy_read (&copy, copy.position, copy.tags->len);
  g_assert_cmpuint (copy.n, ==, N_EVENTS);
  copy_clear (&copy);
}

/* Cut at many places: what was whole before the cut is there, the end is reported. */
static void
test_cut (void)
{
  g_autoptr (GByteArray) file = make_file (), packed = compress (file->data, file->len);

  for (guint i = 1; i < 8; i++)
    {
      Copy copy;

      copy_init (&copy, packed->data, packed->len * i / 8);
      copy_read (&copy, 0, 0);
      g_assert_cmpuint (copy.n, <, N_EVENTS);
      g_assert_cmpuint (copy.n, >, N_EVENTS / 16 * (i - 1));
      g_assert_cmpuint (copy.damage->len, ==, 1);
      g_assert_cmpstr (((SondeFrameDamage *) copy.damage->pdata[0])->reason, ==,
                       "the gzip file ends before its data do");
      copy_clear (&copy);
    }
}

static void
test_flipped (void)
{
  g_autoptr (GByteArray) file = make_file (), packed = compress (file->data, file->len);

  for (guint i = 0; i < 12; i++)
    {
      g_autofree guint8 *bytes = g_memdup2 (packed->data, packed->len);
      Copy copy;

      bytes[(packed->len - 1) * i / 11] ^= 0x10;
      copy_init (&copy, bytes, packed->len);
      copy_read (&copy, 0, 0);
      g_assert_cmpuint (copy.n, <=, N_EVENTS);
      g_assert_cmpuint (copy.damage->len, >, 0);
      copy_clear (&copy);
    }
}

static void
test_none (void)
{
  Copy copy;

  copy_init (&copy, (const guint8 *) "no gzip at all, only some text", 30);
  copy_read (&copy, 0, 0);
  g_assert_cmpuint (copy.n, ==, 0);
  g_assert_cmpuint (copy.damage->len, ==, 1);
  copy_clear (&copy);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensorboard-gzip/whole", test_whole);
  g_test_add_func ("/tensorboard-gzip/cut", test_cut);
  g_test_add_func ("/tensorboard-gzip/flipped", test_flipped);
  g_test_add_func ("/tensorboard-gzip/none", test_none);
  return g_test_run ();
}
