/* SPDX-License-Identifier: Apache-2.0
 * Contents of pictures, sound, text and chart plans. Encoded bytes are taken as they are. */
#include "data/records/tensorboard/sonde-tensorboard-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-text.h"
#include "data/records/tensorboard.pb-c.h"
#include "data/wire/sonde-wire-decode.h"

static int
to_int (guint64 number)
{
  return (int) MIN (number, G_MAXINT);
}

/* ---- pictures ------------------------------------------------------------ */

static int
number_at (SondeBytes bytes, gsize at, guint n, gboolean big_endian)
{
  guint32 number = 0;

  for (guint i = 0; i < n; i++)
    number = number << 8 | bytes.at[at + (big_endian ? i : n - 1 - i)];
  return (int) (number & G_MAXINT);
}

/* The size stands in the first frame header, behind segments that say their length. */
static void
sniff_jpeg (SondeBytes bytes, int *width, int *height)
{
  gsize at = 2;

  while (at + 9 <= bytes.length && bytes.at[at] == 0xff)
    {
      guint8 marker = bytes.at[at + 1];

      if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc)
        {
          *height = number_at (bytes, at + 5, 2, TRUE);
          *width = number_at (bytes, at + 7, 2, TRUE);
          return;
        }
      at += 2 + (gsize) number_at (bytes, at + 2, 2, TRUE);
    }
}

gboolean
sonde_picture_sniff (SondeBytes bytes, int *width, int *height)
{
  if (bytes.length < 26)
    return FALSE;
  if (memcmp (bytes.at, "\x89PNG\r\n\x1a\n", 8) == 0)
    {
      *width = number_at (bytes, 16, 4, TRUE);
      *height = number_at (bytes, 20, 4, TRUE);
    }
  else if (memcmp (bytes.at, "GIF8", 4) == 0)
    {
      *width = number_at (bytes, 6, 2, FALSE);
      *height = number_at (bytes, 8, 2, FALSE);
    }
  else if (memcmp (bytes.at, "BM", 2) == 0 && bytes.at[14] >= 40)
    {
      *width = number_at (bytes, 18, 4, FALSE);
      *height = number_at (bytes, 22, 4, FALSE);
    }
  else if (memcmp (bytes.at, "\xff\xd8\xff", 3) == 0)
    sniff_jpeg (bytes, width, height);
  else
    return memcmp (bytes.at, "RIFF", 4) == 0 && memcmp (bytes.at + 8, "WEBP", 4) == 0;
  return TRUE;
}

static void
take_picture (SondeRecord *record, SondeBytes bytes, int width, int height, guint index)
{
  sonde_picture_sniff (bytes, &width, &height);
  record->u.image.encoded = g_bytes_new (bytes.at, bytes.length);
  record->u.image.width = width;
  record->u.image.height = height;
  record->u.image.index = (int) index;
  record->u.image.note.label = record->u.image.note.predicted = -1;
  record->u.image.note.label_probability = record->u.image.note.predicted_probability = NAN;
}

/* "width", "height", bytes… */
static gboolean
read_image_strings (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  SondeBytes bytes;
  int size[2];

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *text = NULL;

      if (!sonde_plugin_get_string (value, i, &bytes, error))
        return FALSE;
      text = g_strndup ((const char *) bytes.at, MIN (bytes.length, 12));
      size[i] = to_int (g_ascii_strtoull (text, NULL, 10));
    }
  if (!sonde_plugin_get_string (value, value->part + 2, &bytes, error))
    return FALSE;
  take_picture (record, bytes, size[0], size[1], value->part);
  return TRUE;
}

gboolean
sonde_plugin_read_image (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  const SondeBytes content = value->value->content;
  const Tensorboard__Image *image;

  if (value->value->form == SONDE_FORM_TENSOR)
    return read_image_strings (value, record, error);
  image = sonde_wire_decode (&tensorboard__image__descriptor, content.at, content.length, NULL,
                             NULL, value->arena, error);
  if (image == NULL)
    return FALSE;
  take_picture (record, sonde_bytes_of_field (image->encoded_image_string), to_int (image->width),
                to_int (image->height), 0);
  return TRUE;
}

/* ---- sound --------------------------------------------------------------- */

