/* SPDX-License-Identifier: Apache-2.0
 * What bounds an operator: a reason to look at it, or to leave it. */
#pragma once

#include "data/profiles/sonde-profile-facts.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_OPERATOR_CLASS_COPY,     /* inserted: reorder, cast, copy, transfer */
  SONDE_OPERATOR_CLASS_FALLBACK, /* a reference or generic kernel, or another device than asked for */
  SONDE_OPERATOR_CLASS_OVERHEAD,  /* so small that calling it is what takes the time */
  SONDE_OPERATOR_CLASS_COMPUTE,   /* arithmetic */
  SONDE_OPERATOR_CLASS_BANDWIDTH, /* memory */
  SONDE_OPERATOR_CLASS_IDLE,      /* no operator: the rest of a step */
  SONDE_OPERATOR_CLASS_UNKNOWN,   /* its cost or the machine's ceilings are not known */
  SONDE_OPERATOR_N_CLASSES,
} SondeOperatorClass;

/* As in JSON: "bandwidth"; NULL of UNKNOWN, which is null there. */
const char *sonde_operator_class_get_name (SondeOperatorClass value);
/* For the user, to be translated with _(): "bandwidth", "unknown". */
const char *sonde_operator_class_get_title (SondeOperatorClass value);

/**
 * sonde_operator_class_get_limit:
 *
 * The least time of one call in ns that the roofline allows: max (F/P, B/W) with the @flops F and @bytes B of
 * a call (SONDE_COST_UNKNOWN: no such limit) and the ceilings P and W; NaN when no limit is known.
 * Source: S. Williams, A. Waterman, D. Patterson, CACM 52 (2009), as the time instead of the rate.
 */
double sonde_operator_class_get_limit (gint64 flops, gint64 bytes, const SondeCeilings *ceilings);

/**
 * sonde_operator_class_find:
 *
 * The first that fits: COPY and FALLBACK as @facts say, OVERHEAD when the limit is below the time of the
 * cheapest step, COMPUTE when F/P ≥ B/W, else BANDWIDTH; UNKNOWN when that cannot be told. Never IDLE.
 */
SondeOperatorClass sonde_operator_class_find (const SondeOperatorFacts *facts,
                                              const SondeCeilings *ceilings);

G_END_DECLS
