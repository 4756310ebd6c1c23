/* SPDX-License-Identifier: Apache-2.0
 * The memory of a plan: the picture, the values that live in a step and why, and what would lower the
 * peak. */
#pragma once

#include <adwaita.h>

#include "data/profiles/sonde-profile-facts.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MEMORY_PLAN (sonde_memory_plan_get_type ())
G_DECLARE_FINAL_TYPE (SondeMemoryPlan, sonde_memory_plan, SONDE, MEMORY_PLAN, AdwBin)

/* @timeline: with lifetimes and steps; lives as long as @owner, of which a reference is kept */
GtkWidget *sonde_memory_plan_new (const SondeMemoryTimeline *timeline, GObject *owner);

/* The step whose values are listed: at first the peak. */
void sonde_memory_plan_set_step (SondeMemoryPlan *plan, guint step);
guint sonde_memory_plan_get_step (SondeMemoryPlan *plan);

G_END_DECLS
