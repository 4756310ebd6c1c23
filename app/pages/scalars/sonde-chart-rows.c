/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-chart-rows.h"

#include "data/base/sonde-text.h"

const SondeChartRow sonde_chart_rows[SONDE_CHART_N_ROWS] = {
  { SONDE_CHART_FIELD_X,
    SONDE_CHART_ROW_COMBO,
    N_ ("X axis"),
    NULL,
    { N_ ("Step"), N_ ("Relative time"), N_ ("Wall time"), N_ ("Epoch"), N_ ("Metric") } },
  { SONDE_CHART_FIELD_X_TAG, SONDE_CHART_ROW_TAG, N_ ("Metric") },
  { SONDE_CHART_FIELD_LOG_X, SONDE_CHART_ROW_SWITCH, N_ ("Logarithmic x axis") },
  { SONDE_CHART_FIELD_LOG_Y, SONDE_CHART_ROW_SWITCH, N_ ("Logarithmic y axis") },
  { SONDE_CHART_FIELD_X_LOW, SONDE_CHART_ROW_ENTRY, N_ ("X from"), N_ ("Empty: automatic") },
  { SONDE_CHART_FIELD_X_HIGH, SONDE_CHART_ROW_ENTRY, N_ ("X to"), N_ ("Empty: automatic") },
  { SONDE_CHART_FIELD_Y_LOW, SONDE_CHART_ROW_ENTRY, N_ ("Y from"), N_ ("Empty: automatic") },
  { SONDE_CHART_FIELD_Y_HIGH, SONDE_CHART_ROW_ENTRY, N_ ("Y to"), N_ ("Empty: automatic") },
  { SONDE_CHART_FIELD_CLIP, SONDE_CHART_ROW_SWITCH, N_ ("Ignore outliers"),
    N_ ("The y axis leaves out one value in a hundred at each end; the chart says how far they "
        "reach") },
  { SONDE_CHART_FIELD_LINKED, SONDE_CHART_ROW_SWITCH, N_ ("Link zoom and cursor B of all charts"),
    N_ ("Along the x axis") },
  { SONDE_CHART_FIELD_SMOOTH,
    SONDE_CHART_ROW_COMBO,
    N_ ("Smoothing"),
    NULL,
    { N_ ("None"), N_ ("Exponential"), N_ ("Running mean"), N_ ("Gaussian") } },
  { SONDE_CHART_FIELD_WEIGHT,
    SONDE_CHART_ROW_SPIN,
    N_ ("Weight"),
    N_ ("Weight of the past, 0 to 0.999; corrected for the start"),
    { NULL },
    0,
    0.999,
    0.01,
    3 },
  { SONDE_CHART_FIELD_WINDOW,
    SONDE_CHART_ROW_SPIN,
    N_ ("Points"),
    N_ ("Width of the window, around each point"),
    { NULL },
    1,
    SONDE_CHART_MAX_WINDOW,
    2,
    0 },
  { SONDE_CHART_FIELD_SIGMA,
    SONDE_CHART_ROW_SPIN,
    N_ ("Standard deviation (points)"),
    NULL,
    { NULL },
    0.1,
    SONDE_CHART_MAX_SIGMA,
    0.5,
    1 },
  { SONDE_CHART_FIELD_GROUP,
    SONDE_CHART_ROW_COMBO,
    N_ ("Group runs"),
    NULL,
    { N_ ("No"), N_ ("By hyper-parameter"), N_ ("By name pattern"), N_ ("By folder") } },
  { SONDE_CHART_FIELD_GROUP_BY, SONDE_CHART_ROW_ENTRY, N_ ("Hyper-parameter or pattern"),
    N_ ("The name of a hyper-parameter, or a regular expression whose first group, else whole "
        "match, is the name of the group") },
  { SONDE_CHART_FIELD_CENTRE,
    SONDE_CHART_ROW_COMBO,
    N_ ("Curve"),
    NULL,
    { N_ ("Mean"), N_ ("Median") } },
  { SONDE_CHART_FIELD_BAND,
    SONDE_CHART_ROW_COMBO,
    N_ ("Band"),
    NULL,
    { N_ ("None"), N_ ("Minimum to maximum"), N_ ("Standard deviation"), N_ ("Standard error"),
      N_ ("Confidence (95 %)") } },
  { .field = SONDE_CHART_FIELD_MARKS,
    .kind = SONDE_CHART_ROW_MARK,
    .title = N_ ("Smallest value"),
    .bit = SONDE_CHART_MARK_MIN },
  { .field = SONDE_CHART_FIELD_MARKS,
    .kind = SONDE_CHART_ROW_MARK,
    .title = N_ ("Greatest value"),
    .bit = SONDE_CHART_MARK_MAX },
  { .field = SONDE_CHART_FIELD_MARKS,
    .kind = SONDE_CHART_ROW_MARK,
    .title = N_ ("Last value"),
    .bit = SONDE_CHART_MARK_LAST },
  { SONDE_CHART_FIELD_ORDER,
    SONDE_CHART_ROW_COMBO,
    N_ ("Order at the pointer"),
    NULL,
    { N_ ("Nearest first"), N_ ("Greatest first"), N_ ("Smallest first"), N_ ("As the runs") } },
  { SONDE_CHART_FIELD_CURVES, SONDE_CHART_ROW_LIST, N_ ("Add an expression"),
    N_ ("Computed from the tags of each run, step by step: log(train/loss) - test/loss, ema(loss, "
        "0.9)") },
  { SONDE_CHART_FIELD_RULES, SONDE_CHART_ROW_LIST, N_ ("Add a line at a value"),
    N_ ("A value and what it means: 0.9 target") },
  { SONDE_CHART_FIELD_MILESTONES, SONDE_CHART_ROW_LIST, N_ ("Add a line at a step"),
    N_ ("A step and what happened: 1200 resumed") },
  { SONDE_CHART_FIELD_NOTE, SONDE_CHART_ROW_ENTRY, N_ ("Note") },
};

