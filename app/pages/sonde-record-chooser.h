/* SPDX-License-Identifier: Apache-2.0
 * The bar of pages that look at one record at a time: which run (the sidebar's), which tag, which
 * step (the cursor of all pages). The record is read in the background and handed over. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_RECORD_CHOOSER (sonde_record_chooser_get_type ())
G_DECLARE_FINAL_TYPE (SondeRecordChooser, sonde_record_chooser, SONDE, RECORD_CHOOSER, GtkBox)

#define SONDE_RECORD_CHOOSER_MAX_KINDS 16

/**
 * SondeRecordFunc:
 * @records: (element-type SondeRecord): of the chosen tag at one step, lent; empty when there is
 * none
 * @kind: of the chosen tag
 * @problem: (nullable): why they could not be read
 */
typedef void (*SondeRecordFunc) (GPtrArray *records, SondeRecordKind kind, const char *problem,
                                 void *user_data);

/**
 * sonde_record_chooser_set_up:
 * @kinds: (array length=n_kinds): which records are offered, at most SONDE_RECORD_CHOOSER_MAX_KINDS
 * @all: of a step all records of the tag (images); else the last one
 * @take: the choice was read; @changed: tags, step or the state of the reading are new
 */
void sonde_record_chooser_set_up (SondeRecordChooser *chooser, SondeWorkspace *workspace,
                                  const SondeRecordKind *kinds, guint n_kinds, gboolean all,
                                  SondeRecordFunc take, GFunc changed, void *user_data);

guint sonde_record_chooser_get_n_tags (SondeRecordChooser *chooser);
guint sonde_record_chooser_get_n_steps (SondeRecordChooser *chooser);   /* of the chosen tag */
const char *sonde_record_chooser_get_tag (SondeRecordChooser *chooser); /* (nullable) */
gint64 sonde_record_chooser_get_step (SondeRecordChooser *chooser);     /* of what is shown */
gboolean sonde_record_chooser_is_busy (SondeRecordChooser *chooser);
/* The first tag that @pattern lets through (see sonde_tag_matches()), now or when it comes; until
 * then the choice stays. */
void sonde_record_chooser_choose (SondeRecordChooser *chooser, const char *pattern);

G_END_DECLS
