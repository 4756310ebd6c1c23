/* SPDX-License-Identifier: Apache-2.0
 * Children one after the other at their natural width, on as many lines as they need: chips, not
 * columns. Construct property "spacing": px between them and between lines. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_WRAP_LAYOUT (sonde_wrap_layout_get_type ())
G_DECLARE_FINAL_TYPE (SondeWrapLayout, sonde_wrap_layout, SONDE, WRAP_LAYOUT, GtkLayoutManager)

G_END_DECLS
