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

struct _SondeReportDocument
{
  char *title;
  GPtrArray *blocks;
};
