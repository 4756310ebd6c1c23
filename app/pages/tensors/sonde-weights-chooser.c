/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/tensors/sonde-weights-chooser.h"

#include <sys/stat.h>

#include "data/arrays/sonde-weight-files.h"
#include "data/base/sonde-error.h"
#include "viewers/paint/sonde-text-paint.h"

struct _SondeWeightsChooser
{
  GtkBox parent_instance;
  GtkDropDown *file, *tensor;
  GtkStringList *file_names, *tensor_names;
  GPtrArray *files; /* (nullable) (element-type SondeWeightFile) */
  char *folder;     /* (nullable): that was looked at, when it had changed at @changed */
  struct timespec changed;
  char *chosen; /* (nullable): path of the file */
  SondeNamedTensors *tensors;
  char *problem;
  GCancellable *reading; /* (nullable) */
  gboolean filling;
  gboolean by_itself; /* nobody chose the file: there were no records */
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeWeightsChooser, sonde_weights_chooser, GTK_TYPE_BOX)

static void
tell (SondeWeightsChooser *chooser)
{
  g_signal_emit (chooser, signals[CHANGED], 0);
}

/* ---- reading --------------------------------------------------------------- */

static void
read_in_thread (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  SondeNamedTensors *tensors = sonde_weight_file_read (NULL, task_data, &error);

  if (tensors != NULL)
    g_task_return_pointer (task, tensors, (GDestroyNotify) sonde_named_tensors_free);
  else
    g_task_return_error (task, error);
}

static void
fill_tensors (SondeWeightsChooser *chooser)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  guint before = g_list_model_get_n_items (G_LIST_MODEL (chooser->tensor_names)),
        selected = gtk_drop_down_get_selected (chooser->tensor);
  gsize n = chooser->tensors != NULL ? sonde_named_tensors_get_size (chooser->tensors) : 0;

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (names,
                     sonde_text_make_visible (sonde_named_tensors_get_name (chooser->tensors, i)));
  g_ptr_array_add (names, NULL);
  chooser->filling = TRUE;
  gtk_string_list_splice (chooser->tensor_names, 0, before, (const char *const *) names->pdata);
  if (n > 0) /* of another step the same tensor */
    gtk_drop_down_set_selected (chooser->tensor, selected < n ? selected : 0);
  chooser->filling = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (chooser->tensor), n > 0);
}

static void
on_read (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeWeightsChooser *chooser = SONDE_WEIGHTS_CHOOSER (source);
  g_autoptr (GError) error = NULL;
  SondeNamedTensors *tensors = g_task_propagate_pointer (G_TASK (result), &error);

  /* Another file took its place. */
  if (chooser->reading != g_task_get_cancellable (G_TASK (result)))
    {
      sonde_named_tensors_free (tensors);
      return;
    }
  g_clear_object (&chooser->reading);
  chooser->tensors = tensors;
  chooser->problem = error != NULL ? g_strdup (sonde_error_get_text (error)) : NULL;
  fill_tensors (chooser);
  tell (chooser);
}

static void
forget_file (SondeWeightsChooser *chooser)
{
  if (chooser->reading != NULL)
    g_cancellable_cancel (chooser->reading);
  g_clear_object (&chooser->reading);
  g_clear_pointer (&chooser->tensors, sonde_named_tensors_free);
  g_clear_pointer (&chooser->problem, g_free);
}

static void
read_file (SondeWeightsChooser *chooser)
{
  g_autoptr (GTask) task = NULL;

  forget_file (chooser);
  if (chooser->chosen != NULL)
    {
      chooser->reading = g_cancellable_new ();
      task = g_task_new (chooser, chooser->reading, on_read, NULL);
      g_task_set_check_cancellable (task, FALSE);
      g_task_set_task_data (task, g_strdup (chooser->chosen), g_free);
      g_task_run_in_thread (task, read_in_thread);
    }
  else
    fill_tensors (chooser);
  tell (chooser);
}

