/* SPDX-License-Identifier: Apache-2.0
 * The layout of a page's bar: its children stand beside each other as long as their natural sizes fit,
 * and in further lines below where they do not, so that a narrow window needs no more width than the
 * widest of them. In each line the children that expand share what is left. Templates give it to a
 * box as its property layout-manager. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_BAR_LAYOUT (sonde_bar_layout_get_type ())
G_DECLARE_FINAL_TYPE (SondeBarLayout, sonde_bar_layout, SONDE, BAR_LAYOUT, GtkLayoutManager)

/* Between children and between lines. Default: 12 px */
void sonde_bar_layout_set_spacing (SondeBarLayout *layout, int spacing);

G_END_DECLS
