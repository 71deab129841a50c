// Memory whose size is chosen by a remote peer or a C caller. Swift ends the process when an allocation fails, whereas
// malloc reports the failure.

import CPlatform

/// Checks of the available memory.
package enum Memory {
  /// Maximum size, in bytes, that is not checked, because every call itself needs about as much.
  package static let sizeAlwaysTaken = 4096

  /// Returns unused memory to the kernel, for example after startup or a handshake; for programs that own their heap.
  package static func giveBack() { tp_give_back() }

  /// Whether `size` bytes can be allocated now.
  package static func hasRoom(for size: Int) -> Bool {
    size <= sizeAlwaysTaken || tp_has_room(size)
  }
}

// Unchecked because the compiler cannot see that the bytes are written only in `init`, and that the reserve is accessed
// by one thread at a time: the thread that takes the object out of a mailbox.

/// A copy of bytes of any size, with memory reserved for further copies.
package final class ReservedBytes: @unchecked Sendable {
  /// The copied bytes, valid as long as this object.
  package let bytes: UnsafeRawBufferPointer
  private var reserve: UnsafeMutableRawPointer?

  /// Copies `bytes`; returns `nil` if `1 + copies` times their size cannot be allocated.
  @export(interface)
  package init?(copying bytes: UnsafeRawBufferPointer, copies: Int) {
    guard let copy = malloc(max(bytes.count, 1)) else { return nil }
    if bytes.count > Memory.sizeAlwaysTaken {
      guard let reserve = malloc(bytes.count * copies) else {
        free(copy)
        return nil
      }
      self.reserve = reserve
    }
    if let base = bytes.baseAddress { copy.copyMemory(from: base, byteCount: bytes.count) }
    self.bytes = UnsafeRawBufferPointer(start: copy, count: bytes.count)
  }

  deinit {
    releaseReserve()
    free(UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  /// Frees the reserved memory, just before it is needed.
  package func releaseReserve() {
    free(reserve)
    reserve = nil
  }
}
