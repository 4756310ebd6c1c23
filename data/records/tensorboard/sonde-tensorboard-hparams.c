/* SPDX-License-Identifier: Apache-2.0
 * The hparams plugin: its three records are in the metadata, as HParamsPluginData.
 * Source: tensorflow/tensorboard plugins/hparams/plugin_data.proto, api.proto. */
#include "data/records/tensorboard/sonde-tensorboard-private.h"

#include <math.h>

#include "data/base/sonde-wire.h"
#include "data/records/sonde-record-wire-private.h"

/* Fields of HParamsPluginData. */
enum
{
  FIELD_EXPERIMENT = 2,
  FIELD_START = 3,
  FIELD_END = 4,
};

/* Lists in lists: deeper ones are shown as "…". */
#define MAX_NESTING 8
#define MAX_TEXT_BYTES 65536

static char *
dup_item (const SondeWireItem *item)
{
  return sonde_record_dup_text (item->bytes, item->length);
}

static void
append_number (GString *text, double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  /* the shortest that reads back */
  for (int digits = 1; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, number);
      if (isnan (number) || g_ascii_strtod (buffer, NULL) == number)
        break;
    }
  g_string_append (text, buffer);
}

/* ---- google.protobuf.Value ----------------------------------------------- */

static gboolean append_value (GString *text, SondeWireCursor value, guint depth,
                              SondeHparamType *type);

/* ListValue: 1 values. Struct: 1 fields { 1 key, 2 value }. */
static gboolean
append_list (GString *text, SondeWireCursor list, gboolean is_struct, guint depth)
{
  SondeHparamType type;
  SondeWireItem item;
  SondeWireStep step;
  gboolean first = TRUE;

  g_string_append_c (text, is_struct ? '{' : '[');
  while ((step = sonde_wire_next (&list, &item)) == SONDE_WIRE_ITEM)
    {
      SondeWireCursor entry = sonde_wire_item_cursor (&item), value = entry;
      SondeWireItem part, key = { 0 };

      if (item.number != 1 || item.type != SONDE_WIRE_BYTES)
        continue;
      if (is_struct)
        {
          value.end = value.at;
          while (sonde_wire_next (&entry, &part) == SONDE_WIRE_ITEM)
            if (part.number == 1 && part.type == SONDE_WIRE_BYTES)
              key = part;
            else if (part.number == 2 && part.type == SONDE_WIRE_BYTES)
              value = sonde_wire_item_cursor (&part);
        }
      if (!first)
        g_string_append (text, ", ");
      first = FALSE;
      if (is_struct)
        {
          g_autofree char *name = dup_item (&key);

          g_string_append_printf (text, "%s: ", name);
        }
      if (text->len > MAX_TEXT_BYTES || depth >= MAX_NESTING)
        {
          g_string_append (text, "…");
          break;
        }
      if (!append_value (text, value, depth + 1, &type))
        return FALSE;
    }
  g_string_append_c (text, is_struct ? '}' : ']');
  return step != SONDE_WIRE_BROKEN;
}

/* Value: 1 null, 2 number, 3 string, 4 bool, 5 struct, 6 list. */
static gboolean
append_value (GString *text, SondeWireCursor value, guint depth, SondeHparamType *type)
{
  SondeWireItem item, last = { 0 };
  SondeWireStep step;

  while ((step = sonde_wire_next (&value, &item)) == SONDE_WIRE_ITEM)
    if (item.number <= 6)
      last = item;
  if (step == SONDE_WIRE_BROKEN)
    return FALSE;
  *type = SONDE_HPARAM_TEXT;
  if (last.number == 2 && last.type == SONDE_WIRE_FIXED64)
    {
      *type = SONDE_HPARAM_NUMBER;
      append_number (text, sonde_wire_item_double (&last));
    }
  else if (last.number == 3 && last.type == SONDE_WIRE_BYTES)
    {
      g_autofree char *string = dup_item (&last);

      g_string_append (text, string);
    }
  else if (last.number == 4 && last.type == SONDE_WIRE_VARINT)
    {
      *type = SONDE_HPARAM_BOOL;
      g_string_append (text, last.value != 0 ? "true" : "false");
    }
  else if (last.number >= 5 && last.type == SONDE_WIRE_BYTES)
    return append_list (text, sonde_wire_item_cursor (&last), last.number == 5, depth);
  return TRUE;
}

