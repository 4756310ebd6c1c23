/* SPDX-License-Identifier: Apache-2.0
 * The card of a scalar tag: curves of all runs that are shown, the chosen run's value at the
 * cursor. */
#pragma once

#include "app/pages/cards/sonde-tag-card.h"
#include "data/charts/sonde-chart-setup.h"
#include "viewers/sonde-scalar-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCALAR_CARD (sonde_scalar_card_get_type ())
G_DECLARE_FINAL_TYPE (SondeScalarCard, sonde_scalar_card, SONDE, SCALAR_CARD, SondeTagCard)

GtkWidget *sonde_scalar_card_new (SondeWorkspace *workspace);
/* The plan of the chart that goes by the name @title in place of a tag; NULL: it is a tag. */
typedef const SondeChartPlan *(*SondeScalarPlanFunc) (const char *title, void *user_data);
/* Before the first tag. @user_data must outlive the card's last tag. */
void sonde_scalar_card_set_plans (SondeScalarCard *card, SondeScalarPlanFunc find_plan,
                                  void *user_data);
/* What @run was trained with, for groups; NULL: unknown, or not yet known. */
typedef const char *(*SondeScalarParameterFunc) (SondeRun *run, const char *name, void *user_data);
/* Before the first tag. @user_data must outlive the card's last tag. */
void sonde_scalar_card_set_parameters (SondeScalarCard *card, SondeScalarParameterFunc find,
                                       void *user_data);
/* Chooses the curves again: the plan is another. */
void sonde_scalar_card_update (SondeScalarCard *card);
SondeScalarView *sonde_scalar_card_get_view (SondeScalarCard *card); /* (transfer none) */

/* How it is drawn. */
void sonde_scalar_card_set_setup (SondeScalarCard *card, const SondeChartSetup *setup);

G_END_DECLS
