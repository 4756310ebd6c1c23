/* SPDX-License-Identifier: Apache-2.0
 * Images, texts, sounds or meshes of the selected run: a card a tag, at the step of the cursor. */
#include "app/pages/media/sonde-media-page.h"

#include "app/pages/media/sonde-images-card.h"
#include "app/pages/media/sonde-media-status.h"
#include "app/pages/media/sonde-record-card.h"
#include "app/pages/media/sonde-text-finder.h"
#include "app/pages/media/sonde-levels-bar.h"
#include "app/widgets/sonde-step-scale.h"
#include "app/widgets/sonde-tag-list.h"
#include "data/base/sonde-text.h"
#include "data/browsing/sonde-step-loader.h"

#define RESOURCE "/org/sonde/Sonde/pages/media/sonde-media-page.ui"

/* What can be shown, in the order of the switch. */
enum
{
  IMAGES,
  TEXTS,
  SOUNDS,
  MESHES,
  N_MEDIA
};

static const SondeRecordKind kinds[N_MEDIA]
    = { SONDE_RECORD_IMAGE, SONDE_RECORD_TEXT, SONDE_RECORD_AUDIO, SONDE_RECORD_MESH };

struct _SondeMediaPage
{
  SondeGridPage parent_instance;
  GtkWidget *switch_box, *show_images, *show_texts, *show_sounds, *show_meshes;
  SondeStepScale *scale;
  GtkWidget *image_controls; /* the two: */
  SondeLevelsBar *levels;
  SondeCompareBar *compare;
  SondeTextFinder *finder;
  const char *found_tag; /* (nullable), interned: of the place that was found last */
  gint64 found_step;
  guint found_nth;
  GMenuModel *image_menu;
  GtkToggleButton *errors;
  SondeSampleDecoder *image_decoder;
  SondeSoundDecoder *sound_decoder;
  SondeSoundPlayer *player;
  int medium;       /* of the cards */
  char *wanted;     /* (nullable): pattern of a tag that the run does not have yet */
  gboolean listing; /* the tags are being listed: the switch asks for no second time */
};

G_DEFINE_FINAL_TYPE (SondeMediaPage, sonde_media_page, SONDE_TYPE_GRID_PAGE)

static SondeCardGrid *
get_grid (SondeMediaPage *page)
{
  return sonde_grid_page_get_grid (SONDE_GRID_PAGE (page));
}

/* ---- which of them ------------------------------------------------------- */

static GtkToggleButton *
get_button (SondeMediaPage *page, int medium)
{
  GtkWidget *buttons[N_MEDIA]
      = { page->show_images, page->show_texts, page->show_sounds, page->show_meshes };

  return GTK_TOGGLE_BUTTON (buttons[medium]);
}

static int
get_medium (SondeMediaPage *page)
{
  int medium = IMAGES;

  for (int m = 0; m < N_MEDIA; m++)
    if (gtk_toggle_button_get_active (get_button (page, m)))
      medium = m;
  return medium;
}

/* Of a mesh the tag of its vertices stands for all of its parts. */
static gboolean
is_listed (const char *tag, SondeRecordKind kind)
{
  return kind != SONDE_RECORD_MESH || g_str_has_suffix (tag, "_VERTEX");
}

static void
count_tags (GListModel *runs, guint *n_tags)
{
  memset (n_tags, 0, N_MEDIA * sizeof *n_tags);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      GPtrArray *tags = sonde_run_get_tags (run);

      for (guint k = 0; k < tags->len; k++)
        for (int m = 0; m < N_MEDIA; m++)
          {
            const SondeRunTag *tag = tags->pdata[k];

            n_tags[m] += tag->kind == kinds[m] && is_listed (tag->tag, tag->kind) ? 1 : 0;
          }
    }
}

