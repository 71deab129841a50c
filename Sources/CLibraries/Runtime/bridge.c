/* Two functions of Embedded Swift's runtime for 64-bit ARM, linked in place of the toolchain's, which are weak. They must return
   what they were given: the compiler declares them so, and on this processor (LLVM's `returned`) goes on with the register.
   The toolchain's return the pointer without its tag (Swift 6.3.1), and a String of up to 15 bytes that passed through them is no
   String any more. Remove this file when the toolchain's do. */
#include <stdint.h>

void *swift_retain(void *object);
void *swift_retain_n(void *object, uint32_t count);
void *swift_bridgeObjectRetain(void *object);
void *swift_bridgeObjectRetain_n(void *object, uint32_t count);

/* What is negative without its tag is immortal, and so a small String is. */
static void *untagged(void *object) { return (void *)((uintptr_t)object & 0x8ffffffffffffff8); }

void *swift_bridgeObjectRetain(void *object) {
  swift_retain(untagged(object));
  return object;
}

void *swift_bridgeObjectRetain_n(void *object, uint32_t count) {
  swift_retain_n(untagged(object), count);
  return object;
}
