/* SPDX-License-Identifier: Apache-2.0
 * What is answered of a value. */
#include "engine/session/server/sonde-serve-answer.h"

#include "data/values/sonde-histogram.h"
#include "engine/session/codec/sonde-codec-reading.h"

SondeTensor *
sonde_serve_dup_result (const SondeExpressionResult *result)
{
  SondeShape scalar = sonde_shape_scalar ();
  SondeTensor *tensor;

  if (result->tensor != NULL)
    return sonde_tensor_ref (result->tensor);
  tensor = sonde_tensor_new (result->dtype, &scalar);
  sonde_tensor_set_double (tensor, 0, result->number);
  return tensor;
}

gboolean
sonde_serve_answer_wanted (SondeSessionAnswer *answer, guint want, SondeTensor *tensor,
                           GError **error)
{
  SondeStatistics statistics;

  if (want == SONDE_SESSION_WANT_STATISTICS)
    {
      sonde_statistics_compute (tensor, &statistics);
      sonde_codec_write_reading_form (answer, tensor->dtype, &tensor->shape);
      sonde_codec_write_reading_statistics (answer, &statistics);
      return TRUE;
    }
  /* of a check only what is one number is of interest */
  if (want == SONDE_SESSION_WANT_CHECKED && tensor->shape.rank > 0)
    {
      sonde_codec_write_reading_form (answer, tensor->dtype, &tensor->shape);
      return TRUE;
    }
  return sonde_codec_write_reading_tensor (answer, tensor, error);
}

gboolean
sonde_serve_answer_unknown (SondeSessionAnswer *answer, const GError *reason)
{
  g_autoptr (SondeMessage) explanation = sonde_error_dup_message (reason);

  sonde_codec_write_reading_truth (answer, FALSE, TRUE, explanation);
  return TRUE;
}

gboolean
sonde_serve_answer_histogram (SondeSessionAnswer *answer, const char *name, SondeTensor *tensor,
                              GError **error)
{
  g_autofree SondeHistogram *histogram = g_new (SondeHistogram, 1);
  g_autoptr (SondeBins) bins = NULL;

  if (tensor->dtype == SONDE_DTYPE_STRING)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "“%s” holds strings; a histogram is of numbers.", name);
      return FALSE;
    }
  sonde_codec_write_reading_form (answer, tensor->dtype, &tensor->shape);
  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, tensor);
  bins = sonde_bins_from_histogram (histogram);
  sonde_codec_write_reading_histogram (answer, bins);
  return TRUE;
}