/* Only what the run has; a medium that it lacks gives way to the first one that it has. */
static void
update_switch (SondeMediaPage *page, const guint *n_tags)
{
  int n = 0, first = N_MEDIA, medium = get_medium (page);

  for (int m = 0; m < N_MEDIA; m++)
    {
      gtk_widget_set_visible (GTK_WIDGET (get_button (page, m)), n_tags[m] > 0);
      n += n_tags[m] > 0;
      first = n_tags[m] > 0 ? MIN (first, m) : first;
    }
  gtk_widget_set_visible (page->switch_box, n > 1);
  if (n > 0 && n_tags[medium] == 0)
    gtk_toggle_button_set_active (get_button (page, first), TRUE);
}

/* The medium of which the run has a tag that @pattern lets through; N_MEDIA without one. */
static int
find_medium (GListModel *runs, const char *pattern)
{
  for (int m = 0; m < N_MEDIA; m++)
    for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
      {
        g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
        GPtrArray *tags = sonde_run_get_tags (run);

        for (guint k = 0; k < tags->len; k++)
          {
            const SondeRunTag *tag = tags->pdata[k];

            if (tag->kind == kinds[m] && sonde_tag_matches (tag->tag, pattern))
              return m;
          }
      }
  return N_MEDIA;
}

/* Goes to the medium that was asked for, now or once the run has it. */
static void
show_wanted (SondeMediaPage *page, GListModel *runs)
{
  int medium = page->wanted != NULL ? find_medium (runs, page->wanted) : N_MEDIA;

  if (medium == N_MEDIA)
    return;
  gtk_toggle_button_set_active (get_button (page, medium), TRUE);
  g_clear_pointer (&page->wanted, g_free);
}

/* ---- tags and steps ------------------------------------------------------ */

static void
on_step_changed (SondeMediaPage *page)
{
  sonde_compare_bar_set_shown_step (page->compare, sonde_step_scale_get_step (page->scale));
}

/* What is searched: the texts of the tag that fills the page, else of all cards. */
static void
list_texts (SondeMediaPage *page)
{
  g_autoptr (GPtrArray) tags = g_ptr_array_new ();
  GListModel *cards = G_LIST_MODEL (sonde_card_grid_get_tags (get_grid (page)));
  const char *expanded = sonde_card_grid_get_expanded (get_grid (page));
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (page)));

  if (expanded != NULL)
    g_ptr_array_add (tags, (char *) expanded);
  for (guint i = 0; expanded == NULL && i < g_list_model_get_n_items (cards); i++)
    g_ptr_array_add (tags, (char *) gtk_string_list_get_string (GTK_STRING_LIST (cards), i));
  sonde_text_finder_set_texts (page->finder, page->medium == TEXTS ? run : NULL, tags);
}

/* Of the tag that fills the page, else of all tags of the medium, whatever the filter lets
 * through. */
static void
list_steps (SondeMediaPage *page)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  GListModel *runs = sonde_grid_page_get_runs (SONDE_GRID_PAGE (page));
  const char *expanded = sonde_card_grid_get_expanded (get_grid (page));

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      GPtrArray *tags = sonde_run_get_tags (run);

      for (guint k = 0; k < tags->len; k++)
        {
          const SondeRunTag *tag = tags->pdata[k];

          if (tag->kind == kinds[page->medium]
              && (expanded != NULL ? g_str_equal (expanded, tag->tag)
                                   : is_listed (tag->tag, tag->kind)))
            sonde_step_loader_add_steps (steps, run, tag->tag, tag->kind);
        }
    }
  sonde_step_loader_sort_steps (steps);
  sonde_step_scale_set_steps (page->scale, steps);
  sonde_compare_bar_set_steps (page->compare, steps);
  list_texts (page);
  on_step_changed (page);
}

/* As the image pair's modes are numbered, and those of the record card. */
static const char *const image_modes[]
    = { N_ ("Side by Side"), N_ ("Slider"), N_ ("Difference"), N_ ("Absolute Difference"), NULL };
