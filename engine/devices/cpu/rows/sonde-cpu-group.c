/* SPDX-License-Identifier: Apache-2.0
 * InstanceNormalization and GroupNormalization, plain and channels-last. Formula:
 * engine/ops/nn/sonde-ops-instance-group-normalisation.c. Sums are made in double over blocks whose
 * size does not depend on the number of threads. */
#include "engine/devices/cpu/rows/sonde-cpu-normalise-private.h"

#include <math.h>
#include <string.h>

/* Elements of a block, whose sums are one partial result. */
#define BLOCK 32768

/**
 * GroupKernel: x [batch, groups, each channels, space], or [batch, space, channels]
 * @by_group: scale and bias have one entry a group
 * @block: pixels of a block, @blocks: of them in one sample
 */
typedef struct
{
  SondeKernel base;
  gboolean channels_last, by_group;
  gint64 batch, groups, each, space;
  gint64 block, blocks;
  double epsilon;
} GroupKernel;

typedef struct
{
  const GroupKernel *kernel;
  const float *x, *scale, *bias;
  float *y;
  double *partial;         /* [batch, blocks, 2, channels] */
  float *factors, *shifts; /* [batch, channels] */
} GroupCall;

/* ---- loops --------------------------------------------------------------- */

SONDE_CPU_CLONES static void
sum_columns (gint64 rows, gint64 channels, const float *x, const float *start,
             double *restrict sums, double *restrict squares)
{
  for (gint64 r = 0; r < rows; r++)
    for (gint64 c = 0; c < channels; c++)
      {
        const double distance = (double) x[r * channels + c] - (double) start[c];

        sums[c] += distance;
        squares[c] += distance * distance;
      }
}

SONDE_CPU_CLONES static void
scale_run (gint64 n, const float *x, float factor, float shift, float *y)
{
#pragma GCC ivdep
  for (gint64 i = 0; i < n; i++)
    y[i] = x[i] * factor + shift;
}

/* x·factor + shift is what normalises and scales channel @c of @group. */
static void
find_affine (const GroupCall *call, gint64 group, gint64 c, SondeCpuMoments moments, float *factor,
             float *shift)
{
  const GroupKernel *k = call->kernel;
  const gint64 which = k->by_group ? group : group * k->each + c;
  const double a = (double) call->scale[which] / sqrt (moments.variance + k->epsilon);

  *factor = (float) a;
  *shift = (float) ((double) call->bias[which] - moments.mean * a);
}

/* ---- plain: a group of a sample is one run ------------------------------- */

static void
plain_range (gint64 begin, gint64 end, gpointer data)
{
  const GroupCall *call = data;
  const GroupKernel *k = call->kernel;
  const gint64 n = k->each * k->space;

  for (gint64 i = begin; i < end; i++)
    {
      const float *x = call->x + i * n;
      const SondeCpuMoments moments = sonde_cpu_row_moments (n, x);

      for (gint64 c = 0; c < k->each; c++)
        {
          float factor, shift;

          find_affine (call, i % k->groups, c, moments, &factor, &shift);
          scale_run (k->space, x + c * k->space, factor, shift, call->y + i * n + c * k->space);
        }
    }
}

/* ---- channels-last ------------------------------------------------------- */

static void
sum_range (gint64 begin, gint64 end, gpointer data)
{
  const GroupCall *call = data;
  const GroupKernel *k = call->kernel;
  const gint64 channels = k->groups * k->each;

  for (gint64 i = begin; i < end; i++)
    {
      const gint64 sample = i / k->blocks, first = i % k->blocks * k->block;
      const float *x = call->x + sample * k->space * channels;
      double *sums = call->partial + i * 2 * channels;

      memset (sums, 0, (gsize) (2 * channels) * sizeof (double));
      sum_columns (MIN (k->block, k->space - first), channels, x + first * channels, x, sums,
                   sums + channels);
    }
}

/* Moments of a group from the distances of its channels from their own first pixels. */
static SondeCpuMoments
join_group (const GroupCall *call, gint64 sample, gint64 group)
{
  const GroupKernel *k = call->kernel;
  const gint64 channels = k->groups * k->each;
  const float *start = call->x + sample * k->space * channels;
  const double *partial = call->partial + sample * k->blocks * 2 * channels;
  const double n = (double) k->space, common = start[group * k->each];
  SondeCpuMoments moments = { 0, 0 };

  for (gint64 c = group * k->each; c < (group + 1) * k->each; c++)
    {
      const double away = (double) start[c] - common;
      double sum = 0, square = 0;

      for (gint64 b = 0; b < k->blocks; b++)
        {
          sum += partial[b * 2 * channels + c];
          square += partial[b * 2 * channels + channels + c];
        }
      moments.mean += sum + n * away;
      moments.variance += square + 2 * away * sum + n * away * away;
    }

  moments.mean /= n * (double) k->each;
  moments.variance
      = MAX (moments.variance / (n * (double) k->each) - moments.mean * moments.mean, 0);
  moments.mean += common;
  return moments;
}

