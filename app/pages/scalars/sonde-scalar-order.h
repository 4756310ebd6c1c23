/* SPDX-License-Identifier: Apache-2.0
 * Which charts the Scalars page has, in which order, and below which headings: what is pinned, charts of expressions,
 * what a run's layout asks for, then the tags by what stands before their first slash. No widgets. */
#pragma once

#include "data/browsing/sonde-chart-plans.h"
#include "data/charts/sonde-chart-board.h"

G_BEGIN_DECLS

/* Cards from which on headings are of use. */
#define SONDE_SCALAR_ORDER_MIN_CARDS 9

/**
 * SondeScalarOrder:
 * @cards: (element-type utf8): owned
 * @has_sections: sonde_scalar_order_dup_section() gives headings
 * @n_planned: how many of them a layout asked for
 */
typedef struct
{
  GPtrArray *cards;
  GHashTable *sections; /* card -> name, owned */
  gboolean has_sections;
  guint n_planned;
} SondeScalarOrder;

/**
 * sonde_scalar_order_new:
 * @tags: (element-type utf8): all scalars of the shown runs, sorted
 * @plans: (nullable): of the runs' layout
 * @filter: as of sonde_tag_matches()
 */
SondeScalarOrder *sonde_scalar_order_new (GPtrArray *tags, SondeChartBoard *board,
                                          SondeChartPlans *plans, const char *filter);
void sonde_scalar_order_free (SondeScalarOrder *order); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeScalarOrder, sonde_scalar_order_free)

/* (transfer full) (nullable) */
char *sonde_scalar_order_dup_section (SondeScalarOrder *order, const char *card);

G_END_DECLS
