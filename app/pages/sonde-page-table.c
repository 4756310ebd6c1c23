/* SPDX-License-Identifier: Apache-2.0
 * The pages of the window: one row each, in the order of the sidebar. */
#include "app/widgets/sonde-page.h"

#include "app/pages/sonde-debugger-page.h"
#include "app/pages/sonde-distributions-page.h"
#include "app/pages/sonde-explain-page.h"
#include "app/pages/graph/sonde-graph-page.h"
#include "app/pages/landscape/sonde-landscape-page.h"
#include "app/pages/lineage/sonde-lineage-page.h"
#include "app/pages/media/sonde-media-page.h"
#include "app/pages/migration/sonde-migration-page.h"
#include "app/pages/sonde-overview-page.h"
#include "app/pages/projector/sonde-projector-page.h"
#include "app/pages/sonde-pr-curves-page.h"
#include "app/pages/profiler/sonde-profiler-page.h"
#include "app/pages/runs/sonde-runs-page.h"
#include "app/pages/sonde-scalars-page.h"
#include "app/pages/tensors/sonde-tensors-page.h"
#include "app/pages/sonde-train-page.h"
#include "data/base/sonde-text.h"

/* name, title, icon, type function, accelerator: Alt with 1…9 and 0 in the order of the rows, as far as
 * they go */
#define PAGES(ROW)                                                                                 \
  ROW ("overview", N_ ("Overview"), "go-home-symbolic", sonde_overview_page_get_type, "<Alt>1")    \
  ROW ("runs", N_ ("Runs"), "view-list-bullet-symbolic", sonde_runs_page_get_type, "<Alt>2")       \
  ROW ("scalars", N_ ("Scalars"), "sonde-scalars-symbolic", sonde_scalars_page_get_type, "<Alt>3") \
  ROW ("distributions", N_ ("Distributions"), "sonde-distributions-symbolic",                      \
       sonde_distributions_page_get_type, "<Alt>4")                                                \
  ROW ("media", N_ ("Media"), "image-x-generic-symbolic", sonde_media_page_get_type, "<Alt>5")     \
  ROW ("graph", N_ ("Graph"), "sonde-graph-symbolic", sonde_graph_page_get_type, "<Alt>6")         \
  ROW ("tensors", N_ ("Tensors"), "sonde-tensors-symbolic", sonde_tensors_page_get_type, "<Alt>7") \
  ROW ("pr-curves", N_ ("PR Curves"), "sonde-pr-curves-symbolic", sonde_pr_curves_page_get_type,   \
       "<Alt>8")                                                                                   \
  ROW ("debugger", N_ ("Debugger"), "sonde-debugger-symbolic", sonde_debugger_page_get_type,       \
       "<Alt>9")                                                                                   \
  ROW ("explain", N_ ("Explain"), "sonde-explain-symbolic", sonde_explain_page_get_type, "<Alt>0") \
  ROW ("profiler", N_ ("Profiler"), "sonde-profiler-symbolic", sonde_profiler_page_get_type, NULL) \
  ROW ("lineage", N_ ("Lineage"), "sonde-lineage-symbolic", sonde_lineage_page_get_type, NULL)     \
  ROW ("landscape", N_ ("Landscape"), "sonde-landscape-symbolic", sonde_landscape_page_get_type,   \
       NULL)                                                                                       \
  ROW ("projector", N_ ("Projector"), "sonde-projector-symbolic", sonde_projector_page_get_type,   \
       NULL)                                                                                       \
  ROW ("train", N_ ("Train"), "sonde-train-symbolic", sonde_train_page_get_type, NULL)             \
  ROW ("migration", N_ ("Migration"), "sonde-migration-symbolic", sonde_migration_page_get_type,   \
       NULL)

#define INFO(name, title, icon, get_type, shortcut) { name, title, icon, get_type, shortcut },
#define NAME(name, title, icon, get_type, shortcut) name,

const SondePageInfo sonde_page_table[] = { PAGES (INFO){ NULL } };
const char *const sonde_page_names[] = { PAGES (NAME) NULL };

const SondePageInfo *
sonde_page_info_find (const char *name)
{
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    if (g_strcmp0 (info->name, name) == 0)
      return info;
  return NULL;
}
