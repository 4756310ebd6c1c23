/* SPDX-License-Identifier: Apache-2.0
 * The contents of the selected run at a glance, every card a link to its page; without runs, the
 * model that was opened. */
#include "app/pages/sonde-overview-page.h"

#include "app/pages/cards/sonde-contents-card.h"
#include "app/pages/cards/sonde-graph-card.h"
#include "app/pages/cards/sonde-histogram-card.h"
#include "app/pages/cards/sonde-sample-tile.h"
#include "app/pages/cards/sonde-scalar-card.h"
#include "app/pages/sonde-model-panel.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/browsing/sonde-blob-loader.h"
#include "data/browsing/sonde-sample-loader.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-time-ticks.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-badge.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-overview-page.ui"
#define VIEW_WIDTH 250
#define VIEW_HEIGHT 220
#define MAX_SAMPLES 12

/* One fact of the bar. */
typedef enum
{
  FACT_STATE,
  FACT_STEP,
  FACT_POINTS,
  FACT_DURATION,
  FACT_STARTED,
  N_FACTS
} Fact;

static const char *const fact_names[N_FACTS]
    = { N_ ("state"), N_ ("last step"), N_ ("points"), N_ ("duration"), N_ ("started") };

/* A card that shows a tag of its kind: one that fits the first pattern, else the second … */
typedef struct
{
  SondeRecordKind kind;
  const char *patterns[4];
  const char *page, *link;
  gboolean must_fit; /* else any tag of the kind will do */
  double smoothing;
} CardInfo;

static const CardInfo card_table[] = {
  { SONDE_RECORD_SCALARS, { "loss", "*loss*" }, "scalars", N_ ("Scalars"), FALSE, 0.6 },
  { SONDE_RECORD_SCALARS,
    { "test/accuracy", "accuracy", "*acc*" },
    "scalars",
    N_ ("Scalars"),
    TRUE,
    0 },
  { SONDE_RECORD_HISTOGRAM,
    { "weights/*weight", "weights/*", "*weight*" },
    "distributions",
    N_ ("Distributions"),
    FALSE },
  { SONDE_RECORD_GRAPH, { "graph" }, "graph", N_ ("Graph"), FALSE },
};

#define N_CARDS G_N_ELEMENTS (card_table)

struct _SondeOverviewPage
{
  SondePage parent_instance;
  GtkStack *subject; /* "run", "model", "welcome" */
  SondeModelPanel *model;
  SondeBadge *run_mark;
  GtkLabel *run_title, *samples_value;
  GtkBox *facts;
  GtkFlowBox *flow, *samples;
  GtkWidget *samples_card, *parameters_card;
  SondeContentsCard *contents;
  GtkGrid *parameters;
  GtkLabel *fact_labels[N_FACTS];
  SondeTagCard *cards[N_CARDS];
  SondeSampleLoader *sample_loader;
  SondeBlobLoader *parameter_loader;
  int n_parameters; /* rows of the grid */
};

G_DEFINE_FINAL_TYPE (SondeOverviewPage, sonde_overview_page, SONDE_TYPE_PAGE)

static SondeWorkspace *
get_workspace (SondeOverviewPage *page)
{
  return sonde_page_get_workspace (SONDE_PAGE (page));
}

static void
set_child_visible (GtkWidget *card, gboolean visible)
{
  gtk_widget_set_visible (gtk_widget_get_parent (card), visible); /* the child of the flow box */
}

/* ---- facts --------------------------------------------------------------- */

static char *
dup_fact (SondeRun *run, Fact fact)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  gint64 start = sonde_run_get_start_ns (run), last = start;
  guint64 n_points = 0;

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      SondeSeries *series
          = tag->kind == SONDE_RECORD_SCALARS ? sonde_run_get_series (run, tag->tag) : NULL;
      SondePoint point;

      if (series == NULL)
        continue;
      n_points += tag->count;
      if (sonde_series_get_last (series, &point))
        last = MAX (last, point.wall_time_ns);
    }
  if (fact == FACT_STATE)
    return g_strdup (sonde_run_is_live (run) ? _ ("live") : _ ("ended"));
  if (fact == FACT_STEP)
    return sonde_run_get_last_step (run) < 0 ? g_strdup ("–")
                                             : sonde_format_count (sonde_run_get_last_step (run));
  if (fact == FACT_POINTS)
    return sonde_format_count ((gint64) n_points);
  if (fact == FACT_DURATION)
    return last > start ? sonde_format_duration (last - start) : g_strdup ("–");
  return start > 0 ? sonde_format_ago (g_get_real_time () * 1000 - start) : g_strdup ("–");
}

