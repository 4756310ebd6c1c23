/* SPDX-License-Identifier: Apache-2.0
 * The source is checked and converted before it is spread, so that a refused assignment changes
 * nothing. */
#include "engine/live/sonde-assign.h"

#include "engine/live/sonde-compare.h"
#include "engine/ops/sonde-engine-error.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------- */

static SondeTensor *
scalar (SondeDtype dtype, const void *element)
{
  SondeShape none = { .rank = 0 };

  return sonde_tensor_new_from_data (dtype, &none, element);
}

static SondeTensor *
parse_integer (const char *text)
{
  const char *digits = text + (*text == '-' || *text == '+');
  int base = g_ascii_strncasecmp (digits, "0x", 2) == 0 ? 16 : 10;
  gint64 number;
  guint64 large;
  char *end;

  if (!g_ascii_isdigit (*digits))
    return NULL;
  errno = 0;
  number = g_ascii_strtoll (text, &end, base);
  if (*end != '\0')
    return NULL;
  if (errno == 0)
    return scalar (SONDE_DTYPE_I64, &number);
  errno = 0;
  large = g_ascii_strtoull (text, &end, base);
  return errno == 0 && *text != '-' ? scalar (SONDE_DTYPE_U64, &large) : NULL;
}

SondeTensor *
sonde_assign_parse_number (const char *text)
{
  SondeTensor *integer = parse_integer (text);
  guint8 truth = g_ascii_strcasecmp (text, "true") == 0;
  double number;
  char *end;

  if (integer != NULL)
    return integer;
  if (truth || g_ascii_strcasecmp (text, "false") == 0)
    return scalar (SONDE_DTYPE_BOOL, &truth);
  if (*text == '\0' || g_ascii_isspace (*text))
    return NULL;
  number = g_ascii_strtod (text, &end);
  return *end == '\0' && end != text ? scalar (SONDE_DTYPE_F64, &number) : NULL;
}

/* ---- what a type can hold ------------------------------------------------ */

static double
largest_of (SondeDtype dtype)
{
  guint8 bytes[8];
  double huge = dtype == SONDE_DTYPE_F32   ? 3.4028234663852886e38
                : dtype == SONDE_DTYPE_F16 ? 65504
                                           : 0,
         back;

  if (dtype == SONDE_DTYPE_BF16)
    huge = 3.3895313892515355e38;
  if (huge > 0 || dtype == SONDE_DTYPE_F64)
    return huge > 0 ? huge : 1.7976931348623157e308;
  huge = 1e30;
  sonde_dtype_convert (SONDE_DTYPE_F64, &huge, dtype, bytes, 1); /* the narrow ones saturate */
  sonde_dtype_convert (dtype, bytes, SONDE_DTYPE_F64, &back, 1);
  return back;
}

/* NaN and infinity come back as what they were. */
static gboolean
holds_special (SondeDtype dtype, double number)
{
  guint8 bytes[8];
  double back;

  sonde_dtype_convert_narrow (SONDE_DTYPE_F64, &number, dtype, bytes, 1, FALSE,
                              SONDE_ROUND_NEAREST);
  sonde_dtype_convert (dtype, bytes, SONDE_DTYPE_F64, &back, 1);
  return isnan (number) ? isnan (back) : back == number;
}

static gboolean
fits_float (SondeDtype dtype, double number)
{
  if (!isfinite (number))
    return sonde_dtype_is_float (dtype) || holds_special (dtype, number);
  /* what rounds to the largest number fits as well */
  if (dtype == SONDE_DTYPE_F32)
    return isfinite ((float) number);
  if (dtype == SONDE_DTYPE_F16)
    return fabs (number) < 65520;
  return fabs (number) <= largest_of (dtype);
}

