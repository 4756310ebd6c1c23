/* SPDX-License-Identifier: Apache-2.0
 * What a chart of scalars is asked to show, and how: axes, limits, smoothing, groups, further curves, marks. A plain
 * value: it is copied, compared, joined with the settings common to all charts, and written as text. It knows no run
 * and draws nothing. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SONDE_CHART_X_STEP,
  SONDE_CHART_X_RELATIVE, /* since the run's first record */
  SONDE_CHART_X_WALL,
  SONDE_CHART_X_EPOCH,  /* the run's own scalar of that name */
  SONDE_CHART_X_METRIC, /* the scalar @x_tag at the same step */
  SONDE_CHART_N_X
} SondeChartX;

typedef enum
{
  SONDE_CHART_SMOOTH_NONE,
  SONDE_CHART_SMOOTH_EXPONENTIAL, /* of @weight */
  SONDE_CHART_SMOOTH_RUNNING,     /* over @window points */
  SONDE_CHART_SMOOTH_GAUSSIAN,    /* of @sigma points */
  SONDE_CHART_N_SMOOTH
} SondeChartSmooth;

typedef enum
{
  SONDE_CHART_GROUP_NONE,
  SONDE_CHART_GROUP_PARAMETER, /* runs with the same value of the hyper-parameter @group_by */
  SONDE_CHART_GROUP_PATTERN,   /* the same first capture, else match, of @group_by in the name */
  SONDE_CHART_GROUP_FOLDER,    /* the same folder around the run's */
  SONDE_CHART_N_GROUP
} SondeChartGroup;

typedef enum
{
  SONDE_CHART_CENTRE_MEAN,
  SONDE_CHART_CENTRE_MEDIAN,
  SONDE_CHART_N_CENTRE
} SondeChartCentre;

typedef enum
{
  SONDE_CHART_BAND_NONE,
  SONDE_CHART_BAND_EXTREMES,   /* smallest to greatest */
  SONDE_CHART_BAND_DEVIATION,  /* ± one standard deviation of the sample */
  SONDE_CHART_BAND_ERROR,      /* ± one standard error of the mean */
  SONDE_CHART_BAND_CONFIDENCE, /* 95 % interval of the mean, by Student's t */
  SONDE_CHART_N_BAND
} SondeChartBand;

/* In which order a pointer's table has the curves. */
typedef enum
{
  SONDE_CHART_ORDER_NEAREST, /* to the pointer */
  SONDE_CHART_ORDER_GREATEST,
  SONDE_CHART_ORDER_SMALLEST,
  SONDE_CHART_ORDER_RUNS, /* as they are listed */
  SONDE_CHART_N_ORDER
} SondeChartOrder;

typedef enum
{
  SONDE_CHART_MARK_MIN = 1 << 0,
  SONDE_CHART_MARK_MAX = 1 << 1,
  SONDE_CHART_MARK_LAST = 1 << 2,
  SONDE_CHART_MARK_ALL = 7
} SondeChartMarks;

/* The settings, each on its own: what a card does not say itself it takes from the common ones. */
typedef enum
{
  SONDE_CHART_FIELD_X,
  SONDE_CHART_FIELD_X_TAG,
  SONDE_CHART_FIELD_LOG_X,
  SONDE_CHART_FIELD_LOG_Y,
  SONDE_CHART_FIELD_X_LOW,
  SONDE_CHART_FIELD_X_HIGH,
  SONDE_CHART_FIELD_Y_LOW,
  SONDE_CHART_FIELD_Y_HIGH,
  SONDE_CHART_FIELD_SMOOTH,
  SONDE_CHART_FIELD_WEIGHT,
  SONDE_CHART_FIELD_WINDOW,
  SONDE_CHART_FIELD_SIGMA,
  SONDE_CHART_FIELD_GROUP,
  SONDE_CHART_FIELD_GROUP_BY,
  SONDE_CHART_FIELD_CENTRE,
  SONDE_CHART_FIELD_BAND,
  SONDE_CHART_FIELD_CLIP,
  SONDE_CHART_FIELD_MARKS,
  SONDE_CHART_FIELD_CURVES,
  SONDE_CHART_FIELD_RULES,
  SONDE_CHART_FIELD_MILESTONES,
  SONDE_CHART_FIELD_NOTE,
  SONDE_CHART_FIELD_LINKED,
  SONDE_CHART_FIELD_ORDER,
  SONDE_CHART_FIELD_HIDDEN,
  SONDE_CHART_N_FIELDS
} SondeChartField;

