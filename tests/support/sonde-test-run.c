/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/sonde-test-run.h"

#include <cairo.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <unistd.h>

#include "data/images/sonde-png.h"
#include "data/records/sonde-record-frame.h"

#define MAX_SCALARS 64
#define IMAGE_SIZE 28

struct _SondeTestRun
{
  char *path;
  SondeTagTable *table;
  GByteArray *bytes;
  GRand *random;
  guint32 session;
  gboolean live;
};

static void
append (SondeTestRun *run, const SondeRecord *record)
{
  g_autoptr (GByteArray) payload = g_byte_array_new ();

  sonde_record_encode (record, run->table, payload);
  sonde_frame_append (run->bytes, payload->data, payload->len);
}

static SondeRecord
make_record (SondeTestRun *run, SondeRecordKind kind, gint64 step, const char *tag)
{
  return (SondeRecord){
    .kind = kind,
    .step = step,
    .wall_time_ns
    = run->live ? g_get_real_time () * 1000 : SONDE_TEST_RUN_START_NS + step * 10000000,
    .session = run->session,
    .tag = tag,
  };
}

static void
add_session (SondeTestRun *run)
{
  SondeRecord record = make_record (run, SONDE_RECORD_SESSION, 0, NULL);

  record.u.session_start.program = (char *) "sonde";
  record.u.session_start.host = (char *) "test";
  record.u.session_start.format_version = 1;
  record.u.session_start.pid = 1;
  append (run, &record);
}

static SondeTestRun *
make_run (const char *folder, gboolean live)
{
  SondeTestRun *run = g_new0 (SondeTestRun, 1);
  g_autofree char *records = g_build_filename (folder, "records", NULL);

  g_assert_cmpint (g_mkdir_with_parents (records, 0755), ==, 0);
  run->path = g_build_filename (records, "000001.sonde", NULL);
  run->table = sonde_tag_table_new ();
  run->bytes = g_byte_array_new ();
  run->random = g_rand_new_with_seed (7);
  run->session = 1;
  run->live = live;
  add_session (run);
  return run;
}

SondeTestRun *
sonde_test_run_new (const char *folder)
{
  return make_run (folder, FALSE);
}

SondeTestRun *
sonde_test_run_new_now (const char *folder)
{
  return make_run (folder, TRUE);
}

void
sonde_test_run_free (SondeTestRun *run)
{
  if (run == NULL)
    return;
  g_free (run->path);
  sonde_tag_table_free (run->table);
  g_byte_array_unref (run->bytes);
  g_rand_free (run->random);
  g_free (run);
}

void
sonde_test_run_set_live (SondeTestRun *run)
{
  run->live = TRUE;
}

void
sonde_test_run_next_session (SondeTestRun *run)
{
  run->session++;
}

void
sonde_test_run_scalars (SondeTestRun *run, gint64 step, const char *tag, ...)
{
  SondeRecord record = make_record (run, SONDE_RECORD_SCALARS, step, NULL);
  SondeScalar items[MAX_SCALARS];
  va_list arguments;
  gsize n = 0;

  va_start (arguments, tag);
  for (; tag != NULL; tag = va_arg (arguments, const char *))
    {
      g_assert_cmpuint (n, <, MAX_SCALARS);
      items[n].tag = tag;
      items[n++].value = va_arg (arguments, double);
    }
  va_end (arguments);
  record.u.scalars.items = items;
  record.u.scalars.n = n;
  append (run, &record);
}

static double
normal (GRand *random)
{
  return sqrt (-2 * log (1 - g_rand_double (random))) * cos (2 * G_PI * g_rand_double (random));
}

void
sonde_test_run_histogram (SondeTestRun *run, gint64 step, const char *tag, double mean,
                          double deviation, int n)
{
  SondeRecord record = make_record (run, SONDE_RECORD_HISTOGRAM, step, tag);
  SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree SondeHistogram *histogram = g_new0 (SondeHistogram, 1);

  for (int i = 0; i < n; i++)
    ((float *) tensor->data)[i] = (float) (mean + deviation * normal (run->random));
  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, tensor);
  record.u.histogram = histogram;
  append (run, &record);
}

/* The digit is drawn as text, on a little noise. */
static GBytes *
draw_digit (SondeTestRun *run, int digit)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, IMAGE_SIZE, IMAGE_SIZE);
  cairo_t *cr = cairo_create (surface);
  char text[2] = { (char) ('0' + digit % 10), 0 };
  g_autoptr (SondeImage) image = sonde_image_new (IMAGE_SIZE, IMAGE_SIZE, 1);

  cairo_select_font_face (cr, "Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size (cr, 24);
  cairo_move_to (cr, 6, 23);
  cairo_show_text (cr, text);
  cairo_surface_flush (surface);
  for (int y = 0; y < IMAGE_SIZE; y++)
    for (int x = 0; x < IMAGE_SIZE; x++)
      {
        int ink = cairo_image_surface_get_data (
                      surface)[y * cairo_image_surface_get_stride (surface) + x]
                  + g_rand_int_range (run->random, 0, 24);
        image->pixels[y * IMAGE_SIZE + x] = (guint8) MIN (255, ink);
      }
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return sonde_png_encode (image);
}

void
sonde_test_run_image (SondeTestRun *run, gint64 step, const char *tag, int index, int label,
                      int predicted)
{
  SondeRecord record = make_record (run, SONDE_RECORD_IMAGE, step, tag);
  g_autoptr (GBytes) encoded = draw_digit (run, label);
  g_autofree char *sample = g_strdup_printf ("sample-%d", index);
  g_autofree char *label_name = g_strdup_printf ("%d", label),
                  *predicted_name = g_strdup_printf ("%d", predicted);

  record.u.image.encoded = encoded;
  record.u.image.width = record.u.image.height = IMAGE_SIZE;
  record.u.image.index = index;
  record.u.image.note = (SondeSampleNote){ sample,
                                           label,
                                           predicted,
                                           label == predicted ? 0.9 : 0.2,
                                           label == predicted ? 0.9 : 0.7,
                                           label_name,
                                           predicted_name };
  append (run, &record);
}

void
sonde_test_run_record (SondeTestRun *run, const SondeRecord *record)
{
  append (run, record);
}

void
sonde_test_run_bytes (SondeTestRun *run, const void *data, gsize length)
{
  g_byte_array_append (run->bytes, data, length);
}

void
sonde_test_run_flush (SondeTestRun *run)
{
  int fd = open (run->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, run->bytes->data, run->bytes->len), ==, run->bytes->len);
  close (fd);
  g_byte_array_set_size (run->bytes, 0);
}
