/* SPDX-License-Identifier: Apache-2.0
 * The views of the page, made as they are first shown. */
#include "app/pages/profiler/sonde-profiler-page-private.h"

#include "app/profiler/sonde-profiler-views.h"
#include "data/base/sonde-text.h"

/* Each view is made when it is first shown, into the bin that stands in its place. */
static void
fill_view (SondeProfilerPage *page)
{
  GtkWidget *bin = gtk_stack_get_visible_child (page->views);
  const char *name = gtk_stack_get_visible_child_name (page->views);
  const SondeProfilerView *view = sonde_profiler_view_find (name);

  if (bin != NULL && view != NULL && adw_bin_get_child (ADW_BIN (bin)) == NULL)
    adw_bin_set_child (ADW_BIN (bin), view->make (page->document));
}

void
sonde_profiler_page_view_chosen (SondeProfilerPage *page)
{
  const char *name = gtk_stack_get_visible_child_name (page->views);

  if (page->filling || name == NULL)
    return;
  fill_view (page);
}

void
sonde_profiler_page_show_view (SondeProfilerPage *page, const char *name)
{
  if (name != NULL && gtk_stack_get_child_by_name (page->views, name) != NULL)
    gtk_stack_set_visible_child_name (page->views, name);
}

void
sonde_profiler_page_remove_views (SondeProfilerPage *page)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (page->views))) != NULL)
    gtk_stack_remove (page->views, child);
}

void
sonde_profiler_page_add_views (SondeProfilerPage *page)
{
  page->filling = TRUE;
  sonde_profiler_page_remove_views (page);
  for (const SondeProfilerView *view = sonde_profiler_views; view->name != NULL; view++)
    if (view->has_something == NULL || view->has_something (page->document))
      gtk_stack_add_titled (page->views, adw_bin_new (), view->name, _ (view->title));
  sonde_profiler_page_show_view (page, page->wanted);
  page->filling = FALSE;
  fill_view (page);
}
