/* SPDX-License-Identifier: Apache-2.0
 * The runs of one chart joined into groups, each a computed curve with a band: computed in a thread, and again when a
 * run has grown. */
#pragma once

#include "data/charts/sonde-chart-setup.h"
#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondeScalarGroups SondeScalarGroups;

/* @lower, @upper: NULL without a band; all are the same objects as long as the group is there */
typedef struct
{
  char *name;
  GPtrArray *members; /* SondeSeries */
  SondeSeries *centre, *lower, *upper;
} SondeScalarGroup;

/* @changed: groups were computed */
SondeScalarGroups *sonde_scalar_groups_new (void (*changed) (void *user_data), void *user_data);
void
sonde_scalar_groups_free (SondeScalarGroups *groups); /* NULL is fine; nothing is called any more */

/* Begins with other groups: what was there before goes. */
void sonde_scalar_groups_begin (SondeScalarGroups *groups, SondeChartCentre centre,
                                SondeChartBand band);
void sonde_scalar_groups_add (SondeScalarGroups *groups, const char *name, SondeSeries *member);
/* All have been added: they are computed. */
void sonde_scalar_groups_end (SondeScalarGroups *groups);
/* (element-type SondeScalarGroup) (transfer none): in the order in which their names came */
GPtrArray *sonde_scalar_groups_get_list (SondeScalarGroups *groups);
gboolean sonde_scalar_groups_is_busy (SondeScalarGroups *groups);

/**
 * sonde_scalar_groups_dup_name: which group a run belongs to
 * @title: of the run
 * @parameter: (nullable): what it was trained with, of the hyper-parameter @setup->group_by
 *
 * Returns: (transfer full): a run that has no such parameter, or whose name the pattern does not match, is a group
 * with its own name; so is each when the pattern is no regular expression.
 */
char *sonde_scalar_groups_dup_name (const SondeChartSetup *setup, const char *title,
                                    const char *parameter);

G_END_DECLS
