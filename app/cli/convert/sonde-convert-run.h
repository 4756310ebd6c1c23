/* SPDX-License-Identifier: Apache-2.0
 * `sonde convert` runs what it read and what it wrote, and compares: the check with numbers of its own,
 * --verify with the user's. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeConvertCheck: the outputs of both, compared
 * @done: whether both ran
 * @why: (nullable): the message when they did not
 * @error: the largest difference, relative to the output's largest element
 */
typedef struct
{
  gboolean done;
  char *why;
  double error;
} SondeConvertCheck;

void sonde_convert_check_run (SondeGraph *source, SondeGraph *written, SondeConvertCheck *check);
/**
 * sonde_convert_check_steps:
 * @exact: a quantised model with the integers of its own format; @written: the same in floats
 *
 * On numbers that differ, of narrow integers, too. Returns: how many steps outputs are apart at most;
 * −1: it cannot be run, or has no quantised output
 */
int sonde_convert_check_steps (SondeGraph *exact, SondeGraph *written);
void sonde_convert_check_clear (SondeConvertCheck *check);

/**
 * SondeConvertVerification: values of both sides, in the order of the source
 * @n: how many were compared
 * @first_node, @first_value: (nullable): the first that differs by more than the tolerance
 * @first_error: its difference; @error: the largest
 */
typedef struct
{
  guint n;
  double error, first_error;
  char *first_node, *first_value;
} SondeConvertVerification;

/**
 * sonde_convert_verify:
 * @inputs: path of an .npz, or of a folder of NAME.npy
 * @reference: (nullable): the same of outputs and inner values of another tool: the source's side
 * @tolerance: of floats, of the value's largest element. Narrow integers of a quantised model may be
 *   two steps apart, others must be equal
 *
 * Inputs and outputs of @written are those of @source in their order, whatever they are called there.
 */
gboolean sonde_convert_verify (SondeGraph *source, SondeGraph *written, const char *inputs,
                               const char *reference, double tolerance,
                               SondeConvertVerification *result, GError **error);
void sonde_convert_verification_clear (SondeConvertVerification *result);

G_END_DECLS
