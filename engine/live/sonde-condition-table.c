/* SPDX-License-Identifier: Apache-2.0
 * The table of conditions. */
#include "engine/live/sonde-condition.h"

#include <math.h>

#define LIMIT(name_, quantity_, relation_, kind_, preset_)                                         \
  {                                                                                                \
    .name = name_, .quantity = SONDE_QUANTITY_##quantity_, .relation = SONDE_RELATION_##relation_, \
    .kind = SONDE_CONDITION_##kind_, .preset = preset_                                             \
  }
#define SETTING(name_, kind_, preset_, hidden_)                                                    \
  {                                                                                                \
    .name = name_, .kind = SONDE_CONDITION_##kind_, .preset = preset_, .hidden = hidden_           \
  }

#define TOO_LARGE                                                                                  \
  LIMIT ("abs_mean_gt", ABS_MEAN, GT, NUMBER, NAN), LIMIT ("max_gt", MAX, GT, NUMBER, NAN),        \
      LIMIT ("min_gt", MIN, GT, NUMBER, NAN), LIMIT ("mean_gt", MEAN, GT, NUMBER, NAN)
#define TOO_SMALL                                                                                  \
  LIMIT ("abs_mean_lt", ABS_MEAN, LT, NUMBER, NAN), LIMIT ("max_lt", MAX, LT, NUMBER, NAN),        \
      LIMIT ("min_lt", MIN, LT, NUMBER, NAN), LIMIT ("mean_lt", MEAN, LT, NUMBER, NAN)
#define RANGE                                                                                      \
  SETTING ("range_start_inclusive", NUMBER, NAN, FALSE),                                           \
      SETTING ("range_end_inclusive", NUMBER, NAN, FALSE),                                         \
      LIMIT ("range_percentage_lt", RANGE_PERCENT, LT, PERCENT, NAN),                              \
      LIMIT ("range_percentage_gt", RANGE_PERCENT, GT, PERCENT, NAN),                              \
      LIMIT ("max_min_lt", MAX_MIN, LT, POSITIVE, NAN),                                            \
      LIMIT ("max_min_gt", MAX_MIN, GT, NOT_NEGATIVE, NAN)
#define EPSILON SETTING ("epsilon", NOT_NEGATIVE, 1e-9, TRUE)

static const SondeConditionClass classes[] = {
  { .name = "tensor_overflow",
    .abbreviation = "TO",
    .target = SONDE_TARGET_TENSOR,
    .check = SONDE_CHECK_OVERFLOW },
  { .name = "operator_overflow",
    .abbreviation = "OO",
    .target = SONDE_TARGET_TENSOR,
    .check = SONDE_CHECK_OPERATOR },
  { .name = "tensor_too_large",
    .abbreviation = "TL",
    .target = SONDE_TARGET_TENSOR,
    .parameters = { TOO_LARGE } },
  { .name = "tensor_too_small",
    .abbreviation = "TS",
    .target = SONDE_TARGET_TENSOR,
    .parameters = { TOO_SMALL } },
  { .name = "tensor_all_zero",
    .abbreviation = "TZ",
    .target = SONDE_TARGET_TENSOR,
    .parameters = { LIMIT ("zero_percentage_ge", ZERO_PERCENT, GE, PERCENT, 100) } },
  { .name = "tensor_range",
    .abbreviation = "TR",
    .target = SONDE_TARGET_TENSOR,
    .parameters = { RANGE } },
  { .name = "weight_initialization",
    .abbreviation = "WI",
    .target = SONDE_TARGET_WEIGHT,
    .initial = TRUE,
    .parameters
    = { LIMIT ("zero_percentage_ge", ZERO_PERCENT, GE, PERCENT, 100),
        LIMIT ("max_gt", MAX, GT, NUMBER, NAN), LIMIT ("min_lt", MIN, LT, NUMBER, NAN) } },
  { .name = "weight_overflow",
    .abbreviation = "WO",
    .target = SONDE_TARGET_WEIGHT,
    .check = SONDE_CHECK_OVERFLOW },
  { .name = "weight_too_large",
    .abbreviation = "WL",
    .target = SONDE_TARGET_WEIGHT,
    .parameters = { TOO_LARGE } },
  { .name = "weight_too_small",
    .abbreviation = "WS",
    .target = SONDE_TARGET_WEIGHT,
    .parameters = { TOO_SMALL } },
  { .name = "weight_not_changed",
    .abbreviation = "WNC",
    .target = SONDE_TARGET_WEIGHT,
    .check = SONDE_CHECK_UNCHANGED,
    .needs_previous = TRUE,
    .parameters
    = { SETTING ("rtol", NOT_NEGATIVE, 1e-5, FALSE), SETTING ("atol", NOT_NEGATIVE, 1e-8, TRUE),
        SETTING ("equal_nan", BOOLEAN, 0, TRUE) } },
  { .name = "weight_change_too_large",
    .abbreviation = "WCL",
    .target = SONDE_TARGET_WEIGHT,
    .needs_previous = TRUE,
    .parameters
    = { LIMIT ("abs_mean_update_ratio_gt", UPDATE_RATIO, GT, POSITIVE, 0.1), EPSILON } },
  { .name = "weight_change_too_small",
    .abbreviation = "WCS",
    .target = SONDE_TARGET_WEIGHT,
    .needs_previous = TRUE,
    .parameters
    = { LIMIT ("abs_mean_update_ratio_lt", UPDATE_RATIO, LT, POSITIVE, 1e-4), EPSILON } },
  { .name = "gradient_vanishing",
    .abbreviation = "GV",
    .target = SONDE_TARGET_GRADIENT,
    .parameters = { TOO_SMALL } },
  { .name = "gradient_too_large",
    .abbreviation = "GL",
    .target = SONDE_TARGET_GRADIENT,
    .parameters = { TOO_LARGE } },
  { .name = "gradient_exploding",
    .abbreviation = "GE",
    .target = SONDE_TARGET_GRADIENT,
    .check = SONDE_CHECK_OVERFLOW },
  { .name = "activation_range",
    .abbreviation = "AR",
    .target = SONDE_TARGET_ACTIVATION,
    .parameters = { RANGE } },
};

const SondeConditionClass *
sonde_condition_classes (guint *n)
{
  *n = G_N_ELEMENTS (classes);
  return classes;
}

const char *
sonde_condition_target_name (SondeConditionTarget target)
{
  static const char *const names[] = {
    [SONDE_TARGET_TENSOR] = "tensor",
    [SONDE_TARGET_WEIGHT] = "weight",
    [SONDE_TARGET_GRADIENT] = "gradient",
    [SONDE_TARGET_ACTIVATION] = "activation",
  };

  return names[target];
}
