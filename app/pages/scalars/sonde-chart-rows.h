/* SPDX-License-Identifier: Apache-2.0
 * Which rows the panel of a chart has: a table, and what of it has an effect now. */
#pragma once

#include "data/charts/sonde-chart-setup.h"

G_BEGIN_DECLS

#define SONDE_CHART_ROW_MAX_CHOICES 6

typedef enum
{
  SONDE_CHART_ROW_COMBO,
  SONDE_CHART_ROW_SWITCH,
  SONDE_CHART_ROW_SPIN,
  SONDE_CHART_ROW_ENTRY, /* a number, or a text */
  SONDE_CHART_ROW_TAG,   /* one of the scalars */
  SONDE_CHART_ROW_MARK,  /* a switch for one bit of the marks */
  SONDE_CHART_ROW_LIST
} SondeChartRowKind;

/* @choices: of a SONDE_CHART_ROW_COMBO; @low, @high, @digits: of a SONDE_CHART_ROW_SPIN; @bit: of a SONDE_CHART_ROW_MARK; @hint: (nullable) tool-tip */
typedef struct
{
  SondeChartField field;
  SondeChartRowKind kind;
  const char *title, *hint;
  const char *choices[SONDE_CHART_ROW_MAX_CHOICES];
  double low, high, increment;
  int digits;
  SondeChartMarks bit;
} SondeChartRow;

typedef struct
{
  const char *title;
  int first, n;
} SondeChartRowGroup;

#define SONDE_CHART_N_ROWS 26
#define SONDE_CHART_N_ROW_GROUPS 8

extern const SondeChartRow sonde_chart_rows[SONDE_CHART_N_ROWS];
/* Each of some rows that follow each other. */
extern const SondeChartRowGroup sonde_chart_row_groups[SONDE_CHART_N_ROW_GROUPS];

/* @is_common: it is of the settings of all charts */
gboolean sonde_chart_row_has_effect (const SondeChartRow *row, const SondeChartSetup *setup,
                                     gboolean is_common);
/* What is typed is a text, not a number. */
gboolean sonde_chart_row_is_text (const SondeChartRow *row);

G_END_DECLS
