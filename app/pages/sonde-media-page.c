/* SPDX-License-Identifier: Apache-2.0
 * Images, texts, sounds and meshes of the chosen run at the step of the cursor, or the last one
 * before it. */
#include "app/pages/sonde-media-page.h"

#include "app/pages/cards/sonde-mesh-list.h"
#include "app/pages/cards/sonde-sample-grid.h"
#include "app/pages/cards/sonde-sound-list.h"
#include "app/pages/cards/sonde-text-list.h"
#include "app/pages/sonde-image-levels.h"
#include "app/pages/sonde-record-chooser.h"
#include "app/widgets/sonde-run-title.h"
#include "app/widgets/sonde-step-scale.h"
#include "app/widgets/sonde-tag-list.h"
#include "app/workspace/sonde-sample-loader.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-media-page.ui"

/* What can be shown, in the order of the switch; names of the stacks' children. */
enum
{
  IMAGES,
  TEXTS,
  SOUNDS,
  MESHES,
  N_MEDIA
};
static const char *const media_names[N_MEDIA] = { "images", "texts", "sounds", "meshes" };

struct _SondeMediaPage
{
  SondePage parent_instance;
  GtkDropDown *tag_choice;
  SondeRunTitle *run_title;
  SondeStepScale *scale;
  GtkToggleButton *errors;
  SondeSampleGrid *grid;
  GtkWidget *switch_box, *show_images, *show_texts, *show_sounds, *show_meshes;
  GtkStack *bars, *panes;
  SondeRecordChooser *text_chooser, *sound_chooser, *mesh_chooser;
  GtkBox *texts;
  SondeSoundList *sounds;
  SondeMeshList *meshes;
  SondeImageLevels *levels;
  guint n_tags[N_MEDIA];
  guint n_records[N_MEDIA]; /* shown; of texts and sounds */
  char *problems[N_MEDIA];  /* (nullable) */
  GListStore *runs;         /* the chosen run alone */
  GtkStringList *tags;
  SondeSampleLoader *loader;
  gconstpointer shown_run; /* compared alone */
  char *wanted;            /* (nullable): pattern of a tag that the run does not have yet */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeMediaPage, sonde_media_page, SONDE_TYPE_PAGE)

static SondeWorkspace *
get_workspace (SondeMediaPage *page)
{
  return sonde_page_get_workspace (SONDE_PAGE (page));
}

