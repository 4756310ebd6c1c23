/* SPDX-License-Identifier: Apache-2.0
 * DFT and STFT. The last dimension of signals and spectra is 1 (real) or 2 (real and imaginary
 * part). */
#include "engine/ops/signal/sonde-fourier.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-index.h"

#include <string.h>

/* ---- what both share ----------------------------------------------------- */

/* The one number that input @k is, when it is known. FALSE: it is not one number. */
static gboolean
known_number (const SondeInferContext *context, guint k, const char *what, gboolean *known,
              gint64 *number, GError **error)
{
  gsize n = 0;
  g_autofree gint64 *values = sonde_infer_known_ints (context, k, &n);

  *known = values != NULL;
  if (!sonde_infer_need_integer (context, k, error))
    return FALSE;
  if (values != NULL && n != 1)
    return sonde_infer_fail (error, "%-s must be one number", what);
  if (values != NULL)
    *number = values[0];
  return TRUE;
}

static gboolean
check_length (gint64 length, const char *what, GError **error)
{
  if (length >= 1 && length <= SONDE_FOURIER_MAX_LENGTH)
    return TRUE;
  return sonde_infer_fail (error, "%-s is %" PRIi64 ", but must be from 1 to %" PRIi64, what,
                           length, SONDE_FOURIER_MAX_LENGTH);
}

static gboolean
check_parts (const SondeType *x, GError **error)
{
  gint64 parts = x->dims[x->rank - 1].size;

  if (parts < 0 || parts == 1 || parts == 2)
    return TRUE;
  return sonde_infer_fail (
      error, "the last dimension has size %" PRIi64 ", but must be 1 (real) or 2 (complex)", parts);
}

static inline double
read_element (const SondeTensor *tensor, gint64 i)
{
  if (tensor->dtype == SONDE_DTYPE_F64)
    return ((const double *) (const void *) tensor->data)[i];
  return (double) ((const float *) (const void *) tensor->data)[i];
}

static inline void
write_element (SondeTensor *tensor, gint64 i, double value)
{
  if (tensor->dtype == SONDE_DTYPE_F64)
    ((double *) (void *) tensor->data)[i] = value;
  else
    ((float *) (void *) tensor->data)[i] = (float) value;
}

/* ---- DFT ----------------------------------------------------------------- */

/* The axis is any dimension but the last. */
static gboolean
resolve_axis (gint64 axis, int rank, int *result, GError **error)
{
  if (!sonde_infer_axis (axis, rank, result, error))
    return FALSE;
  return *result != rank - 1
         || sonde_infer_fail (error, "axis %" PRIi64 " is the one of the complex parts", axis);
}

/* Length of the transform: real spectra of n/2 + 1 bins stand for an even length. */
static gint64
default_length (gint64 size, gboolean half)
{
  return size < 0 || !half ? size : 2 * (size - 1);
}

