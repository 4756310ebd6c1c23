/* SPDX-License-Identifier: Apache-2.0
 * The ceilings that Sonde measures against oneDNN's own product of matrices and a plain loop, in turns:
 * the best of each side, and their ratio. bench-roofline [--threads N] [--rounds N] */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dnnl.h>
#include <sys/mman.h>

#include "data/base/sonde-clock.h"
#include "engine/profile/sonde-ceilings-measure.h"

#define SIDE SONDE_CEILING_SIDE
#define RUNS 4 /* of a product in a round */

static gint64
now (void)
{
  return sonde_clock_monotonic_ns (NULL);
}

/* ---- oneDNN ------------------------------------------------------------------ */

typedef struct
{
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t product;
  dnnl_memory_t a, b, packed, c;
} Peer;

static void
check (dnnl_status_t status, const char *what)
{
  if (status == dnnl_success)
    return;
  fprintf (stderr, "bench-roofline: %s: oneDNN says %d\n", what, (int) status);
  exit (1);
}

/* With numbers as the other side has them. */
static dnnl_memory_t
peer_memory (Peer *peer, const dnnl_memory_desc_t *desc)
{
  dnnl_memory_t memory;
  void *data;

  check (dnnl_memory_create (&memory, desc, peer->engine, DNNL_MEMORY_ALLOCATE), "memory");
  check (dnnl_memory_get_data_handle (memory, &data), "memory");
  for (gsize i = 0; i < dnnl_memory_desc_get_size (desc) / sizeof (float); i++)
    ((float *) data)[i] = (float) (i % 13) - 6;
  return memory;
}

/* The weights lie as the primitive wants them. */
static void
peer_init (Peer *peer)
{
  const dnnl_dims_t sizes = { SIDE, SIDE };
  dnnl_memory_desc_t plain, any;
  const dnnl_memory_desc_t *wanted;
  dnnl_matmul_desc_t desc;
  dnnl_primitive_desc_t product, reorder;
  dnnl_primitive_t pack;

  check (dnnl_engine_create (&peer->engine, dnnl_cpu, 0), "engine");
  check (dnnl_stream_create (&peer->stream, peer->engine, dnnl_stream_default_flags), "stream");
  check (dnnl_memory_desc_init_by_tag (&plain, 2, sizes, dnnl_f32, dnnl_ab), "layout");
  check (dnnl_memory_desc_init_by_tag (&any, 2, sizes, dnnl_f32, dnnl_format_tag_any), "layout");
  check (dnnl_matmul_desc_init (&desc, &plain, &any, NULL, &plain), "product");
  check (dnnl_primitive_desc_create (&product, &desc, NULL, peer->engine, NULL), "product");
  check (dnnl_primitive_create (&peer->product, product), "product");
  wanted = dnnl_primitive_desc_query_md (product, dnnl_query_weights_md, 0);
  peer->a = peer_memory (peer, &plain);
  peer->b = peer_memory (peer, &plain);
  peer->c = peer_memory (peer, &plain);
  check (dnnl_memory_create (&peer->packed, wanted, peer->engine, DNNL_MEMORY_ALLOCATE), "memory");
  check (dnnl_reorder_primitive_desc_create (&reorder, &plain, peer->engine, wanted, peer->engine,
                                             NULL),
         "reorder");
  check (dnnl_primitive_create (&pack, reorder), "reorder");
  check (dnnl_primitive_execute (
             pack, peer->stream, 2,
             (dnnl_exec_arg_t[]){ { DNNL_ARG_FROM, peer->b }, { DNNL_ARG_TO, peer->packed } }),
         "reorder");
  check (dnnl_stream_wait (peer->stream), "reorder");
  dnnl_primitive_destroy (pack);
  dnnl_primitive_desc_destroy (reorder);
  dnnl_primitive_desc_destroy (product);
}

static double
peer_run (Peer *peer)
{
  const dnnl_exec_arg_t arguments[] = { { DNNL_ARG_SRC, peer->a },
                                        { DNNL_ARG_WEIGHTS, peer->packed },
                                        { DNNL_ARG_DST, peer->c } };
  double best = 0;

  for (int i = 0; i < RUNS; i++)
    {
      gint64 before = now ();

      check (dnnl_primitive_execute (peer->product, peer->stream, 3, arguments), "product");
      check (dnnl_stream_wait (peer->stream), "product");
      best = MAX (best, 2.0 * SIDE * SIDE * SIDE / (double) (now () - before));
    }
  return best;
}