/* What a WAV file's "fmt " and "data" chunks say, where the summary says nothing. */
static void
sniff_wav (SondeBytes bytes, SondeRecord *record)
{
  gsize at = 12;
  int frame_bytes = 0;

  if (bytes.length < 12 || memcmp (bytes.at, "RIFF", 4) != 0
      || memcmp (bytes.at + 8, "WAVE", 4) != 0)
    return;
  if (record->u.audio.content_type == NULL)
    record->u.audio.content_type = g_strdup ("audio/wav");
  while (at + 8 <= bytes.length)
    {
      gsize size = (gsize) number_at (bytes, at + 4, 4, FALSE), rest = bytes.length - at - 8;

      if (memcmp (bytes.at + at, "fmt ", 4) == 0 && rest >= 16 && frame_bytes == 0)
        {
          frame_bytes = number_at (bytes, at + 20, 2, FALSE);
          if (record->u.audio.n_channels == 0)
            record->u.audio.n_channels = number_at (bytes, at + 10, 2, FALSE);
          if (!(record->u.audio.sample_rate > 0))
            record->u.audio.sample_rate = number_at (bytes, at + 12, 4, FALSE);
        }
      if (memcmp (bytes.at + at, "data", 4) == 0)
        {
          if (record->u.audio.n_frames == 0 && frame_bytes > 0)
            record->u.audio.n_frames = (gint64) (MIN (size, rest) / (gsize) frame_bytes);
          return;
        }
      at += 8 + size + size % 2;
    }
}

/* [k] sounds or [k, 2] with labels. */
static gboolean
read_audio_strings (const SondePluginValue *value, SondeRecord *record, SondeBytes *bytes,
                    GError **error)
{
  const SondeTensorProto *tensor = &value->value->tensor;
  const gboolean labelled = tensor->rank == 2 && tensor->dims[1] == 2;
  SondeBytes label = { 0 };

  if (!sonde_plugin_get_string (value, labelled ? 2 * value->part : value->part, bytes, error)
      || (labelled && !sonde_plugin_get_string (value, 2 * value->part + 1, &label, error)))
    return FALSE;
  if (label.length > 0)
    record->u.audio.label = sonde_record_dup_text (label.at, label.length);
  return TRUE;
}

static gboolean
read_audio_message (const SondePluginValue *value, SondeRecord *record, SondeBytes *bytes,
                    GError **error)
{
  const SondeBytes content = value->value->content;
  const Tensorboard__Audio *audio = sonde_wire_decode (
      &tensorboard__audio__descriptor, content.at, content.length, NULL, NULL, value->arena, error);

  if (audio == NULL)
    return FALSE;
  record->u.audio.sample_rate = (double) audio->sample_rate;
  record->u.audio.n_channels = to_int (audio->num_channels);
  record->u.audio.n_frames = (gint64) MIN (audio->length_frames, G_MAXINT64);
  if (audio->content_type.len > 0)
    record->u.audio.content_type = sonde_record_dup_bytes (audio->content_type);
  *bytes = sonde_bytes_of_field (audio->encoded_audio_string);
  return TRUE;
}

gboolean
sonde_plugin_read_audio (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  SondeBytes bytes;

  record->u.audio.index = (int) value->part;
  if (value->value->form == SONDE_FORM_TENSOR ? !read_audio_strings (value, record, &bytes, error)
                                              : !read_audio_message (value, record, &bytes, error))
    return FALSE;
  record->u.audio.encoded = g_bytes_new (bytes.at, bytes.length);
  sniff_wav (bytes, record);
  return TRUE;
}

/* ---- text ---------------------------------------------------------------- */

/* A table of the last two dimensions; of leading ones the first, as TensorBoard shows it. */
static gboolean
shape_of_table (const SondeTensorProto *tensor, SondeShape *shape)
{
  gint64 n_strings = (gint64) sonde_tensor_proto_count_strings (tensor), rows, columns;

  if (tensor->rank < 1 || tensor->rank > SONDE_MAX_RANK || n_strings < 2)
    return FALSE;
  rows = tensor->dims[tensor->rank == 1 ? 0 : tensor->rank - 2];
  columns = tensor->rank == 1 ? 1 : tensor->dims[tensor->rank - 1];
  if (rows < 1 || columns < 1 || rows > n_strings || columns > n_strings / rows)
    return FALSE;
  *shape = sonde_shape_make (2, rows, columns);
  return TRUE;
}

