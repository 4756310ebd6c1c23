/* SPDX-License-Identifier: Apache-2.0
 * Resize in plain and channels-last memory: the passes of engine/ops/image/sonde-resample.h with
 * tables made once. Planes are resized one by one when there are enough for the threads, so that
 * what lies between two passes stays in the cache; else the threads share each pass. Nearest copies
 * elements of any type. */
#include "engine/devices/cpu/sonde-cpu-kernel.h"
#include "engine/ops/image/sonde-resample.h"

#include <string.h>

#define SONDE_PASTE_(a, b) a##_##b
#define SONDE_PASTE(a, b) SONDE_PASTE_ (a, b)
#define T float
#define S f32
#define WEIGHT weight_f32
#define CLONES SONDE_CPU_CLONES
#include "engine/ops/image/sonde-resample-template.h"

/**
 * ResizeKernel:
 * @size: bytes of an element
 * @fill: the element for what lies outside
 * @images: equal parts that are resized each on its own: all before the first dimension that
 * changes
 * @from_image, @to_image, @between: elements of one before, after, and between two passes
 */
typedef struct
{
  SondeKernel base;
  SondeResample resample;
  gsize size;
  guint64 fill;
  gint64 images, from_image, to_image, between;
} ResizeKernel;

typedef struct
{
  const ResizeKernel *kernel;
  const SondeResamplePass *pass;
  const void *from;
  void *to;
} ResizeCall;

/* ---- running ------------------------------------------------------------- */

static void
pass_range (gint64 begin, gint64 end, gpointer data)
{
  const ResizeCall *call = data;
  const float outside = (float) call->kernel->resample.extrapolation;

  if (call->pass->inner == 1)
    resample_columns_f32 (call->pass, outside, call->from, call->to, begin, end);
  else
    resample_rows_f32 (call->pass, outside, call->from, call->to, begin, end);
}

/* Items of a pass in all images together. */
static gint64
count_items (const SondeResamplePass *pass)
{
  return pass->inner == 1 ? pass->outer : pass->outer * pass->out;
}

/* Images @begin to before @end, all passes of one after the other. */
static void
image_range (gint64 begin, gint64 end, gpointer data)
{
  const ResizeCall *call = data;
  const ResizeKernel *kernel = call->kernel;
  const SondeResample *resample = &kernel->resample;
  g_autofree float *memory = g_new (float, 2 * kernel->between + 1);

  for (gint64 image = begin; image < end; image++)
    {
      const float *from = (const float *) call->from + image * kernel->from_image;

      for (int i = 0; i < resample->n_passes; i++)
        {
          gboolean last = i == resample->n_passes - 1;
          float *to = last ? (float *) call->to + image * kernel->to_image
                           : memory + i % 2 * kernel->between;
          ResizeCall step = { kernel, &resample->passes[i], from, to };

          pass_range (0, count_items (step.pass) / kernel->images, &step);
          from = to;
        }
    }
}

static gboolean
run_passes (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  const ResizeKernel *kernel = (ResizeKernel *) base;
  const SondeResample *resample = &kernel->resample;
  float *scratch[] = { arguments->workspace, (float *) arguments->workspace + resample->largest };
  ResizeCall call = { kernel, NULL, arguments->inputs[0], arguments->outputs[0] };

  if (kernel->images >= device->threads)
    {
      sonde_cpu_for (device, kernel->images, 4 * MAX (kernel->from_image, kernel->to_image),
                     image_range, &call);
      return TRUE;
    }

  for (int i = 0; i < resample->n_passes; i++)
    {
      call.pass = &resample->passes[i];
      call.to = i == resample->n_passes - 1 ? arguments->outputs[0] : scratch[i % 2];
      sonde_cpu_for (device, count_items (call.pass),
                     call.pass->taps * (call.pass->inner == 1 ? call.pass->out : call.pass->inner),
                     pass_range, &call);
      call.from = call.to;
    }
  return TRUE;
}

static void
move_range (gint64 begin, gint64 end, gpointer data)
{
  const ResizeCall *call = data;

  sonde_resample_move_rows (&call->kernel->resample, call->kernel->size, &call->kernel->fill,
                            call->from, call->to, begin, end);
}

static gboolean
run_nearest (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  const ResizeKernel *kernel = (ResizeKernel *) base;
  ResizeCall call = { kernel, NULL, arguments->inputs[0], arguments->outputs[0] };
  gint64 rows = sonde_resample_n_rows (&kernel->resample);

  sonde_cpu_for (device, rows, sonde_shape_n_elements (&kernel->resample.out) / rows, move_range,
                 &call);
  return TRUE;
}

/* ---- preparing ----------------------------------------------------------- */

static void
resize_free (SondeKernel *base)
{
  sonde_resample_clear (&((ResizeKernel *) base)->resample);
  g_free (base);
}

/* What never changes; NULL otherwise. */
static const SondeTensor *
constant_tensor (const SondePrepareRequest *request, guint k)
{
  if (!sonde_cpu_has_input (request, k) || request->inputs[k]->role != SONDE_ROLE_CONSTANT
      || request->inputs[k]->constant == NULL)
    return NULL;

  return sonde_value_get_tensor (request->inputs[k]->constant);
}

