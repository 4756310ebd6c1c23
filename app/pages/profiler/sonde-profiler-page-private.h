/* SPDX-License-Identifier: Apache-2.0
 * Inside of the Profiler page; for its files. */
#pragma once

#include "app/pages/profiler/sonde-profiler-page.h"
#include "app/widgets/sonde-record-panel.h"
#include "app/workspace/sonde-profile-sources.h"

G_BEGIN_DECLS

struct _SondeProfilerPage
{
  SondePage parent_instance;
  GtkStack *states, *views;
  GtkDropDown *choice; /* of the sources */
  GtkStringList *titles;
  GtkDropDown *recordings; /* of the run, the newest first */
  GtkStringList *recording_titles;
  GtkLabel *title, *losses;
  GtkProgressBar *progress;
  GtkWidget *loading, *switcher, *losses_button;
  GtkDropTarget *drop;
  SondeRecordButton *recorder;
  SondeRecordPanel *offer;
  SondeTraceDocument *document; /* (nullable): that of the sources, while it is shown */
  char *wanted;                 /* (nullable): view to be shown once there are views */
  char *at;                     /* (nullable): name of a span or an operator to be shown */
  guint tick;
  gboolean filling;
};

/* ---- sonde-profiler-page-views.c ------------------------------------------ */

/* One for each view that the document has something for. */
void sonde_profiler_page_add_views (SondeProfilerPage *page);
void sonde_profiler_page_remove_views (SondeProfilerPage *page);
/* @name: (nullable): what there is no view for leaves the page as it is */
void sonde_profiler_page_show_view (SondeProfilerPage *page, const char *name);
void sonde_profiler_page_view_chosen (SondeProfilerPage *page);

/* ---- sonde-profiler-page-choice.c ----------------------------------------- */

SondeProfileSources *sonde_profiler_page_get_sources (SondeProfilerPage *page);
/* Which of the sources is open, and which recording of its run; choices only where there are several. */
void sonde_profiler_page_show_choice (SondeProfilerPage *page);
void sonde_profiler_page_show_recordings (SondeProfilerPage *page);
void sonde_profiler_page_source_chosen (SondeProfilerPage *page);
void sonde_profiler_page_recording_chosen (SondeProfilerPage *page);

G_END_DECLS