/* ---- messages ------------------------------------------------------------ */

static void
hparam_clear (gpointer data)
{
  SondeHparam *hparam = data;

  g_free (hparam->key);
  g_free (hparam->text);
}

static GArray *
hparams_new (void)
{
  GArray *items = g_array_new (FALSE, TRUE, sizeof (SondeHparam));

  g_array_set_clear_func (items, hparam_clear);
  return items;
}

static SondeHparam *
steal_items (GArray *items, gsize *n)
{
  *n = items->len;
  return g_array_steal (items, NULL);
}

/* An entry of the map: 1 key, 2 Value. */
static gboolean
add_entry (const SondeWireItem *entry, GArray *items)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (entry), value = { entry->bytes, entry->bytes };
  g_autoptr (GString) text = g_string_new (NULL);
  SondeHparam hparam = { 0 };
  SondeWireItem item, key = { 0 };
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      key = item;
    else if (item.number == 2 && item.type == SONDE_WIRE_BYTES)
      value = sonde_wire_item_cursor (&item);
  if (step == SONDE_WIRE_BROKEN || !append_value (text, value, 0, &hparam.type))
    return FALSE;
  hparam.key = dup_item (&key);
  hparam.text = g_strdup (text->str);
  g_array_append_val (items, hparam);
  return TRUE;
}

/* SessionStartInfo: 1 hparams, 4 group_name, 5 start_time_secs. */
static gboolean
read_start (SondeWireCursor cursor, SondeRecord *record)
{
  g_autoptr (GArray) items = hparams_new ();
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      {
        if (!add_entry (&item, items))
          return FALSE;
      }
    else if (item.number == 4 && item.type == SONDE_WIRE_BYTES && item.length > 0)
      {
        g_free (record->u.hparams.group);
        record->u.hparams.group = dup_item (&item);
      }
    else if (item.number == 5 && item.type == SONDE_WIRE_FIXED64)
      record->u.hparams.time = sonde_wire_item_double (&item);
  record->u.hparams.items = steal_items (items, &record->u.hparams.n);
  return step == SONDE_WIRE_END;
}

/* SessionEndInfo: 1 status, 2 end_time_secs. */
static gboolean
read_end (SondeWireCursor cursor, SondeRecord *record)
{
  static const char *const names[] = { NULL, "success", "failure", "running" };
  const char *status = NULL;
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_VARINT)
      status = item.value < G_N_ELEMENTS (names) ? names[item.value] : NULL;
    else if (item.number == 2 && item.type == SONDE_WIRE_FIXED64)
      record->u.hparams.time = sonde_wire_item_double (&item);
  record->u.hparams.part = SONDE_HPARAMS_END;
  record->u.hparams.status = g_strdup (status);
  return step == SONDE_WIRE_END;
}

/* Interval: 1 min, 2 max. */
static gboolean
append_interval (GString *text, SondeWireCursor cursor)
{
  double ends[2] = { 0, 0 };
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number <= 2 && item.type == SONDE_WIRE_FIXED64)
      ends[item.number - 1] = sonde_wire_item_double (&item);
  append_number (text, ends[0]);
  g_string_append (text, " to ");
  append_number (text, ends[1]);
  return step == SONDE_WIRE_END;
}

