// libFuzzer's entry (compiler-rt, FuzzerInterface.h); it is there only in a build with -sanitize=fuzzer.
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
