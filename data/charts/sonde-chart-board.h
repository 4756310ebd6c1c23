/* SPDX-License-Identifier: Apache-2.0
 * The layout of the charts of a folder: the settings common to all, those of single cards, which cards are pinned or
 * were added, which sections are closed, how large cards are. Every change can be undone. The whole is one text, which
 * the owner keeps; records are never written to. */
#pragma once

#include <gio/gio.h>

#include "data/charts/sonde-chart-setup.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CHART_BOARD (sonde_chart_board_get_type ())
G_DECLARE_FINAL_TYPE (SondeChartBoard, sonde_chart_board, SONDE, CHART_BOARD, GObject)

typedef enum
{
  SONDE_CHART_SIZE_SMALL,
  SONDE_CHART_SIZE_MEDIUM,
  SONDE_CHART_SIZE_LARGE,
  SONDE_CHART_N_SIZES
} SondeChartSize;

/* Signals: "changed" (const char *card): the settings of that card; NULL: of all, or which cards there are.
 *   A card is known by its tag, or by "=expression". */

/* @text: (nullable): of sonde_chart_board_dup_text(); what cannot be read is as if it were not there */
SondeChartBoard *sonde_chart_board_new (const char *text);
char *sonde_chart_board_dup_text (SondeChartBoard *board);

/* (transfer none): until the next change */
const SondeChartSetup *sonde_chart_board_get_common (SondeChartBoard *board);
const SondeChartSetup *sonde_chart_board_get_own (SondeChartBoard *board,
                                                  const char *card); /* (nullable) */
/* What holds for the card. (transfer full) */
SondeChartSetup *sonde_chart_board_dup_setup (SondeChartBoard *board, const char *card);
void sonde_chart_board_set_common (SondeChartBoard *board, const SondeChartSetup *setup);
/* @setup: (nullable): NULL: the card says nothing itself */
void sonde_chart_board_set_own (SondeChartBoard *board, const char *card,
                                const SondeChartSetup *setup);

gboolean sonde_chart_board_is_pinned (SondeChartBoard *board, const char *card);
void sonde_chart_board_set_pinned (SondeChartBoard *board, const char *card, gboolean pinned);
/* (element-type utf8) (transfer none): in the order in which they were pinned, added */
GPtrArray *sonde_chart_board_get_pinned (SondeChartBoard *board);
GPtrArray *sonde_chart_board_get_added (SondeChartBoard *board);
/* A chart of an expression, with "=" in front; FALSE: it is there already. */
gboolean sonde_chart_board_add_card (SondeChartBoard *board, const char *card);
void sonde_chart_board_remove_card (SondeChartBoard *board, const char *card);

gboolean sonde_chart_board_is_closed (SondeChartBoard *board, const char *section);
void sonde_chart_board_set_closed (SondeChartBoard *board, const char *section, gboolean closed);

SondeChartSize sonde_chart_board_get_size (SondeChartBoard *board);
void sonde_chart_board_set_size (SondeChartBoard *board, SondeChartSize size);

/* One number of a chart that is changed again and again, as a slider is pulled, is one step: from within "changed",
 * whether this change belongs to the step before. */
gboolean sonde_chart_board_is_gliding (SondeChartBoard *board);
gboolean sonde_chart_board_can_undo (SondeChartBoard *board);
gboolean sonde_chart_board_can_redo (SondeChartBoard *board);
gboolean sonde_chart_board_undo (SondeChartBoard *board); /* FALSE: there is nothing to undo */
gboolean sonde_chart_board_redo (SondeChartBoard *board);

G_END_DECLS
