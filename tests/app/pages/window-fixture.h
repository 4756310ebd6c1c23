/* SPDX-License-Identifier: Apache-2.0
 * The real window on a run in a temporary folder, with its settings and index in there too. */
#pragma once

#include "app/sonde-application.h"
#include "app/sonde-window.h"
#include "tests/support/sonde-test-run.h"

typedef struct
{
  char *folder;
  const SondeIo *io;           /* (nullable): of the store */
  SondeTestRun *run_a, *run_b; /* of runs/group/a, runs/group/b */
  SondeWorkspace *workspace;
  SondeWindow *window;
} WindowFixture;

/* In main(), before anything asks for a folder of the user. FALSE: there is no display. */
gboolean window_fixture_prepare (void);

/* Two runs with 200 steps each; nothing is opened yet. */
void window_fixture_init (WindowFixture *fixture);
/* The window on them, 1000 × 700, presented, on the page @name and settled. */
void window_fixture_open (WindowFixture *fixture, const char *name);
/* The same on @paths (array zero-terminated=1) with a request (nullable); @fixture->folder must be
 * there. @name: (nullable): NULL leaves the page that the window chooses. */
/* The window without what it shows: sonde_workspace_start() is the caller's. */
void window_fixture_present (WindowFixture *fixture, const char *const *paths, const char *name,
                             const SondePageRequest *request);
void window_fixture_open_paths (WindowFixture *fixture, const char *const *paths, const char *name,
                                const SondePageRequest *request);
/* Closes the window as a person would. */
void window_fixture_close (WindowFixture *fixture);
void window_fixture_clear (WindowFixture *fixture);

/* Iterates until @condition (a poll, no sleep); fails the test after 30 s. */
typedef gboolean (*WindowCondition) (WindowFixture *fixture, const void *data);
void window_fixture_wait (WindowFixture *fixture, WindowCondition condition, const void *data);
/* The visible page has settled and a frame was drawn since. */
void window_fixture_settle (WindowFixture *fixture);

/* First widget of that type below @widget, depth first. (nullable) (transfer none) */
GtkWidget *window_fixture_find (GtkWidget *widget, GType type);

/* First visible label or inscription below @widget whose text begins with @prefix. (nullable)
 * (transfer none) */
GtkWidget *window_fixture_find_label (GtkWidget *widget, const char *prefix);

/* A key as the focused widget and those around it take it by their shortcuts; Tab moves the focus.
 * FALSE: nobody did. */
gboolean window_fixture_press (WindowFixture *fixture, guint key, GdkModifierType modifiers);
/* Tab until the focus is in @widget; fails the test when it never gets there. */
void window_fixture_tab_to (WindowFixture *fixture, GtkWidget *widget);
