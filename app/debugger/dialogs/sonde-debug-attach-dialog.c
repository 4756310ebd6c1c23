/* SPDX-License-Identifier: Apache-2.0
 * The window that attaches. What its entry says is what is attached to: a row that is selected writes its
 * address there. */
#include "app/debugger/dialogs/sonde-debug-attach-dialog.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-tooltip.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "engine/frontend/sonde-debug-connection.h"
#include "engine/frontend/sonde-debug-sessions.h"
#include "engine/session/client/sonde-session-target.h"
#include "viewers/paint/sonde-text-paint.h"

#include <string.h>

#define RESOURCE "/org/sonde/Sonde/debugger/dialogs/sonde-debug-attach-dialog.ui"
#define ROW_MARGIN 6 /* px, above and below two lines */
#define LOOK_SECONDS                                                                               \
  2 /* between looks at this machine; another is asked only when somebody wants it */

struct _SondeDebugAttachDialog
{
  AdwWindow parent_instance;

  GtkWidget *over; /* (nullable): weak */
  SondeDebugAttached attached;
  char *host;              /* (nullable): whose sessions are listed; NULL: this machine's */
  GCancellable *looking;   /* (nullable) */
  GCancellable *attaching; /* (nullable) */
  guint look_timeout;
  GtkWidget *ends, *address, *error, *where, *here, *refresh, *list, *none, *attach, *stop,
      *spinner;
};

G_DEFINE_FINAL_TYPE (SondeDebugAttachDialog, sonde_debug_attach_dialog, ADW_TYPE_WINDOW)

static const char *
get_address (SondeDebugAttachDialog *self)
{
  return gtk_editable_get_text (GTK_EDITABLE (self->address));
}

static void
say_error (SondeDebugAttachDialog *self, const char *sentence)
{
  gtk_label_set_text (GTK_LABEL (self->error), sentence != NULL ? sentence : "");
  gtk_widget_set_visible (self->error, sentence != NULL);
}

/* What can be done now: something runs, or something could. */
static void
update (SondeDebugAttachDialog *self)
{
  gboolean is_attaching = self->attaching != NULL, has_address = *get_address (self) != '\0';
  gboolean is_busy = is_attaching || (self->looking != NULL && self->host != NULL);

  gtk_widget_set_visible (self->attach, !is_attaching);
  gtk_widget_set_visible (self->stop, is_attaching);
  gtk_widget_set_sensitive (self->attach, has_address);
  gtk_widget_set_visible (self->here, self->host != NULL);
  gtk_widget_set_sensitive (self->refresh, self->looking == NULL);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), is_busy);
}

/* ---- the list ------------------------------------------------------------ */

/* "12", or "ssh:HOST:12". (transfer full) */
static char *
dup_address (SondeDebugAttachDialog *self, int pid)
{
  const char *bracket = self->host != NULL && strchr (self->host, ':') != NULL ? "[" : "";

  if (self->host == NULL)
    return g_strdup_printf ("%d", pid);
  return g_strdup_printf ("ssh:%s%s%s:%d", bracket, self->host, *bracket != '\0' ? "]" : "", pid);
}

static int
pid_of (GtkListBoxRow *row)
{
  return GPOINTER_TO_INT (g_object_get_data (G_OBJECT (row), "pid"));
}

static void
fill_row (GtkListBoxRow *row, const SondeSessionEntry *entry)
{
  GtkWidget *words = gtk_widget_get_first_child (gtk_list_box_row_get_child (row));
  GtkWidget *title = gtk_widget_get_first_child (words),
            *detail = gtk_widget_get_next_sibling (title);
  g_autofree char *name
      = sonde_text_make_visible (*entry->title != '\0' ? entry->title : _ ("No title"));
  g_autofree char *raw = sonde_debug_sessions_describe (entry);
  g_autofree char *facts = sonde_text_make_visible (raw);

  gtk_label_set_text (GTK_LABEL (title), name);
  gtk_label_set_text (GTK_LABEL (detail), facts);
  sonde_set_tooltip (GTK_WIDGET (row), facts);
}

static void
add_row (SondeDebugAttachDialog *self, const SondeSessionEntry *entry)
{
  GtkWidget *box = sonde_debug_list_add (self->list);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *detail = sonde_debug_label (NULL, "dim-label");

  gtk_widget_set_hexpand (words, TRUE);
  gtk_widget_set_margin_top (words, ROW_MARGIN);
  gtk_widget_set_margin_bottom (words, ROW_MARGIN);
  gtk_label_set_ellipsize (GTK_LABEL (detail), PANGO_ELLIPSIZE_MIDDLE);
  gtk_box_append (GTK_BOX (words), sonde_debug_label (NULL, NULL));
  gtk_box_append (GTK_BOX (words), detail);
  gtk_box_append (GTK_BOX (box), words);
  g_object_set_data (G_OBJECT (sonde_debug_row_of (box)), "pid", GINT_TO_POINTER (entry->pid));
}

