/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-record-chooser.h"

#include "data/records/sonde-record-title.h"
#include "app/widgets/sonde-run-title.h"
#include "app/widgets/sonde-step-scale.h"
#include "app/widgets/sonde-tag-list.h"
#include "data/browsing/sonde-step-loader.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-record-chooser.ui"

/* One line of the list. @tag: interned */
typedef struct
{
  const char *tag;
  SondeRecordKind kind;
} Choice;

struct _SondeRecordChooser
{
  GtkBox parent_instance;
  GtkDropDown *tag_choice;
  SondeRunTitle *run_title;
  SondeStepScale *scale;

  SondeWorkspace *workspace;
  SondeRecordKind kinds[SONDE_RECORD_CHOOSER_MAX_KINDS];
  guint n_kinds;
  SondeRecordFunc take;
  GFunc changed;
  void *user_data;

  GtkStringList *names;
  GArray *choices;         /* Choice, one a name */
  SondeStepLoader *loader; /* once it is set up */
  char *wanted;            /* (nullable): pattern of a choice whose tag is not there yet */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeRecordChooser, sonde_record_chooser, GTK_TYPE_BOX)

static Choice
get_choice (SondeRecordChooser *chooser)
{
  guint selected = gtk_drop_down_get_selected (chooser->tag_choice);

  return selected < chooser->choices->len ? g_array_index (chooser->choices, Choice, selected)
                                          : (Choice){ NULL, 0 };
}

static void
tell_changed (SondeRecordChooser *chooser)
{
  if (chooser->changed != NULL)
    chooser->changed (chooser, chooser->user_data);
}

/* ---- reading ------------------------------------------------------------- */

static void
on_records (GPtrArray *records, const char *problem, void *user_data)
{
  SondeRecordChooser *chooser = user_data;

  chooser->take (records,
                 records->len > 0 || problem != NULL ? get_choice (chooser).kind
                                                     : SONDE_RECORD_UNKNOWN,
                 problem, chooser->user_data);
  tell_changed (chooser);
}

static void
load (SondeRecordChooser *chooser)
{
  Choice choice = get_choice (chooser);

  sonde_step_loader_update (
      chooser->loader, sonde_workspace_get_run (chooser->workspace), choice.tag, choice.kind,
      sonde_step_cursor_get_step (sonde_workspace_get_cursor (chooser->workspace)));
  sonde_step_scale_set_steps (chooser->scale, sonde_step_loader_get_steps (chooser->loader));
  tell_changed (chooser);
}

/* ---- choice -------------------------------------------------------------- */

static gboolean
offers (SondeRecordChooser *chooser, SondeRecordKind kind)
{
  for (guint i = 0; i < chooser->n_kinds; i++)
    if (chooser->kinds[i] == kind)
      return TRUE;
  return FALSE;
}

static gboolean
same_choices (GArray *a, GArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (g_array_index (a, Choice, i).tag != g_array_index (b, Choice, i).tag
        || g_array_index (a, Choice, i).kind != g_array_index (b, Choice, i).kind)
      return FALSE;
  return TRUE;
}

/* The first choice that the wanted pattern lets through; else @fallback. */
static guint
find_wanted (SondeRecordChooser *chooser, guint fallback)
{
  for (guint i = 0; chooser->wanted != NULL && i < chooser->choices->len; i++)
    if (sonde_tag_matches (g_array_index (chooser->choices, Choice, i).tag, chooser->wanted))
      {
        g_clear_pointer (&chooser->wanted, g_free);
        return i;
      }
  return fallback;
}

/* The same tag stays chosen when others come or go. */
static void
fill_names (SondeRecordChooser *chooser, GArray *choices)
{
  Choice before = get_choice (chooser);
  guint selected = 0;

  chooser->updating = TRUE;
  gtk_string_list_splice (chooser->names, 0, chooser->choices->len, NULL);
  g_array_set_size (chooser->choices, 0);
  for (guint i = 0; i < choices->len; i++)
    {
      const Choice *choice = &g_array_index (choices, Choice, i);
      g_autofree char *name = chooser->n_kinds > 1
                                  ? g_strdup_printf ("%s · %s", choice->tag,
                                                     sonde_record_kind_get_title (choice->kind))
                                  : g_strdup (choice->tag);

      if (choice->tag == before.tag && choice->kind == before.kind)
        selected = i;
      g_array_append_val (chooser->choices, *choice);
      gtk_string_list_append (chooser->names, name);
    }
  if (choices->len > 0)
    gtk_drop_down_set_selected (chooser->tag_choice, find_wanted (chooser, selected));
  chooser->updating = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (chooser->tag_choice), chooser->choices->len > 0);
}

