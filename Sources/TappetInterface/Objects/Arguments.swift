// Data from the caller and to the caller: bounds first, then bytes. Nothing here keeps a pointer.

import CPlatform
import CTappet
import TappetCore
import TappetPlatform

/// Lends the caller's bytes to `body`; `nil` when they are NULL though there are some, or more than `sizeMax`.
func withInput<Result>(
  _ pointer: UnsafePointer<UInt8>?, _ size: Int, sizeMax: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result? {
  // A size_t beyond Int.max comes as a negative one.
  guard size >= 0, size <= sizeMax, pointer != nil || size == 0 else { return nil }
  return body(UnsafeBufferPointer(start: pointer, count: size))
}

/// Lends the caller's text to `body`, under the same conditions.
func withInput<Result>(
  _ pointer: UnsafePointer<CChar>?, _ size: Int, sizeMax: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result? {
  withInput(UnsafeRawPointer(pointer)?.assumingMemoryBound(to: UInt8.self), size, sizeMax: sizeMax, body)
}

/// A text of the caller's that ends with a NUL; `nil` when it is NULL, longer than `sizeMax` bytes, or not UTF-8.
func text(_ pointer: UnsafePointer<CChar>?, sizeMax: Int) -> String? {
  guard let pointer else { return nil }
  let size = strnlen(pointer, sizeMax + 1)
  guard size <= sizeMax else { return nil }
  return String(validating: UnsafeRawBufferPointer(start: pointer, count: size), as: UTF8.self)
}

/// Whether there is memory for the copies of a text that a call with it makes; asked before `text`.
func hasRoom(for pointer: UnsafePointer<CChar>?, sizeMax: Int) -> Bool {
  guard let pointer else { return true }
  return Memory.hasRoom(for: 4 * strnlen(pointer, sizeMax))
}

/// A text for one line of a terminal, 1 to `sizeMax` bytes.
func shortText(_ pointer: UnsafePointer<CChar>?, sizeMax: Int) -> String? {
  guard let text = text(pointer, sizeMax: sizeMax), !text.isEmpty, text.isPrintable else { return nil }
  return text
}

/// Bytes, and a NUL for a text, into the caller's buffer; or only their number, when that is all that was asked for.
func output(_ bytes: [UInt8], _ pointer: UnsafeMutableRawPointer?, _ size: Int, endsWithNUL: Bool) -> Int32 {
  let count = Int32(clamping: bytes.count)
  guard let pointer else { return size == 0 ? count : ErrorCode.argument.rawValue }
  guard size >= 0 else { return ErrorCode.argument.rawValue }
  guard bytes.count + (endsWithNUL ? 1 : 0) <= size else { return ErrorCode.buffer.rawValue }
  bytes.withUnsafeBytes { if let base = $0.baseAddress { pointer.copyMemory(from: base, byteCount: $0.count) } }
  if endsWithNUL { pointer.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self) }
  return count
}

/// Whether a buffer can be written to at all: asked before work is done for it.
func isBuffer(_ pointer: UnsafeMutableRawPointer?, _ size: Int) -> Bool { size >= 0 && (pointer != nil || size == 0) }

/// Whether all reserved bytes at the end of a structure are 0.
func isZero(_ reserved: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)) -> Bool {
  withUnsafeBytes(of: reserved) { $0.allSatisfy { $0 == 0 } }
}

/// A key of 16, 24 or 32 bytes.
func timestampKey(_ key: UnsafePointer<UInt8>?, _ size: Int) -> TimestampKey? {
  guard let key, [16, 24, 32].contains(size) else { return nil }
  return TimestampKey(copying: UnsafeRawBufferPointer(start: key, count: size))
}

/// A tag's key.
func tagKey(_ key: UnsafePointer<UInt8>?) -> SecretKey? {
  key.flatMap { SecretKey(copying: UnsafeRawBufferPointer(start: $0, count: SecretKey.size)) }
}

/// Texts and bytes that C may read, kept in place until `clear`.
struct PinnedBuffers {
  private var pointers: [UnsafeMutableRawPointer] = []

  /// A copy of `text` that ends with a NUL.
  mutating func text(_ text: String) -> UnsafePointer<CChar>? {
    var text = text
    return text.withUTF8 { utf8 in
      guard let copy = copy(UnsafeRawBufferPointer(utf8), roomBehind: 1) else { return nil }
      copy.storeBytes(of: 0, toByteOffset: utf8.count, as: UInt8.self)
      return UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
    }
  }

  /// A copy of `bytes`; NULL when there are none.
  mutating func bytes(_ bytes: [UInt8]) -> UnsafePointer<UInt8>? {
    guard !bytes.isEmpty else { return nil }
    return bytes.withUnsafeBytes { copy($0, roomBehind: 0) }.map {
      UnsafePointer($0.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// A copy of plain values; NULL when there are none.
  mutating func array<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element>? {
    guard !elements.isEmpty else { return nil }
    return elements.withUnsafeBytes { copy($0, roomBehind: 0) }.map {
      UnsafePointer($0.assumingMemoryBound(to: Element.self))
    }
  }

  private mutating func copy(_ bytes: UnsafeRawBufferPointer, roomBehind: Int) -> UnsafeMutableRawPointer? {
    guard let copy = malloc(bytes.count + roomBehind) else { return nil }
    if let base = bytes.baseAddress { copy.copyMemory(from: base, byteCount: bytes.count) }
    pointers.append(copy)
    return copy
  }

  /// Frees all copies.
  mutating func clear() {
    for pointer in pointers { free(pointer) }
    pointers.removeAll(keepingCapacity: true)
  }
}
