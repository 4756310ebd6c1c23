/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's 17 watchpoint conditions: one table, their text, and whether facts of a value meet
 * one.
 * Source: MindInsight v2.0.0 debugger/conditionmgr (names, parameters, defaults), MindSpore
 * debug/debugger/tensor_summary (what they mean). Where values come from is sonde-watch.h. */
#pragma once

#include "data/values/sonde-facts.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/types/sonde-watchpoint.h"

G_BEGIN_DECLS

#define SONDE_CONDITION_MAX_PARAMETERS 6

/* Which values a condition is about, where nothing else is said. */
typedef enum
{
  SONDE_TARGET_TENSOR,     /* whatever a node makes */
  SONDE_TARGET_WEIGHT,     /* parameters */
  SONDE_TARGET_GRADIENT,   /* what nodes of the backward phase make */
  SONDE_TARGET_ACTIVATION, /* what activation functions make */
} SondeConditionTarget;

const char *sonde_condition_target_name (SondeConditionTarget target); /* "tensor", "weight", … */

/* What is compared with a parameter. */
typedef enum
{
  SONDE_QUANTITY_NONE, /* nothing: the parameter says how others are meant */
  SONDE_QUANTITY_MAX,
  SONDE_QUANTITY_MIN,
  SONDE_QUANTITY_MEAN,
  SONDE_QUANTITY_ABS_MEAN,
  SONDE_QUANTITY_ZERO_PERCENT,  /* 100 · zeros / count */
  SONDE_QUANTITY_RANGE_PERCENT, /* 100 · elements in [range_start, range_end] / count */
  SONDE_QUANTITY_MAX_MIN,       /* max − min */
  SONDE_QUANTITY_UPDATE_RATIO,  /* mean |new − old| / (epsilon + mean |old|) */
} SondeConditionQuantity;

typedef enum
{
  SONDE_RELATION_GT,
  SONDE_RELATION_LT,
  SONDE_RELATION_GE,
} SondeConditionRelation;

/* What a parameter may be. */
typedef enum
{
  SONDE_CONDITION_NUMBER,
  SONDE_CONDITION_PERCENT,      /* 0…100 */
  SONDE_CONDITION_POSITIVE,     /* > 0 */
  SONDE_CONDITION_NOT_NEGATIVE, /* ≥ 0 */
  SONDE_CONDITION_BOOLEAN,
} SondeParameterKind;

/**
 * SondeConditionParameter:
 * @preset: its default; NaN: it is off unless given
 * @hidden: MindInsight shows no field for it
 */
typedef struct
{
  const char *name;
  SondeConditionQuantity quantity;
  SondeConditionRelation relation;
  SondeParameterKind kind;
  double preset;
  gboolean hidden;
} SondeConditionParameter;

/* What a condition says beside its parameters. */
typedef enum
{
  SONDE_CHECK_PARAMETERS, /* met when any parameter that is on is met */
  SONDE_CHECK_OVERFLOW,   /* any NaN or infinity */
  SONDE_CHECK_OPERATOR,   /* the operator overflowed: infinity out of finite inputs */
  SONDE_CHECK_UNCHANGED,  /* every |new − old| ≤ atol + rtol·|old| */
} SondeConditionCheck;

/**
 * SondeConditionClass:
 * @name: "tensor_overflow"; @abbreviation: "TO"
 * @initial: only weights before the first step
 * @needs_previous: compares with the step before
 * @parameters: in MindInsight's order; one without name ends them
 */
typedef struct
{
  const char *name;
  const char *abbreviation;
  SondeConditionTarget target;
  SondeConditionCheck check;
  gboolean initial;
  gboolean needs_previous;
  SondeConditionParameter parameters[SONDE_CONDITION_MAX_PARAMETERS + 1];
} SondeConditionClass;

/* All of them. (array length=n) */
const SondeConditionClass *sonde_condition_classes (guint *n);
/* By name or abbreviation. Errors: NOT_FOUND with the nearest. */
const SondeConditionClass *sonde_condition_find (const char *name, GError **error);

/**
 * SondeCondition: a condition with its parameters
 * @values: by parameter; NaN: off
 */
typedef struct
{
  const SondeConditionClass *klass;
  double values[SONDE_CONDITION_MAX_PARAMETERS];
} SondeCondition;

/* @text: "NAME key=value…". Errors: NOT_FOUND for names and keys, with the nearest; INVALID for
 * values, and where nothing is left that could be met. */
gboolean sonde_condition_parse (SondeCondition *condition, const char *text, GError **error);

/* What facts it needs; FALSE when it needs none of these. */
gboolean sonde_condition_get_range (const SondeCondition *condition, SondeFactsRange *range);
gboolean sonde_condition_get_tolerance (const SondeCondition *condition,
                                        SondeFactsTolerance *tolerance);

/**
 * SondeWatchFacts: what is known of a value
 * @exact: as in the request for @facts
 * @in_range, @within: of those of @facts, the one of this condition's range and tolerance
 * @inputs_finite: the inputs of the node that made it are; of interest where the value holds an
 * infinity
 */
typedef struct
{
  const SondeFacts *facts;
  gboolean exact;
  gint64 in_range;
  gint64 within;
  gboolean inputs_finite;
} SondeWatchFacts;

/**
 * SondeOutcome:
 * @is_hit: it is met
 * @unchecked: SondeUnchecked, 0: it was checked
 * @is_near: facts that are not exact do not decide, or do not give @actual to the last digit: ask
 * with exact ones
 * @parameter: the (first) parameter that is met; "non_finite" of the overflows, which have none.
 * Static
 * @threshold, @actual: of it; of overflows 0 and the number of such elements
 */
typedef struct
{
  gboolean is_hit;
  guint unchecked;
  gboolean is_near;
  const char *parameter;
  double threshold, actual;
} SondeOutcome;

/* NaN and infinity in the value make all conditions but the overflows unchecked; an empty value
 * meets none. */
void sonde_condition_evaluate (const SondeCondition *condition, const SondeWatchFacts *facts,
                               SondeOutcome *outcome);

G_END_DECLS
