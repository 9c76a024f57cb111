#include "SHA256Instructions.h"

/* FIPS 180-4 §4.2.2 */
#if defined(__x86_64__) || defined(__aarch64__)
static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
#endif

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

bool sha256_instructions_available(void) {
    unsigned a, b, c, d;
    /* Intel SDM vol. 2, CPUID: leaf 1, ECX bit 9 is SSSE3 and bit 19 SSE4.1; leaf 7, EBX bit 29 is SHA. */
    if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
    if (!(c & (1u << 9)) || !(c & (1u << 19))) return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    return (b & (1u << 29)) != 0;
}

/* The instructions want the state as (A, B, E, F) and (C, D, G, H), highest word first. */
__attribute__((target("sha,sse4.1,ssse3")))
void sha256_instructions_compress(uint32_t state[8], const void *blocks, size_t count) {
    const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i *next = blocks;
    const __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    const __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8);
    __m128i cdgh = _mm_blend_epi16(high, low, 0xf0);

    for (; count > 0; count--, next += 4) {
        const __m128i abefBefore = abef;
        const __m128i cdghBefore = cdgh;
        /* The last 16 words of the message schedule, four in each. */
        __m128i words[4];
#pragma clang loop unroll(full)
        for (int group = 0; group < 16; group++) {
            __m128i *here = &words[group & 3];
            if (group < 4) {
                *here = _mm_shuffle_epi8(_mm_loadu_si128(next + group), bigEndian);
            } else {
                const __m128i last = words[(group + 3) & 3];
                const __m128i sevenBack = _mm_alignr_epi8(last, words[(group + 2) & 3], 4);
                const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(*here, words[(group + 1) & 3]), sevenBack);
                *here = _mm_sha256msg2_epu32(sum, last);
            }
            const __m128i added =
                _mm_add_epi32(*here, _mm_load_si128((const __m128i *)(constants + 4 * group)));
            /* Two rounds each: the result is the new (A, B, E, F), and the old one is the new (C, D, G, H). */
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
        }
        abef = _mm_add_epi32(abef, abefBefore);
        cdgh = _mm_add_epi32(cdgh, cdghBefore);
    }

    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#elif defined(__aarch64__)

#include <arm_neon.h>

#if defined(__linux__)
#include <sys/auxv.h>

/* HWCAP_SHA2 of the kernel's <asm/hwcap.h> */
bool sha256_instructions_available(void) { return (getauxval(AT_HWCAP) & (1ul << 6)) != 0; }
#elif defined(__APPLE__)
/* Every 64-bit ARM processor that runs iOS 12 or macOS has them. */
bool sha256_instructions_available(void) { return true; }
#else
bool sha256_instructions_available(void) { return false; }
#endif

__attribute__((target("+sha2")))
void sha256_instructions_compress(uint32_t state[8], const void *blocks, size_t count) {
    const uint8_t *next = blocks;
    uint32x4_t abcd = vld1q_u32(state);
    uint32x4_t efgh = vld1q_u32(state + 4);

    for (; count > 0; count--, next += 64) {
        const uint32x4_t abcdBefore = abcd;
        const uint32x4_t efghBefore = efgh;
        /* The last 16 words of the message schedule, four in each. */
        uint32x4_t words[4];
#pragma clang loop unroll(full)
        for (int group = 0; group < 16; group++) {
            uint32x4_t *here = &words[group & 3];
            if (group < 4) {
                *here = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(next + 16 * group)));
            } else {
                *here = vsha256su1q_u32(
                    vsha256su0q_u32(*here, words[(group + 1) & 3]), words[(group + 2) & 3], words[(group + 3) & 3]);
            }
            const uint32x4_t added = vaddq_u32(*here, vld1q_u32(constants + 4 * group));
            /* Four rounds; each half needs the other one's old value. */
            const uint32x4_t old = abcd;
            abcd = vsha256hq_u32(abcd, efgh, added);
            efgh = vsha256h2q_u32(efgh, old, added);
        }
        abcd = vaddq_u32(abcd, abcdBefore);
        efgh = vaddq_u32(efgh, efghBefore);
    }

    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}

#else

bool sha256_instructions_available(void) { return false; }

void sha256_instructions_compress(uint32_t state[8], const void *blocks, size_t count) {
    (void)state;
    (void)blocks;
    (void)count;
    __builtin_trap();
}

#endif
