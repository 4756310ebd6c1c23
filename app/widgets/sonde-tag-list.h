/* SPDX-License-Identifier: Apache-2.0
 * The tags of one kind over runs, as a list model that changes only where tags come or go. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * sonde_tag_list_update:
 * @list: changed to the sorted union of the tags of @kind
 * @runs: model of SondeRun
 * @filter: (nullable): text that a tag must contain in any case, or a pattern with * and ?
 *
 * Returns: how many tags there are without the filter.
 */
guint sonde_tag_list_update (GtkStringList *list, GListModel *runs, SondeRecordKind kind,
                             const char *filter);

/* Whether @tag is one that @filter, as above, lets through. */
gboolean sonde_tag_matches (const char *tag, const char *filter);

G_END_DECLS