static const char *
get_tag (SondeMediaPage *page)
{
  guint selected = gtk_drop_down_get_selected (page->tag_choice);

  return selected == GTK_INVALID_LIST_POSITION ? NULL
                                               : gtk_string_list_get_string (page->tags, selected);
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

static SondeRecordChooser *
get_chooser (SondeMediaPage *page, int medium)
{
  SondeRecordChooser *choosers[N_MEDIA]
      = { NULL, page->text_chooser, page->sound_chooser, page->mesh_chooser };

  return choosers[medium];
}

static char *
describe_records (SondeMediaPage *page, int medium, SondeRecordChooser *chooser)
{
  guint n = page->n_records[medium], n_steps = sonde_record_chooser_get_n_steps (chooser);

  if (page->problems[medium] != NULL)
    return g_strdup (page->problems[medium]);
  if (medium == MESHES && sonde_mesh_list_get_facts (page->meshes) != NULL)
    return g_strdup_printf (_ ("%s at step %" PRIi64 "; recorded steps: %u"),
                            sonde_mesh_list_get_facts (page->meshes),
                            sonde_record_chooser_get_step (chooser), n_steps);
  return g_strdup_printf (medium == TEXTS ? _ ("Texts: %u at step %" PRIi64 "; recorded steps: %u")
                          : medium == SOUNDS
                              ? _ ("Sounds: %u at step %" PRIi64 "; recorded steps: %u")
                              : _ ("Meshes: %u at step %" PRIi64 "; recorded steps: %u"),
                          n, sonde_record_chooser_get_step (chooser), n_steps);
}

static void
update_status (SondeMediaPage *page)
{
  g_autofree char *text = NULL, *levels = NULL;
  int medium = get_medium (page);
  guint n_samples = sonde_sample_grid_get_n_samples (page->grid);
  gint64 step = sonde_sample_grid_get_step (page->grid);

  if (page->n_tags[medium] > 0 && medium != IMAGES)
    {
      text = describe_records (page, medium, get_chooser (page, medium));
      sonde_page_set_status (SONDE_PAGE (page), text);
      return;
    }
  if (n_samples > 0)
    {
      if (sonde_sample_grid_get_n_judged (page->grid) > 0)
        text = g_strdup_printf (
            _ ("Images: %u at step %" PRIi64 ", misclassified: %u; recorded steps: %u"), n_samples,
            step, sonde_sample_grid_get_n_errors (page->grid),
            sonde_step_scale_get_n_steps (page->scale));
      else
        text = g_strdup_printf (_ ("Images: %u at step %" PRIi64 "; recorded steps: %u"), n_samples,
                                step, sonde_step_scale_get_n_steps (page->scale));
    }
  levels = sonde_image_levels_describe (page->levels);
  for (gsize i = 0; text != NULL && i < 2; i++)
    {
      const char *more = i == 0 ? levels : sonde_sample_grid_get_problem (page->grid);
      g_autofree char *counts = g_steal_pointer (&text);

      text = more != NULL ? g_strdup_printf (_ ("%s; %s"), counts, more) : g_strdup (counts);
    }
  sonde_page_set_status (SONDE_PAGE (page), text);
}

static void
on_samples (GPtrArray *samples, gint64 step, void *user_data)
{
  SondeMediaPage *page = user_data;

  sonde_sample_grid_set_samples (page->grid, samples, step);
  gtk_widget_set_visible (GTK_WIDGET (page->levels), samples->len > 0);
  gtk_widget_set_visible (GTK_WIDGET (page->errors),
                          sonde_sample_grid_get_n_judged (page->grid) > 0);
  update_status (page);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static void
on_errors_toggled (SondeMediaPage *page)
{
  sonde_sample_grid_set_only_errors (page->grid, gtk_toggle_button_get_active (page->errors));
}

/* ---- what is shown ------------------------------------------------------- */

static void
load (SondeMediaPage *page)
{
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));
  g_autoptr (GArray) steps = NULL;

  if (run == NULL || get_tag (page) == NULL)
    return;
  if (run != page->shown_run)
    sonde_image_levels_reset (page->levels);
  page->shown_run = run;
  steps = sonde_sample_loader_list_steps (run, get_tag (page));
  sonde_step_scale_set_steps (page->scale, steps);
  sonde_sample_loader_load (page->loader, run, get_tag (page),
                            sonde_step_cursor_get_step (sonde_page_get_cursor (SONDE_PAGE (page))));
  sonde_page_settled_changed (SONDE_PAGE (page));
}

/* Only what the run has; a medium that it lacks gives way to the first one that it has. */
static void
update_switch (SondeMediaPage *page)
{
  int n = 0, first = N_MEDIA, medium = get_medium (page);

  for (int m = 0; m < N_MEDIA; m++)
    {
      gtk_widget_set_visible (GTK_WIDGET (get_button (page, m)), page->n_tags[m] > 0);
      n += page->n_tags[m] > 0;
      first = page->n_tags[m] > 0 ? MIN (first, m) : first;
    }
  gtk_widget_set_visible (page->switch_box, n > 1);
  if (n > 0 && page->n_tags[medium] == 0)
    gtk_toggle_button_set_active (get_button (page, first), TRUE);
}

static void
on_switched (SondeMediaPage *page)
{
  const char *name = media_names[get_medium (page)];

  gtk_stack_set_visible_child_name (page->bars, name);
  gtk_stack_set_visible_child_name (page->panes, name);
  if (!page->updating)
    update_status (page);
}

/* The medium of which the run has a tag that @pattern lets through; N_MEDIA without one. */
static int
find_medium (SondeMediaPage *page, const char *pattern)
{
  static const SondeRecordKind kinds[N_MEDIA]
      = { SONDE_RECORD_IMAGE, SONDE_RECORD_TEXT, SONDE_RECORD_AUDIO, SONDE_RECORD_MESH };
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));
  GPtrArray *tags = run != NULL ? sonde_run_get_tags (run) : NULL;

  for (int m = 0; m < N_MEDIA; m++)
    for (guint i = 0; tags != NULL && i < tags->len; i++)
      {
        const SondeRunTag *tag = tags->pdata[i];

        if (tag->kind == kinds[m] && sonde_tag_matches (tag->tag, pattern))
          return m;
      }
  return N_MEDIA;
}

/* Goes to the medium that was asked for, now or once the run has it. */
static void
show_wanted (SondeMediaPage *page)
{
  int medium = page->wanted != NULL ? find_medium (page, page->wanted) : N_MEDIA;

  if (medium == N_MEDIA)
    return;
  gtk_toggle_button_set_active (get_button (page, medium), TRUE);
  for (guint i = 0; medium == IMAGES && i < g_list_model_get_n_items (G_LIST_MODEL (page->tags));
       i++)
    if (sonde_tag_matches (gtk_string_list_get_string (page->tags, i), page->wanted))
      {
        gtk_drop_down_set_selected (page->tag_choice, i);
        break;
      }
  g_clear_pointer (&page->wanted, g_free);
}

