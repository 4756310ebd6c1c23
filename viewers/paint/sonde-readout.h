/* SPDX-License-Identifier: Apache-2.0
 * The table beside a pointer: a head, a line for each series, and how many had no room. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_READOUT_VALUE, /* what the line shows */
  SONDE_READOUT_RAW,   /* as recorded, where the line shows a mean */
  SONDE_READOUT_STEP,  /* where it is not the head's */
  SONDE_READOUT_TIME,
  SONDE_READOUT_N_COLUMNS
} SondeReadoutColumn;

/* @cells: (nullable) each, owned. @is_there: FALSE for a series that has no value here: its VALUE
 * is a dash and its STEP says why. @is_nearest: to the pointer, which is seen */
typedef struct
{
  SondeStroke stroke;
  char *name;
  char *cells[SONDE_READOUT_N_COLUMNS];
  gboolean is_there, is_nearest;
} SondeReadoutRow;

/**
 * SondeReadout:
 * @head: "Step 30"
 * @rows: of SondeReadoutRow, in the order of the lines
 * @more: (nullable): which of all lines these are
 */
typedef struct
{
  char *head, *more;
  GArray *rows;
} SondeReadout;

SondeReadout *sonde_readout_new (const char *head);
void sonde_readout_free (SondeReadout *readout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeReadout, sonde_readout_free)
/* Takes what @row holds. */
void sonde_readout_take (SondeReadout *readout, const SondeReadoutRow *row);

/* How many lines fit in @height px below the head. */
guint sonde_readout_count_lines (int height);
/* What is read on the screen, as lines of cells with a tab between: head, rows, rest. (transfer
 * full) */
char *sonde_readout_dup_text (const SondeReadout *readout);

/* Draws it beside (@x, @y), on the side that has room, inside @width × @height px. What does not
 * fit in the width goes: first the times, then the recorded values. */
void sonde_paint_readout (cairo_t *cr, const SondeTheme *theme, const SondeReadout *readout,
                          double x, double y, int width, int height);

G_END_DECLS