static void
update (SondeRecordChooser *chooser)
{
  SondeRun *run = sonde_workspace_get_run (chooser->workspace);
  g_autoptr (GArray) choices = g_array_new (FALSE, FALSE, sizeof (Choice));
  GPtrArray *tags = run != NULL ? sonde_run_get_tags (run) : NULL;

  for (guint i = 0; tags != NULL && i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);
      Choice choice = { tag->tag, tag->kind };

      if (offers (chooser, tag->kind))
        g_array_append_val (choices, choice);
    }
  sonde_run_title_update (chooser->run_title, chooser->workspace);
  if (!same_choices (choices, chooser->choices))
    fill_names (chooser, choices);
  load (chooser);
}

static void
on_tag_chosen (SondeRecordChooser *chooser)
{
  if (chooser->updating)
    return;
  g_clear_pointer (&chooser->wanted, g_free);
  load (chooser);
}

void
sonde_record_chooser_choose (SondeRecordChooser *chooser, const char *pattern)
{
  g_return_if_fail (SONDE_IS_RECORD_CHOOSER (chooser));
  g_free (chooser->wanted);
  chooser->wanted = g_strdup (pattern);
  if (chooser->choices->len > 0)
    gtk_drop_down_set_selected (
        chooser->tag_choice,
        find_wanted (chooser, gtk_drop_down_get_selected (chooser->tag_choice)));
}

/* ---- the rest ------------------------------------------------------------ */

guint
sonde_record_chooser_get_n_tags (SondeRecordChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CHOOSER (chooser), 0);
  return chooser->choices->len;
}

guint
sonde_record_chooser_get_n_steps (SondeRecordChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CHOOSER (chooser), 0);
  return sonde_step_scale_get_n_steps (chooser->scale);
}

const char *
sonde_record_chooser_get_tag (SondeRecordChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CHOOSER (chooser), NULL);
  return get_choice (chooser).tag;
}

gint64
sonde_record_chooser_get_step (SondeRecordChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CHOOSER (chooser), 0);
  return chooser->loader != NULL ? sonde_step_loader_get_step (chooser->loader) : 0;
}

gboolean
sonde_record_chooser_is_busy (SondeRecordChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_RECORD_CHOOSER (chooser), FALSE);
  return chooser->loader != NULL && sonde_step_loader_is_busy (chooser->loader);
}

void
sonde_record_chooser_set_up (SondeRecordChooser *chooser, SondeWorkspace *workspace,
                             const SondeRecordKind *kinds, guint n_kinds, gboolean all,
                             SondeRecordFunc take, GFunc changed, void *user_data)
{
  g_return_if_fail (SONDE_IS_RECORD_CHOOSER (chooser));
  g_return_if_fail (chooser->workspace == NULL && n_kinds <= SONDE_RECORD_CHOOSER_MAX_KINDS);
  chooser->workspace = g_object_ref (workspace);
  memcpy (chooser->kinds, kinds, n_kinds * sizeof *kinds);
  chooser->n_kinds = n_kinds;
  chooser->loader = sonde_step_loader_new (all, on_records, chooser);
  chooser->take = take;
  chooser->changed = changed;
  chooser->user_data = user_data;
  sonde_step_scale_set_cursor (chooser->scale, sonde_workspace_get_cursor (workspace));
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), chooser, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (update), chooser,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify::step",
                           G_CALLBACK (load), chooser, G_CONNECT_SWAPPED);
  update (chooser);
}

static void
sonde_record_chooser_dispose (GObject *object)
{
  SondeRecordChooser *chooser = SONDE_RECORD_CHOOSER (object);

  chooser->updating = TRUE;
  chooser->changed = NULL;
  g_clear_pointer (&chooser->loader, sonde_step_loader_free);
  g_clear_object (&chooser->workspace);
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_RECORD_CHOOSER);
  G_OBJECT_CLASS (sonde_record_chooser_parent_class)->dispose (object);
}

static void
sonde_record_chooser_finalize (GObject *object)
{
  SondeRecordChooser *chooser = SONDE_RECORD_CHOOSER (object);

  g_object_unref (chooser->names);
  g_free (chooser->wanted);
  g_array_unref (chooser->choices);
  G_OBJECT_CLASS (sonde_record_chooser_parent_class)->finalize (object);
}

static void
sonde_record_chooser_class_init (SondeRecordChooserClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_record_chooser_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_record_chooser_finalize;
  g_type_ensure (SONDE_TYPE_RUN_TITLE);
  g_type_ensure (SONDE_TYPE_STEP_SCALE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeRecordChooser, tag_choice);
  gtk_widget_class_bind_template_child (widget_class, SondeRecordChooser, run_title);
  gtk_widget_class_bind_template_child (widget_class, SondeRecordChooser, scale);
  gtk_widget_class_bind_template_callback (widget_class, on_tag_chosen);
}

static void
sonde_record_chooser_init (SondeRecordChooser *chooser)
{
  chooser->names = gtk_string_list_new (NULL);
  chooser->choices = g_array_new (FALSE, FALSE, sizeof (Choice));
  chooser->updating = TRUE; /* until it is set up */
  gtk_widget_init_template (GTK_WIDGET (chooser));
  gtk_drop_down_set_model (chooser->tag_choice, G_LIST_MODEL (chooser->names));
  chooser->updating = FALSE;
}