static void
update_facts (SondeOverviewPage *page, SondeRun *run)
{
  for (int i = 0; i < N_FACTS; i++)
    {
      g_autofree char *text = dup_fact (run, (Fact) i);
      gtk_label_set_label (page->fact_labels[i], text);
    }
  if (sonde_run_get_start_ns (run) > 0)
    {
      g_autofree char *clock = sonde_format_clock (sonde_run_get_start_ns (run), NULL);
      sonde_set_tooltip (GTK_WIDGET (page->fact_labels[FACT_STARTED]), clock);
    }
}

static void
add_facts (SondeOverviewPage *page)
{
  for (int i = 0; i < N_FACTS; i++)
    {
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
      GtkWidget *name = gtk_label_new (_ (fact_names[i])), *value = gtk_label_new ("");

      gtk_label_set_xalign (GTK_LABEL (name), 0);
      gtk_label_set_xalign (GTK_LABEL (value), 0);
      gtk_widget_add_css_class (name, "dim-label");
      gtk_widget_add_css_class (name, "fact-name");
      gtk_widget_add_css_class (value, "numeric");
      gtk_widget_add_css_class (value, "fact-value");
      gtk_box_append (GTK_BOX (box), name);
      gtk_box_append (GTK_BOX (box), value);
      gtk_box_append (page->facts, box);
      page->fact_labels[i] = GTK_LABEL (value);
    }
}

/* ---- cards --------------------------------------------------------------- */

/* Of those that fit the first pattern that any fits, the one that says most: a loss of every step,
 * not that of three tests. (transfer none) (nullable): interned */
static const char *
choose_tag (SondeRun *run, const CardInfo *info)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  const SondeRunTag *any = NULL;

  for (gsize p = 0; p < G_N_ELEMENTS (info->patterns) && info->patterns[p] != NULL; p++)
    {
      const SondeRunTag *best = NULL;

      for (guint i = 0; i < tags->len; i++)
        {
          const SondeRunTag *tag = tags->pdata[i];

          if (tag->kind != info->kind)
            continue;
          any = any != NULL ? any : tag;
          if (g_pattern_match_simple (info->patterns[p], tag->tag)
              && (best == NULL || tag->count > best->count))
            best = tag;
        }
      if (best != NULL)
        return best->tag;
    }
  return info->must_fit || any == NULL ? NULL : any->tag;
}

static void
on_link (SondeTagCard *card, const char *tag, SondeOverviewPage *page)
{
  SondePageRequest request = { .tag = tag };

  for (gsize i = 0; i < N_CARDS; i++)
    if (page->cards[i] == card)
      /* The grid of curves says more than one of them alone. */
      sonde_page_go (SONDE_PAGE (page), card_table[i].page,
                     card_table[i].kind == SONDE_RECORD_SCALARS ? NULL : &request);
}

static void
on_contents_open (SondeOverviewPage *page, const char *name, const char *tag)
{
  SondePageRequest request = { .tag = tag };

  sonde_page_go (SONDE_PAGE (page), name, g_str_equal (name, "scalars") ? NULL : &request);
}