#define SONDE_CHART_MAX_WINDOW 10001
#define SONDE_CHART_MAX_SIGMA 200.0

/**
 * SondeChartSetup:
 * @said: bit i: the field i is said here; the others have their defaults
 * @x_low … @y_high: NaN: as the data asks
 * @weight: 0…0.999; @window: points; @sigma: points
 * @clip: the y axis is that of the points between the 1st and the 99th percentile
 * @curves: (nullable): beside the card's own tag: tags, and expressions with a "=" in front
 * @rules: (nullable): "0.9 target": a value and what it means
 * @milestones: (nullable): "1200 resumed": a step and what happened
 * @hidden: (nullable): titles of curves that are named in the legend, and not drawn
 * @note: (nullable): a sentence below the title
 * @linked: zooming along x in one chart does it in all, and the second cursor is one for all; of the common settings only
 */
typedef struct
{
  guint32 said;
  int x, smooth, group, centre, band, marks, order;
  gboolean log_x, log_y, clip, linked;
  double x_low, x_high, y_low, y_high, weight, window, sigma;
  char *x_tag, *group_by, *note;
  char **curves, **rules, **milestones, **hidden;
} SondeChartSetup;

SondeChartSetup *sonde_chart_setup_new (void); /* the defaults; says nothing */
SondeChartSetup *sonde_chart_setup_copy (const SondeChartSetup *setup);
void sonde_chart_setup_free (SondeChartSetup *setup); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeChartSetup, sonde_chart_setup_free)

static inline gboolean
sonde_chart_setup_says (const SondeChartSetup *setup, SondeChartField field)
{
  return setup != NULL && (setup->said >> field & 1) != 0;
}

/* One of these a kind of field; texts and lists are lent and (nullable). */
int sonde_chart_setup_get_choice (const SondeChartSetup *setup, SondeChartField field);
double sonde_chart_setup_get_number (const SondeChartSetup *setup, SondeChartField field);
const char *sonde_chart_setup_get_text (const SondeChartSetup *setup, SondeChartField field);
const char *const *sonde_chart_setup_get_list (const SondeChartSetup *setup, SondeChartField field);

/* One of these a kind of field; what is out of range is brought into it. The field is said then. */
void sonde_chart_setup_set_choice (SondeChartSetup *setup, SondeChartField field, int value);
void sonde_chart_setup_set_number (SondeChartSetup *setup, SondeChartField field, double value);
void sonde_chart_setup_set_text (SondeChartSetup *setup, SondeChartField field, const char *text);
void sonde_chart_setup_set_list (SondeChartSetup *setup, SondeChartField field,
                                 const char *const *list);
/* Back to the default, and not said. */
void sonde_chart_setup_forget (SondeChartSetup *setup, SondeChartField field);

/* TRUE: nothing but one number is another; @field: (out): which */
gboolean sonde_chart_setup_find_number (const SondeChartSetup *a, const SondeChartSetup *b,
                                        SondeChartField *field);
gboolean sonde_chart_setup_equal (const SondeChartSetup *a, const SondeChartSetup *b);
/* @own: (nullable): what it says, @common: the rest. (transfer full) */
SondeChartSetup *sonde_chart_setup_join (const SondeChartSetup *own, const SondeChartSetup *common);

/* What is said, as a GVariant of type a{sv}, floating; unknown names and wrong types are left out when reading. */
GVariant *sonde_chart_setup_to_variant (const SondeChartSetup *setup);
SondeChartSetup *sonde_chart_setup_from_variant (GVariant *dictionary);

/**
 * sonde_chart_setup_parse_mark: "0.9 target" of @rules and @milestones
 * @text: (out) (optional): what follows the number, "" without; lent by @mark
 *
 * Returns: FALSE when it does not begin with a finite number.
 */
gboolean sonde_chart_setup_parse_mark (const char *mark, double *value, const char **text);

G_END_DECLS