static void
update_empty (SondeMediaPage *page)
{
  static const SondeRecordKind media[]
      = { SONDE_RECORD_IMAGE, SONDE_RECORD_TEXT, SONDE_RECORD_AUDIO };
  SondePage *base = SONDE_PAGE (page);

  if (page->n_tags[IMAGES] + page->n_tags[TEXTS] + page->n_tags[SOUNDS] + page->n_tags[MESHES] > 0)
    sonde_page_set_filled (base);
  else if (sonde_workspace_get_run (get_workspace (page)) == NULL)
    sonde_page_set_empty_without_runs (base);
  else
    sonde_page_set_empty_of_run (base, media, G_N_ELEMENTS (media), "image-x-generic-symbolic",
                                 _ ("No Images"),
                                 _ ("The selected run has no images, texts or sounds; set "
                                    "“record.images” in its recipe to record images."),
                                 _ ("View Its Scalars"), "win.page::scalars");
}

static void
update (SondeMediaPage *page)
{
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));

  g_list_store_remove_all (page->runs);
  if (run != NULL)
    g_list_store_append (page->runs, run);
  sonde_run_title_update (page->run_title, get_workspace (page));
  page->updating = TRUE;
  page->n_tags[IMAGES]
      = sonde_tag_list_update (page->tags, G_LIST_MODEL (page->runs), SONDE_RECORD_IMAGE, NULL);
  page->updating = FALSE;
  update_switch (page);
  show_wanted (page);
  update_empty (page);
  load (page);
}

static void
on_texts (GPtrArray *records, SondeRecordKind kind, const char *problem, void *user_data)
{
  SondeMediaPage *page = user_data;

  page->n_records[TEXTS] = records->len;
  g_free (page->problems[TEXTS]);
  page->problems[TEXTS] = g_strdup (problem);
  sonde_text_list_fill (page->texts, records);
}

static void
on_sounds (GPtrArray *records, SondeRecordKind kind, const char *problem, void *user_data)
{
  SondeMediaPage *page = user_data;

  page->n_records[SOUNDS] = records->len;
  g_free (page->problems[SOUNDS]);
  page->problems[SOUNDS] = g_strdup (problem);
  sonde_sound_list_take (page->sounds, records);
}

static void
on_meshes (GPtrArray *records, SondeRecordKind kind, const char *problem, void *user_data)
{
  SondeMediaPage *page = user_data;

  page->n_records[MESHES] = records->len;
  g_free (page->problems[MESHES]);
  page->problems[MESHES] = g_strdup (problem);
  sonde_mesh_list_take (page->meshes, sonde_workspace_get_run (get_workspace (page)),
                        records->len > 0 ? records->pdata[0] : NULL);
}

static void
on_meshes_read (SondeMediaPage *page)
{
  update_status (page);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static void
on_chooser_changed (gpointer chooser, gpointer user_data)
{
  SondeMediaPage *page = user_data;

  for (int m = IMAGES + 1; m < N_MEDIA; m++)
    page->n_tags[m] = sonde_record_chooser_get_n_tags (get_chooser (page, m));
  update_switch (page);
  show_wanted (page);
  update_empty (page);
  update_status (page);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static void
on_tag_chosen (SondeMediaPage *page)
{
  if (page->updating)
    return;
  sonde_image_levels_reset (page->levels);
  load (page);
}

static void
sonde_media_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (base);

  if (request->has_step)
    sonde_step_cursor_set_step (sonde_page_get_cursor (base), request->step);
  if (request->tag == NULL)
    return;
  for (int m = IMAGES + 1; m < N_MEDIA; m++)
    sonde_record_chooser_choose (get_chooser (page, m), request->tag);
  g_free (page->wanted);
  page->wanted = g_strdup (request->tag);
  show_wanted (page);
}

static gboolean
sonde_media_page_is_settled (SondePage *base)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (base);

  return !sonde_sample_loader_is_busy (page->loader)
         && !sonde_record_chooser_is_busy (page->text_chooser)
         && !sonde_record_chooser_is_busy (page->sound_chooser)
         && !sonde_sound_list_is_busy (page->sounds)
         && !sonde_record_chooser_is_busy (page->mesh_chooser)
         && !sonde_mesh_list_is_busy (page->meshes);
}

