/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-history.h"

#define MAX_STEPS 200

typedef struct
{
  char *label;
  SondeHistoryFunc apply;
  gpointer data;
  GDestroyNotify destroy;
} Step;

struct _SondeHistory
{
  GObject parent_instance;
  GPtrArray *steps; /* element-type Step */
  guint n_done;     /* the first of them are done, the others undone */
  gboolean applying;
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (SondeHistory, sonde_history, G_TYPE_OBJECT)

static void
step_free (Step *step)
{
  if (step->destroy != NULL)
    step->destroy (step->data);
  g_free (step->label);
  g_free (step);
}

void
sonde_history_add (SondeHistory *history, const char *label, SondeHistoryFunc apply, gpointer data,
                   GDestroyNotify destroy)
{
  Step *step;

  g_return_if_fail (SONDE_IS_HISTORY (history) && label != NULL && apply != NULL);
  step = g_new (Step, 1);
  *step = (Step){ g_strdup (label), apply, data, destroy };
  if (history->applying)
    {
      step_free (step);
      return;
    }
  g_ptr_array_set_size (history->steps, (int) history->n_done);
  if (history->n_done == MAX_STEPS)
    g_ptr_array_remove_index (history->steps, 0);
  g_ptr_array_add (history->steps, step);
  history->n_done = history->steps->len;
  g_signal_emit (history, changed_signal, 0);
}

static void
apply (SondeHistory *history, guint i, gboolean redo)
{
  Step *step = history->steps->pdata[i];

  history->applying = TRUE;
  step->apply (step->data, redo);
  history->applying = FALSE;
  g_signal_emit (history, changed_signal, 0);
}

gboolean
sonde_history_undo (SondeHistory *history)
{
  g_return_val_if_fail (SONDE_IS_HISTORY (history), FALSE);
  if (history->n_done == 0 || history->applying)
    return FALSE;
  apply (history, --history->n_done, FALSE);
  return TRUE;
}

gboolean
sonde_history_redo (SondeHistory *history)
{
  g_return_val_if_fail (SONDE_IS_HISTORY (history), FALSE);
  if (history->n_done == history->steps->len || history->applying)
    return FALSE;
  apply (history, history->n_done++, TRUE);
  return TRUE;
}

static const char *
get_label (SondeHistory *history, guint i)
{
  return i < history->steps->len ? ((Step *) history->steps->pdata[i])->label : NULL;
}

const char *
sonde_history_get_undo (SondeHistory *history)
{
  g_return_val_if_fail (SONDE_IS_HISTORY (history), NULL);
  return history->n_done > 0 ? get_label (history, history->n_done - 1) : NULL;
}

const char *
sonde_history_get_redo (SondeHistory *history)
{
  g_return_val_if_fail (SONDE_IS_HISTORY (history), NULL);
  return get_label (history, history->n_done);
}

static void
sonde_history_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_HISTORY (object)->steps);
  G_OBJECT_CLASS (sonde_history_parent_class)->finalize (object);
}

static void
sonde_history_class_init (SondeHistoryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_history_finalize;
  changed_signal = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_history_init (SondeHistory *history)
{
  history->steps = g_ptr_array_new_with_free_func ((GDestroyNotify) step_free);
}

SondeHistory *
sonde_history_new (void)
{
  return g_object_new (SONDE_TYPE_HISTORY, NULL);
}