/* Whether the rows are those of @sessions already: then they stay, and with them the focus. */
static gboolean
has_rows_of (SondeDebugAttachDialog *self, GPtrArray *sessions)
{
  GtkListBox *list = GTK_LIST_BOX (self->list);

  for (guint i = 0; i < sessions->len; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (list, (int) i);

      if (row == NULL || pid_of (row) != ((SondeSessionEntry *) sessions->pdata[i])->pid)
        return FALSE;
    }
  return gtk_list_box_get_row_at_index (list, (int) sessions->len) == NULL;
}

/* The row that the entry speaks of, if there is one. */
static void
select_row_of_address (SondeDebugAttachDialog *self)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), i)) != NULL; i++)
    {
      g_autofree char *address = dup_address (self, pid_of (row));

      if (g_str_equal (address, get_address (self)))
        {
          gtk_list_box_select_row (GTK_LIST_BOX (self->list), row);
          return;
        }
    }
  gtk_list_box_unselect_all (GTK_LIST_BOX (self->list));
}

static void
show_sessions (SondeDebugAttachDialog *self, GPtrArray *sessions)
{
  gboolean stays = has_rows_of (self, sessions);
  gboolean was_empty = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0) == NULL;

  gtk_widget_set_visible (self->none, TRUE);
  if (!stays)
    sonde_debug_list_clear (self->list);
  for (guint i = 0; i < sessions->len; i++)
    {
      if (!stays)
        add_row (self, sessions->pdata[i]);
      fill_row (gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), (int) i),
                sessions->pdata[i]);
    }
  if (stays)
    return;
  select_row_of_address (self);
  if (was_empty && *get_address (self) == '\0')
    gtk_list_box_select_row (GTK_LIST_BOX (self->list),
                             gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list), 0));
}

static void
on_row_selected (SondeDebugAttachDialog *self, GtkListBoxRow *row)
{
  g_autofree char *address = row != NULL ? dup_address (self, pid_of (row)) : NULL;

  if (address == NULL || g_str_equal (address, get_address (self)))
    return;
  gtk_editable_set_text (GTK_EDITABLE (self->address), address);
  gtk_editable_select_region (GTK_EDITABLE (self->address), 0, -1); /* typing begins anew */
}

static void
on_address_changed (SondeDebugAttachDialog *self)
{
  say_error (self, NULL);
  select_row_of_address (self);
  update (self);
}

/* ---- looking ------------------------------------------------------------- */

static void
on_found (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugAttachDialog) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) sessions = sonde_debug_sessions_find_finish (result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->looking)
    return; /* another machine is looked at meanwhile, or nobody waits any more */
  g_clear_object (&self->looking);
  if (sessions != NULL)
    show_sessions (self, sessions);
  else
    say_error (self, sonde_error_get_text (error));
  update (self);
}

static void
look (SondeDebugAttachDialog *self)
{
  if (self->looking != NULL)
    return;
  self->looking = g_cancellable_new ();
  sonde_debug_sessions_find_async (self->host, self->looking, on_found, g_object_ref (self));
  update (self);
}

static gboolean
on_look_again (gpointer dialog)
{
  SondeDebugAttachDialog *self = dialog;

  if (self->host == NULL && self->attaching == NULL)
    look (self);
  return G_SOURCE_CONTINUE;
}

/* @host: (nullable) */
static void
look_at (SondeDebugAttachDialog *self, const char *host)
{
  g_autofree char *title = host != NULL ? g_strdup_printf (_ ("On “%s”"), host) : NULL;
  char *own = g_strdup (host);

  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  g_free (self->host);
  self->host = own;
  sonde_debug_list_clear (self->list);
  gtk_widget_set_visible (self->none, FALSE); /* until that is known */
  gtk_label_set_text (GTK_LABEL (self->where), title != NULL ? title : _ ("On This Computer"));
  gtk_label_set_text (GTK_LABEL (self->none),
                      host != NULL ? _ ("No session of yours was found there.")
                                   : _ ("No process waits for a debugger. Start a PyTorch program "
                                        "with “python -m sonde.debug SCRIPT”, or a training with "
                                        "“sonde train”."));
  look (self);
}

static void
on_here (SondeDebugAttachDialog *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->address), "");
  look_at (self, NULL);
  gtk_widget_grab_focus (self->address);
}

static void
on_refresh (SondeDebugAttachDialog *self)
{
  say_error (self, NULL);
  look (self);
}

/* ---- attaching ----------------------------------------------------------- */

