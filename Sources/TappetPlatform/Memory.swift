// Memory whose size a stranger or a C caller chooses. Swift ends the process when an allocation fails; malloc says so.

import CPlatform

/// Questions about the memory that is left.
package enum Memory {
  /// Sizes up to this one are not asked about: every call needs as much for itself.
  package static let sizeAlwaysTaken = 4096

  /// Gives the kernel back what a start or a handshake needed; for programs that own their heap.
  package static func giveBack() { tp_give_back() }

  /// Whether `size` bytes can be had now.
  package static func hasRoom(for size: Int) -> Bool {
    size <= sizeAlwaysTaken || tp_has_room(size)
  }
}

// Unchecked because the compiler cannot see that the bytes are written in `init` only, and the reserve is touched by
// one thread at a time: that which takes it out of a mailbox.

/// A copy of bytes of any size, with memory set aside for whoever copies them again.
package final class ReservedBytes: @unchecked Sendable {
  /// The copied bytes, which live as long as this object.
  package let bytes: UnsafeRawBufferPointer
  private var reserve: UnsafeMutableRawPointer?

  /// `nil` when there is no memory for `1 + copies` times the bytes.
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

  /// Gives back what was set aside, just before it is needed.
  package func releaseReserve() {
    free(reserve)
    reserve = nil
  }
}
