/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/migration/sonde-port-item.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondePortItem
{
  GObject parent_instance;
  SondePortScan *scan;
  guint api;
  guint32 place;
};

G_DEFINE_FINAL_TYPE (SondePortItem, sonde_port_item, G_TYPE_OBJECT)

static void
sonde_port_item_dispose (GObject *object)
{
  g_clear_object (&SONDE_PORT_ITEM (object)->scan);
  G_OBJECT_CLASS (sonde_port_item_parent_class)->dispose (object);
}

static void
sonde_port_item_class_init (SondePortItemClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_port_item_dispose;
}

static void
sonde_port_item_init (SondePortItem *item)
{
}

SondePortItem *
sonde_port_item_new (SondePortScan *scan, guint api, guint32 place)
{
  SondePortItem *item = g_object_new (SONDE_TYPE_PORT_ITEM, NULL);

  item->scan = g_object_ref (scan);
  item->api = api;
  item->place = place;
  return item;
}

SondePortScan *
sonde_port_item_get_scan (SondePortItem *item)
{
  return item->scan;
}

const SondePortApi *
sonde_port_item_get_api (SondePortItem *item)
{
  return sonde_port_report_get_api (sonde_port_scan_get_report (item->scan), item->api);
}

gboolean
sonde_port_item_is_place (SondePortItem *item)
{
  return item->place != SONDE_PORT_NO_PLACE;
}

const SondePortReference *
sonde_port_item_get_reference (SondePortItem *item)
{
  const SondePortReport *report = sonde_port_scan_get_report (item->scan);
  guint32 place = item->place;
  guint n;

  if (place == SONDE_PORT_NO_PLACE)
    {
      const guint32 *places = sonde_port_scan_get_places (item->scan, item->api, &n);

      if (n == 0)
        return NULL;
      place = places[0];
    }
  return &g_array_index (report->references, SondePortReference, place);
}

GListModel *
sonde_port_item_make_places (SondePortItem *item)
{
  GListStore *store;
  guint n;
  const guint32 *places = sonde_port_scan_get_places (item->scan, item->api, &n);

  if (item->place != SONDE_PORT_NO_PLACE)
    return NULL;
  store = g_list_store_new (SONDE_TYPE_PORT_ITEM);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondePortItem) place = sonde_port_item_new (item->scan, item->api, places[i]);

      g_list_store_append (store, place);
    }
  return G_LIST_MODEL (store);
}

char *
sonde_port_item_dup_name (SondePortItem *item)
{
  const SondePortReport *report = sonde_port_scan_get_report (item->scan);
  const SondePortReference *reference;

  if (item->place == SONDE_PORT_NO_PLACE)
    return g_strdup (sonde_port_item_get_api (item)->api);
  reference = sonde_port_item_get_reference (item);
  return g_strdup_printf ("%s:%u",
                          sonde_source_project_get_file (report->project, reference->file)->path,
                          reference->line);
}

char *
sonde_port_item_dup_verdict (SondePortItem *item)
{
  if (item->place != SONDE_PORT_NO_PLACE)
    return g_strdup ("");
  return g_strdup (sonde_port_verdict_get_title (sonde_port_item_get_api (item)->verdict));
}

char *
sonde_port_item_dup_uses (SondePortItem *item)
{
  if (item->place != SONDE_PORT_NO_PLACE)
    return g_strdup ("");
  return g_strdup_printf ("%u", sonde_port_item_get_api (item)->n_references);
}

char *
sonde_port_item_dup_counterpart (SondePortItem *item)
{
  const SondePortReport *report = sonde_port_scan_get_report (item->scan);
  const SondePortApi *api = sonde_port_item_get_api (item);
  const SondePortReference *reference = sonde_port_item_get_reference (item);

  if (item->place != SONDE_PORT_NO_PLACE)
    return sonde_port_report_dup_scope (report, reference->file, reference->scope);
  if (api->row == NULL)
    return g_strdup ("");
  return g_strdup (report->target == SONDE_PORT_TO_MINDSPORE && api->verdict != SONDE_PORT_WRAP
                       ? api->row->mindspore
                       : api->row->onnx);
}

char *
sonde_port_item_dup_details (SondePortItem *item)
{
  const SondePortApi *api = sonde_port_item_get_api (item);
  GString *text = g_string_new (api->api);

  g_string_append_printf (text, "\n%s", sonde_port_verdict_describe (api->verdict));
  if (api->verdict == SONDE_PORT_ASK)
    g_string_append_printf (text, "\n%s", sonde_port_get_question (api->row->kind));
  else if (api->sketch != NULL)
    g_string_append_printf (text, "\n%s", api->sketch);
  return g_string_free (text, FALSE);
}
