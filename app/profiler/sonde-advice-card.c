/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-advice-card.h"

#include <math.h>
#include <string.h>

#include "app/profiler/tables/sonde-operator-column.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_NAMES 3 /* of the nodes that an advice is about */

/* ---- the way ------------------------------------------------------------- */

gboolean
sonde_profiler_show_step (SondeTraceDocument *document, guint i)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  g_autoptr (GArray) steps = sonde_trace_find_steps (profile->trace, NULL);
  const SondeTraceSpan *span;

  if (i >= steps->len)
    return FALSE;
  span = &profile->trace->spans[g_array_index (steps, guint32, i)];
  sonde_trace_document_show_item (document, g_array_index (steps, guint32, i));
  sonde_trace_document_set_range (document, span->start_ns, span->end_ns, TRUE);
  return TRUE;
}

static guint
find_longest_step (const SondeProfile *profile)
{
  guint longest = 0;

  for (guint i = 1; i < profile->n_kept; i++)
    if (profile->step_ns[i] > profile->step_ns[longest])
      longest = i;
  return longest;
}

/* The longest span of a category; SONDE_TRACE_NONE without. */
static guint32
find_longest_span (const SondeTrace *trace, const char *category)
{
  guint32 found = SONDE_TRACE_NONE;
  gint64 longest = -1;

  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];

      if (span->end_ns - span->start_ns > longest
          && strcmp (sonde_trace_get_label (trace, span->label)->category, category) == 0)
        {
          longest = span->end_ns - span->start_ns;
          found = (guint32) i;
        }
    }
  return found;
}

/* Whether the view has something to say about the advice. */
static gboolean
has_view (SondeTraceDocument *document, const char *name)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  const gboolean is_data = strcmp (name, "data") == 0;

  if (profile->facts == NULL)
    return is_data && strcmp (profile->trace->producer, "pytorch") == 0;
  return !is_data || profile->facts->stages->len > 0;
}

static guint
find_operator (SondeTraceDocument *document, const SondeAdvice *advice)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (document);

  if (advice->node != NULL)
    return sonde_trace_document_find_operator_or_type (document, advice->node);
  for (guint i = 0; advice->kind == SONDE_ADVICE_OVERHEAD_BOUND && i < profile->operators->len; i++)
    if (sonde_profile_get_operator (profile, i)->operator_class == SONDE_OPERATOR_CLASS_OVERHEAD)
      return i;
  return SONDE_TRACE_DOCUMENT_NONE;
}

/* What the button says, and with @go does; NULL: there is no place to go to. */
static const char *
follow (SondeTraceDocument *document, const SondeAdvice *advice, gboolean go)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  const char *view = advice->kind == SONDE_ADVICE_DATA_WAIT     ? "data"
                     : advice->kind == SONDE_ADVICE_MEMORY_PEAK ? "memory"
                                                                : NULL;
  guint operator= find_operator (document, advice);
  guint32 span;

  if (view != NULL && has_view (document, view))
    {
      if (go)
        sonde_trace_document_show_view (document, view);
      return advice->kind == SONDE_ADVICE_DATA_WAIT ? _ ("Show Data Pipeline") : _ ("Show Memory");
    }
  if (operator!= SONDE_TRACE_DOCUMENT_NONE)
    {
      if (go)
        sonde_trace_document_show_operator (document, operator);
      return _ ("Show Operator");
    }
  span = advice->kind == SONDE_ADVICE_RECORDING ? find_longest_span (profile->trace, "recording")
                                                : SONDE_TRACE_NONE;
  if (span != SONDE_TRACE_NONE)
    {
      if (go)
        sonde_trace_document_show_item (document, span);
      return _ ("Show in Timeline");
    }
  if (!profile->has_steps)
    return NULL;
  if (go)
    sonde_profiler_show_step (
        document, profile->range.first + (profile->n_kept > 1 ? find_longest_step (profile) : 0));
  return _ ("Show Longest Step");
}

/* ---- evidence ------------------------------------------------------------ */

static char *
join_names (const GPtrArray *texts)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (texts->len, MAX_NAMES); i++)
    {
      g_autofree char *name = sonde_text_make_visible (texts->pdata[i]);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", name);
    }
  if (texts->len > MAX_NAMES)
    {
      g_autofree char *more = g_strdup_printf (_ ("… and %u more"), texts->len - MAX_NAMES);

      g_string_append_printf (text, " %s", more);
    }
  return g_string_free (text, FALSE);
}

/* By the unit that ends the key. */
static char *
format_number (const char *key, double number)
{
  if (strcmp (key, "share") == 0)
    return sonde_profiler_format_share (number);
  if (g_str_has_suffix (key, "_ms"))
    return sonde_profiler_format_ns (number * 1e6);
  if (g_str_has_suffix (key, "_us"))
    return sonde_profiler_format_ns (number * 1e3);
  if (g_str_has_suffix (key, "bytes"))
    return sonde_format_bytes ((guint64) fmax (number, 0));
  return sonde_profiler_format_calls (number);
}

