/* SPDX-License-Identifier: Apache-2.0
 * What to change first, with the number it rests on. Thresholds: docs/profiler.md. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_ADVICE_DATA_WAIT,
  SONDE_ADVICE_FALLBACK,
  SONDE_ADVICE_COPIES,
  SONDE_ADVICE_OVERHEAD_BOUND,
  SONDE_ADVICE_DOMINANT_OP,
  SONDE_ADVICE_RECORDING,
  SONDE_ADVICE_UNEVEN_STEPS,
  SONDE_ADVICE_MEMORY_PEAK,
  SONDE_ADVICE_N_KINDS,
} SondeAdviceKind;

const char *sonde_advice_kind_get_name (SondeAdviceKind kind); /* as in JSON: "data-wait" */

typedef enum
{
  SONDE_EVIDENCE_NUMBER, /* @number; NaN: not told */
  SONDE_EVIDENCE_TEXT,   /* @texts[0]; without: not told */
  SONDE_EVIDENCE_TEXTS,  /* @texts */
  SONDE_EVIDENCE_STEPS,  /* @steps, counted from 0 */
} SondeEvidenceType;

/* A number or a name that an advice rests on; @texts, @steps: NULL for other types */
typedef struct
{
  const char *key; /* as in JSON; static */
  SondeEvidenceType type;
  double number;
  GPtrArray *texts; /* (element-type utf8): lent by the profile */
  GArray *steps;    /* guint */
} SondeEvidence;

/**
 * SondeAdvice:
 * @message: a sentence or two: what it is, the number, what to do
 * @node: (nullable): the node, or the operator's type where nodes are not told
 * @share: of the mean step; NaN where it is none
 * @gain_ns: what a mean step would gain at most if the cause were gone; NaN where it is no time
 * @evidence: SondeEvidence
 */
typedef struct
{
  SondeAdviceKind kind;
  SondeMessage *message;
  const char *node;
  double share, gain_ns;
  GArray *evidence;
} SondeAdvice;

/* (transfer full) (element-type SondeAdvice): what @profile, whose other fields are filled, gives reason for,
 * the greatest gain first; advice without a gain last */
GPtrArray *sonde_profile_advice_list (const SondeProfile *profile);

G_END_DECLS