static void
on_attached (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDebugAttachDialog *self = SONDE_DEBUG_ATTACH_DIALOG (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = g_task_propagate_pointer (G_TASK (result), &error);
  gboolean is_wanted = g_task_get_cancellable (G_TASK (result)) == self->attaching;

  if (client != NULL && (!is_wanted || self->over == NULL))
    sonde_session_client_detach (client);
  if (!is_wanted)
    return;
  g_clear_object (&self->attaching);
  update (self);
  if (client != NULL && self->over != NULL)
    {
      self->attached (self->over, g_steal_pointer (&client));
      gtk_window_close (GTK_WINDOW (self));
      return;
    }
  if (error != NULL)
    say_error (self, sonde_error_get_text (error));
  gtk_widget_grab_focus (self->address);
  if (self->host == NULL)
    look (self); /* what is gone is not listed any longer */
}

static void
connect_to (SondeDebugAttachDialog *self, const char *address)
{
  const SondeOpenRequest nothing = { 0 };
  SondeDebugConnecting *connecting = sonde_debug_connecting_new (&nothing);

  connecting->target = g_strdup (address);
  self->attaching = g_cancellable_new ();
  update (self);
  gtk_widget_grab_focus (self->stop);
  sonde_debug_connect_async (self, connecting, self->attaching, on_attached);
}

/* A machine without a process has its sessions listed. */
static void
on_attach (SondeDebugAttachDialog *self)
{
  g_autofree char *address = g_strstrip (g_strdup (get_address (self)));
  g_auto (SondeSessionTarget) target = { 0 };
  g_autoptr (GError) error = NULL;

  say_error (self, NULL);
  if (*address == '\0' || self->attaching != NULL)
    return;
  if (!sonde_session_target_parse (address, &target, &error))
    say_error (self, _ ("That is no address: a process ID, ssh:HOST for the sessions of another "
                        "machine, or ssh:HOST:PID for one of them."));
  else if (target.pid == 0)
    look_at (self, target.host);
  else
    connect_to (self, address);
}

static void
give_up (SondeDebugAttachDialog *self)
{
  g_cancellable_cancel (self->attaching);
  g_clear_object (&self->attaching);
}

static void
on_stop (SondeDebugAttachDialog *self)
{
  give_up (self);
  update (self);
  gtk_widget_grab_focus (self->address);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_attach_dialog_dispose (GObject *object)
{
  SondeDebugAttachDialog *self = SONDE_DEBUG_ATTACH_DIALOG (object);

  g_clear_weak_pointer (&self->over);
  g_clear_pointer (&self->host, g_free);
  G_OBJECT_CLASS (sonde_debug_attach_dialog_parent_class)->dispose (object);
}

/* Closed, or destroyed with its parent. A thread may hold the dialog for longer than the parent lives, to
 * which it would go on pointing. */
static void
sonde_debug_attach_dialog_unrealize (GtkWidget *widget)
{
  SondeDebugAttachDialog *self = SONDE_DEBUG_ATTACH_DIALOG (widget);

  g_clear_handle_id (&self->look_timeout, g_source_remove);
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  give_up (self);
  GTK_WIDGET_CLASS (sonde_debug_attach_dialog_parent_class)->unrealize (widget);
  gtk_window_set_transient_for (GTK_WINDOW (self), NULL);
}

static void
sonde_debug_attach_dialog_class_init (SondeDebugAttachDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_attach_dialog_dispose;
  widget_class->unrealize = sonde_debug_attach_dialog_unrealize;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, ends);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, address);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, error);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, where);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, here);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, refresh);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, list);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, none);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, attach);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, stop);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttachDialog, spinner);
  gtk_widget_class_bind_template_callback (widget_class, on_address_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_attach);
  gtk_widget_class_bind_template_callback (widget_class, on_here);
  gtk_widget_class_bind_template_callback (widget_class, on_refresh);
  gtk_widget_class_bind_template_callback (widget_class, on_row_selected);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
sonde_debug_attach_dialog_init (SondeDebugAttachDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
sonde_debug_attach_dialog_open (GtkWidget *over, gboolean ends, SondeDebugAttached attached)
{
  SondeDebugAttachDialog *self = g_object_new (SONDE_TYPE_DEBUG_ATTACH_DIALOG, NULL);

  g_set_weak_pointer (&self->over, over);
  self->attached = attached;
  gtk_widget_set_visible (self->ends, ends);
  gtk_window_set_transient_for (GTK_WINDOW (self), GTK_WINDOW (gtk_widget_get_root (over)));
  look_at (self, NULL);
  self->look_timeout = g_timeout_add_seconds (LOOK_SECONDS, on_look_again, self);
  gtk_window_present (GTK_WINDOW (self));
  gtk_widget_grab_focus (self->address);
}
