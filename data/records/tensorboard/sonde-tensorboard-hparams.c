/* SPDX-License-Identifier: Apache-2.0
 * The hparams plugin: its three records are in the metadata, as HParamsPluginData.
 * Source: tensorflow/tensorboard plugins/hparams/plugin_data.proto, api.proto. */
#include "data/records/tensorboard/sonde-tensorboard-private.h"

#include <math.h>

#include "data/records/sonde-record-text.h"
#include "data/records/tensorboard.pb-c.h"
#include "data/wire/sonde-wire-decode.h"

/* Lists in lists: deeper ones are shown as "…". */
#define MAX_NESTING 8
#define MAX_TEXT_BYTES 65536

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

static void append_value (GString *text, const Tensorboard__Value *value, guint depth,
                          SondeHparamType *type);

/* @key: (nullable). FALSE: there is no room for what follows. */
static gboolean
append_element (GString *text, gsize i, const ProtobufCBinaryData *key,
                const Tensorboard__Value *value, guint depth)
{
  SondeHparamType type;

  if (i > 0)
    g_string_append (text, ", ");
  if (key != NULL)
    {
      g_autofree char *name = sonde_record_dup_bytes (*key);

      g_string_append_printf (text, "%s: ", name);
    }
  if (text->len > MAX_TEXT_BYTES || depth >= MAX_NESTING)
    {
      g_string_append (text, "…");
      return FALSE;
    }
  append_value (text, value, depth + 1, &type);
  return TRUE;
}

static void
append_list (GString *text, const Tensorboard__ListValue *list, guint depth)
{
  g_string_append_c (text, '[');
  for (gsize i = 0; i < list->n_values; i++)
    if (!append_element (text, i, NULL, list->values[i], depth))
      break;
  g_string_append_c (text, ']');
}

static void
append_struct (GString *text, const Tensorboard__Struct *fields, guint depth)
{
  g_string_append_c (text, '{');
  for (gsize i = 0; i < fields->n_fields; i++)
    if (!append_element (text, i, &fields->fields[i]->key, fields->fields[i]->value, depth))
      break;
  g_string_append_c (text, '}');
}

