/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-runs-page.h"

struct _SondeRunsPage
{
  SondePage parent_instance;
};

G_DEFINE_FINAL_TYPE (SondeRunsPage, sonde_runs_page, SONDE_TYPE_PAGE)

static void
sonde_runs_page_set_up (SondePage *page)
{
  sonde_page_set_empty (page, "view-list-bullet-symbolic", "No Runs", "Nothing has been recorded here yet.", "Open a Folder…", "win.open");
}

static void
sonde_runs_page_class_init (SondeRunsPageClass *klass)
{
  SONDE_PAGE_CLASS (klass)->set_up = sonde_runs_page_set_up;
}

static void
sonde_runs_page_init (SondeRunsPage *page)
{
}