static gboolean
fits_integer (SondeDtype dtype, const SondeTensor *source, gint64 index)
{
  double number = sonde_tensor_get_double (source, index);
  gint64 least = 0, most = 0;

  sonde_dtype_get_range (dtype, &least, &most);
  if (!isfinite (number) || (dtype == SONDE_DTYPE_BOOL && number != 0 && number != 1))
    return FALSE;
  if (source->dtype == SONDE_DTYPE_U64)
    return dtype == SONDE_DTYPE_U64
           || (guint64) sonde_tensor_get_int (source, index) <= (guint64) most;
  if (sonde_dtype_is_integer (source->dtype) || source->dtype == SONDE_DTYPE_BOOL)
    return sonde_tensor_get_int (source, index) >= least
           && (dtype == SONDE_DTYPE_U64 || sonde_tensor_get_int (source, index) <= most);
  if (dtype == SONDE_DTYPE_U64)
    return trunc (number) >= 0 && number < 18446744073709551616.0;
  if (dtype == SONDE_DTYPE_I64)
    return number >= -9223372036854775808.0 && number < 9223372036854775808.0;
  return trunc (number) >= (double) least && trunc (number) <= (double) most;
}

/* The least and the most of @dtype in words. */
static void
describe_range (SondeDtype dtype, char **low, char **high)
{
  gint64 least, most;

  if (dtype == SONDE_DTYPE_U64)
    {
      *low = g_strdup ("0");
      *high = g_strdup_printf ("%" PRIu64, G_MAXUINT64);
    }
  else if (sonde_dtype_get_range (dtype, &least, &most))
    {
      *low = g_strdup_printf ("%" PRIi64, least);
      *high = g_strdup_printf ("%" PRIi64, most);
    }
  else
    {
      *low = g_strdup_printf ("-%.8g", largest_of (dtype));
      *high = g_strdup_printf ("%.8g", largest_of (dtype));
    }
}

/* @place: (nullable): of the number, where there are several */
static void
set_outside_error (GError **error, SondeDtype dtype, const char *number, const char *place,
                   gboolean with_infinities)
{
  g_autofree char *low = NULL, *high = NULL;
  const char *name = sonde_dtype_name (dtype);

  describe_range (dtype, &low, &high);
  if (dtype == SONDE_DTYPE_BOOL && place == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "%s cannot be a %s: that holds 0 and 1; nothing was changed.", number, name);
  else if (dtype == SONDE_DTYPE_BOOL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "%s at %s cannot be a %s: that holds 0 and 1; nothing was changed.", number,
                     place, name);
  else if (with_infinities && place == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "%s cannot be a %s: that holds %s to %s, inf, -inf and nan; nothing was "
                     "changed.",
                     number, name, low, high);
  else if (with_infinities)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "%s at %s cannot be a %s: that holds %s to %s, inf, -inf and nan; nothing was "
                     "changed.",
                     number, place, name, low, high);
  else if (place == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "%s cannot be a %s: that holds %s to %s; nothing was changed.", number, name,
                     low, high);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "%s at %s cannot be a %s: that holds %s to %s; nothing was changed.", number,
                     place, name, low, high);
}

static gboolean
check_numbers (SondeTensor *source, SondeDtype dtype, SondeAssignment *assignment, GError **error)
{
  gint64 n = sonde_tensor_n_elements (source);
  gboolean is_float = sonde_dtype_has_fractions (dtype);

  if (source->dtype == dtype)
    return TRUE;
  for (gint64 i = 0; i < n; i++)
    {
      double number = sonde_tensor_get_double (source, i);
      g_autofree char *text = NULL, *place = NULL;

      if (is_float ? fits_float (dtype, number) : fits_integer (dtype, source, i))
        {
          assignment->truncated += !is_float && number != trunc (number);
          continue;
        }
      text = sonde_tensor_format_element (source, i);
      place = n == 1 ? NULL : sonde_compare_format_index (&source->shape, i);
      set_outside_error (error, dtype, text, place,
                         is_float && isfinite (number) && sonde_dtype_is_float (dtype));
      return FALSE;
    }
  return TRUE;
}

/* ---- broadcasting -------------------------------------------------------- */

/* @source as if it had the shape of @target. */
static SondeTensor *
broadcast (SondeTensor *source, const SondeTensor *target, GError **error)
{
  gint64 strides[SONDE_MAX_RANK] = { 0 };
  int skip = target->shape.rank - source->shape.rank;
  gboolean fits = TRUE;
  int extra = MAX (-skip, 0); /* leading ones, as NumPy lets go when it assigns */

  for (int d = 0; d < extra; d++)
    fits = fits && source->shape.dims[d] == 1;
  for (int d = extra; d < source->shape.rank; d++)
    {
      gint64 size = source->shape.dims[d];

      fits = fits && (size == 1 || size == target->shape.dims[d + skip]);
      if (fits)
        strides[d + skip] = size == 1 ? 0 : source->strides[d];
    }
  if (fits)
    return sonde_tensor_view (source, &target->shape, strides, 0);
  {
    g_autofree char *from = sonde_shape_to_string (&source->shape),
                    *to = sonde_shape_to_string (&target->shape);

    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                     "A value of shape %s cannot be spread over %s; nothing was changed.", from,
                     to);
  }
  return NULL;
}

