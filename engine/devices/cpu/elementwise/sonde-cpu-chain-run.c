/* SPDX-License-Identifier: Apache-2.0
 * Runs a chain on one part of its values after the other, so that each link finds what the last one
 * made in the cache. Results that are wanted are written where they belong, the others into a part
 * that is used again. */
#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"
#include "engine/devices/cpu/movement/sonde-cpu-stream.h"

/* Elements of a part: memory takes few bytes at a time from many places slowly, but what waits for
 * its way there should leave room in the first cache. */
#define PART 2048
#define SHORT_PART 1024
#define MOST_PARTS 3 /* in the cache, of PART elements each */
/* Of a cache line. */
#define LINE 16

typedef struct
{
  const SondeCpuChain *kernel;
  const SondeRunArguments *arguments;
  SondeCpuUnary unary[SONDE_CPU_MOST_LINKS];
} ChainCall;

/* ---- running ------------------------------------------------------------- */

/* Rows from @row on, of each @width elements from @column on: the whole of them where there are
 * several rows. */
typedef struct
{
  gint64 row, rows, column, width;
} Part;

static const float *
find_operand (const ChainCall *call, const SondeCpuOperand *operand, float *const *results,
              const Part *part)
{
  return operand->link >= 0 ? results[operand->link]
                            : (const float *) call->arguments->inputs[operand->input]
                                  + part->row * operand->row + part->column * operand->step;
}

static void
run_link (const ChainCall *call, guint index, const Part *part, float *const *results)
{
  const SondeCpuLink *link = &call->kernel->links[index];
  const SondeCpuUnary *unary = &call->unary[index];
  const gint64 n = part->rows * part->width;
  const float *a = find_operand (call, &link->operands[0], results, part);

  if (link->block != NULL)
    {
      guint8 *operands[]
          = { (guint8 *) a, (guint8 *) find_operand (call, &link->operands[1], results, part),
              (guint8 *) results[index] };

      link->block (&link->grid, link->by_row ? part->rows : 1, link->by_row ? part->width : n,
                   operands, NULL);
    }
  else if (link->affine)
    {
      const float *factors
          = (const float *) call->arguments->workspace + link->factors + part->column;

      sonde_cpu_scale_rows (part->rows, part->width, a, factors, factors + call->kernel->width,
                            results[index]);
    }
  else
    unary->loop (n, a, results[index], unary->alpha, unary->beta);
}

static gint64
part_elements (const SondeCpuChain *k)
{
  return k->n_parts > MOST_PARTS ? SHORT_PART : PART;
}

/* Rows of a part: whole cache lines where that is possible, so that none is written in two
 * parts. */
static gint64
part_rows (const SondeCpuChain *k)
{
  const gint64 rows = MAX (part_elements (k) / k->width, 1);
  gint64 step = LINE; /* the fewest rows that are whole lines */

  while (step > 1 && k->width * (step / 2) % LINE == 0)
    step /= 2;
  if (step <= rows)
    return rows / step * step;
  return step * k->width <= 4 * part_elements (k) ? step : rows;
}

/* @scratch: for the results that lie beside the outputs, @stride elements each */
static void
run_part (const ChainCall *call, const Part *part, float *scratch, gint64 stride)
{
  const SondeCpuChain *k = call->kernel;
  const gint64 first = part->row * k->width + part->column;
  float *results[SONDE_CPU_MOST_LINKS];

  for (guint i = 0; i < k->n_links; i++)
    {
      const SondeCpuLink *link = &k->links[i];
      float *wanted
          = link->output >= 0 ? (float *) call->arguments->outputs[link->output] + first : NULL;
      const gboolean beside = wanted == NULL || link->streams;

      results[i] = beside ? scratch : wanted;
      scratch += beside ? stride : 0;
      run_link (call, i, part, results);
      if (link->streams)
        sonde_cpu_stream (part->rows * part->width, results[i], wanted);
    }
}

static void
chain_range (gint64 begin, gint64 end, gpointer data)
{
  const ChainCall *call = data;
  const SondeCpuChain *k = call->kernel;
  const gint64 rows = part_rows (k), most = part_elements (k);
  const gint64 width = rows == 1 && k->width % LINE == 0 ? MIN (k->width, most) : k->width;
  const gint64 stride = (rows * width + LINE - 1) / LINE * LINE;
  g_autofree float *memory
      = k->n_parts > 0 ? g_new (float, (gsize) (k->n_parts * stride + LINE)) : NULL;
  /* or each vector lies in two lines */
  float *scratch = memory + -GPOINTER_TO_SIZE (memory) / sizeof (float) % LINE;
  Part part;

  for (part.row = begin; part.row < end; part.row += rows)
    for (part.column = 0; part.column < k->width; part.column += width)
      {
        part.rows = MIN (rows, end - part.row);
        part.width = MIN (width, k->width - part.column);
        run_part (call, &part, scratch, stride);
      }
  sonde_cpu_settle_streams ();
}

gboolean
sonde_cpu_run_chain (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
                     GError **error)
{
  const SondeCpuChain *k = (SondeCpuChain *) base;
  ChainCall call = { .kernel = k, .arguments = arguments };

  for (guint i = 0; i < k->n_links; i++)
    {
      const SondeCpuLink *link = &k->links[i];
      float *factors = (float *) arguments->workspace + link->factors;

      call.unary[i] = link->unary;
      if (link->limits[0] >= 0)
        call.unary[i].alpha = *(const float *) arguments->inputs[link->limits[0]];
      if (link->limits[1] >= 0)
        call.unary[i].beta = *(const float *) arguments->inputs[link->limits[1]];
      if (link->affine)
        sonde_cpu_batch_affine (
            k->width, arguments->inputs[link->scale[0]], arguments->inputs[link->scale[1]],
            arguments->inputs[link->scale[2]], arguments->inputs[link->scale[3]], link->epsilon,
            factors, factors + k->width);
    }

  sonde_cpu_for (device, k->rows, k->width * k->cost, chain_range, &call);
  return TRUE;
}
