/* SPDX-License-Identifier: Apache-2.0
 * Whether the methods compute what they should, here and now: cases whose answer is known. */
#pragma once

#include <adwaita.h>

#include "explain/browsing/sonde-explain-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SELF_TEST_VIEW (sonde_self_test_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeSelfTestView, sonde_self_test_view, SONDE, SELF_TEST_VIEW, AdwBin)

/* @client: (nullable): whom it asks; referenced. No session needs to be open. */
GtkWidget *sonde_self_test_view_new (SondeExplainClient *client);
void sonde_self_test_view_set_client (SondeSelfTestView *view, SondeExplainClient *client);
/* As the button does. */
void sonde_self_test_view_run (SondeSelfTestView *view);
gboolean sonde_self_test_view_is_running (SondeSelfTestView *view);
/* @checks: (element-type SondeSelfTestCheck) */
void sonde_self_test_view_set_checks (SondeSelfTestView *view, GPtrArray *checks);

G_END_DECLS
