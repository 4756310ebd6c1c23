/* SPDX-License-Identifier: Apache-2.0
 * What the chosen run says of itself, record by record, in plain words: the inspector beside the
 * table of trials. */
#pragma once

#include "app/pages/sonde-record-chooser.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_FACTS (sonde_run_facts_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunFacts, sonde_run_facts, SONDE, RUN_FACTS, GtkBox)

/* @changed: records or is_busy() are new */
GtkWidget *sonde_run_facts_new (SondeWorkspace *workspace, GFunc changed, void *user_data);
SondeRecordChooser *sonde_run_facts_get_chooser (SondeRunFacts *facts); /* (transfer none) */

G_END_DECLS
