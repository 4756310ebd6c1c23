/* SPDX-License-Identifier: Apache-2.0
 * Messages as GVariants: ids and arguments part by part, so that another process, or a later one, shows
 * them in its user's language. */
#pragma once

#include "data/base/sonde-message.h"

G_BEGIN_DECLS

#define SONDE_MESSAGE_VARIANT "a(sas)" /* of one: id and arguments of each part */
#define SONDE_MESSAGES_VARIANT "a" SONDE_MESSAGE_VARIANT

/* Floating. @message: (nullable): without parts. Bytes that are no UTF-8 are replaced. */
GVariant *sonde_message_to_variant (const SondeMessage *message);
/* @variant: of that type. (transfer full) (nullable): without parts */
SondeMessage *sonde_message_from_variant (GVariant *variant);

/* The same of a list (element-type SondeMessage). @messages: (nullable) */
GVariant *sonde_messages_to_variant (GPtrArray *messages);
GPtrArray *sonde_messages_from_variant (GVariant *variant);

G_END_DECLS
