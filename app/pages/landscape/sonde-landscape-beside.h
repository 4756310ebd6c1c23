/* SPDX-License-Identifier: Apache-2.0
 * One landscape, or two side by side: of two runs, or of one in other directions. Both have the same levels and
 * colours; in space they turn together, from above they zoom together where their axes are the same. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "data/records/sonde-record.h"
#include "viewers/landscape/sonde-landscape-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LANDSCAPE_BESIDE (sonde_landscape_beside_get_type ())
G_DECLARE_FINAL_TYPE (SondeLandscapeBeside, sonde_landscape_beside, SONDE, LANDSCAPE_BESIDE, GtkBox)

GtkWidget *sonde_landscape_beside_new (SondeWorkspace *workspace);

/**
 * sonde_landscape_beside_take:
 * @run, @tag, @record: (nullable): the first landscape; NULL: there is none. @tag: interned
 *
 * Returns: FALSE when there is none, or its axes and heights do not match
 */
gboolean sonde_landscape_beside_take (SondeLandscapeBeside *beside, SondeRun *run, const char *tag,
                                      const SondeRecord *record);

void sonde_landscape_beside_set_solid (SondeLandscapeBeside *beside, gboolean solid);
void sonde_landscape_beside_set_scale (SondeLandscapeBeside *beside, SondeContourScale scale);
gboolean sonde_landscape_beside_is_logarithmic (SondeLandscapeBeside *beside);

/* Chooses what stands beside it: the first of those there are whose name, "RUN · TAG", begins with @name; "Nothing"
 * takes it away. One that is not there yet is chosen when it comes. */
void sonde_landscape_beside_choose (SondeLandscapeBeside *beside, const char *name);

G_END_DECLS
