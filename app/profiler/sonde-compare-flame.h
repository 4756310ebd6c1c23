/* SPDX-License-Identifier: Apache-2.0
 * The flame graph of a comparison: equal call paths of both profiles together, coloured by their change. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-trace-document.h"
#include "data/profiles/sonde-comparison.h"
#include "viewers/layout/trace/sonde-flame-difference.h"

G_BEGIN_DECLS

#define SONDE_TYPE_COMPARE_FLAME (sonde_compare_flame_get_type ())
G_DECLARE_FINAL_TYPE (SondeCompareFlame, sonde_compare_flame, SONDE, COMPARE_FLAME, AdwBin)

/* In any thread. The names are lent by both documents. (transfer full) (nullable): NULL where one holds no spans */
SondeFlameDifference *sonde_compare_flame_compute (SondeTraceDocument *base,
                                                   SondeTraceDocument *other,
                                                   const SondeProfileComparison *comparison);

GtkWidget *sonde_compare_flame_new (void);
/* @difference: (nullable) (transfer full): NULL: nothing; @base, @other: held while it is shown, NULL with it */
void sonde_compare_flame_set (SondeCompareFlame *flame, SondeFlameDifference *difference,
                              SondeTraceDocument *base, SondeTraceDocument *other);
void sonde_compare_flame_set_search (SondeCompareFlame *flame, const char *text);

G_END_DECLS