static void
on_state_changed (SondeOverviewPage *page)
{
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static SondeTagCard *
make_card (SondeOverviewPage *page, const CardInfo *info)
{
  SondeWorkspace *workspace = get_workspace (page);

  if (info->kind == SONDE_RECORD_SCALARS)
    {
      GtkWidget *card = sonde_scalar_card_new (workspace);
      sonde_scalar_view_set_smoothing (sonde_scalar_card_get_view (SONDE_SCALAR_CARD (card)),
                                       info->smoothing);
      return SONDE_TAG_CARD (card);
    }
  if (info->kind == SONDE_RECORD_HISTOGRAM)
    return SONDE_TAG_CARD (sonde_histogram_card_new (workspace));
  return SONDE_TAG_CARD (sonde_graph_card_new (workspace));
}

static void
add_cards (SondeOverviewPage *page)
{
  for (gsize i = 0; i < N_CARDS; i++)
    {
      SondeTagCard *card = make_card (page, &card_table[i]);

      page->cards[i] = card;
      sonde_tag_card_set_link (card, _ (card_table[i].link));
      /* The name of a tensor needs the room. */
      sonde_tag_card_set_value_visible (card, card_table[i].kind != SONDE_RECORD_HISTOGRAM);
      sonde_view_set_minimum_size (sonde_tag_card_get_view (card), VIEW_WIDTH, VIEW_HEIGHT);
      g_signal_connect_object (card, "expand", G_CALLBACK (on_link), page, 0);
      if (card_table[i].kind != SONDE_RECORD_SCALARS)
        g_signal_connect_object (card, "state-changed", G_CALLBACK (on_state_changed), page,
                                 G_CONNECT_SWAPPED);
      gtk_flow_box_insert (page->flow, GTK_WIDGET (card), (int) i);
    }
}

/* A few images are larger. */
static const struct
{
  guint max, a_line, most_a_line;
  int size;
} sample_table[] = { { 1, 1, 1, 220 }, { 4, 2, 2, 106 }, { G_MAXUINT, 3, 4, 48 } };

/* ---- samples and parameters ---------------------------------------------- */

static void
on_samples (GPtrArray *samples, gint64 step, void *user_data)
{
  SondeOverviewPage *page = user_data;
  g_autofree char *count = sonde_format_count (step);
  g_autofree char *text = g_strdup_printf (_ ("step %s"), count);
  GtkWidget *child;
  gsize k = 0;

  while (samples->len > sample_table[k].max)
    k++;
  gtk_flow_box_set_min_children_per_line (page->samples, sample_table[k].a_line);
  /* it asks for the room of so many */
  gtk_flow_box_set_max_children_per_line (page->samples, sample_table[k].most_a_line);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (page->samples))) != NULL)
    gtk_flow_box_remove (page->samples, child);
  for (guint i = 0; i < MIN (samples->len, MAX_SAMPLES); i++)
    {
      SondeSample *sample = samples->pdata[i];
      GtkWidget *tile = sonde_sample_tile_new (sample_table[k].size);

      gtk_widget_remove_css_class (tile, "card"); /* no frames inside frames */
      sonde_sample_tile_set_compact (SONDE_SAMPLE_TILE (tile));
      sonde_sample_tile_set (SONDE_SAMPLE_TILE (tile), &sample->note, (int) i,
                             g_steal_pointer (&sample->image));
      gtk_flow_box_append (page->samples, tile);
    }
  gtk_label_set_label (page->samples_value, text);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static void
load_samples (SondeOverviewPage *page)
{
  static const CardInfo images = { SONDE_RECORD_IMAGE, { "samples" }, NULL, NULL, FALSE };
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));
  const char *tag = run != NULL ? choose_tag (run, &images) : NULL;

  set_child_visible (page->samples_card, tag != NULL);
  if (tag != NULL)
    sonde_sample_loader_load (
        page->sample_loader, run, tag,
        sonde_step_cursor_get_step (sonde_page_get_cursor (SONDE_PAGE (page))));
}

static GtkWidget *
new_cell (const char *text, const char *class)
{
  g_autofree char *visible = sonde_text_make_visible (text);
  GtkWidget *label = gtk_label_new (visible);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (label, visible);
  gtk_label_set_width_chars (GTK_LABEL (label), 6);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 12);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (label, class);
  return label;
}

static void
take_parameters (const SondeRecord *record, gboolean restart, void *user_data)
{
  SondeOverviewPage *page = user_data;

  if (record->kind != SONDE_RECORD_HPARAMS)
    return;
  /* A resumed run writes all of them again. */
  while (page->n_parameters > 0)
    gtk_grid_remove_row (page->parameters, --page->n_parameters);
  for (gsize i = 0; i < record->u.hparams.n; i++)
    {
      const SondeHparam *item = &record->u.hparams.items[i];

      if (item->text == NULL || *item->text == '\0')
        continue; /* not set: its default is no choice of anybody */
      gtk_grid_attach (page->parameters, new_cell (item->key, "dim-label"), 0, page->n_parameters,
                       1, 1);
      gtk_grid_attach (page->parameters, new_cell (item->text, "numeric"), 1, page->n_parameters, 1,
                       1);
      page->n_parameters++;
    }
  set_child_visible (page->parameters_card, page->n_parameters > 0);
}

static void
on_parameters_state (void *user_data)
{
  sonde_page_settled_changed (SONDE_PAGE (user_data));
}

static void
load_parameters (SondeOverviewPage *page, SondeRun *run)
{
  static const CardInfo parameters = { SONDE_RECORD_HPARAMS, { "hparams" }, NULL, NULL, FALSE };
  const char *tag = choose_tag (run, &parameters);

  if (tag == NULL)
    set_child_visible (page->parameters_card, FALSE);
  sonde_blob_loader_update (page->parameter_loader, run, tag);
}

/* ---- page ---------------------------------------------------------------- */

static SondeOpenedModelState
get_model_state (SondeOverviewPage *page)
{
  SondeOpenedModel *model = sonde_workspace_get_model (get_workspace (page));

  return model != NULL ? sonde_opened_model_get_state (model) : SONDE_OPENED_MODEL_FAILED;
}

