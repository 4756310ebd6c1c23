/* SPDX-License-Identifier: Apache-2.0
 * What a curve says at one step, or at two and between them: numbers of the record, nothing is smoothed and nothing
 * is interpolated. Pure arithmetic. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_READING_THERE,     /* a point of that very step */
  SONDE_READING_BESIDE,    /* the nearest of another step, which is to be said */
  SONDE_READING_NOT_BEGUN, /* the point is the first one */
  SONDE_READING_ENDED,     /* the point is the last one */
} SondeReadingKind;

typedef struct
{
  SondeReadingKind kind;
  SondePoint point;
} SondeCurveValue;

/**
 * SondeCurveDifference:
 * @a, @b: at the two steps
 * @n: points between both steps, with those at the steps themselves, in whichever order the steps are
 * @min, @max: of those that are no NaN, infinite ones too; NaN: there is none
 * @mean: of the finite ones; NaN: there is none, or @is_long
 * @is_long: they are too many to be added up while somebody waits
 */
typedef struct
{
  SondeCurveValue a, b;
  guint64 n;
  double min, max, mean;
  gboolean is_long;
} SondeCurveDifference;

static inline gboolean
sonde_curve_value_is_known (const SondeCurveValue *value)
{
  return value->kind == SONDE_READING_THERE || value->kind == SONDE_READING_BESIDE;
}

/* The last recorded point of the step, else the nearest one (of two the earlier) as long as the step lies between the
 * first and the last. FALSE: the series has no point. */
gboolean sonde_curve_value_at (SondeSeries *series, gint64 step, SondeCurveValue *value);

/* FALSE: the series has no point. */
gboolean sonde_curve_difference_compute (SondeSeries *series, gint64 a, gint64 b,
                                         SondeCurveDifference *difference);

/* Value at b less that at a; that divided by the steps between the two points; value at b divided by that at a. NaN
 * where one of them is not known, or where it would be divided by 0. */
double sonde_curve_difference_get_change (const SondeCurveDifference *difference);
double sonde_curve_difference_get_rate (const SondeCurveDifference *difference);
double sonde_curve_difference_get_ratio (const SondeCurveDifference *difference);

G_END_DECLS
