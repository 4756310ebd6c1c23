/* SPDX-License-Identifier: Apache-2.0 */
#include "data/base/sonde-message-variant.h"

GVariant *
sonde_message_to_variant (const SondeMessage *message)
{
  g_auto (GVariantBuilder) parts = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE (SONDE_MESSAGE_VARIANT));
  guint n = message != NULL ? sonde_message_get_n_parts (message) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_auto (GVariantBuilder) texts = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("as"));
      const char *const *arguments;
      const char *id = sonde_message_get_part (message, i, &arguments);

      for (gsize k = 0; arguments[k] != NULL; k++)
        g_variant_builder_add_value (
            &texts, g_variant_new_take_string (g_utf8_make_valid (arguments[k], -1)));
      g_variant_builder_add (&parts, "(@s@as)",
                             g_variant_new_take_string (g_utf8_make_valid (id, -1)),
                             g_variant_builder_end (&texts));
    }
  return g_variant_builder_end (&parts);
}

SondeMessage *
sonde_message_from_variant (GVariant *variant)
{
  gsize n = g_variant_n_children (variant);
  SondeMessage *message = n > 0 ? sonde_message_new_empty () : NULL;

  for (gsize i = 0; i < n; i++)
    {
      g_autofree const char **arguments = NULL;
      const char *id;

      g_variant_get_child (variant, i, "(&s^a&s)", &id, &arguments);
      sonde_message_add_part (message, id, arguments);
    }
  return message;
}

GVariant *
sonde_messages_to_variant (GPtrArray *messages)
{
  g_auto (GVariantBuilder) list = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE (SONDE_MESSAGES_VARIANT));

  for (guint i = 0; messages != NULL && i < messages->len; i++)
    g_variant_builder_add_value (&list, sonde_message_to_variant (g_ptr_array_index (messages, i)));
  return g_variant_builder_end (&list);
}

GPtrArray *
sonde_messages_from_variant (GVariant *variant)
{
  GPtrArray *messages = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);

  for (gsize i = 0; i < g_variant_n_children (variant); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (variant, i);
      SondeMessage *message = sonde_message_from_variant (child);

      if (message != NULL)
        g_ptr_array_add (messages, message);
    }
  return messages;
}
