/* SPDX-License-Identifier: Apache-2.0
 * The tags of one kind over runs, as a list model that changes only where tags come or go. */
#pragma once

#include "data/browsing/sonde-tag-names.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Brings sorted names, (element-type utf8), into another order. */
typedef void (*SondeTagOrderFunc) (GPtrArray *tags);

/**
 * sonde_tag_list_update:
 * @list: changed to the union of the tags of @kind
 * @runs: model of SondeRun
 * @filter: (nullable): as of sonde_tag_matches()
 * @order: (nullable): NULL: sorted by bytes
 *
 * Returns: how many tags there are without the filter.
 */
guint sonde_tag_list_update (GtkStringList *list, GListModel *runs, SondeRecordKind kind,
                             const char *filter, SondeTagOrderFunc order);

/* @tags: (element-type utf8): what @list becomes, changed only where they differ; copied */
void sonde_tag_list_set (GtkStringList *list, GPtrArray *tags);

G_END_DECLS
