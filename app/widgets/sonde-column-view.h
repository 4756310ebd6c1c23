/* SPDX-License-Identifier: Apache-2.0
 * What tables whose columns depend on the data share. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void sonde_column_view_clear (GtkColumnView *view); /* no column is left */

G_END_DECLS
