/* CRC-32C with the processor's own instruction, over any buffer where it lies: for x86-64; others have HAS_CRC32C = 0.

   The instruction takes a turn each cycle but gives its result only after three. So three stretches are checksummed at a
   time, and joined: a checksum is linear, and what a stretch of zeros does to it is looked up in a table.

   Where the processor can also multiply without carries eight words at a time, it folds first: as a polynomial, a block is
   worth the same as another one that stands FOLDED bytes behind it, multiplied by a power of x. So all whole blocks
   become one, whose checksum is that of all. */

#include "records.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define WORD 8
/* Short enough that the three are one stream for what fetches memory ahead: of memory that is not in the cache, 1024 is
   checksummed at a third of the speed. */
#define STRETCH 256
#define POLYNOMIAL 0x82F63B78u

#if defined(__clang__) || __GNUC__ >= 10
#define CAN_FOLD 1
#define WITH_FOLDING __attribute__((target("avx512f,vpclmulqdq")))
#else
#define CAN_FOLD 0
#endif
#define FOLDED 256
/* Shorter ones are done before folding has begun. */
#define WORTH_FOLDING (4 * FOLDED)

/* What STRETCH zeros make of a checksum that has only the byte `value` at place `place`. */
static uint32_t after_zeros[4][256];

/* Multiplied by these, a word's lower and its upper half count for FOLDED bytes later. */
static uint64_t fold_lower, fold_upper;
static int can_fold;

/* x to this power, as the checksum has it: the lowest power in the highest bit. */
static uint32_t
power_of_x(int power)
{
    uint32_t crc = 0x80000000u;
    for (int step = 0; step < power; step++)
        crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    return crc;
}

static void
make_table(void)
{
    fold_lower = (uint64_t)power_of_x(8 * FOLDED + 32) << 1;
    fold_upper = (uint64_t)power_of_x(8 * FOLDED - 32) << 1;
    uint32_t of_bit[32];
    for (int bit = 0; bit < 32; bit++) {
        uint32_t crc = 1u << bit;
        for (int step = 0; step < 8 * STRETCH; step++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        of_bit[bit] = crc;
    }
    for (int place = 0; place < 4; place++)
        for (int value = 0; value < 256; value++) {
            uint32_t crc = 0;
            for (int bit = 0; bit < 8; bit++)
                crc ^= value >> bit & 1 ? of_bit[8 * place + bit] : 0;
            after_zeros[place][value] = crc;
        }
}

static inline uint32_t
pass_stretch(uint32_t crc)
{
    return after_zeros[0][crc & 0xFF] ^ after_zeros[1][crc >> 8 & 0xFF] ^ after_zeros[2][crc >> 16 & 0xFF]
           ^ after_zeros[3][crc >> 24];
}

static inline uint64_t
word_at(Bytes at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Of `size` bytes after those whose checksum, not yet inverted, is `crc`. */
WITH_INSTRUCTION static uint32_t
go_on(uint64_t crc, Bytes at, size_t size)
{
    for (; size >= 3 * STRETCH; at += 3 * STRETCH, size -= 3 * STRETCH) {
        uint64_t second = 0, third = 0;
        for (Bytes word = at; word < at + STRETCH; word += WORD) {
            crc = _mm_crc32_u64(crc, word_at(word));
            second = _mm_crc32_u64(second, word_at(word + STRETCH));
            third = _mm_crc32_u64(third, word_at(word + 2 * STRETCH));
        }
        crc = pass_stretch(pass_stretch((uint32_t)crc) ^ (uint32_t)second) ^ (uint32_t)third;
    }
    for (; size >= WORD; at += WORD, size -= WORD)
        crc = _mm_crc32_u64(crc, word_at(at));
    uint32_t rest = (uint32_t)crc;
    for (; size > 0; at++, size--)
        rest = _mm_crc32_u8(rest, *at);
    return rest;
}

#if CAN_FOLD

WITH_FOLDING static inline __m512i
fold(__m512i block, __m512i factors, Bytes following)
{
    __m512i lower = _mm512_clmulepi64_epi128(block, factors, 0x00);
    __m512i upper = _mm512_clmulepi64_epi128(block, factors, 0x11);
    return _mm512_ternarylogic_epi64(lower, upper, _mm512_loadu_si512(following), 0x96); /* all three, added */
}

/* As many whole blocks as there are, of which there is one at least: the place after them. `block` is worth as much. */
WITH_FOLDING static Bytes
fold_blocks(uint32_t crc, Bytes at, size_t size, unsigned char block[FOLDED])
{
    const __m512i factors = _mm512_set4_epi64((long long)fold_upper, (long long)fold_lower, (long long)fold_upper,
                                              (long long)fold_lower);
    __m512i first = _mm512_xor_si512(_mm512_loadu_si512(at), _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)crc)));
    __m512i second = _mm512_loadu_si512(at + 64);
    __m512i third = _mm512_loadu_si512(at + 128);
    __m512i fourth = _mm512_loadu_si512(at + 192);
    for (at += FOLDED, size -= FOLDED; size >= FOLDED; at += FOLDED, size -= FOLDED) {
        first = fold(first, factors, at);
        second = fold(second, factors, at + 64);
        third = fold(third, factors, at + 128);
        fourth = fold(fourth, factors, at + 192);
    }
    _mm512_storeu_si512(block, first);
    _mm512_storeu_si512(block + 64, second);
    _mm512_storeu_si512(block + 128, third);
    _mm512_storeu_si512(block + 192, fourth);
    return at;
}

#endif

uint32_t
checksum(Bytes at, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
#if CAN_FOLD
    if (can_fold && size >= WORTH_FOLDING) {
        unsigned char block[FOLDED];
        Bytes rest = fold_blocks(crc, at, size, block);
        crc = go_on(0, block, FOLDED);
        size -= (size_t)(rest - at);
        at = rest;
    }
#endif
    return ~go_on(crc, at, size);
}

int
has_checksum(void)
{
    static int is_there = -1;
    if (is_there < 0) {
        is_there = __builtin_cpu_supports("sse4.2") != 0;
#if CAN_FOLD
        can_fold = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq");
#endif
        make_table();
    }
    return is_there;
}

PyObject *
crc32c(PyObject *module, PyObject *data)
{
    (void)module;
    Py_buffer buffer;
    if (PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE) < 0)
        return NULL;
    uint32_t result = checksum(buffer.buf, (size_t)buffer.len);
    PyBuffer_Release(&buffer);
    return PyLong_FromUnsignedLong(result);
}

#else

int
has_checksum(void)
{
    return 0;
}

uint32_t
checksum(Bytes at, size_t size)
{
    (void)at;
    (void)size;
    return 0;
}

PyObject *
crc32c(PyObject *module, PyObject *data)
{
    (void)data;
    return refuse(module, "this processor's checksums are made elsewhere");
}

#endif