static gboolean
infer_dft (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gboolean inverse = sonde_node_get_int (context->node, "inverse", 0) != 0;
  gboolean onesided = sonde_node_get_int (context->node, "onesided", 0) != 0;
  gboolean length_known = FALSE, axis_known = FALSE;
  gint64 length = -1, axis_number = -2;
  int axis = 0;

  if (!sonde_infer_need_float (context, 0, error)
      || !known_number (context, 1, "dft_length", &length_known, &length, error)
      || !known_number (context, 2, N_ ("the axis"), &axis_known, &axis_number, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (x->rank < 2)
    return sonde_infer_fail (
        error, "the input has %d dimensions, but needs a signal and complex parts", x->rank);
  if (!check_parts (x, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
  context->outputs[0].dims[x->rank - 1] = sonde_dimension (inverse && onesided ? 1 : 2);
  if (sonde_infer_input (context, 2) != NULL && !axis_known)
    return TRUE;
  if (!resolve_axis (axis_number, x->rank, &axis, error))
    return FALSE;
  if (sonde_infer_input (context, 1) == NULL)
    length = default_length (x->dims[axis].size, inverse && onesided);
  if ((length_known || length >= 0 || x->dims[axis].size == 0)
      && !check_length (length, N_ ("the length of the transform"), error))
    return FALSE;
  for (int d = 0; d < x->rank - 1; d++)
    context->outputs[0].dims[d] = d != axis              ? x->dims[d]
                                  : length < 0           ? sonde_dimension (-1)
                                  : onesided && !inverse ? sonde_dimension (length / 2 + 1)
                                                         : sonde_dimension (length);
  return TRUE;
}

/**
 * Lines: geometry of a DFT
 * @size: elements of a line of the input; @length: of the transform; @bins: of a line of the output
 * @inner: lines that lie together
 */
typedef struct
{
  gint64 size, length, bins, inner, n_lines;
  gint64 parts_in, parts_out;
  gboolean inverse, half;
} Lines;

static Lines
read_lines (const SondeKernelContext *context)
{
  const SondeShape *x = &context->inputs[0]->shape, *y = &context->outputs[0]->shape;
  const SondeTensor *length = sonde_kernel_input (context, 1),
                    *given = sonde_kernel_input (context, 2);
  gboolean onesided = sonde_node_get_int (context->node, "onesided", 0) != 0;
  Lines lines = { .inverse = sonde_node_get_int (context->node, "inverse", 0) != 0 };
  int axis = 0;

  (void) resolve_axis (given ? sonde_index_read (given, 0) : -2, x->rank, &axis, NULL);
  lines.half = onesided && lines.inverse;
  lines.size = x->dims[axis];
  lines.bins = y->dims[axis];
  lines.length = length ? sonde_index_read (length, 0) : default_length (lines.size, lines.half);
  lines.inner = sonde_shape_product (x, axis + 1, x->rank - 1);
  lines.n_lines = sonde_shape_product (x, 0, axis) * lines.inner;
  lines.parts_in = x->dims[x->rank - 1];
  lines.parts_out = y->dims[y->rank - 1];
  return lines;
}

static gint64
dft_count (const SondeKernelContext *context, gint64 *cost)
{
  Lines lines = read_lines (context);

  *cost = 16 * lines.length;
  return lines.n_lines;
}

/* Bins above the half mirror those below; the first and the middle one are real. */
static void
complete_half (SondeFourierElement *x, int lane, gint64 length)
{
  x[0].im[lane] = 0;
  if (length % 2 == 0)
    x[length / 2].im[lane] = 0;
  for (gint64 k = 1; k < length - k; k++)
    {
      x[length - k].re[lane] = x[k].re[lane];
      x[length - k].im[lane] = -x[k].im[lane];
    }
}

static void
read_line (const Lines *lines, const SondeTensor *tensor, gint64 line, int lane,
           SondeFourierElement *x)
{
  gint64 first = line / lines->inner * lines->size * lines->inner + line % lines->inner;
  gint64 n = MIN (lines->size, lines->half ? lines->length / 2 + 1 : lines->length);

  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = (first + i * lines->inner) * lines->parts_in;

      x[i].re[lane] = read_element (tensor, at);
      x[i].im[lane] = lines->parts_in == 2 ? read_element (tensor, at + 1) : 0;
    }
  if (lines->half)
    complete_half (x, lane, lines->length);
}

static void
write_line (const Lines *lines, SondeTensor *tensor, gint64 line, int lane,
            const SondeFourierElement *x)
{
  gint64 first = line / lines->inner * lines->bins * lines->inner + line % lines->inner;
  double scale = lines->inverse ? 1.0 / (double) lines->length : 1.0;

  for (gint64 k = 0; k < lines->bins; k++)
    {
      gint64 at = (first + k * lines->inner) * lines->parts_out;

      write_element (tensor, at, x[k].re[lane] * scale);
      if (lines->parts_out == 2)
        write_element (tensor, at + 1, x[k].im[lane] * scale);
    }
}

static void
dft_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  Lines lines = read_lines (context);
  g_autoptr (SondeFourier) fourier = NULL;
  g_autofree SondeFourierElement *x = NULL, *work = NULL;

  if (begin >= end)
    return;
  fourier = sonde_fourier_new (lines.length);
  x = g_new (SondeFourierElement, lines.length);
  work = g_new (SondeFourierElement, sonde_fourier_get_work (fourier));
  for (gint64 line = begin; line < end; line += SONDE_FOURIER_LANES)
    {
      int n = (int) MIN (end - line, SONDE_FOURIER_LANES);

      memset (x, 0, (gsize) lines.length * sizeof *x);
      for (int lane = 0; lane < n; lane++)
        read_line (&lines, context->inputs[0], line + lane, lane, x);
      sonde_fourier_run (fourier, x, lines.inverse, work);
      for (int lane = 0; lane < n; lane++)
        write_line (&lines, context->outputs[0], line + lane, lane, x);
    }
}

SONDE_COMPUTE_PARTS (dft)

/* ---- STFT ---------------------------------------------------------------- */

/* Length of a frame: given, or that of the window, or the whole signal; -1 when not known. */
static gboolean
frame_length (const SondeInferContext *context, gint64 *length, GError **error)
{
  const SondeType *window = sonde_infer_input (context, 2);
  gint64 window_size = window != NULL && window->rank == 1 ? window->dims[0].size : -1;
  gboolean known = FALSE;

  *length = -1;
  if (!known_number (context, 3, "frame_length", &known, length, error))
    return FALSE;
  if (sonde_infer_input (context, 3) == NULL)
    *length = window != NULL ? window_size : context->inputs[0].dims[1].size;
  if ((known || *length >= 0) && !check_length (*length, N_ ("the length of a frame"), error))
    return FALSE;
  if (known && window_size >= 0 && window_size != *length)
    return sonde_infer_fail (error, "the window has %" PRIi64 " elements, but a frame has %" PRIi64,
                             window_size, *length);
  return TRUE;
}

static gboolean
infer_stft (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gboolean onesided = sonde_node_get_int (context->node, "onesided", 1) != 0;
  gboolean step_known = FALSE;
  gint64 step = -1, length = -1;
  SondeType type;

  /* PyTorch exports real signals without the last dimension, and ONNX Runtime takes them. */
  if (!sonde_infer_need_float (context, 0, error)
      || (x->rank != 2 && !sonde_infer_need_rank (context, 0, 3, error))
      || !sonde_infer_need_rank (context, 2, 1, error)
      || !known_number (context, 1, "frame_step", &step_known, &step, error))
    return FALSE;
  if (sonde_infer_input (context, 2) != NULL && x->dtype != SONDE_DTYPE_INVALID
      && context->inputs[2].dtype != SONDE_DTYPE_INVALID && context->inputs[2].dtype != x->dtype)
    return sonde_infer_fail (error, "the window is %s, but the signal is %s",
                             sonde_dtype_name (context->inputs[2].dtype),
                             sonde_dtype_name (x->dtype));
  if (step_known && step < 1)
    return sonde_infer_fail (error, "frame_step is %" PRIi64 ", but must be at least 1", step);
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if ((x->rank == 3 && !check_parts (x, error)) || !frame_length (context, &length, error))
    return FALSE;
  if (length > x->dims[1].size && x->dims[1].size >= 0)
    return sonde_infer_fail (
        error, "a frame of %" PRIi64 " elements is longer than the signal of %" PRIi64, length,
        x->dims[1].size);
  type = sonde_infer_type (x->dtype, 4);
  type.dims[0] = x->dims[0];
  if (step_known && length >= 0 && x->dims[1].size >= 0)
    type.dims[1] = sonde_dimension ((x->dims[1].size - length) / step + 1);
  if (length >= 0)
    type.dims[2] = sonde_dimension (onesided ? length / 2 + 1 : length);
  type.dims[3] = sonde_dimension (2);
  context->outputs[0] = type;
  return TRUE;
}

static gint64
stft_length (const SondeKernelContext *context)
{
  const SondeTensor *window = sonde_kernel_input (context, 2),
                    *length = sonde_kernel_input (context, 3);

  return length != NULL   ? sonde_index_read (length, 0)
         : window != NULL ? window->shape.dims[0]
                          : context->inputs[0]->shape.dims[1];
}

/* Items are the frames of all signals. */
static gint64
stft_count (const SondeKernelContext *context, gint64 *cost)
{
  *cost = 16 * stft_length (context);
  return sonde_shape_product (&context->outputs[0]->shape, 0, 2);
}

static void
read_frame (const SondeKernelContext *context, gint64 item, gint64 length, int lane,
            SondeFourierElement *x)
{
  const SondeTensor *signal = context->inputs[0], *window = sonde_kernel_input (context, 2);
  gint64 frames = context->outputs[0]->shape.dims[1],
         parts = signal->shape.rank == 3 ? signal->shape.dims[2] : 1;
  gint64 first = item / frames * signal->shape.dims[1]
                 + item % frames * sonde_index_read (context->inputs[1], 0);

  for (gint64 i = 0; i < length; i++)
    {
      double weight = window != NULL ? read_element (window, i) : 1;

      x[i].re[lane] = weight * read_element (signal, (first + i) * parts);
      x[i].im[lane] = parts == 2 ? weight * read_element (signal, (first + i) * parts + 1) : 0;
    }
}

static void
stft_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *y = context->outputs[0];
  gint64 length = stft_length (context), bins = y->shape.dims[2];
  g_autoptr (SondeFourier) fourier = NULL;
  g_autofree SondeFourierElement *x = NULL, *work = NULL;

  if (begin >= end)
    return;
  fourier = sonde_fourier_new (length);
  x = g_new0 (SondeFourierElement, length);
  work = g_new (SondeFourierElement, sonde_fourier_get_work (fourier));
  for (gint64 item = begin; item < end; item += SONDE_FOURIER_LANES)
    {
      int n = (int) MIN (end - item, SONDE_FOURIER_LANES);

      for (int lane = 0; lane < n; lane++)
        read_frame (context, item + lane, length, lane, x);
      sonde_fourier_run (fourier, x, FALSE, work);
      for (int lane = 0; lane < n; lane++)
        for (gint64 k = 0; k < bins; k++)
          {
            write_element (y, ((item + lane) * bins + k) * 2, x[k].re[lane]);
            write_element (y, ((item + lane) * bins + k) * 2 + 1, x[k].im[lane]);
          }
    }
}

SONDE_COMPUTE_PARTS (stft)

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule dft_rules[] = {
  { "inverse", SONDE_ATTRIBUTE_INT },
  { "onesided", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule stft_rules[] = { { "onesided", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_dft_stft[] = {
  {
      .domain = "",
      .name = "DFT",
      .since = 20,
      .min_inputs = 1,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_OTHER,
      .attributes = dft_rules,
      .infer = infer_dft,
      .compute = compute_dft,
      .gradient = sonde_gradient_dft,
      .count_parts = dft_count,
      .compute_part = dft_part,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "STFT",
      .since = 17,
      .min_inputs = 2,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_OTHER,
      .attributes = stft_rules,
      .infer = infer_stft,
      .compute = compute_stft,
      .gradient = sonde_gradient_stft,
      .count_parts = stft_count,
      .compute_part = stft_part,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