/* HParamInfo: 1 name, 4 type, 5 list or 6 interval of what it may be. */
static gboolean
add_hparam_info (const SondeWireItem *info, GArray *items)
{
  static const SondeHparamType types[]
      = { SONDE_HPARAM_TEXT, SONDE_HPARAM_TEXT, SONDE_HPARAM_BOOL, SONDE_HPARAM_NUMBER };
  SondeWireCursor cursor = sonde_wire_item_cursor (info);
  g_autoptr (GString) text = g_string_new (NULL);
  SondeHparam hparam = { 0 };
  SondeWireItem item, name = { 0 };
  SondeWireStep step;
  gboolean right = TRUE;

  while (right && (step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      name = item;
    else if (item.number == 4 && item.type == SONDE_WIRE_VARINT)
      hparam.type = item.value < G_N_ELEMENTS (types) ? types[item.value] : SONDE_HPARAM_TEXT;
    else if ((item.number == 5 || item.number == 6) && item.type == SONDE_WIRE_BYTES)
      {
        g_string_truncate (text, 0);
        right = item.number == 5 ? append_list (text, sonde_wire_item_cursor (&item), FALSE, 0)
                                 : append_interval (text, sonde_wire_item_cursor (&item));
      }
  if (!right || step == SONDE_WIRE_BROKEN)
    return FALSE;
  hparam.key = dup_item (&name);
  hparam.text = g_strdup (text->str);
  g_array_append_val (items, hparam);
  return TRUE;
}

/* MetricInfo: 1 name { 1 group, 2 tag }, 3 display_name. */
static gboolean
add_metric_info (const SondeWireItem *info, GArray *items)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (info), inner;
  SondeWireItem item, part, group = { 0 }, tag = { 0 }, shown = { 0 };
  g_autofree char *group_text = NULL, *tag_text = NULL;
  SondeHparam metric = { 0 };
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 3 && item.type == SONDE_WIRE_BYTES)
      shown = item;
    else if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      {
        inner = sonde_wire_item_cursor (&item);
        while ((step = sonde_wire_next (&inner, &part)) == SONDE_WIRE_ITEM)
          if (part.number == 1 && part.type == SONDE_WIRE_BYTES)
            group = part;
          else if (part.number == 2 && part.type == SONDE_WIRE_BYTES)
            tag = part;
        if (step == SONDE_WIRE_BROKEN)
          return FALSE;
      }
  if (step == SONDE_WIRE_BROKEN)
    return FALSE;
  group_text = dup_item (&group);
  tag_text = dup_item (&tag);
  metric.key
      = group.length > 0 ? g_strconcat (group_text, "/", tag_text, NULL) : g_strdup (tag_text);
  metric.text = shown.length > 0 ? dup_item (&shown) : g_strdup (tag_text);
  g_array_append_val (items, metric);
  return TRUE;
}

/* Experiment: 3 time_created_secs, 4 hparam_infos, 5 metric_infos, 6 name. */
static gboolean
read_experiment (SondeWireCursor cursor, SondeRecord *record)
{
  g_autoptr (GArray) items = hparams_new (), metrics = hparams_new ();
  SondeWireItem item;
  SondeWireStep step;
  gboolean right = TRUE;

  while (right && (step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == 3 && item.type == SONDE_WIRE_FIXED64)
      record->u.hparams.time = sonde_wire_item_double (&item);
    else if (item.number == 4 && item.type == SONDE_WIRE_BYTES)
      right = add_hparam_info (&item, items);
    else if (item.number == 5 && item.type == SONDE_WIRE_BYTES)
      right = add_metric_info (&item, metrics);
    else if (item.number == 6 && item.type == SONDE_WIRE_BYTES && item.length > 0)
      {
        g_free (record->u.hparams.group);
        record->u.hparams.group = dup_item (&item);
      }
  record->u.hparams.part = SONDE_HPARAMS_EXPERIMENT;
  record->u.hparams.items = steal_items (items, &record->u.hparams.n);
  record->u.hparams.metrics = steal_items (metrics, &record->u.hparams.n_metrics);
  return right && step == SONDE_WIRE_END;
}

gboolean
sonde_plugin_read_hparams (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (value->content.at, value->content.length);
  SondeWireItem item, last = { 0 };
  SondeWireStep step;
  gboolean right = TRUE;

  record->u.hparams.time = NAN;
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number >= FIELD_EXPERIMENT && item.number <= FIELD_END
        && item.type == SONDE_WIRE_BYTES)
      last = item;
  if (last.number == FIELD_EXPERIMENT)
    right = read_experiment (sonde_wire_item_cursor (&last), record);
  else if (last.number == FIELD_START)
    right = read_start (sonde_wire_item_cursor (&last), record);
  else if (last.number == FIELD_END)
    right = read_end (sonde_wire_item_cursor (&last), record);
  return (right && step == SONDE_WIRE_END)
         || sonde_event_fail (error, "Hyper-parameters in the metadata are not a valid message");
}