/* ---- choices --------------------------------------------------------------- */

static const SondeWeightFile *
find_chosen (SondeWeightsChooser *chooser)
{
  guint at = gtk_drop_down_get_selected (chooser->file);

  return chooser->files != NULL && at >= 1 && at != GTK_INVALID_LIST_POSITION
                 && at - 1 < chooser->files->len
             ? chooser->files->pdata[at - 1]
             : NULL;
}

static void
on_file (SondeWeightsChooser *chooser)
{
  const SondeWeightFile *file = find_chosen (chooser);

  if (chooser->filling || g_strcmp0 (chooser->chosen, file != NULL ? file->path : NULL) == 0)
    return;
  chooser->by_itself = FALSE;
  g_free (chooser->chosen);
  chooser->chosen = file != NULL ? g_strdup (file->path) : NULL;
  read_file (chooser);
}

static void
on_tensor (SondeWeightsChooser *chooser)
{
  if (!chooser->filling && chooser->tensors != NULL)
    tell (chooser);
}

static gboolean
is_same (const GPtrArray *a, const GPtrArray *b)
{
  if (a == NULL || a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!g_str_equal (((SondeWeightFile *) a->pdata[i])->path,
                      ((SondeWeightFile *) b->pdata[i])->path))
      return FALSE;
  return TRUE;
}

/* The files' names, with the choice where it was; @usual: what is chosen else */
static void
fill_files (SondeWeightsChooser *chooser, guint usual)
{
  guint before = g_list_model_get_n_items (G_LIST_MODEL (chooser->file_names)), at = usual;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (names, g_strdup (_ ("Recorded")));
  for (guint i = 0; i < chooser->files->len; i++)
    {
      const SondeWeightFile *file = chooser->files->pdata[i];

      g_ptr_array_add (names, sonde_text_make_visible (file->name));
      if (g_strcmp0 (file->path, chooser->chosen) == 0)
        at = i + 1;
    }
  g_ptr_array_add (names, NULL);
  chooser->filling = TRUE;
  gtk_string_list_splice (chooser->file_names, 0, before, (const char *const *) names->pdata);
  gtk_drop_down_set_selected (chooser->file, at);
  chooser->filling = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (chooser), chooser->files->len > 0);
  on_file (chooser);
  chooser->by_itself = chooser->by_itself || (usual > 0 && at == usual);
}

/* Whether files may have come or gone since it was looked at. */
static gboolean
is_new (SondeWeightsChooser *chooser, const char *folder)
{
  struct stat status;
  gboolean same;

  if (stat (folder, &status) != 0)
    status.st_mtim = (struct timespec){ 0 };
  same = g_strcmp0 (folder, chooser->folder) == 0
         && status.st_mtim.tv_sec == chooser->changed.tv_sec
         && status.st_mtim.tv_nsec == chooser->changed.tv_nsec;
  g_free (chooser->folder);
  chooser->folder = g_strdup (folder);
  chooser->changed = status.st_mtim;
  return !same;
}

void
sonde_weights_chooser_set_run (SondeWeightsChooser *chooser, const char *run, gboolean has_records)
{
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) files = NULL;

  g_return_if_fail (SONDE_IS_WEIGHTS_CHOOSER (chooser));
  folder = run != NULL ? g_build_filename (run, "checkpoints", NULL) : g_strdup ("");
  if (chooser->by_itself && has_records) /* they came later */
    gtk_drop_down_set_selected (chooser->file, 0);
  if (!is_new (chooser, folder))
    return;
  files = sonde_weight_files_list (folder);
  if (is_same (chooser->files, files))
    return;
  g_clear_pointer (&chooser->files, g_ptr_array_unref);
  chooser->files = g_steal_pointer (&files);
  fill_files (chooser, has_records ? 0 : chooser->files->len);
}

