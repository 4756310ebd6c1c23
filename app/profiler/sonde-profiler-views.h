/* SPDX-License-Identifier: Apache-2.0
 * The views of the profiler: one row each, in their order on the page. A view = one widget made for a
 * trace document that is ready, and one row of the table. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

/**
 * SondeProfilerView:
 * @name: lower-case word of `sonde screenshot profiler --view`; @title: shown
 * @make: the widget, when it is first shown; it keeps a reference of the document and asks it for all
 *   else. (transfer floating)
 * @has_something: (nullable): whether there is anything to show; a view without is left out.
 *   NULL: always
 */
typedef struct
{
  const char *name, *title;
  GtkWidget *(*make) (SondeTraceDocument *document);
  gboolean (*has_something) (SondeTraceDocument *document);
} SondeProfilerView;

extern const SondeProfilerView sonde_profiler_views[];                /* ended by a NULL name */
const SondeProfilerView *sonde_profiler_view_find (const char *name); /* (nullable) */

G_END_DECLS