gboolean
sonde_plugin_read_text (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  const SondeTensorProto *tensor = &value->value->tensor;
  SondeTensorStrings strings;
  SondeShape shape;
  SondeBytes string;
  GString *text;
  char **cells;

  if (!shape_of_table (tensor, &shape))
    {
      if (sonde_tensor_proto_count_strings (tensor) == 0)
        record->u.text = g_strdup ("");
      else if (sonde_plugin_get_string (value, 0, &string, error))
        record->u.text = sonde_record_dup_text (string.at, string.length);
      return record->u.text != NULL;
    }
  record->u.cells
      = sonde_tensor_try_new (SONDE_DTYPE_STRING, &shape, NULL, N_ ("table of texts"), error);
  if (record->u.cells == NULL)
    return FALSE;
  text = g_string_new (NULL);
  cells = (char **) record->u.cells->data;
  sonde_tensor_strings_init (&strings, tensor);
  for (gint64 i = 0; i < shape.dims[0] * shape.dims[1]; i++)
    {
      if (!sonde_tensor_strings_next (&strings, &string.at, &string.length))
        break;
      cells[i] = sonde_record_dup_text (string.at, string.length);
      if (i > 0)
        g_string_append_c (text, i % shape.dims[1] == 0 ? '\n' : '\t');
      g_string_append (text, cells[i]);
    }
  record->u.text = g_string_free (text, FALSE);
  return TRUE;
}

/* ---- chart plans --------------------------------------------------------- */

static void
plan_clear (gpointer data)
{
  SondeChartPlan *plan = data;

  g_free (plan->category);
  g_free (plan->title);
  g_strfreev (plan->tags);
}

/* A chart's lines: a regular expression each, or of a margin a value, a lower and an upper one. */
static char **
dup_tags (const Tensorboard__Layout__Chart *chart)
{
  GPtrArray *tags = g_ptr_array_new ();

  if (chart->content_case == TENSORBOARD__LAYOUT__CHART__CONTENT_MULTILINE)
    for (gsize i = 0; i < chart->multiline->n_tag; i++)
      g_ptr_array_add (tags, sonde_record_dup_bytes (chart->multiline->tag[i]));
  else if (chart->content_case == TENSORBOARD__LAYOUT__CHART__CONTENT_MARGIN)
    for (gsize i = 0; i < chart->margin->n_series; i++)
      {
        const Tensorboard__Layout__Margin__Series *series = chart->margin->series[i];

        g_ptr_array_add (tags, sonde_record_dup_bytes (series->value));
        g_ptr_array_add (tags, sonde_record_dup_bytes (series->lower));
        g_ptr_array_add (tags, sonde_record_dup_bytes (series->upper));
      }
  g_ptr_array_add (tags, NULL);
  return (char **) g_ptr_array_free (tags, FALSE);
}

static void
collect_category (const Tensorboard__Layout__Category *category, GArray *plans)
{
  for (gsize i = 0; i < category->n_chart; i++)
    {
      const Tensorboard__Layout__Chart *chart = category->chart[i];
      const SondeChartPlan plan = {
        .category = sonde_record_dup_bytes (category->title),
        .title = sonde_record_dup_bytes (chart->title),
        .is_margin = chart->content_case == TENSORBOARD__LAYOUT__CHART__CONTENT_MARGIN,
        .tags = dup_tags (chart),
      };

      g_array_append_val (plans, plan);
    }
}

gboolean
sonde_plugin_read_custom_scalars (const SondePluginValue *value, SondeRecord *record,
                                  GError **error)
{
  g_autoptr (GArray) plans = g_array_new (FALSE, TRUE, sizeof (SondeChartPlan));
  const Tensorboard__Layout *layout;
  SondeBytes bytes;

  g_array_set_clear_func (plans, plan_clear);
  if (!sonde_plugin_get_string (value, 0, &bytes, error))
    return FALSE;
  layout = sonde_wire_decode (&tensorboard__layout__descriptor, bytes.at, bytes.length, NULL, NULL,
                              value->arena, error);
  if (layout == NULL)
    return FALSE;
  for (gsize i = 0; i < layout->n_category; i++)
    collect_category (layout->category[i], plans);
  record->u.custom_scalars.n = plans->len;
  record->u.custom_scalars.items = g_array_steal (plans, NULL);
  return TRUE;
}
