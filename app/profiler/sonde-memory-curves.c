/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-memory-curves.h"

#include <math.h>
#include <string.h>

#include "app/profiler/tables/sonde-fact-table.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/traces/sonde-counter-unit.h"
#include "viewers/profile/sonde-level-view.h"

#define MOST_EVENTS 20000 /* rows of the table */

/* What can be shown: a device, or a counter. @allocated, @reserved: SondeTracePoint */
typedef struct
{
  const char *device;               /* (nullable) */
  const SondeTraceCounter *counter; /* (nullable) */
  char *name;
  GArray *allocated, *reserved;
} Source;

struct _SondeMemoryCurves
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  GPtrArray *sources;
  SondeLevelView *view;
  SondeFactTable *events;
  GtkWidget *chooser, *facts;
  gboolean selecting;
};

G_DEFINE_FINAL_TYPE (SondeMemoryCurves, sonde_memory_curves, ADW_TYPE_BIN)

enum
{
  EVENT_TIME,
  EVENT_CHANGE,
  EVENT_ALLOCATED,
  EVENT_RESERVED,
};

static const SondeFactColumn columns[] = {
  { N_ ("Time"), 0, TRUE },
  { N_ ("Change"), 0, TRUE },
  { N_ ("Allocated"), 0, TRUE },
  { N_ ("Reserved"), 0, TRUE },
};

/* ---- sources ------------------------------------------------------------- */

static void
free_source (gpointer data)
{
  Source *source = data;

  g_free (source->name);
  g_array_unref (source->allocated);
  g_array_unref (source->reserved);
  g_free (source);
}

static Source *
add_source (GPtrArray *sources)
{
  Source *source = g_new0 (Source, 1);

  source->allocated = g_array_new (FALSE, FALSE, sizeof (SondeTracePoint));
  source->reserved = g_array_new (FALSE, FALSE, sizeof (SondeTracePoint));
  g_ptr_array_add (sources, source);
  return source;
}

/* PyTorch writes its number of the kind of device and that of the device. */
static char *
name_device (const char *device)
{
  if (g_str_has_prefix (device, "0:"))
    return g_strdup (_ ("CPU"));
  if (g_str_has_prefix (device, "1:"))
    return g_strdup_printf (_ ("GPU %s"), device + 2);
  return g_strdup_printf (_ ("device %s"), device);
}

