/* SPDX-License-Identifier: MIT */
#include "command.h"
const command command_verify = {.name = "verify"};
