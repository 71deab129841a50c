/* Replaces the toolchain's libswiftUnicodeDataTables, a twelfth of the program, with empty tables. The consequence is
   intended: two strings are equal when their code points are, as in MQTT, YAML, JSON and the file system, and not when
   they look the same to a person; a character is one code point. Code that uses another table (letter case, properties)
   does not link. */
#include <stdbool.h>
#include <stdint.h>

/* Combining class 0, and already in every normal form. */
uint16_t _swift_stdlib_getNormData(uint32_t scalar);
uint16_t _swift_stdlib_getNormData(uint32_t scalar) { (void)scalar; return 0; }

/* The low 18 bits repeat the scalar of an entry that was found; this one is a surrogate, which no String holds. */
uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar);
uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) { (void)scalar; return 0xD800; }
extern const uint8_t _swift_stdlib_nfd_decompositions[];
const uint8_t _swift_stdlib_nfd_decompositions[1] = {0};

/* All bits set: these two do not compose. */
uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second);
uint32_t _swift_stdlib_getComposition(uint32_t first, uint32_t second) { (void)first, (void)second; return UINT32_MAX; }

/* All bits set: any other. */
uint8_t _swift_stdlib_getGraphemeBreakProperty(uint32_t scalar);
uint8_t _swift_stdlib_getGraphemeBreakProperty(uint32_t scalar) { (void)scalar; return UINT8_MAX; }
bool _swift_stdlib_isExtendedPictographic(uint32_t scalar);
bool _swift_stdlib_isExtendedPictographic(uint32_t scalar) { (void)scalar; return false; }
bool _swift_stdlib_isInCB_Consonant(uint32_t scalar);
bool _swift_stdlib_isInCB_Consonant(uint32_t scalar) { (void)scalar; return false; }
