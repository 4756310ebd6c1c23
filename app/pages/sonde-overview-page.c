/* SPDX-License-Identifier: Apache-2.0
 * The contents of the selected run at a glance, every card a link to its page; without runs, the
 * model that was opened. */
#include "app/pages/sonde-overview-page.h"

#include "app/pages/cards/sonde-contents-card.h"
#include "app/pages/cards/sonde-graph-card.h"
#include "app/pages/cards/sonde-histogram-card.h"
#include "app/pages/cards/sonde-sample-tile.h"
#include "app/pages/cards/sonde-scalar-card.h"
#include "app/pages/overview/sonde-environment-card.h"
#include "app/pages/overview/sonde-live-runs.h"
#include "app/pages/overview/sonde-run-bar.h"
#include "app/pages/sonde-model-panel.h"
#include "app/widgets/sonde-accessible.h"
#include "app/widgets/sonde-tile-flow.h"
#include "app/widgets/sonde-tooltip.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/browsing/sonde-blob-loader.h"
#include "data/browsing/sonde-sample-loader.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-overview-page.ui"
#define VIEW_WIDTH 250
#define VIEW_HEIGHT 220
#define MAX_SAMPLES 12

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
  SondeRunBar *bar;
  SondeLiveRuns *live_runs;
  SondeEnvironmentCard *environment;
  GtkLabel *samples_value;
  GtkFlowBox *flow, *samples;
  GtkWidget *samples_card, *parameters_card;
  GtkWidget *ways; /* what a window on nothing offers */
  SondeContentsCard *contents;
  GtkGrid *parameters;
  SondeTagCard *cards[N_CARDS];
  SondeSampleLoader *sample_loader;
  SondeBlobLoader *parameter_loader;
  GListStore *watched; /* SondeRun: the selected one, then those of the list of live ones */
  SondeTrials *trials; /* of them */
  int n_parameters;    /* rows of the grid */
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

/* ---- how runs get on ------------------------------------------------------ */

/* (transfer full) (element-type SondeRun): those that are live, in the order of the list */
static GPtrArray *
list_live (SondeOverviewPage *page)
{
  GListModel *runs = sonde_workspace_get_shown_runs (get_workspace (page));
  GPtrArray *live = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (sonde_run_is_live (run))
        g_ptr_array_add (live, g_steal_pointer (&run));
    }
  return live;
}

/* What is read of runs is read of those alone whose progress can be seen. */
static void
watch_runs (SondeOverviewPage *page, SondeRun *run, GPtrArray *live)
{
  g_autoptr (GPtrArray) watched = g_ptr_array_new ();

  g_ptr_array_add (watched, run);
  for (guint i = 0; live->len > 1 && i < MIN (live->len, SONDE_LIVE_RUNS_MAX); i++)
    if (live->pdata[i] != run)
      g_ptr_array_add (watched, live->pdata[i]);
  g_list_store_splice (page->watched, 0, g_list_model_get_n_items (G_LIST_MODEL (page->watched)),
                       watched->pdata, watched->len);
  sonde_trials_update (page->trials);
}

static void
show_progress (SondeOverviewPage *page, SondeRun *run, GPtrArray *live)
{
  GListModel *trials = sonde_trials_get_model (page->trials);
  g_autoptr (SondeTrial) trial = g_list_model_get_item (trials, 0);

  sonde_run_bar_set (page->bar, get_workspace (page), run, trial);
  sonde_live_runs_set (page->live_runs, get_workspace (page), live, trials);
  set_child_visible (GTK_WIDGET (page->environment),
                     sonde_environment_card_set_trial (page->environment, trial));
}

static void
on_trials_read (void *user_data)
{
  SondeOverviewPage *page = user_data;
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));
  g_autoptr (GPtrArray) live = list_live (page);

  if (run != NULL)
    {
      watch_runs (page, run, live);
      show_progress (page, run, live);
    }
  sonde_page_settled_changed (SONDE_PAGE (page));
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

/* One that no card before shows. (nullable) */
static const char *
choose_new_tag (SondeRun *run, gsize card)
{
  const char *tag = choose_tag (run, &card_table[card]);

  for (gsize i = 0; tag != NULL && i < card; i++)
    if (card_table[i].kind == card_table[card].kind && choose_tag (run, &card_table[i]) == tag)
      return NULL;
  return tag;
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
      sonde_set_name (gtk_widget_get_parent (GTK_WIDGET (card)), _ (card_table[i].link));
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
  g_autoptr (GPtrArray) live = NULL;
  g_autofree char *status = NULL;
  guint n_tags, n_files;

  if (run == NULL)
    {
      show_without_runs (page);
      return;
    }
  gtk_stack_set_visible_child_name (page->subject, "run");
  sonde_page_set_filled (base);
  live = list_live (page);
  watch_runs (page, run, live);
  show_progress (page, run, live);
  for (gsize i = 0; i < N_CARDS; i++)
    {
      const char *tag = choose_new_tag (run, i);

      set_child_visible (GTK_WIDGET (page->cards[i]), tag != NULL);
      sonde_tag_card_set_tag (page->cards[i], tag);
      if (g_strcmp0 (tag, "graph") == 0)
        sonde_tag_card_set_title (page->cards[i], _ ("Graph")); /* its tag is no word for people */
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
         && !sonde_trials_is_busy (page->trials)
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
  page->watched = g_list_store_new (SONDE_TYPE_RUN);
  page->trials = sonde_trials_new (G_LIST_MODEL (page->watched), on_trials_read, page);
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

  g_clear_pointer (&page->trials, sonde_trials_free);
  g_clear_object (&page->watched);
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
  g_type_ensure (SONDE_TYPE_CONTENTS_CARD);
  g_type_ensure (SONDE_TYPE_ENVIRONMENT_CARD);
  g_type_ensure (SONDE_TYPE_LIVE_RUNS);
  g_type_ensure (SONDE_TYPE_MODEL_PANEL);
  g_type_ensure (SONDE_TYPE_RUN_BAR);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, subject);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, model);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, bar);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, live_runs);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, environment);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, flow);
  gtk_widget_class_bind_template_child (widget_class, SondeOverviewPage, ways);
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
  sonde_tile_flow_set_up (page->samples);
  sonde_set_name (gtk_widget_get_parent (page->samples_card), _ ("Samples"));
  sonde_set_name (gtk_widget_get_parent (page->parameters_card), _ ("Hyper-Parameters"));
  sonde_name_by_text (gtk_widget_get_parent (GTK_WIDGET (page->contents)));
  /* AdwPreferencesGroup names its list after its title, and this one has none. */
  sonde_name_inside (page->ways, GTK_TYPE_LIST_BOX, _ ("Ways to begin"));
}
