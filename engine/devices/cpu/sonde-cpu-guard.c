/* SPDX-License-Identifier: Apache-2.0
 * NaN kept by functions that lose them. oneDNN's Relu is max (x, 0), which makes 0 of NaN; but
 * MAXPS, MINPS and their like set the processor's invalid flag when an operand is NaN, and the flag
 * stays until it is cleared. So it costs nothing to know that a NaN was lost, and in that rare case
 * the result is computed a second time. A flag that some earlier operation left only costs that
 * second time; from then on it is cleared before. */
#include "engine/devices/cpu/sonde-cpu-epilogue.h"
#include "engine/devices/sonde-host-kernel.h"

#include <math.h>
#include <omp.h>

#if defined(__SSE__)
#include <xmmintrin.h>

#define INVALID 1u

gboolean
sonde_cpu_can_guard (void)
{
  return TRUE;
}

/* Reads and clears. */
static gboolean
was_invalid_here (void)
{
  guint state = _mm_getcsr ();

  if ((state & INVALID) != 0)
    _mm_setcsr (state & ~INVALID);
  return (state & INVALID) != 0;
}
#else
gboolean
sonde_cpu_can_guard (void)
{
  return FALSE;
}

static gboolean
was_invalid_here (void)
{
  return TRUE;
}
#endif

/* On any of the threads that compute, since this was last asked. */
static gboolean
was_invalid (void)
{
  int found = 0, threads = omp_get_max_threads (); /* as the primitive ran */

  if (threads == 1)
    return was_invalid_here ();

#pragma omp parallel num_threads(threads) reduction(| : found)
  found |= was_invalid_here ();
  return found != 0;
}

SONDE_CPU_CLONES static gboolean
is_finite (gsize n, const float *x)
{
  float sums[16] = { 0 };
  float sum = 0;

  for (gsize i = 0; i + 16 <= n; i += 16)
    for (int k = 0; k < 16; k++)
      sums[k] += x[i + k] * 0.0f;
  for (gsize i = n / 16 * 16; i < n; i++)
    sum += x[i] * 0.0f;
  for (int k = 0; k < 16; k++)
    sum += sums[k];

  return sum == 0;
}

gboolean
sonde_cpu_is_clean (const SondeCpuGuarded *guarded, const float *x)
{
  const gsize n = guarded->bytes / sizeof (float);
  int dirty = 0, threads = omp_get_max_threads ();

#pragma omp parallel num_threads(threads) reduction(| : dirty) if (threads > 1)
  {
    const gsize part = (n / (gsize) omp_get_num_threads () + 15) / 16 * 16;
    const gsize begin = MIN (part * (gsize) omp_get_thread_num (), n);
    const gsize end
        = omp_get_thread_num () + 1 == omp_get_num_threads () ? n : MIN (begin + part, n);

    dirty |= (guarded->guarded && was_invalid_here ()) || !is_finite (end - begin, x + begin);
  }
  return dirty == 0;
}

static SondeDnnlPrimitive *
get_exact (SondeCpuDevice *device, SondeCpuGuarded *guarded, SondeCpuMakeExact make_exact,
           gpointer data)
{
  SondeDnnlPrimitive *exact = guarded->exact, *mine;

  if (exact != NULL)
    return exact;

  mine = make_exact (device, data);
  if (mine == NULL || atomic_compare_exchange_strong (&guarded->exact, &exact, mine))
    return mine;

  sonde_dnnl_primitive_free (mine);
  return exact;
}

/* Returns whether there was a NaN. */
static gboolean
put_back (gsize n, const float *exact, gboolean zero_at_minus_infinity, float *result)
{
  gboolean found = FALSE;

  for (gsize i = 0; i < n; i++)
    if (isnan (exact[i]))
      {
        result[i] = exact[i];
        found = TRUE;
      }
    else if (zero_at_minus_infinity && exact[i] == -INFINITY)
      result[i] = 0;
  return found;
}

/* The same for bfloat16. */
static gboolean
put_back_halves (gsize n, const guint16 *exact, gboolean zero_at_minus_infinity, guint16 *result)
{
  gboolean found = FALSE;

  for (gsize i = 0; i < n; i++)
    if ((exact[i] & 0x7fff) > 0x7f80)
      {
        result[i] = exact[i];
        found = TRUE;
      }
    else if (zero_at_minus_infinity && exact[i] == 0xff80)
      result[i] = 0;
  return found;
}

static gboolean
run_exact (SondeCpuDevice *device, SondeCpuGuarded *guarded, SondeDnnlPrimitive *exact,
           void *const memory[SONDE_DNNL_N_ARGUMENTS], GError **error)
{
  gsize scratch = sonde_dnnl_primitive_get_workspace (exact);
  void *copy[SONDE_DNNL_N_ARGUMENTS];
  void *target = sonde_host_allocate (&device->base, guarded->bytes, error);
  void *workspace
      = target != NULL && scratch > 0 ? sonde_host_allocate (&device->base, scratch, error) : NULL;
  gboolean ok = target != NULL && (scratch == 0 || workspace != NULL), found = TRUE;

  if (ok)
    {
      for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
        copy[i] = memory[i];
      copy[SONDE_DNNL_DST] = target;
      ok = sonde_dnnl_primitive_run (device->dnnl, exact, copy, workspace, error);
    }
  if (ok && guarded->dtype == SONDE_DTYPE_BF16)
    found = put_back_halves (guarded->bytes / sizeof (guint16), target,
                             guarded->zero_at_minus_infinity, memory[SONDE_DNNL_DST]);
  else if (ok)
    found = put_back (guarded->bytes / sizeof (float), target, guarded->zero_at_minus_infinity,
                      memory[SONDE_DNNL_DST]);
  if (!found)
    guarded->clear_first = TRUE;

  sonde_host_release (&device->base, target);
  sonde_host_release (&device->base, workspace);
  return ok;
}

gboolean
sonde_cpu_guarded_run (SondeCpuDevice *device, SondeCpuGuarded *guarded,
                       void *const memory[SONDE_DNNL_N_ARGUMENTS], void *workspace,
                       SondeCpuMakeExact make_exact, gpointer data, GError **error)
{
  SondeDnnlPrimitive *exact;

  if (guarded->guarded && (guarded->clear_first || omp_get_max_threads () == 1))
    (void) was_invalid ();
  if (!sonde_dnnl_primitive_run (device->dnnl, guarded->primitive, memory, workspace, error))
    return FALSE;

  if (!guarded->guarded || G_LIKELY (!was_invalid ()))
    return TRUE;

  exact = get_exact (device, guarded, make_exact, data);
  if (exact != NULL)
    return run_exact (device, guarded, exact, memory, error);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_DEVICE,
                   "oneDNN has no variant of “%s” that preserves NaN",
                   sonde_dnnl_primitive_get_implementation (guarded->primitive));
  return FALSE;
}

void
sonde_cpu_guarded_clear (SondeCpuGuarded *guarded)
{
  sonde_dnnl_primitive_free (guarded->primitive);
  sonde_dnnl_primitive_free (guarded->exact);
}
