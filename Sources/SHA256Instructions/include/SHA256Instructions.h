#ifndef SHA256_INSTRUCTIONS_H
#define SHA256_INSTRUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// SHA-256 by the processor's own instructions: the SHA extensions of x86-64 and the cryptographic extension of
/// ARMv8. Swift has no intrinsics for them; this is the only C in the package. `Core` has the same function in
/// Swift, which is the reference in tests and takes over where a processor has no such instructions.

/// Whether this processor has the instructions. The answer does not change while the process lives.
bool sha256_instructions_available(void);

/// FIPS 180-4 §6.2.2 over `count` blocks of 64 bytes, of any alignment. `state` is the intermediate hash value, eight
/// words in the order of the standard. Must not be called where `sha256_instructions_available` is false.
void sha256_instructions_compress(uint32_t state[8], const void *blocks, size_t count);

#endif
