/* CRC-32C with the processor's own instruction, over any buffer where it lies: for x86-64; others have HAS_CRC32C = 0.

   The instruction takes a turn each cycle but gives its result only after three. So three stretches are checksummed at a
   time, and joined: a checksum is linear, and what a stretch of zeros does to it is looked up in a table. */

#include "records.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <nmmintrin.h>

#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define WORD 8
/* Short enough that the three are one stream for what fetches memory ahead: of memory that is not in the cache, 1024 is
   checksummed at a third of the speed. */
#define STRETCH 256
#define POLYNOMIAL 0x82F63B78u

/* What STRETCH zeros make of a checksum that has only the byte `value` at place `place`. */
static uint32_t after_zeros[4][256];

static void
make_table(void)
{
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

WITH_INSTRUCTION uint32_t
checksum(Bytes at, size_t size)
{
    uint64_t crc = 0xFFFFFFFFu;
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
    return ~rest;
}

int
has_checksum(void)
{
    static int is_there = -1;
    if (is_there < 0) {
        is_there = __builtin_cpu_supports("sse4.2") != 0;
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