static const char *const text_modes[] = { N_ ("One Text"), N_ ("Side by Side"), NULL };

static void
set_modes (SondeMediaPage *page)
{
  const char *const *modes = page->medium == TEXTS ? text_modes : image_modes;
  const char *labels[G_N_ELEMENTS (image_modes)] = { NULL };

  for (gsize i = 0; modes[i] != NULL; i++)
    labels[i] = _ (modes[i]);
  sonde_compare_bar_set_modes (page->compare, labels, sonde_page_get_workspace (SONDE_PAGE (page)),
                               page->medium == TEXTS ? "text-mode" : "image-mode");
}

static void
show_medium (SondeMediaPage *page)
{
  int medium = get_medium (page);

  if (medium == page->medium)
    return;
  page->medium = medium;
  gtk_widget_set_visible (page->image_controls, medium == IMAGES);
  gtk_widget_set_visible (GTK_WIDGET (page->finder), medium == TEXTS);
  gtk_widget_set_visible (GTK_WIDGET (page->compare), medium == IMAGES || medium == TEXTS);
  set_modes (page);
  sonde_card_grid_remake (get_grid (page));
}

static void
list_medium (SondeMediaPage *page, GtkStringList *list, GListModel *runs, const char *filter)
{
  g_autoptr (GPtrArray) all = sonde_tag_names_collect (runs, kinds[page->medium]);
  g_autoptr (GPtrArray) tags = g_ptr_array_new ();

  for (guint i = 0; i < all->len; i++)
    if (is_listed (all->pdata[i], kinds[page->medium]) && sonde_tag_matches (all->pdata[i], filter))
      g_ptr_array_add (tags, all->pdata[i]);
  sonde_tag_list_set (list, tags);
}

static guint
sonde_media_page_list_tags (SondeGridPage *base, GtkStringList *list, GListModel *runs,
                            const char *filter)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (base);
  guint n_tags[N_MEDIA];

  count_tags (runs, n_tags);
  page->listing = TRUE;
  update_switch (page, n_tags);
  show_wanted (page, runs);
  show_medium (page);
  page->listing = FALSE;
  list_medium (page, list, runs, filter);
  sonde_compare_bar_set_runs (page->compare, sonde_page_get_workspace (SONDE_PAGE (base)),
                              kinds[page->medium]);
  list_steps (page);
  return n_tags[page->medium];
}

static void
on_switched (SondeMediaPage *page)
{
  if (page->listing)
    return;
  g_clear_pointer (&page->wanted, g_free);
  sonde_card_grid_expand (get_grid (page), NULL);
  sonde_grid_page_update (SONDE_GRID_PAGE (page));
}

static void
on_expanded (SondeMediaPage *page)
{
  list_steps (page);
  sonde_grid_page_status_changed (SONDE_GRID_PAGE (page));
}

static void
on_finder_changed (SondeMediaPage *page)
{
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static gboolean
sonde_media_page_is_settled (SondePage *base)
{
  return !sonde_text_finder_is_busy (SONDE_MEDIA_PAGE (base)->finder)
         && SONDE_PAGE_CLASS (sonde_media_page_parent_class)->is_settled (base);
}

/* ---- status -------------------------------------------------------------- */

static char *
sonde_media_page_dup_status (SondeGridPage *base)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (base);
  guint n_judged;
  char *text = sonde_media_status_describe (get_grid (page), kinds[page->medium],
                                            sonde_grid_page_get_n_shown (base),
                                            sonde_step_scale_get_n_steps (page->scale), &n_judged);

  gtk_widget_set_visible (GTK_WIDGET (page->errors), n_judged > 0);
  return text;
}

/* ---- cards --------------------------------------------------------------- */

