/* SPDX-License-Identifier: Apache-2.0
 * Parts of the system's table that a test calls by themselves. */
#pragma once

#include "data/base/sonde-io.h"

/* open_beneath() where the kernel has no openat2() (before Linux 5.6, some containers): one name
 * after the other, none of them a link and none "..", leads to the same files or to none. */
int sonde_io_walk_beneath (int dirfd, const char *path);
