/* SPDX-License-Identifier: Apache-2.0
 * A list of so many rows that hold nothing but their number: tables that make their text when a row
 * comes into sight. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* @n: cut to what a list can have. Its items are plain GObjects: gtk_list_item_get_position() says
 * which. (transfer full) */
GListModel *sonde_row_numbers_new (gint64 n);

G_END_DECLS