static void
configure (SondeTagCard *card, void *user_data)
{
  SondeMediaPage *page = user_data;

  if (SONDE_IS_IMAGES_CARD (card))
    sonde_sample_grid_set_only_errors (sonde_images_card_get_grid (SONDE_IMAGES_CARD (card)),
                                       gtk_toggle_button_get_active (page->errors));
  else
    sonde_record_card_mark (SONDE_RECORD_CARD (card), sonde_text_finder_get_pattern (page->finder));
}

static void
on_pattern_changed (SondeMediaPage *page)
{
  sonde_card_grid_foreach (get_grid (page), configure, page);
}

static void
reveal (SondeTagCard *card, void *user_data)
{
  const SondeMediaPage *page = user_data;

  if (SONDE_IS_RECORD_CARD (card))
    sonde_record_card_reveal (SONDE_RECORD_CARD (card), page->found_tag, page->found_step,
                              page->found_nth);
}

/* The card may be one that is made only when it is scrolled to. */
static void
on_found (SondeMediaPage *page, const char *tag, gint64 step, guint nth)
{
  page->found_tag = g_intern_string (tag);
  page->found_step = step;
  page->found_nth = nth;
  sonde_step_cursor_set_step (sonde_page_get_cursor (SONDE_PAGE (page)), step);
  sonde_card_grid_reveal (get_grid (page), tag);
  sonde_card_grid_foreach (get_grid (page), reveal, page);
}

static void
on_errors_toggled (SondeMediaPage *page)
{
  sonde_card_grid_foreach (get_grid (page), configure, page);
}

static SondeTagCard *
sonde_media_page_make_card (SondeGridPage *base)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (base);
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (base));
  GtkWidget *card = page->medium == IMAGES
                        ? sonde_images_card_new (workspace, page->image_decoder, page->levels,
                                                 page->compare, page->image_menu)
                        : sonde_record_card_new (workspace, kinds[page->medium],
                                                 page->sound_decoder, page->player, page->compare);

  configure (SONDE_TAG_CARD (card), page);
  reveal (SONDE_TAG_CARD (card), page);
  return SONDE_TAG_CARD (card);
}

/* ---- comparing ----------------------------------------------------------- */

static void
compare_step (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (widget);

  sonde_compare_bar_compare_step (page->compare, sonde_step_scale_get_step (page->scale));
}

static void
compare_with (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_compare_bar_ask (SONDE_MEDIA_PAGE (widget)->compare);
}

static void
compare_nothing (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_compare_bar_stop (SONDE_MEDIA_PAGE (widget)->compare);
}

static GMenuModel *
make_image_menu (void)
{
  GMenu *menu = g_menu_new ();

  g_menu_append (menu, _ ("Compare Other Steps with This One"), "media.compare-step");
  g_menu_append (menu, _ ("Compare With…"), "media.compare-with");
  g_menu_append (menu, _ ("Compare with Nothing"), "media.compare-nothing");
  return G_MENU_MODEL (menu);
}

static void
update_compare_actions (SondeMediaPage *page)
{
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (page))), *other;
  gint64 step;

  gtk_widget_action_set_enabled (
      GTK_WIDGET (page), "media.compare-nothing",
      run != NULL && sonde_compare_bar_find (page->compare, run, 0, &other, &step));
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_media_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (base);

  if (request->tag != NULL)
    {
      g_free (page->wanted);
      page->wanted = g_strdup (request->tag);
      sonde_grid_page_update (SONDE_GRID_PAGE (page)); /* its medium, before its card */
    }
  SONDE_PAGE_CLASS (sonde_media_page_parent_class)->show (base, request);
}