static void
show_without_runs (SondeOverviewPage *page)
{
  SondePage *base = SONDE_PAGE (page);
  SondeOpenedModel *model = sonde_workspace_get_model (get_workspace (page));

  sonde_page_set_status (base, model != NULL ? sonde_opened_model_get_path (model) : NULL);
  if (sonde_workspace_get_paths (get_workspace (page))[0] == NULL)
    {
      gtk_stack_set_visible_child_name (page->subject, "welcome");
      sonde_page_set_filled (base);
      return;
    }
  if (get_model_state (page) != SONDE_OPENED_MODEL_READY)
    {
      sonde_page_set_empty_without_runs (base);
      return;
    }
  sonde_model_panel_set_model (page->model, model);
  gtk_stack_set_visible_child_name (page->subject, "model");
  sonde_page_set_filled (base);
}

static void
update (SondeOverviewPage *page)
{
  SondePage *base = SONDE_PAGE (page);
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));
  g_autofree char *status = NULL;
  guint n_tags, n_files;

  if (run == NULL)
    {
      show_without_runs (page);
      return;
    }
  gtk_stack_set_visible_child_name (page->subject, "run");
  sonde_page_set_filled (base);
  sonde_badge_set_series (page->run_mark, sonde_run_get_color_index (run));
  gtk_label_set_label (page->run_title, sonde_workspace_get_run_title (get_workspace (page), run));
  sonde_set_tooltip (GTK_WIDGET (page->run_title), sonde_run_get_path (run));
  update_facts (page, run);
  for (gsize i = 0; i < N_CARDS; i++)
    {
      const char *tag = choose_tag (run, &card_table[i]);

      set_child_visible (GTK_WIDGET (page->cards[i]), tag != NULL);
      sonde_tag_card_set_tag (page->cards[i], tag);
    }
  sonde_contents_card_set_run (page->contents, run);
  load_samples (page);
  load_parameters (page, run);
  n_tags = sonde_run_get_tags (run)->len;
  n_files = sonde_run_get_files (run)->len;
  status = g_strdup_printf (_ ("%s · tags: %u · files: %u"), sonde_run_get_path (run), n_tags,
                            n_files);
  sonde_page_set_status (base, status);
}

static gboolean
sonde_overview_page_is_settled (SondePage *base)
{
  SondeOverviewPage *page = SONDE_OVERVIEW_PAGE (base);

  for (gsize i = 0; i < N_CARDS; i++)
    if (!sonde_tag_card_is_settled (page->cards[i]))
      return FALSE;
  return get_model_state (page) != SONDE_OPENED_MODEL_READING
         && !sonde_sample_loader_is_busy (page->sample_loader)
         && !sonde_blob_loader_is_busy (page->parameter_loader);
}

static void
sonde_overview_page_set_up (SondePage *base)
{
  SondeOverviewPage *page = SONDE_OVERVIEW_PAGE (base);
  g_autoptr (SondeSampleDecoder) decoder
      = sonde_sample_decoder_new (sonde_workspace_get_program (get_workspace (page)));

  page->sample_loader = sonde_sample_loader_new (decoder, on_samples, page);
  page->parameter_loader
      = sonde_blob_loader_new (SONDE_RECORD_HPARAMS, 1, take_parameters, on_parameters_state, page);
  add_facts (page);
  add_cards (page);
  sonde_watch_workspace (GTK_WIDGET (page), get_workspace (page), G_CALLBACK (update));
  g_signal_connect_object (sonde_page_get_cursor (base), "notify::step", G_CALLBACK (load_samples),
                           page, G_CONNECT_SWAPPED);
  update (page);
}

static void
sonde_overview_page_dispose (GObject *object)
{
  SondeOverviewPage *page = SONDE_OVERVIEW_PAGE (object);

  g_clear_pointer (&page->sample_loader, sonde_sample_loader_free);
  g_clear_pointer (&page->parameter_loader, sonde_blob_loader_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_OVERVIEW_PAGE);
  G_OBJECT_CLASS (sonde_overview_page_parent_class)->dispose (object);
}

static void
sonde_overview_page_class_init (SondeOverviewPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_overview_page_dispose;
  page_class->set_up = sonde_overview_page_set_up;
  page_class->is_settled = sonde_overview_page_is_settled;
  g_type_ensure (SONDE_TYPE_BADGE);
  g_type_ensure (SONDE_TYPE_CONTENTS_CARD);
  g_type_ensure (SONDE_TYPE_MODEL_PANEL);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, subject);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, model);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, run_mark);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, run_title);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, facts);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, flow);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, samples);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, samples_card);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, samples_value);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, parameters_card);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, parameters);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, contents);
  gtk_widget_class_bind_template_callback (widget_class, on_contents_open);
}

static void
sonde_overview_page_init (SondeOverviewPage *page)
{
  gtk_widget_init_template (GTK_WIDGET (page));
}
