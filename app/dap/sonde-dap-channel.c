/* SPDX-License-Identifier: Apache-2.0
 * Reading and writing messages. jsonrpc-glib speaks GVariant: json-glib converts both ways, which
 * keeps integers (64 bit), doubles, booleans, strings and null as they are. */
#include "app/dap/sonde-dap-channel.h"

#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <jsonrpc-glib.h>

#include "engine/ops/sonde-engine-error.h"

/**
 * SondeDapChannel:
 * @cancellable: of reading
 * @seq: of the last message that was sent; @n_queued: messages that are not written yet
 */
struct _SondeDapChannel
{
  GObject parent_instance;

  JsonrpcInputStream *input;
  JsonrpcOutputStream *output;
  GCancellable *cancellable;
  gint64 seq;
  guint n_queued;
  gboolean closed;
};

G_DEFINE_FINAL_TYPE (SondeDapChannel, sonde_dap_channel, G_TYPE_OBJECT)

enum
{
  MESSAGE,
  CLOSED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void read_next (SondeDapChannel *self);

static void
close_with (SondeDapChannel *self, const GError *error)
{
  if (self->closed)
    return;
  self->closed = TRUE;
  g_signal_emit (self, signals[CLOSED], 0, error);
}

/* ---- in ------------------------------------------------------------------ */

/* (transfer full) (nullable): NULL for a message that is not an object */
static JsonObject *
object_of (GVariant *message)
{
  g_autoptr (JsonNode) node = g_variant_is_of_type (message, G_VARIANT_TYPE_VARDICT)
                                  ? json_gvariant_serialize (message)
                                  : NULL;

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
             ? json_object_ref (json_node_get_object (node))
             : NULL;
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDapChannel) self = data;
  g_autoptr (GVariant) message = NULL;
  g_autoptr (GError) error = NULL, failure = NULL;
  g_autoptr (JsonObject) object = NULL;

  if (!jsonrpc_input_stream_read_message_finish (JSONRPC_INPUT_STREAM (source), result, &message,
                                                 &error))
    {
      /* jsonrpc-glib's answer to an end of input between two messages */
      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_FAILED)
          || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          close_with (self, NULL);
          return;
        }
      sonde_set_error (&failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The editor sent a message that violates the Debug Adapter Protocol: %s",
                       error->message);
      close_with (self, failure);
      return;
    }
  object = object_of (message);
  if (object == NULL)
    {
      sonde_set_error (&failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                       "The editor sent a message that is not a JSON object.");
      close_with (self, failure);
      return;
    }
  g_signal_emit (self, signals[MESSAGE], 0, object);
  if (!self->closed)
    read_next (self);
}

static void
read_next (SondeDapChannel *self)
{
  jsonrpc_input_stream_read_message_async (self->input, self->cancellable, on_read,
                                           g_object_ref (self));
}

void
sonde_dap_channel_start (SondeDapChannel *channel)
{
  read_next (channel);
}

void
sonde_dap_channel_stop (SondeDapChannel *channel)
{
  channel->closed = TRUE;
  g_cancellable_cancel (channel->cancellable);
}

/* ---- out ----------------------------------------------------------------- */

static void
on_written (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDapChannel) self = data;

  self->n_queued--;
  if (!jsonrpc_output_stream_write_message_finish (JSONRPC_OUTPUT_STREAM (source), result, NULL))
    close_with (self, NULL); /* the editor no longer reads */
}

void
sonde_dap_channel_send (SondeDapChannel *channel, JsonObject *message)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  g_autoptr (GVariant) variant = NULL;

  json_object_set_int_member (message, "seq", ++channel->seq);
  json_node_take_object (node, message);
  variant = g_variant_ref_sink (json_gvariant_deserialize (node, NULL, NULL));
  channel->n_queued++;
  jsonrpc_output_stream_write_message_async (channel->output, variant, NULL, on_written,
                                             g_object_ref (channel));
}

void
sonde_dap_channel_flush (SondeDapChannel *channel)
{
  while (channel->n_queued > 0)
    g_main_context_iteration (g_main_context_get_thread_default (), TRUE);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_dap_channel_dispose (GObject *object)
{
  SondeDapChannel *self = SONDE_DAP_CHANNEL (object);

  g_clear_object (&self->input);
  g_clear_object (&self->output);
  g_clear_object (&self->cancellable);
  G_OBJECT_CLASS (sonde_dap_channel_parent_class)->dispose (object);
}

static void
sonde_dap_channel_class_init (SondeDapChannelClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_dap_channel_dispose;
  signals[MESSAGE] = g_signal_new ("message", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, JSON_TYPE_OBJECT);
  signals[CLOSED] = g_signal_new ("closed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void
sonde_dap_channel_init (SondeDapChannel *self)
{
  self->cancellable = g_cancellable_new ();
}

SondeDapChannel *
sonde_dap_channel_new (int input, int output)
{
  SondeDapChannel *self = g_object_new (SONDE_TYPE_DAP_CHANNEL, NULL);
  g_autoptr (GInputStream) in = g_unix_input_stream_new (input, FALSE);
  g_autoptr (GOutputStream) out = g_unix_output_stream_new (output, FALSE);

  self->input = jsonrpc_input_stream_new (in);
  self->output = jsonrpc_output_stream_new (out);
  return self;
}
