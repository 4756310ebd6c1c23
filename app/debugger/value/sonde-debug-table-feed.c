/* SPDX-License-Identifier: Apache-2.0
 * Blocks of a value. */
#include "app/debugger/value/sonde-debug-table-feed.h"

#include "app/debugger/dialogs/sonde-debug-change.h"
#include "viewers/layout/sonde-display-slice.h"
#include "data/base/sonde-error.h"

struct _SondeDebugTableFeed
{
  GObject parent_instance;

  SondeTensorTable *table;    /* (nullable): NULL once it is left */
  SondeDebugSession *session; /* borrowed */
  GCancellable *cancellable;  /* of this value's requests */
  char *name;                 /* (nullable) */
  SondeShape shape;
};

G_DEFINE_FINAL_TYPE (SondeDebugTableFeed, sonde_debug_table_feed, G_TYPE_OBJECT)

/* A block that was asked for. */
typedef struct
{
  SondeDebugTableFeed *self;
  gint64 row, column;
} Asked;

static void
on_block (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugTableFeed) self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (self->table == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (reply != NULL && reply->tensor != NULL)
    sonde_tensor_table_take_block (self->table, asked->row, asked->column, reply->tensor);
  else if (error != NULL)
    sonde_tensor_table_say (self->table, sonde_error_get_text (error));
}

static void
on_wanted (SondeDebugTableFeed *self, gint64 row, gint64 n_rows, gint64 column, gint64 n_columns)
{
  g_autofree char *slice
      = sonde_display_slice_of_rows (&self->shape, row, n_rows, column, n_columns);
  g_autofree char *text
      = *slice != '\0' ? g_strdup_printf ("%s[%s]", self->name, slice) : g_strdup (self->name);
  Asked *asked = g_new0 (Asked, 1);

  *asked = (Asked){ g_object_ref (self), row, column };
  if (sonde_debug_session_send (self->session, sonde_session_request_tensor (text),
                                self->cancellable, on_block, asked))
    return;
  g_object_unref (asked->self);
  g_free (asked);
}

static void
on_edit (SondeDebugTableFeed *self, const char *index, const char *number)
{
  g_autofree char *element = g_strconcat (self->name, index, NULL);

  sonde_debug_change_set (self->session, element, number);
}

static void
on_changed (SondeDebugTableFeed *self)
{
  sonde_tensor_table_set_editable (self->table, sonde_debug_session_can_go (self->session));
}

void
sonde_debug_table_feed_show (SondeDebugTableFeed *feed, const char *name, const SondeShape *shape)
{
  gboolean is_same = name != NULL && g_strcmp0 (name, feed->name) == 0
                     && sonde_shape_equal (shape, &feed->shape);
  char *copy = g_strdup (name);

  g_cancellable_cancel (feed->cancellable);
  g_clear_object (&feed->cancellable);
  feed->cancellable = g_cancellable_new ();
  g_free (feed->name);
  feed->name = copy;
  if (name != NULL)
    feed->shape = *shape;
  sonde_tensor_table_set_shape (feed->table, name != NULL ? &feed->shape : NULL, is_same);
}

static void
sonde_debug_table_feed_dispose (GObject *object)
{
  SondeDebugTableFeed *self = SONDE_DEBUG_TABLE_FEED (object);

  self->table = NULL;
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->name, g_free);
  G_OBJECT_CLASS (sonde_debug_table_feed_parent_class)->dispose (object);
}

static void
sonde_debug_table_feed_class_init (SondeDebugTableFeedClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_table_feed_dispose;
}

static void
sonde_debug_table_feed_init (SondeDebugTableFeed *self)
{
}

SondeDebugTableFeed *
sonde_debug_table_feed_new (SondeTensorTable *table, SondeDebugSession *session)
{
  SondeDebugTableFeed *self = g_object_new (SONDE_TYPE_DEBUG_TABLE_FEED, NULL);

  self->table = table;
  self->session = session;
  g_signal_connect_object (table, "wanted", G_CALLBACK (on_wanted), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (table, "edit", G_CALLBACK (on_edit), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  return self;
}