static void
sonde_media_page_set_up (SondePage *base)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (base);
  static const SondeRecordKind text = SONDE_RECORD_TEXT, sound = SONDE_RECORD_AUDIO,
                               mesh = SONDE_RECORD_MESH;

  sonde_sample_grid_set_levels (page->grid, page->levels);
  /* Before the choosers look: without images they would switch to what they find. */
  page->loader = sonde_sample_loader_new (sonde_workspace_get_program (get_workspace (page)),
                                          on_samples, page);
  g_signal_connect_object (get_workspace (page), "changed", G_CALLBACK (update), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (get_workspace (page), "notify::run", G_CALLBACK (update), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_page_get_cursor (base), "notify::step", G_CALLBACK (load), page,
                           G_CONNECT_SWAPPED);
  sonde_step_scale_set_cursor (page->scale, sonde_page_get_cursor (base));
  update (page);
  sonde_record_chooser_set_up (page->text_chooser, get_workspace (page), &text, 1, TRUE, on_texts,
                               on_chooser_changed, page);
  sonde_record_chooser_set_up (page->sound_chooser, get_workspace (page), &sound, 1, TRUE,
                               on_sounds, on_chooser_changed, page);
  sonde_record_chooser_set_up (page->mesh_chooser, get_workspace (page), &mesh, 1, FALSE, on_meshes,
                               on_chooser_changed, page);
  sonde_record_chooser_choose (page->mesh_chooser, "*_VERTEX");
  g_signal_connect_object (page->meshes, "state-changed", G_CALLBACK (on_meshes_read), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (page->levels, "changed", G_CALLBACK (update_status), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (page->sounds, "state-changed", G_CALLBACK (sonde_page_settled_changed),
                           page, G_CONNECT_SWAPPED);
  g_signal_connect_object (page->sounds, "problem", G_CALLBACK (sonde_page_toast), page,
                           G_CONNECT_SWAPPED);
}

static void
sonde_media_page_dispose (GObject *object)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (object);

  page->updating = TRUE;
  g_clear_pointer (&page->loader, sonde_sample_loader_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_MEDIA_PAGE);
  G_OBJECT_CLASS (sonde_media_page_parent_class)->dispose (object);
}

static void
sonde_media_page_finalize (GObject *object)
{
  SondeMediaPage *page = SONDE_MEDIA_PAGE (object);

  g_object_unref (page->runs);
  g_object_unref (page->tags);
  g_free (page->wanted);
  for (int m = 0; m < N_MEDIA; m++)
    g_free (page->problems[m]);
  G_OBJECT_CLASS (sonde_media_page_parent_class)->finalize (object);
}

static void
sonde_media_page_class_init (SondeMediaPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);

  object_class->dispose = sonde_media_page_dispose;
  object_class->finalize = sonde_media_page_finalize;
  page_class->set_up = sonde_media_page_set_up;
  page_class->show = sonde_media_page_show;
  page_class->is_settled = sonde_media_page_is_settled;
  g_type_ensure (SONDE_TYPE_MESH_LIST);
  g_type_ensure (SONDE_TYPE_IMAGE_LEVELS);
  g_type_ensure (SONDE_TYPE_RECORD_CHOOSER);
  g_type_ensure (SONDE_TYPE_RUN_TITLE);
  g_type_ensure (SONDE_TYPE_STEP_SCALE);
  g_type_ensure (SONDE_TYPE_SAMPLE_GRID);
  g_type_ensure (SONDE_TYPE_SOUND_LIST);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, tag_choice);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, run_title);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, scale);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, errors);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, grid);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, switch_box);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, show_images);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, show_texts);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, show_sounds);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, bars);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, panes);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, text_chooser);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, sound_chooser);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, texts);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, sounds);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, show_meshes);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, mesh_chooser);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, meshes);
  gtk_widget_class_bind_template_child (widget_class, SondeMediaPage, levels);
  gtk_widget_class_bind_template_callback (widget_class, on_switched);
  gtk_widget_class_bind_template_callback (widget_class, on_tag_chosen);
  gtk_widget_class_bind_template_callback (widget_class, on_errors_toggled);
}

static void
sonde_media_page_init (SondeMediaPage *page)
{
  page->runs = g_list_store_new (SONDE_TYPE_RUN);
  page->tags = gtk_string_list_new (NULL);
  page->updating = TRUE; /* until there is a workspace */
  gtk_widget_init_template (GTK_WIDGET (page));
  gtk_drop_down_set_model (page->tag_choice, G_LIST_MODEL (page->tags));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (page->show_images), TRUE);
}
