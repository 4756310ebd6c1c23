/* SPDX-License-Identifier: Apache-2.0
 * Contents of pictures, sound, text and chart plans. Encoded bytes are taken as they are. */
#include "data/records/tensorboard/sonde-tensorboard-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-wire.h"
#include "data/records/sonde-record-wire-private.h"

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

/* Summary.Image: 1 height, 2 width, 4 bytes. As a tensor: "width", "height", bytes… */
gboolean
sonde_plugin_read_image (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  SondeBytes content = value->value->content, bytes = { (const guint8 *) "", 0 };
  SondeWireCursor cursor = sonde_wire_cursor (content.at, content.length);
  int size[2] = { 0, 0 };
  SondeWireItem item;

  if (value->value->form == SONDE_FORM_TENSOR)
    {
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
  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 1 || item.number == 2)
      size[2 - item.number] = to_int (item.value);
    else if (item.number == 4)
      bytes = (SondeBytes){ item.bytes, item.length };
  take_picture (record, bytes, size[0], size[1], 0);
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

/* Summary.Audio: 1 rate, 2 channels, 3 frames, 4 bytes, 5 type. As a tensor: [k] sounds or [k, 2]
 * with labels. */
gboolean
sonde_plugin_read_audio (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  const SondeEventValue *of = value->value;
  SondeWireCursor cursor = sonde_wire_cursor (of->content.at, of->content.length);
  SondeBytes bytes = { (const guint8 *) "", 0 }, label = { 0 }, type = { 0 };
  SondeWireItem item;

  record->u.audio.index = (int) value->part;
  if (of->form == SONDE_FORM_TENSOR)
    {
      gboolean labelled = of->tensor.rank == 2 && of->tensor.dims[1] == 2;

      if (!sonde_plugin_get_string (value, labelled ? 2 * value->part : value->part, &bytes, error)
          || (labelled && !sonde_plugin_get_string (value, 2 * value->part + 1, &label, error)))
        return FALSE;
    }
  else
    while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
      if (item.number == 1)
        record->u.audio.sample_rate = (double) sonde_wire_item_float (&item);
      else if (item.number == 2)
        record->u.audio.n_channels = to_int (item.value);
      else if (item.number == 3)
        record->u.audio.n_frames = (gint64) MIN (item.value, G_MAXINT64);
      else if (item.number == 4)
        bytes = (SondeBytes){ item.bytes, item.length };
      else if (item.number == 5)
        type = (SondeBytes){ item.bytes, item.length };
  if (type.length > 0)
    record->u.audio.content_type = sonde_record_dup_text (type.at, type.length);
  if (label.length > 0)
    record->u.audio.label = sonde_record_dup_text (label.at, label.length);
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
      = sonde_tensor_try_new (SONDE_DTYPE_STRING, &shape, NULL, "table of texts", error);
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

/* A chart's lines: 1 of a multiline a regular expression each; 1 of a margin a series of 1 value, 2
 * lower, 3 upper. */
static gboolean
collect_tags (const SondeWireItem *message, gboolean is_margin, GPtrArray *tags)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message), inner;
  SondeWireItem item, part;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    {
      char *names[4] = { NULL };

      if (item.number != 1 || item.type != SONDE_WIRE_BYTES)
        continue;
      if (!is_margin)
        {
          g_ptr_array_add (tags, sonde_record_dup_text (item.bytes, item.length));
          continue;
        }
      inner = sonde_wire_item_cursor (&item);
      while ((step = sonde_wire_next (&inner, &part)) == SONDE_WIRE_ITEM)
        if (part.number <= 3 && part.type == SONDE_WIRE_BYTES)
          {
            g_free (names[part.number]);
            names[part.number] = sonde_record_dup_text (part.bytes, part.length);
          }
      for (guint i = 1; i <= 3; i++)
        g_ptr_array_add (tags, names[i] != NULL ? names[i] : g_strdup (""));
      if (step == SONDE_WIRE_BROKEN)
        return FALSE;
    }
  return step == SONDE_WIRE_END;
}

static void
plan_clear (gpointer data)
{
  SondeChartPlan *plan = data;

  g_free (plan->category);
  g_free (plan->title);
  g_strfreev (plan->tags);
}

/* Chart: 1 title, 2 multiline or 3 margin. */
static gboolean
collect_chart (const SondeWireItem *message, GArray *plans)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  g_autoptr (GPtrArray) tags = g_ptr_array_new_with_free_func (g_free);
  SondeChartPlan plan = { .title = g_strdup ("") };
  gboolean right = TRUE;
  SondeWireItem item;
  SondeWireStep step;

  while (right && (step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.type != SONDE_WIRE_BYTES)
      continue;
    else if (item.number == 1)
      {
        g_free (plan.title);
        plan.title = sonde_record_dup_text (item.bytes, item.length);
      }
    else if (item.number == 2 || item.number == 3)
      {
        plan.is_margin = item.number == 3;
        g_ptr_array_set_size (tags, 0);
        right = collect_tags (&item, plan.is_margin, tags);
      }
  g_ptr_array_add (tags, NULL);
  plan.tags = g_strdupv ((char **) tags->pdata);
  g_array_append_val (plans, plan);
  return right && step == SONDE_WIRE_END;
}

/* Category: 1 title, 2 charts, 3 closed. */
static gboolean
collect_category (const SondeWireItem *message, GArray *plans)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  g_autofree char *title = g_strdup ("");
  guint first = plans->len;
  gboolean right = TRUE;
  SondeWireItem item;
  SondeWireStep step;

  while (right && (step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      {
        g_free (title);
        title = sonde_record_dup_text (item.bytes, item.length);
      }
    else if (item.number == 2 && item.type == SONDE_WIRE_BYTES)
      right = collect_chart (&item, plans);
  for (guint i = first; i < plans->len; i++)
    g_array_index (plans, SondeChartPlan, i).category = g_strdup (title);
  return right && step == SONDE_WIRE_END;
}

/* Layout: 2 categories. */
gboolean
sonde_plugin_read_custom_scalars (const SondePluginValue *value, SondeRecord *record,
                                  GError **error)
{
  g_autoptr (GArray) plans = g_array_new (FALSE, TRUE, sizeof (SondeChartPlan));
  SondeBytes layout;
  SondeWireCursor cursor;
  SondeWireItem item;
  SondeWireStep step;
  gboolean right = TRUE;

  g_array_set_clear_func (plans, plan_clear);
  if (!sonde_plugin_get_string (value, 0, &layout, error))
    return FALSE;
  cursor = sonde_wire_cursor (layout.at, layout.length);
  while (right && (step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 2 && item.type == SONDE_WIRE_BYTES)
      right = collect_category (&item, plans);
  if (!right || step == SONDE_WIRE_BROKEN)
    return sonde_event_fail (error, "Layout of custom scalars is not a valid message");
  record->u.custom_scalars.n = plans->len;
  record->u.custom_scalars.items = g_array_steal (plans, NULL);
  return TRUE;
}