static void
scale_range (gint64 begin, gint64 end, gpointer data)
{
  const GroupCall *call = data;
  const GroupKernel *k = call->kernel;
  const gint64 channels = k->groups * k->each;

  while (begin < end)
    {
      const gint64 sample = begin / k->space, rows = MIN (end, (sample + 1) * k->space) - begin;

      sonde_cpu_scale_rows (rows, channels, call->x + begin * channels,
                            call->factors + sample * channels, call->shifts + sample * channels,
                            call->y + begin * channels);
      begin += rows;
    }
}

static void
run_channels_last (SondeCpuDevice *device, GroupCall *call)
{
  const GroupKernel *k = call->kernel;
  const gint64 channels = k->groups * k->each;

  sonde_cpu_for (device, k->batch * k->blocks, 2 * k->block * channels, sum_range, call);
  for (gint64 sample = 0; sample < k->batch; sample++)
    for (gint64 group = 0; group < k->groups; group++)
      {
        const SondeCpuMoments moments = join_group (call, sample, group);

        for (gint64 c = 0; c < k->each; c++)
          {
            const gint64 at = sample * channels + group * k->each + c;

            find_affine (call, group, c, moments, &call->factors[at], &call->shifts[at]);
          }
      }
  sonde_cpu_for (device, k->batch * k->space, channels, scale_range, call);
}

/* ---- kernel -------------------------------------------------------------- */

static gboolean
run_group (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
           GError **error)
{
  const GroupKernel *k = (GroupKernel *) base;
  const gint64 channels = k->groups * k->each;
  GroupCall call = {
    .kernel = k,
    .x = arguments->inputs[0],
    .scale = arguments->inputs[1],
    .bias = arguments->inputs[2],
    .y = arguments->outputs[0],
    .partial = arguments->workspace,
  };

  if (!k->channels_last)
    {
      sonde_cpu_for (device, k->batch * k->groups, 2 * k->each * k->space, plain_range, &call);
      return TRUE;
    }

  call.factors = (float *) (void *) (call.partial + k->batch * k->blocks * 2 * channels);
  call.shifts = call.factors + k->batch * channels;
  run_channels_last (device, &call);
  return TRUE;
}

static gboolean
read_sizes (const SondePrepareRequest *request, GroupKernel *kernel)
{
  const SondeNode *node = request->nodes[0];
  SondeShape x, y, scale, bias;

  if (!sonde_cpu_input_f32 (request, 0, &x) || !sonde_cpu_input_f32 (request, 1, &scale)
      || !sonde_cpu_input_f32 (request, 2, &bias) || !sonde_cpu_output_f32 (request, 0, &y)
      || x.rank < 2)
    return FALSE;

  kernel->groups = sonde_node_is (node, SONDE_OP_ID_GROUP_NORMALIZATION)
                       ? sonde_node_get_int (node, "num_groups", 1)
                       : x.dims[1];
  if (kernel->groups < 1 || x.dims[1] % kernel->groups != 0
      || sonde_shape_n_elements (&scale) != sonde_shape_n_elements (&bias))
    return FALSE;

  kernel->batch = x.dims[0];
  kernel->each = x.dims[1] / kernel->groups;
  kernel->space = sonde_shape_n_elements (&x) / (x.dims[0] * x.dims[1]);
  kernel->by_group = sonde_shape_n_elements (&scale) == kernel->groups;
  kernel->epsilon = sonde_node_get_float (node, "epsilon", 1e-5);
  return kernel->by_group || sonde_shape_n_elements (&scale) == x.dims[1];
}

static SondeKernel *
prepare_group (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree GroupKernel *kernel = g_new0 (GroupKernel, 1);
  gint64 channels;

  if (!read_sizes (request, kernel))
    return NULL;

  channels = kernel->groups * kernel->each;
  kernel->base.run = run_group;
  kernel->channels_last
      = request->input_layouts[0] != NULL && request->input_layouts[0]->channels_last;
  kernel->block = MAX (BLOCK / channels, 1);
  kernel->blocks = (kernel->space + kernel->block - 1) / kernel->block;
  for (guint k = kernel->channels_last ? 1 : 0; k < request->n_inputs; k++)
    sonde_cpu_want_plain (device, request, k);
  if (kernel->channels_last)
    sonde_cpu_give_channels_last (request, 0);

  request->workspace_bytes
      = kernel->channels_last
            ? (gsize) (kernel->batch * channels)
                  * ((gsize) kernel->blocks * 2 * sizeof (double) + 2 * sizeof (float))
            : 0;
  /* All statistics of a group are made before its first place is written. */
  request->in_place = TRUE;
  request->implementation = kernel->channels_last ? "channels-last" : "rows";
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuRow sonde_cpu_group_rows[] = {
  { "", "GroupNormalization", prepare_group },
  { "", "InstanceNormalization", prepare_group },
  { NULL, NULL, NULL },
};