/* @value: (nullable): as an empty text */
static void
append_value (GString *text, const Tensorboard__Value *value, guint depth, SondeHparamType *type)
{
  g_autofree char *string = NULL;

  *type = SONDE_HPARAM_TEXT;
  switch (value != NULL ? value->kind_case : TENSORBOARD__VALUE__KIND__NOT_SET)
    {
    case TENSORBOARD__VALUE__KIND_NUMBER_VALUE:
      *type = SONDE_HPARAM_NUMBER;
      append_number (text, value->number_value);
      break;
    case TENSORBOARD__VALUE__KIND_STRING_VALUE:
      string = sonde_record_dup_bytes (value->string_value);
      g_string_append (text, string);
      break;
    case TENSORBOARD__VALUE__KIND_BOOL_VALUE:
      *type = SONDE_HPARAM_BOOL;
      g_string_append (text, value->bool_value ? "true" : "false");
      break;
    case TENSORBOARD__VALUE__KIND_STRUCT_VALUE:
      append_struct (text, value->struct_value, depth);
      break;
    case TENSORBOARD__VALUE__KIND_LIST_VALUE:
      append_list (text, value->list_value, depth);
      break;
    default:
      break;
    }
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

/* What a message says, where it says something. */
static void
set_head (SondeRecord *record, ProtobufCBinaryData group, gboolean has_time, double time)
{
  record->u.hparams.group = group.len > 0 ? sonde_record_dup_bytes (group) : NULL;
  if (has_time)
    record->u.hparams.time = time;
}

static void
read_start (const Tensorboard__HParamsPluginData__SessionStartInfo *start, SondeRecord *record)
{
  g_autoptr (GArray) items = hparams_new ();

  for (gsize i = 0; i < start->n_hparams; i++)
    {
      const Tensorboard__Entry *entry = start->hparams[i];
      g_autoptr (GString) text = g_string_new (NULL);
      SondeHparam hparam = { .key = sonde_record_dup_bytes (entry->key) };

      append_value (text, entry->value, 0, &hparam.type);
      hparam.text = g_strdup (text->str);
      g_array_append_val (items, hparam);
    }
  set_head (record, start->group_name, start->has_start_time_secs, start->start_time_secs);
  record->u.hparams.items = steal_items (items, &record->u.hparams.n);
}

static void
read_end (const Tensorboard__HParamsPluginData__SessionEndInfo *end, SondeRecord *record)
{
  static const char *const names[] = { NULL, "success", "failure", "running" };

  record->u.hparams.part = SONDE_HPARAMS_END;
  set_head (record, (ProtobufCBinaryData){ 0 }, end->has_end_time_secs, end->end_time_secs);
  record->u.hparams.status
      = g_strdup (end->status < G_N_ELEMENTS (names) ? names[end->status] : NULL);
}

/* Its type and what it may be: a list or an interval. */
static void
add_hparam_info (const Tensorboard__HParamsPluginData__HParamInfo *info, GArray *items)
{
  static const SondeHparamType types[]
      = { SONDE_HPARAM_TEXT, SONDE_HPARAM_TEXT, SONDE_HPARAM_BOOL, SONDE_HPARAM_NUMBER };
  g_autoptr (GString) text = g_string_new (NULL);
  SondeHparam hparam = { .key = sonde_record_dup_bytes (info->name) };

  hparam.type = info->type < G_N_ELEMENTS (types) ? types[info->type] : SONDE_HPARAM_TEXT;
  if (info->domain_case == TENSORBOARD__HPARAMS_PLUGIN_DATA__HPARAM_INFO__DOMAIN_DOMAIN_DISCRETE)
    append_list (text, info->domain_discrete, 0);
  else if (info->domain_case
           == TENSORBOARD__HPARAMS_PLUGIN_DATA__HPARAM_INFO__DOMAIN_DOMAIN_INTERVAL)
    {
      append_number (text, info->domain_interval->min_value);
      g_string_append (text, " to ");
      append_number (text, info->domain_interval->max_value);
    }
  hparam.text = g_strdup (text->str);
  g_array_append_val (items, hparam);
}

static void
add_metric_info (const Tensorboard__HParamsPluginData__MetricInfo *info, GArray *items)
{
  const Tensorboard__HParamsPluginData__MetricName none
      = TENSORBOARD__HPARAMS_PLUGIN_DATA__METRIC_NAME__INIT,
      *name = info->name != NULL ? info->name : &none;
  g_autofree char *group = sonde_record_dup_bytes (name->group),
                  *tag = sonde_record_dup_bytes (name->tag);
  SondeHparam metric = { 0 };

  metric.text
      = info->display_name.len > 0 ? sonde_record_dup_bytes (info->display_name) : g_strdup (tag);
  metric.key = name->group.len > 0 ? g_strconcat (group, "/", tag, NULL) : g_steal_pointer (&tag);
  g_array_append_val (items, metric);
}

static void
read_experiment (const Tensorboard__HParamsPluginData__Experiment *experiment, SondeRecord *record)
{
  g_autoptr (GArray) items = hparams_new (), metrics = hparams_new ();

  for (gsize i = 0; i < experiment->n_hparam_infos; i++)
    add_hparam_info (experiment->hparam_infos[i], items);
  for (gsize i = 0; i < experiment->n_metric_infos; i++)
    add_metric_info (experiment->metric_infos[i], metrics);
  set_head (record, experiment->name, experiment->has_time_created_secs,
            experiment->time_created_secs);
  record->u.hparams.part = SONDE_HPARAMS_EXPERIMENT;
  record->u.hparams.items = steal_items (items, &record->u.hparams.n);
  record->u.hparams.metrics = steal_items (metrics, &record->u.hparams.n_metrics);
}

gboolean
sonde_plugin_read_hparams (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  const Tensorboard__HParamsPluginData *data
      = sonde_wire_decode (&tensorboard__hparams_plugin_data__descriptor, value->content.at,
                           value->content.length, NULL, NULL, value->arena, error);

  record->u.hparams.time = NAN;
  if (data == NULL)
    return FALSE;
  if (data->data_case == TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_EXPERIMENT)
    read_experiment (data->experiment, record);
  else if (data->data_case == TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO)
    read_start (data->session_start_info, record);
  else if (data->data_case == TENSORBOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO)
    read_end (data->session_end_info, record);
  return TRUE;
}
