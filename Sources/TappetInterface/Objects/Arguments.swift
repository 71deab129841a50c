// Reads arguments from the caller and writes results: bounds are checked first. No pointer is retained.

import CPlatform
import CTappet
import TappetCore
import TappetPlatform

/// Calls `body` with the caller's bytes; `nil` if `size` exceeds `sizeMax`, or the pointer is NULL and `size` is not 0.
func withInput<Result>(
  _ pointer: UnsafePointer<UInt8>?, _ size: Int, sizeMax: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result? {
  // A size_t beyond Int.max arrives as a negative number.
  guard size >= 0, size <= sizeMax, pointer != nil || size == 0 else { return nil }
  return body(UnsafeBufferPointer(start: pointer, count: size))
}

/// Calls `body` with the caller's text; returns `nil` under the same conditions as for bytes.
func withInput<Result>(
  _ pointer: UnsafePointer<CChar>?, _ size: Int, sizeMax: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result? {
  withInput(UnsafeRawPointer(pointer)?.assumingMemoryBound(to: UInt8.self), size, sizeMax: sizeMax, body)
}

/// Reads a NUL-terminated text from the caller; `nil` if it is NULL, longer than `sizeMax` bytes, or not UTF-8.
func text(_ pointer: UnsafePointer<CChar>?, sizeMax: Int) -> String? {
  guard let pointer else { return nil }
  let size = strnlen(pointer, sizeMax + 1)
  guard size <= sizeMax else { return nil }
  return String(validating: UnsafeRawBufferPointer(start: pointer, count: size), as: UTF8.self)
}

/// Whether enough memory is free for the copies of a text that a call will make; checked before `text`.
func hasRoom(for pointer: UnsafePointer<CChar>?, sizeMax: Int) -> Bool {
  guard let pointer else { return true }
  return Memory.hasRoom(for: 4 * strnlen(pointer, sizeMax))
}

/// Reads a printable single-line text of 1 to `sizeMax` bytes.
func shortText(_ pointer: UnsafePointer<CChar>?, sizeMax: Int) -> String? {
  guard let text = text(pointer, sizeMax: sizeMax), !text.isEmpty, text.isPrintable else { return nil }
  return text
}

/// Copies bytes, with a NUL after text, to the caller's buffer; if there is no buffer, only returns their number.
func output(_ bytes: [UInt8], _ pointer: UnsafeMutableRawPointer?, _ size: Int, endsWithNUL: Bool) -> Int32 {
  let count = Int32(clamping: bytes.count)
  guard let pointer else { return size == 0 ? count : ErrorCode.argument.rawValue }
  guard size >= 0 else { return ErrorCode.argument.rawValue }
  guard bytes.count + (endsWithNUL ? 1 : 0) <= size else { return ErrorCode.buffer.rawValue }
  bytes.withUnsafeBytes { if let base = $0.baseAddress { pointer.copyMemory(from: base, byteCount: $0.count) } }
  if endsWithNUL { pointer.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self) }
  return count
}

/// Whether a result buffer is valid; checked before the result is computed.
func isBuffer(_ pointer: UnsafeMutableRawPointer?, _ size: Int) -> Bool { size >= 0 && (pointer != nil || size == 0) }

/// Whether all reserved bytes at the end of a structure are 0.
func isZero(_ reserved: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)) -> Bool {
  withUnsafeBytes(of: reserved) { $0.allSatisfy { $0 == 0 } }
}

/// Reads a key of 16, 24 or 32 bytes.
func timestampKey(_ key: UnsafePointer<UInt8>?, _ size: Int) -> TimestampKey? {
  guard let key, [16, 24, 32].contains(size) else { return nil }
  return TimestampKey(copying: UnsafeRawBufferPointer(start: key, count: size))
}

/// Reads the key of a tag.
func tagKey(_ key: UnsafePointer<UInt8>?) -> SecretKey? {
  key.flatMap { SecretKey(copying: UnsafeRawBufferPointer(start: $0, count: SecretKey.size)) }
}

/// Texts and bytes for C, valid until `clear`.
struct PinnedBuffers {
  private var pointers: [UnsafeMutableRawPointer] = []

  /// Returns a NUL-terminated copy of `text`.
  mutating func text(_ text: String) -> UnsafePointer<CChar>? {
    var text = text
    return text.withUTF8 { utf8 in
      guard let copy = copy(UnsafeRawBufferPointer(utf8), roomBehind: 1) else { return nil }
      copy.storeBytes(of: 0, toByteOffset: utf8.count, as: UInt8.self)
      return UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
    }
  }

  /// Returns a copy of `bytes`; NULL if there are none.
  mutating func bytes(_ bytes: [UInt8]) -> UnsafePointer<UInt8>? {
    guard !bytes.isEmpty else { return nil }
    return bytes.withUnsafeBytes { copy($0, roomBehind: 0) }.map {
      UnsafePointer($0.assumingMemoryBound(to: UInt8.self))
    }
  }

  /// Returns a copy of plain values; NULL if there are none.
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