/* NULL: the trace does not tell it. */
static char *
format_evidence (const SondeEvidence *evidence)
{
  switch (evidence->type)
    {
    case SONDE_EVIDENCE_NUMBER:
      return isfinite (evidence->number) ? format_number (evidence->key, evidence->number) : NULL;
    case SONDE_EVIDENCE_STEPS:
      return sonde_format_count (evidence->steps->len);
    default:
      return evidence->texts->len > 0 && evidence->texts->pdata[0] != NULL
                 ? join_names (evidence->texts)
                 : NULL;
    }
}

static const char *
get_title (const char *key)
{
  static const struct
  {
    const char *key, *title;
  } titles[] = {
    { "share", N_ ("share of a step") },
    { "stage", N_ ("slowest stage") },
    { "workers", N_ ("workers") },
    { "queue_mean", N_ ("ready in the queue") },
    { "nodes", N_ ("operators") },
    { "calls", N_ ("calls in a step") },
    { "overhead_us", N_ ("cost of a call") },
    { "class", N_ ("class") },
    { "limit_ms", N_ ("least by the roofline") },
    { "bytes", N_ ("size") },
    { "p50_ms", N_ ("median") },
    { "p95_ms", N_ ("95th percentile") },
    { "slow_steps", N_ ("slow steps") },
    { "value", N_ ("value") },
    { "change", N_ ("change") },
    { "peak_bytes", N_ ("peak afterwards") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (titles); i++)
    if (strcmp (titles[i].key, key) == 0)
      return _ (titles[i].title);
  return key;
}

static char *
describe_evidence (const SondeAdvice *advice)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < advice->evidence->len; i++)
    {
      const SondeEvidence *evidence = &g_array_index (advice->evidence, SondeEvidence, i);
      g_autofree char *value = format_evidence (evidence);

      if (value != NULL)
        g_string_append_printf (text, "%s%s: %s", text->len > 0 ? " · " : "",
                                get_title (evidence->key), value);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---- the card ------------------------------------------------------------ */

/* Of a button; @document: owned */
typedef struct
{
  SondeTraceDocument *document;
  const SondeAdvice *advice;
} Way;

static void
free_way (gpointer data, GClosure *closure)
{
  g_object_unref (((Way *) data)->document);
  g_free (data);
}

static void
on_clicked (GtkButton *button, Way *way)
{
  follow (way->document, way->advice, TRUE);
}

static GtkWidget *
new_label (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, css_class);
  return label;
}

/* The gain, and the button below it. */
static GtkWidget *
new_side (SondeTraceDocument *document, const SondeAdvice *advice)
{
  GtkWidget *side = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  const char *label = follow (document, advice, FALSE);

  gtk_widget_set_valign (side, GTK_ALIGN_CENTER);
  if (isfinite (advice->gain_ns))
    {
      g_autofree char *time = sonde_profiler_format_ns (advice->gain_ns);
      g_autofree char *text = g_strdup_printf (_ ("gains up to %s"), time);
      GtkWidget *gain = new_label (text, "numeric");

      gtk_widget_add_css_class (gain, "heading");
      gtk_label_set_xalign (GTK_LABEL (gain), 1);
      gtk_label_set_wrap (GTK_LABEL (gain), FALSE);
      gtk_widget_set_tooltip_text (gain, _ ("Largest possible gain of a mean step"));
      gtk_box_append (GTK_BOX (side), gain);
    }
  if (label != NULL)
    {
      GtkWidget *button = gtk_button_new_with_label (label);
      Way *way = g_new (Way, 1);

      *way = (Way){ g_object_ref (document), advice };
      g_signal_connect_data (button, "clicked", G_CALLBACK (on_clicked), way, free_way, 0);
      gtk_widget_set_halign (button, GTK_ALIGN_END);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      sonde_message_get_text (advice->message), -1);
      gtk_box_append (GTK_BOX (side), button);
    }
  return side;
}

GtkWidget *
sonde_advice_card_new (SondeTraceDocument *document, const SondeAdvice *advice)
{
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 18);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  g_autofree char *evidence = describe_evidence (advice);
  g_autofree char *sentence = sonde_text_make_visible (sonde_message_get_text (advice->message));
  GtkWidget *numbers = new_label (evidence, "dim-label");

  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "view-card");
  gtk_widget_add_css_class (numbers, "numeric");
  gtk_widget_add_css_class (numbers, "caption");
  gtk_box_append (GTK_BOX (texts), new_label (sentence, "body"));
  gtk_box_append (GTK_BOX (texts), numbers);
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_box_append (GTK_BOX (card), texts);
  gtk_box_append (GTK_BOX (card), new_side (document, advice));
  return card;
}