/* Element by element, in row-major order of both. */
static guint64
copy_elements (SondeTensor *to, const SondeTensor *from)
{
  gsize size = sonde_dtype_size (to->dtype);
  gint64 index[SONDE_MAX_RANK] = { 0 };
  gint64 n = sonde_tensor_n_elements (to);
  guint64 changed = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 target = 0, source = 0;

      for (int d = 0; d < to->shape.rank; d++)
        {
          target += index[d] * to->strides[d];
          source += index[d] * from->strides[d];
        }
      if (memcmp (to->data + target * (gint64) size, from->data + source * (gint64) size, size)
          != 0)
        {
          memcpy (to->data + target * (gint64) size, from->data + source * (gint64) size, size);
          changed++;
        }
      for (int d = to->shape.rank - 1; d >= 0 && ++index[d] == to->shape.dims[d]; d--)
        index[d] = 0;
    }
  return changed;
}

static guint64
copy_strings (SondeTensor *to, const SondeTensor *from)
{
  gint64 index[SONDE_MAX_RANK] = { 0 };
  gint64 n = sonde_tensor_n_elements (to);
  guint64 changed = 0;

  for (gint64 i = 0; i < n; i++)
    {
      char **target = (char **) (void *) to->data;
      char *const *source = (char *const *) (const void *) from->data;

      for (int d = 0; d < to->shape.rank; d++)
        {
          target += index[d] * to->strides[d];
          source += index[d] * from->strides[d];
        }
      if (g_strcmp0 (*target, *source) != 0)
        {
          g_free (*target);
          *target = g_strdup (*source);
          changed++;
        }
      for (int d = to->shape.rank - 1; d >= 0 && ++index[d] == to->shape.dims[d]; d--)
        index[d] = 0;
    }
  return changed;
}

/* As a cast, but infinities stay where the type has them. */
static SondeTensor *
convert (SondeTensor *source, SondeDtype dtype)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (source);
  SondeTensor *converted;

  if (source->dtype == dtype || !sonde_dtype_is_narrow (dtype)
      || !sonde_dtype_has_fractions (dtype))
    return sonde_tensor_cast (source, dtype);
  converted = sonde_tensor_new (dtype, &source->shape);
  sonde_dtype_convert_narrow (source->dtype, plain->data, dtype, converted->data,
                              (gsize) sonde_tensor_n_elements (source), FALSE, SONDE_ROUND_NEAREST);
  return converted;
}

gboolean
sonde_assign_slice (SondeTensor *whole, const char *slice, SondeTensor *source,
                    SondeAssignment *assignment, GError **error)
{
  gboolean strings = whole->dtype == SONDE_DTYPE_STRING;
  g_autoptr (SondeTensor) part = sonde_tensor_slice (whole, slice, error), converted = NULL,
                          spread = NULL;

  *assignment = (SondeAssignment){ 0 };
  if (part == NULL)
    return FALSE;
  if (strings != (source->dtype == SONDE_DTYPE_STRING))
    {
      if (strings)
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                         "The value holds strings and cannot be set to numbers.");
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                         "The value holds numbers of type %s and cannot be set to strings.",
                         sonde_dtype_name (whole->dtype));
      return FALSE;
    }
  if (!strings && !check_numbers (source, whole->dtype, assignment, error))
    return FALSE;
  converted = strings ? sonde_tensor_contiguous (source) : convert (source, whole->dtype);
  spread = broadcast (converted, part, error);
  if (spread == NULL)
    return FALSE;
  assignment->count = (guint64) sonde_tensor_n_elements (part);
  assignment->changed = strings ? copy_strings (part, spread) : copy_elements (part, spread);
  return TRUE;
}