/* The numbers are constants. (Sizes that are made by the network end here too: the reference takes
 * those.) */
static gboolean
read_sizes (const SondePrepareRequest *request, const SondeShape *in, const SondeShape *out,
            SondeResampleSizes *sizes)
{
  SondeType type = sonde_type_tensor (request->inputs[0]->type.dtype, in);

  for (guint k = 1; k < request->n_inputs; k++)
    if (sonde_cpu_has_input (request, k) && constant_tensor (request, k) == NULL)
      return FALSE;

  if (!sonde_resample_read (request->nodes[0], &type, constant_tensor (request, 1),
                            constant_tensor (request, 2), constant_tensor (request, 3), sizes,
                            NULL))
    return FALSE;

  for (int d = 0; d < in->rank; d++)
    if (sizes->out[d] != out->dims[d])
      return FALSE;
  return TRUE;
}

/* Dimension 1 becomes the last one. */
static void
move_channels (SondeShape *in, SondeShape *out, SondeResampleSizes *sizes)
{
  SondeShape old_in = *in, old_out = *out;
  SondeResampleSizes old = *sizes;
  int last = in->rank - 1;

  for (int d = 1; d <= last; d++)
    {
      int from = d == last ? 1 : d + 1;

      in->dims[d] = old_in.dims[from];
      out->dims[d] = old_out.dims[from];
      sizes->out[d] = old.out[from];
      sizes->scale[d] = old.scale[from];
      sizes->start[d] = old.start[from];
      sizes->end[d] = old.end[from];
    }
}

static void
count_images (ResizeKernel *kernel)
{
  const SondeResample *resample = &kernel->resample;
  int first = resample->in.rank;

  for (int i = 0; i < resample->n_passes; i++)
    first = MIN (first, resample->passes[i].axis);
  kernel->images = 1;
  for (int d = 0; d < first; d++)
    kernel->images *= resample->in.dims[d];
  kernel->from_image = sonde_shape_n_elements (&resample->in) / kernel->images;
  kernel->to_image = sonde_shape_n_elements (&resample->out) / kernel->images;
  kernel->between = resample->largest / kernel->images;
}

/* A dense layout that the passes can walk; TRUE: channels-last. */
static gboolean
choose_layout (SondeCpuDevice *device, SondePrepareRequest *request, const SondeShape *in,
               const SondeShape *out)
{
  gboolean last = request->input_layouts[0] != NULL && sonde_cpu_lies_channels_last (request, 0)
                  && in->dims[0] == out->dims[0] && in->dims[1] == out->dims[1];

  for (guint k = 1; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);
  last = last && sonde_cpu_want_channels_last (device, request, 0);
  if (last)
    sonde_cpu_give_channels_last (request, 0);
  else
    sonde_cpu_want_plain (device, request, 0);
  return last;
}

static SondeKernel *
prepare_resize (SondeCpuDevice *device, SondePrepareRequest *request)
{
  ResizeKernel *kernel;
  SondeResampleSizes sizes;
  SondeShape in, out;
  SondeDtype dtype;
  const char *mode = sonde_node_get_string (request->nodes[0], "mode", "nearest");
  gboolean nearest = g_str_equal (mode, "nearest");

  if (!sonde_cpu_has_input (request, 0) || !sonde_cpu_has_output (request, 0)
      || !sonde_type_get_shape (&request->inputs[0]->type, &in)
      || !sonde_type_get_shape (&request->outputs[0]->type, &out)
      || sonde_shape_n_elements (&in) <= 0 || sonde_shape_n_elements (&out) <= 0)
    return NULL;

  dtype = request->inputs[0]->type.dtype;
  if (dtype == SONDE_DTYPE_STRING || (!nearest && dtype != SONDE_DTYPE_F32)
      || !read_sizes (request, &in, &out, &sizes))
    return NULL;

  if (choose_layout (device, request, &in, &out))
    move_channels (&in, &out, &sizes);
  kernel = g_new0 (ResizeKernel, 1);
  sonde_resample_init (&kernel->resample, request->nodes[0], &in, &out, &sizes);
  kernel->size = sonde_dtype_size (dtype);
  sonde_dtype_convert (SONDE_DTYPE_F64, &kernel->resample.extrapolation, dtype, &kernel->fill, 1);
  count_images (kernel);
  kernel->base.run = nearest || kernel->resample.n_passes == 0 ? run_nearest : run_passes;
  kernel->base.free = resize_free;
  request->in_place = FALSE;
  request->workspace_bytes = kernel->base.run == run_nearest || kernel->images >= device->threads
                                 ? 0
                                 : 2 * (gsize) kernel->resample.largest * sizeof (float);
  request->implementation = nearest ? "nearest" : "resample";
  return &kernel->base;
}

const SondeCpuRow sonde_cpu_resize_rows[] = {
  { "", "Resize", prepare_resize },
  { NULL, NULL, NULL },
};
