/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/ops/sonde-op-causes.h"

#include <math.h>

#include "data/base/sonde-text.h"

static gboolean
is_zero (double number, double other)
{
  return number == 0;
}

static gboolean
is_negative (double number, double other)
{
  return number < 0;
}

static gboolean
is_both_zero (double number, double other)
{
  return number == 0 && other == 0;
}

static gboolean
is_beyond_one (double number, double other)
{
  return fabs (number) > 1;
}

static gboolean
is_one (double number, double other)
{
  return fabs (number) == 1;
}

static gboolean
is_below_one (double number, double other)
{
  return number < 1;
}

static gboolean
is_zero_to_negative (double number, double other)
{
  return number == 0 && other < 0;
}

static gboolean
is_negative_to_fraction (double number, double other)
{
  return number < 0 && other != floor (other);
}

static gboolean
is_not_positive (double number, double other)
{
  return number <= 0;
}

const SondeOpCause sonde_causes_acos[] = {
  { 0, is_beyond_one, N_ ("acos of a number beyond 1 at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_acosh[] = {
  { 0, is_below_one, N_ ("acosh of a number below 1 at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_asin[] = {
  { 0, is_beyond_one, N_ ("asin of a number beyond 1 at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_atanh[] = {
  { 0, is_beyond_one, N_ ("atanh of a number beyond 1 at %s") },
  { 0, is_one, N_ ("atanh of 1 at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_batch_normalisation[] = {
  { 4, is_not_positive, N_ ("square root of a variance that is not positive at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_divide[] = {
  { 1, is_both_zero, N_ ("0/0 at %s") },
  { 1, is_zero, N_ ("division by 0 at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_logarithm[] = {
  { 0, is_zero, N_ ("log of 0 at %s") },
  { 0, is_negative, N_ ("log of a negative number at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_power[] = {
  { 0, is_zero_to_negative, N_ ("0 to a negative power at %s") },
  { 0, is_negative_to_fraction, N_ ("a negative number to a fractional power at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_reciprocal[] = {
  { 0, is_zero, N_ ("1/0 at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_remainder[] = {
  { 1, is_zero, N_ ("division by 0 at %s") },
  { 0, NULL, NULL },
};
const SondeOpCause sonde_causes_square_root[] = {
  { 0, is_negative, N_ ("square root of a negative number at %s") },
  { 0, NULL, NULL },
};
