#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run-sample.sh PROGRAM FILE: the program on a sample, or status 77, which skips the test.
[ -e "$2" ] || exit 77
exec "$1" "$2"