/* A counter that counts memory, by its name. */
static gboolean
is_memory (const SondeTraceCounter *counter)
{
  static const char *const words[] = { "mem", "alloc", "heap", "rss", "bytes", NULL };
  g_autofree char *both = g_strconcat (counter->name, " ", counter->key, NULL);
  g_autofree char *folded = g_utf8_casefold (both, -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (strstr (folded, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

static Source *
get_device (GPtrArray *sources, const char *device)
{
  Source *source;

  for (guint i = 0; i < sources->len; i++)
    {
      source = g_ptr_array_index (sources, i);
      if (g_strcmp0 (source->device, device) == 0)
        return source;
    }
  source = add_source (sources);
  source->device = device;
  source->name = name_device (device);
  return source;
}

static GPtrArray *
list_sources (const SondeTrace *trace)
{
  GPtrArray *sources = g_ptr_array_new_with_free_func (free_source);

  for (guint i = 0; i < trace->memory->len; i++)
    {
      const SondeTraceMemory *one = &g_array_index (trace->memory, SondeTraceMemory, i);
      Source *source = get_device (sources, one->device);
      SondeTracePoint point = { one->at_ns, (double) one->total_bytes };

      g_array_append_val (source->allocated, point);
      point.value = (double) one->reserved_bytes;
      if (one->reserved_bytes >= 0)
        g_array_append_val (source->reserved, point);
    }
  for (guint i = 0; i < trace->counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (trace->counters, SondeTraceCounter, i);
      Source *source;

      if (!is_memory (counter))
        continue;
      source = add_source (sources);
      source->counter = counter;
      source->name = strcmp (counter->key, "value") == 0 || *counter->key == '\0'
                         ? g_strdup (counter->name)
                         : g_strdup_printf ("%s: %s", counter->name, counter->key);
    }
  return sources;
}

gboolean
sonde_memory_curves_are_in (const SondeTrace *trace)
{
  for (guint i = 0; i < trace->counters->len; i++)
    if (is_memory (&g_array_index (trace->counters, SondeTraceCounter, i)))
      return TRUE;
  return trace->memory->len > 0;
}

/* ---- showing one --------------------------------------------------------- */

static const Source *
get_source (SondeMemoryCurves *curves)
{
  guint i = gtk_drop_down_get_selected (GTK_DROP_DOWN (curves->chooser));

  return i < curves->sources->len ? g_ptr_array_index (curves->sources, i) : NULL;
}

static const GArray *
get_points (const Source *source)
{
  return source->counter != NULL ? source->counter->points : source->allocated;
}

/* The CPU's allocator reserves nothing and says so at each event. */
static void
forget_empty_reserves (GPtrArray *sources)
{
  for (guint i = 0; i < sources->len; i++)
    {
      Source *source = g_ptr_array_index (sources, i);
      gboolean empty = TRUE;

      for (guint k = 0; k < source->reserved->len; k++)
        empty &= g_array_index (source->reserved, SondeTracePoint, k).value == 0;
      if (empty)
        g_array_set_size (source->reserved, 0);
    }
}

static gint64
get_origin (SondeMemoryCurves *curves)
{
  return sonde_trace_document_get_trace (curves->document)->start_ns;
}

static SondeCounterUnit
get_unit (SondeMemoryCurves *curves, const Source *source)
{
  return source->counter == NULL
             ? SONDE_COUNTER_BYTES
             : sonde_counter_get_unit (sonde_trace_document_get_trace (curves->document),
                                       source->counter);
}

/* With its sign. */
static char *
dup_change (SondeCounterUnit unit, double change)
{
  g_autofree char *text = sonde_counter_format (unit, change);

  return g_strconcat (change > 0 ? "+" : "", text, NULL);
}

static void
fill_events (SondeMemoryCurves *curves, const Source *source)
{
  const GArray *points = get_points (source);
  const SondeCounterUnit unit = get_unit (curves, source);
  guint n = MIN (points->len, MOST_EVENTS);

  sonde_fact_table_show_column (curves->events, EVENT_RESERVED, source->reserved->len > 0);
  sonde_fact_table_begin (curves->events);
  for (guint i = 0; i < n; i++)
    {
      const SondeTracePoint *point = &g_array_index (points, SondeTracePoint, i);
      const SondeLevelSeries reserved
          = { NULL, (const SondeTracePoint *) source->reserved->data, source->reserved->len };
      const gint64 held = sonde_level_find (&reserved, point->at_ns);
      const double change = i > 0 ? point->value - point[-1].value : NAN;

      sonde_fact_table_add_row (curves->events, i);
      sonde_fact_table_take_number (
          curves->events, EVENT_TIME, (double) (point->at_ns - get_origin (curves)),
          sonde_format_duration (point->at_ns - get_origin (curves)), "ns");
      sonde_fact_table_take_number (curves->events, EVENT_CHANGE, change,
                                    isnan (change) ? NULL : dup_change (unit, change), NULL);
      sonde_fact_table_take_number (curves->events, EVENT_ALLOCATED, point->value,
                                    sonde_counter_format (unit, point->value), NULL);
      if (held >= 0)
        sonde_fact_table_take_number (curves->events, EVENT_RESERVED, reserved.points[held].value,
                                      sonde_counter_format (unit, reserved.points[held].value),
                                      NULL);
    }
  sonde_fact_table_end (curves->events);
}

static void
show_facts (SondeMemoryCurves *curves)
{
  const Source *source = get_source (curves);
  const gint64 at = sonde_view_get_selection (SONDE_VIEW (curves->view));
  g_autofree char *text = sonde_level_view_dup_sentence (curves->view, at), *peak = NULL;
  const GArray *points = get_points (source);
  g_autofree char *n = sonde_format_count (points->len);
  double most = -INFINITY;

  for (guint i = 0; i < points->len; i++)
    most = fmax (most, g_array_index (points, SondeTracePoint, i).value);
  peak = sonde_counter_format (get_unit (curves, source), most);
  if (text == NULL && points->len > MOST_EVENTS)
    text = g_strdup_printf (_ ("%s: at most %s; the first %u of %s events are listed"),
                            source->name, peak, MOST_EVENTS, n);
  else if (text == NULL)
    text = g_strdup_printf (
        P_ ("%s: at most %s; %s event", "%s: at most %s; %s events", points->len), source->name,
        peak, n);
  g_strdelimit (text, "\n", ' ');
  gtk_label_set_text (GTK_LABEL (curves->facts), text);
}

static void
on_source (SondeMemoryCurves *curves)
{
  const Source *source = get_source (curves);
  const GArray *points;
  SondeLevelSeries series[2];

  if (source == NULL)
    return;
  points = get_points (source);
  series[0] = (SondeLevelSeries){ source->counter != NULL ? source->name : _ ("allocated"),
                                  (const SondeTracePoint *) points->data, points->len };
  series[1] = (SondeLevelSeries){ _ ("reserved"), (const SondeTracePoint *) source->reserved->data,
                                  source->reserved->len };
  sonde_level_view_set (curves->view, series, source->reserved->len > 0 ? 2 : 1,
                        get_unit (curves, source) == SONDE_COUNTER_BYTES ? SONDE_LEVEL_BYTES
                                                                         : SONDE_LEVEL_NUMBER,
                        get_origin (curves), NULL, NULL);
  fill_events (curves, source);
  show_facts (curves);
}

/* ---- selection ----------------------------------------------------------- */

static void
on_cursor (SondeMemoryCurves *curves)
{
  const gint64 at = sonde_view_get_selection (SONDE_VIEW (curves->view));

  if (!curves->selecting)
    sonde_fact_table_select (curves->events, at >= 0 ? at : SONDE_FACT_NONE);
  show_facts (curves);
}

static void
on_event (SondeMemoryCurves *curves, gint64 id)
{
  curves->selecting = TRUE;
  sonde_view_set_selection (SONDE_VIEW (curves->view),
                            id == SONDE_FACT_NONE ? SONDE_VIEW_NOTHING : id);
  curves->selecting = FALSE;
}

/* ---- widgets ------------------------------------------------------------- */

static GtkWidget *
make_bar (SondeMemoryCurves *curves)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < curves->sources->len; i++)
    g_ptr_array_add (names, ((Source *) g_ptr_array_index (curves->sources, i))->name);
  g_ptr_array_add (names, NULL);
  gtk_widget_add_css_class (bar, "page-bar");
  curves->chooser = gtk_drop_down_new_from_strings ((const char *const *) names->pdata);
  gtk_accessible_update_property (GTK_ACCESSIBLE (curves->chooser), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Whose memory"), -1);
  gtk_widget_set_visible (curves->chooser, curves->sources->len > 1);
  g_signal_connect_swapped (curves->chooser, "notify::selected", G_CALLBACK (on_source), curves);
  curves->facts = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (curves->facts), 0);
  gtk_label_set_ellipsize (GTK_LABEL (curves->facts), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (curves->facts, TRUE);
  gtk_widget_add_css_class (curves->facts, "numeric");
  gtk_box_append (GTK_BOX (bar), curves->chooser);
  gtk_box_append (GTK_BOX (bar), curves->facts);
  return bar;
}

static void
make_content (SondeMemoryCurves *curves)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);

  curves->view = SONDE_LEVEL_VIEW (sonde_level_view_new (_ ("Memory")));
  gtk_widget_set_vexpand (GTK_WIDGET (curves->view), TRUE);
  curves->events = SONDE_FACT_TABLE (
      sonde_fact_table_new (_ ("Memory events"), columns, G_N_ELEMENTS (columns)));
  gtk_widget_set_size_request (GTK_WIDGET (curves->events), -1, 190);
  sonde_fact_table_sort (curves->events, EVENT_TIME, GTK_SORT_ASCENDING);
  sonde_set_name (paned, _ ("Height of the picture"));
  gtk_paned_set_start_child (GTK_PANED (paned), GTK_WIDGET (curves->view));
  gtk_paned_set_end_child (GTK_PANED (paned), GTK_WIDGET (curves->events));
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_widget_set_vexpand (paned, TRUE);
  gtk_box_append (GTK_BOX (box), make_bar (curves));
  gtk_box_append (GTK_BOX (box), paned);
  adw_bin_set_child (ADW_BIN (curves), box);
  g_signal_connect_object (curves->view, "notify::selection", G_CALLBACK (on_cursor), curves,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (curves->events, "fact-selected", G_CALLBACK (on_event), curves,
                           G_CONNECT_SWAPPED);
}

static void
sonde_memory_curves_finalize (GObject *object)
{
  SondeMemoryCurves *curves = SONDE_MEMORY_CURVES (object);

  g_clear_pointer (&curves->sources, g_ptr_array_unref);
  g_clear_object (&curves->document);
  G_OBJECT_CLASS (sonde_memory_curves_parent_class)->finalize (object);
}

static void
sonde_memory_curves_class_init (SondeMemoryCurvesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_memory_curves_finalize;
}

static void
sonde_memory_curves_init (SondeMemoryCurves *curves)
{
}

GtkWidget *
sonde_memory_curves_new (SondeTraceDocument *document)
{
  SondeMemoryCurves *curves = g_object_new (SONDE_TYPE_MEMORY_CURVES, NULL);

  curves->document = g_object_ref (document);
  curves->sources = list_sources (sonde_trace_document_get_trace (document));
  forget_empty_reserves (curves->sources);
  make_content (curves);
  on_source (curves);
  return GTK_WIDGET (curves);
}
