/* Replaces two weak functions of Embedded Swift's runtime for bare processors. They must return their argument: the
   compiler declares them so (LLVM's `returned`), and on 64-bit ARM and RISC-V it continues with the returned register.
   The toolchain's own return the pointer without its tag (Swift 6.3.1), which destroys every String of up to 15 bytes
   that passes through them. Remove this file when the toolchain's return their argument. */
#include <stdint.h>

void *swift_retain(void *object);
void *swift_retain_n(void *object, uint32_t count);
void *swift_bridgeObjectRetain(void *object);
void *swift_bridgeObjectRetain_n(void *object, uint32_t count);

/* Negative without its tag means immortal, as every small String is. */
static void *untagged(void *object) { return (void *)((uintptr_t)object & 0x8ffffffffffffff8); }

void *swift_bridgeObjectRetain(void *object) {
  swift_retain(untagged(object));
  return object;
}

void *swift_bridgeObjectRetain_n(void *object, uint32_t count) {
  swift_retain_n(untagged(object), count);
  return object;
}
