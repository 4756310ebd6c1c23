/* SPDX-License-Identifier: Apache-2.0
 * A row of the table of a report: an API, or one place where it is used. */
#pragma once

#include "app/pages/migration/sonde-port-scan.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PORT_ITEM (sonde_port_item_get_type ())
G_DECLARE_FINAL_TYPE (SondePortItem, sonde_port_item, SONDE, PORT_ITEM, GObject)

#define SONDE_PORT_NO_PLACE G_MAXUINT32

/* @place: index into the report's references, or SONDE_PORT_NO_PLACE */
SondePortItem *sonde_port_item_new (SondePortScan *scan, guint api, guint32 place);

SondePortScan *sonde_port_item_get_scan (SondePortItem *item);
const SondePortApi *sonde_port_item_get_api (SondePortItem *item);
gboolean sonde_port_item_is_place (SondePortItem *item);
/* The place, or the first one of an API. (nullable) */
const SondePortReference *sonde_port_item_get_reference (SondePortItem *item);

/* The places of an API as a model of SondePortItem; NULL for a place. (transfer full) (nullable) */
GListModel *sonde_port_item_make_places (SondePortItem *item);

/* What stands in the columns. (transfer full) */
char *sonde_port_item_dup_name (SondePortItem *item);
char *sonde_port_item_dup_verdict (SondePortItem *item);
char *sonde_port_item_dup_uses (SondePortItem *item);
char *sonde_port_item_dup_counterpart (SondePortItem *item);
/* Difference, sketch or question, in lines. (transfer full) */
char *sonde_port_item_dup_details (SondePortItem *item);

G_END_DECLS