guint
sonde_weights_chooser_get_n_files (SondeWeightsChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_WEIGHTS_CHOOSER (chooser), 0);
  return chooser->files != NULL ? chooser->files->len : 0;
}

gboolean
sonde_weights_chooser_is_active (SondeWeightsChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_WEIGHTS_CHOOSER (chooser), FALSE);
  return chooser->chosen != NULL;
}

gboolean
sonde_weights_chooser_is_busy (SondeWeightsChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_WEIGHTS_CHOOSER (chooser), FALSE);
  return chooser->reading != NULL;
}

SondeTensor *
sonde_weights_chooser_get_tensor (SondeWeightsChooser *chooser, const char **name, gint64 *step)
{
  const SondeWeightFile *file;
  guint at;

  g_return_val_if_fail (SONDE_IS_WEIGHTS_CHOOSER (chooser), NULL);
  file = find_chosen (chooser);
  at = gtk_drop_down_get_selected (chooser->tensor);
  if (file == NULL || chooser->tensors == NULL
      || at >= sonde_named_tensors_get_size (chooser->tensors))
    return NULL;
  *name = sonde_named_tensors_get_name (chooser->tensors, at);
  *step = file->step;
  return sonde_named_tensors_get_tensor (chooser->tensors, at);
}

const char *
sonde_weights_chooser_get_problem (SondeWeightsChooser *chooser)
{
  g_return_val_if_fail (SONDE_IS_WEIGHTS_CHOOSER (chooser), NULL);
  return chooser->problem;
}

/* ---- widgets --------------------------------------------------------------- */

static GtkDropDown *
add_choice (SondeWeightsChooser *chooser, GtkStringList *names, const char *title,
            GCallback callback)
{
  GtkWidget *drop_down = gtk_drop_down_new (G_LIST_MODEL (g_object_ref (names)), NULL);

  gtk_widget_set_tooltip_text (drop_down, title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  gtk_box_append (GTK_BOX (chooser), drop_down);
  g_signal_connect_swapped (drop_down, "notify::selected", callback, chooser);
  return GTK_DROP_DOWN (drop_down);
}

static void
sonde_weights_chooser_dispose (GObject *object)
{
  SondeWeightsChooser *chooser = SONDE_WEIGHTS_CHOOSER (object);

  forget_file (chooser);
  g_clear_pointer (&chooser->files, g_ptr_array_unref);
  g_clear_pointer (&chooser->chosen, g_free);
  g_clear_pointer (&chooser->folder, g_free);
  g_clear_object (&chooser->file_names);
  g_clear_object (&chooser->tensor_names);
  G_OBJECT_CLASS (sonde_weights_chooser_parent_class)->dispose (object);
}

static void
sonde_weights_chooser_class_init (SondeWeightsChooserClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_weights_chooser_dispose;
  signals[CHANGED] = g_signal_new ("changed", SONDE_TYPE_WEIGHTS_CHOOSER, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_weights_chooser_init (SondeWeightsChooser *chooser)
{
  gtk_box_set_spacing (GTK_BOX (chooser), 6);
  gtk_widget_set_valign (GTK_WIDGET (chooser), GTK_ALIGN_CENTER);
  gtk_widget_set_visible (GTK_WIDGET (chooser), FALSE);
  chooser->file_names = gtk_string_list_new (NULL);
  chooser->tensor_names = gtk_string_list_new (NULL);
  chooser->file = add_choice (chooser, chooser->file_names, _ ("Recorded tensors or a checkpoint"),
                              G_CALLBACK (on_file));
  chooser->tensor = add_choice (chooser, chooser->tensor_names, _ ("Tensor of the checkpoint"),
                                G_CALLBACK (on_tensor));
  gtk_widget_set_visible (GTK_WIDGET (chooser->tensor), FALSE);
}

GtkWidget *
sonde_weights_chooser_new (void)
{
  return g_object_new (SONDE_TYPE_WEIGHTS_CHOOSER, NULL);
}