const SondeChartRowGroup sonde_chart_row_groups[SONDE_CHART_N_ROW_GROUPS] = {
  { N_ ("Axes"), 0, 10 },  { N_ ("Smoothing"), 10, 4 }, { N_ ("Groups"), 14, 4 },
  { N_ ("Marks"), 18, 3 }, { N_ ("Values"), 21, 1 },    { N_ ("Curves"), 22, 1 },
  { N_ ("Lines"), 23, 2 }, { N_ ("Note"), 25, 1 },
};

gboolean
sonde_chart_row_has_effect (const SondeChartRow *row, const SondeChartSetup *setup,
                            gboolean is_common)
{
  switch ((int) row->field)
    {
    case SONDE_CHART_FIELD_X_TAG:
      return setup->x == SONDE_CHART_X_METRIC;
    case SONDE_CHART_FIELD_LOG_X:
      return setup->x != SONDE_CHART_X_WALL;
    case SONDE_CHART_FIELD_WEIGHT:
      return setup->smooth == SONDE_CHART_SMOOTH_EXPONENTIAL;
    case SONDE_CHART_FIELD_WINDOW:
      return setup->smooth == SONDE_CHART_SMOOTH_RUNNING;
    case SONDE_CHART_FIELD_SIGMA:
      return setup->smooth == SONDE_CHART_SMOOTH_GAUSSIAN;
    case SONDE_CHART_FIELD_GROUP_BY:
      return setup->group == SONDE_CHART_GROUP_PARAMETER
             || setup->group == SONDE_CHART_GROUP_PATTERN;
    case SONDE_CHART_FIELD_CENTRE:
    case SONDE_CHART_FIELD_BAND:
      return setup->group != SONDE_CHART_GROUP_NONE;
    case SONDE_CHART_FIELD_LINKED:
      return is_common;
    case SONDE_CHART_FIELD_NOTE:
      return !is_common;
    default:
      return TRUE;
    }
}

gboolean
sonde_chart_row_is_text (const SondeChartRow *row)
{
  return row->field == SONDE_CHART_FIELD_NOTE || row->field == SONDE_CHART_FIELD_GROUP_BY;
}
