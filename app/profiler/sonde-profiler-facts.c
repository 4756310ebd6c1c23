/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-profiler-facts.h"

#include <math.h>
#include <string.h>

#include "app/profiler/tables/sonde-operator-column.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

void
sonde_recording_fact_free (gpointer fact)
{
  g_free (((SondeRecordingFact *) fact)->name);
  g_free (((SondeRecordingFact *) fact)->value);
  g_free (fact);
}

/* ---- facts --------------------------------------------------------------- */

/* @value: (transfer full) (nullable): NULL or "" adds nothing */
static void
add (GPtrArray *facts, const char *name, char *value)
{
  SondeRecordingFact *fact;

  if (value == NULL || *value == '\0')
    {
      g_free (value);
      return;
    }
  fact = g_new (SondeRecordingFact, 1);
  fact->name = g_strdup (name);
  fact->value = value;
  g_ptr_array_add (facts, fact);
}

static const char *
get_producer (const SondeTrace *trace)
{
  static const struct
  {
    const char *name, *title;
  } titles[] = {
    { "pytorch", "PyTorch" },     { "onnxruntime", "ONNX Runtime" }, { "mindspore", "MindSpore" },
    { "viztracer", "VizTracer" }, { "tensorflow", "TensorFlow" },    { "sonde", "Sonde" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (titles); i++)
    if (strcmp (titles[i].name, trace->producer) == 0)
      return titles[i].title;
  return _ ("not named");
}

static const char *
get_format (const SondeTrace *trace)
{
  switch (trace->format)
    {
    case SONDE_TRACE_CHROME:
      return _ ("Trace Event Format (JSON)");
    case SONDE_TRACE_PERFETTO:
      return _ ("Perfetto protobuf");
    case SONDE_TRACE_XSPACE:
      return "XSpace";
    case SONDE_TRACE_COLLAPSED:
      return _ ("collapsed stacks");
    default:
      return "perf script";
    }
}

static void
add_amounts (GPtrArray *facts, const SondeTraceDocument *document, const SondeProfile *profile)
{
  const SondeTrace *trace = profile->trace;
  const gint64 peak = sonde_profile_get_peak_bytes (profile);

  if (sonde_profile_is_sampled (profile))
    {
      add (facts, _ ("Samples"), sonde_format_count ((gint64) MIN (trace->weight, G_MAXINT64)));
      return;
    }
  add (facts, _ ("Steps"),
       profile->has_steps ? sonde_format_count (profile->n_steps) : g_strdup (_ ("not marked")));
  add (facts, _ ("Spans"), sonde_format_count ((gint64) trace->n_spans));
  if (trace->has_time)
    add (facts, _ ("Covers"),
         sonde_profiler_format_ns ((double) trace->end_ns - (double) trace->start_ns));
  add (facts, _ ("Threads with spans"), sonde_format_count ((gint64) trace->n_threads_with_spans));
  if (peak >= 0)
    add (facts, _ ("Memory at most"), sonde_format_bytes ((guint64) peak));
}

GPtrArray *
sonde_recording_facts_list (SondeTraceDocument *document)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  const SondeProfileFacts *own = profile->facts;
  GPtrArray *facts = g_ptr_array_new_with_free_func (sonde_recording_fact_free);

  add (facts, _ ("Producer"), g_strdup (get_producer (profile->trace)));
  if (own == NULL)
    add (facts, _ ("Format"), g_strdup (get_format (profile->trace)));
  else
    {
      add (facts, _ ("Device"), g_strdup (own->device));
      add (facts, _ ("Precision"), g_strdup (own->precision));
      if (own->n_threads > 0)
        add (facts, _ ("Threads"), sonde_format_count (own->n_threads));
    }
  if (profile->device.n_devices > 0)
    add (facts, _ ("Devices"), sonde_format_count ((gint64) profile->device.n_devices));
  add_amounts (facts, document, profile);
  if (own != NULL && isfinite (own->ceilings.peak_gflops))
    add (facts, _ ("Machine at best"),
         g_strdup_printf ("%.0f GFLOP/s · %.1f GB/s", own->ceilings.peak_gflops,
                          own->ceilings.peak_gbs));
  if (profile->trace->n_dropped > 0 || own != NULL)
    add (facts, own != NULL ? _ ("Dropped spans") : _ ("Dropped packets"),
         sonde_format_count ((gint64) profile->trace->n_dropped));
  add (facts, _ ("Not read as written"), sonde_trace_document_dup_losses (document));
  return facts;
}

/* ---- gaps ---------------------------------------------------------------- */

static void
say (GPtrArray *gaps, const char *sentence)
{
  g_ptr_array_add (gaps, g_strdup (sentence));
}

GPtrArray *
sonde_recording_gaps_list (SondeTraceDocument *document)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  GPtrArray *gaps = g_ptr_array_new_with_free_func (g_free);

  if (sonde_profile_is_sampled (profile))
    {
      say (gaps, _ ("Sampled stacks tell shares of samples: neither steps nor calls nor times, so "
                    "there is no split and no advice."));
      return gaps;
    }
  if (!profile->has_steps)
    say (gaps, strcmp (profile->trace->producer, "pytorch") == 0
                   ? _ ("This trace marks no steps: all of it counts as one, and where a step goes "
                        "is not known. PyTorch marks them by profiler.step().")
                   : _ ("This trace marks no steps: all of it counts as one, and where a step goes "
                        "is not known."));
  if (profile->facts != NULL && profile->facts->operators->len > 0)
    return gaps;
  if (profile->operators->len > 0 && sonde_profile_get_operator (profile, 0)->node == NULL)
    say (gaps, _ ("Its operators have no nodes, so none can be shown in a graph."));
  say (gaps,
       _ ("Shapes and costs are not recorded, so there are no classes, no GFLOP/s and no limits "
          "by the roofline."));
  if (profile->device.n_devices == 0)
    say (gaps, _ ("It holds no spans of a device; what an accelerator did is not known."));
  if (sonde_profile_get_peak_bytes (profile) < 0)
    say (gaps, _ ("It holds no allocations, so memory is not known."));
  return gaps;
}