static void
sonde_media_page_set_up (SondePage *base)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (base);
  const char *program = sonde_workspace_get_program (sonde_page_get_workspace (base));
  const char *const sound_helper[] = { program, "sound-helper", NULL };

  page->image_decoder = sonde_sample_decoder_new (program);
  page->sound_decoder = sonde_sound_decoder_new (sound_helper);
  page->player = sonde_sound_player_new (g_getenv ("SONDE_SOUND_SINK"));
  sonde_step_scale_set_cursor (page->scale, sonde_page_get_cursor (base));
  sonde_levels_bar_set_up (page->levels, sonde_page_get_workspace (base));
  sonde_grid_page_add_panel (SONDE_GRID_PAGE (page), sonde_text_finder_get_panel (page->finder));
  page->image_menu = make_image_menu ();
  set_modes (page);
  update_compare_actions (page);
  g_signal_connect_object (page->compare, "changed", G_CALLBACK (update_compare_actions), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_page_get_cursor (base), "notify::step",
                           G_CALLBACK (on_step_changed), page, G_CONNECT_SWAPPED);
  sonde_card_grid_set_fill (get_grid (page), TRUE);
  g_signal_connect_object (get_grid (page), "expanded", G_CALLBACK (on_expanded), page,
                           G_CONNECT_SWAPPED);
  SONDE_PAGE_CLASS (sonde_media_page_parent_class)->set_up (base);
}

static void
sonde_media_page_dispose (GObject *object)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (object);

  page->listing = TRUE;
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_MEDIA_PAGE);
  G_OBJECT_CLASS (sonde_media_page_parent_class)->dispose (object);
}

static void
sonde_media_page_finalize (GObject *object)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (object);

  sonde_sample_decoder_unref (page->image_decoder);
  g_clear_pointer (&page->sound_decoder, sonde_sound_decoder_unref);
  g_clear_object (&page->player);
  g_clear_object (&page->image_menu);
  g_free (page->wanted);
  G_OBJECT_CLASS (sonde_media_page_parent_class)->finalize (object);
}

static void
sonde_media_page_class_init (SondeMediaPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondeGridPageClass *grid_class = SONDE_GRID_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_media_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_media_page_finalize;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_media_page_set_up;
  SONDE_PAGE_CLASS (klass)->show = sonde_media_page_show;
  SONDE_PAGE_CLASS (klass)->is_settled = sonde_media_page_is_settled;
  grid_class->kinds = kinds;
  grid_class->n_kinds = N_MEDIA;
  grid_class->of_selected_run = TRUE;
  grid_class->empty_icon = "image-x-generic-symbolic";
  grid_class->empty_title = N_ ("No Images");
  grid_class->empty_sentence = N_ ("The selected run has no images, texts or sounds; set "
                                   "“record.images” in its recipe to record images.");
  grid_class->empty_button = N_ ("View Its Scalars");
  grid_class->empty_action = "win.page::scalars";
  grid_class->make_card = sonde_media_page_make_card;
  grid_class->dup_status = sonde_media_page_dup_status;
  grid_class->list_tags = sonde_media_page_list_tags;
  g_type_ensure (SONDE_TYPE_COMPARE_BAR);
  g_type_ensure (SONDE_TYPE_LEVELS_BAR);
  g_type_ensure (SONDE_TYPE_TEXT_FINDER);
  g_type_ensure (SONDE_TYPE_STEP_SCALE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, switch_box);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, show_images);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, show_texts);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, show_sounds);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, show_meshes);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, scale);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, compare);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, finder);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, levels);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, image_controls);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, errors);
  gtk_widget_class_install_action (widget_class, "media.compare-step", NULL, compare_step);
  gtk_widget_class_install_action (widget_class, "media.compare-with", NULL, compare_with);
  gtk_widget_class_install_action (widget_class, "media.compare-nothing", NULL, compare_nothing);
  gtk_widget_class_bind_template_callback (widget_class, on_switched);
  gtk_widget_class_bind_template_callback (widget_class, on_errors_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_pattern_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_found);
  gtk_widget_class_bind_template_callback (widget_class, on_finder_changed);
}

static void
sonde_media_page_init (SondeMediaPage *page)
{
  page->listing = TRUE; /* until the first listing */
  gtk_widget_init_template (GTK_WIDGET (page));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (page->show_images), TRUE);
}
