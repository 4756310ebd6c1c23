/* SPDX-License-Identifier: Apache-2.0
 * Blocks of a report, for those that write them. */
#pragma once

#include "explain/report/sonde-report-document.h"

typedef enum
{
  SONDE_REPORT_HEADING,
  SONDE_REPORT_TEXT,
  SONDE_REPORT_ITEM,
  SONDE_REPORT_NUMBER,
  SONDE_REPORT_TABLE,
  SONDE_REPORT_FIGURES,
} SondeReportBlockKind;

typedef struct
{
  char *text;
  SondeReportCellKind kind;
  double share;
} SondeReportCell;

typedef struct
{
  SondeImage *image;
  char *caption;
} SondeReportFigure;

/* @number: of NUMBER; @note: (nullable): of FIGURES; @cells, @figures: of their kinds only */
typedef struct
{
  SondeReportBlockKind kind;
  char *text, *number, *note;
  guint n_columns;
  GPtrArray *cells, *figures;
} SondeReportBlock;

/* Whether the cells below the column's head are words, which begin at the left; numbers end at the
 * right. The first column names the rows. */
gboolean sonde_report_block_has_words (const SondeReportBlock *table, guint column);

struct _SondeReportDocument
{
  char *title;
  GPtrArray *blocks;
};