static void
peer_clear (Peer *peer)
{
  dnnl_primitive_destroy (peer->product);
  dnnl_memory_destroy (peer->a);
  dnnl_memory_destroy (peer->b);
  dnnl_memory_destroy (peer->c);
  dnnl_memory_destroy (peer->packed);
  dnnl_stream_destroy (peer->stream);
  dnnl_engine_destroy (peer->engine);
}

/* ---- a plain loop -------------------------------------------------------------- */

/* In large pages, as the device's memory is. */
static float *
allocate (gint64 n)
{
  const gsize page = (gsize) 2 << 20, bytes = ((gsize) n * sizeof (float) / page + 1) * page;
  void *memory = aligned_alloc (page, bytes);

  if (memory == NULL || madvise (memory, bytes, MADV_HUGEPAGE) != 0)
    fprintf (stderr, "bench-roofline: the plain loop has no large pages\n");
  return memory;
}

static double
loop_run (int threads)
{
  gint64 n = (gint64) (MIN (4 * sonde_last_cache_bytes (), (gsize) 1000 * 1000 * 1000) / 12);
  float *a = allocate (n), *b = allocate (n), *c = allocate (n);
  double best = 0;

#pragma omp parallel for schedule(static) num_threads(threads)
  for (gint64 i = 0; i < n; i++)
    a[i] = 0, b[i] = 1, c[i] = 2;
  for (int run = 0; run < SONDE_CEILING_RUNS; run++)
    {
      gint64 before = now ();

#pragma omp parallel for schedule(static) num_threads(threads)
      for (gint64 i = 0; i < n; i++)
        a[i] = b[i] + 0.5f * c[i];
      best = MAX (best, 12.0 * (double) n / (double) (now () - before));
    }
  free (a);
  free (b);
  free (c);
  return best;
}

/* ---- the whole ----------------------------------------------------------------- */

int
main (int argc, char **argv)
{
  int threads = 1, rounds = 5;
  g_autoptr (SondeDevice) device = NULL;
  g_autoptr (GError) error = NULL;
  double own = 0, peer_best = 0, own_bytes = 0, loop_bytes = 0, overhead = INFINITY;
  Peer peer;

  for (int i = 1; i + 1 < argc; i += 2)
    if (strcmp (argv[i], "--threads") == 0)
      threads = MAX (atoi (argv[i + 1]), 1);
    else if (strcmp (argv[i], "--rounds") == 0)
      rounds = MAX (atoi (argv[i + 1]), 1);
  omp_set_num_threads (threads);
  device = sonde_device_open ("cpu", threads, &error);
  if (device == NULL)
    return fprintf (stderr, "bench-roofline: %s\n", error->message), 1;
  peer_init (&peer);
  for (int round = 0; round < rounds; round++)
    {
      SondeCeilingMeasure gflops, gbs, us;

      if (!sonde_measure_product (device, SONDE_DTYPE_F32, SIDE, RUNS, G_MAXINT64 / 2, &gflops,
                                  &error)
          || !sonde_measure_triad (device, (guint) threads, G_MAXINT64 / 2, &gbs, &error)
          || !sonde_measure_overhead (device, &us, &error))
        return fprintf (stderr, "bench-roofline: %s\n", error->message), 1;
      own = MAX (own, gflops.best);
      own_bytes = MAX (own_bytes, gbs.best);
      overhead = MIN (overhead, us.best);
      omp_set_num_threads (threads);
      peer_best = MAX (peer_best, peer_run (&peer));
      loop_bytes = MAX (loop_bytes, loop_run (threads));
    }
  printf ("roofline, %d threads, best of %d rounds\n", threads, rounds);
  printf ("product of 2048: %.2f GFLOP/s, oneDNN's own %.2f, ratio %.3f\n", own, peer_best,
          own / peer_best);
  printf ("triad: %.2f GB/s, a plain loop %.2f, ratio %.3f\n", own_bytes, loop_bytes,
          own_bytes / loop_bytes);
  printf ("cheapest step: %.3f us\n", overhead);
  peer_clear (&peer);
  return 0;
}
