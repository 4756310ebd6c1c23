/* SPDX-License-Identifier: Apache-2.0
 * The form of a new breakpoint, watch expression or preset condition, as a popover. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_DEBUG_FORM_BREAKPOINT,
  SONDE_DEBUG_FORM_WATCH,
  SONDE_DEBUG_FORM_PRESET,
} SondeDebugFormKind;

#define SONDE_TYPE_DEBUG_FORM (sonde_debug_form_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugForm, sonde_debug_form, SONDE, DEBUG_FORM, GtkPopover)

/* It opens on that page. */
GtkWidget *sonde_debug_form_new (SondeDebugSession *session, SondeDebugFormKind kind);

G_END_DECLS
