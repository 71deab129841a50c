// One code from a barcode scanner, assembled from characters or from the bytes of a serial line.

/// A scanned code, or the reason why it cannot be used.
package typealias Scan = Result<String, InventoryFault>

/// The part of a code that has arrived.
package struct ScannedCode: Sendable {
  private var bytes: [UInt8] = []
  private var fault: InventoryFault?
  /// Whether the first part was discarded, so that the rest up to the end would be mistaken for a different code.
  private var isTorn = false

  package init() {}

  /// Whether a part of a code has arrived, but not its end.
  package var isPending: Bool { !isTorn && (!bytes.isEmpty || fault != nil) }

  /// Adds a byte from a serial line, on which a line's end ends the code; returns the code if the byte ends it.
  @export(interface)
  package mutating func take(_ byte: UInt8) -> Scan? {
    switch byte {
    case 0x0A, 0x0D: return end()
    // The separators of GS1 and ISO/IEC 15434, which a scanner that acts as a keyboard does not send.
    case 0x04, 0x1D, 0x1E: return nil
    default: append(byte)
    }
    return nil
  }

  /// Adds a character.
  mutating func append(_ scalar: Unicode.Scalar) {
    for byte in scalar.utf8 { append(byte) }
  }

  private mutating func append(_ byte: UInt8) {
    if bytes.count < Limits.inventoryCodeSizeMax + LabelCode.symbologySize {
      bytes.append(byte)
    } else {
      spoil(.scanTooLong)
    }
  }

  /// Records why the code cannot be used, unless there already is a reason.
  package mutating func spoil(_ reason: InventoryFault) { fault = fault ?? reason }

  /// Ends the code; returns it, or `nil` if it is empty.
  @export(interface)
  package mutating func end() -> Scan? {
    defer { self = ScannedCode() }
    if let fault { return .failure(fault) }
    let code = bytes[(LabelCode.symbologySize(bytes) ?? 0)...]
    if code.isEmpty { return nil }
    if code.count > Limits.inventoryCodeSizeMax { return .failure(.scanTooLong) }
    guard let text = String(validating: code, as: UTF8.self), text.isPrintable else {
      return .failure(.scanUnreadable)
    }
    return .success(text)
  }

  /// Discards a code whose end has not arrived in time, and later the rest of it; returns the reason.
  @export(interface)
  package mutating func expire() -> Scan {
    let reason = fault ?? .scanIncomplete
    self = ScannedCode()
    (fault, isTorn) = (.scanIncomplete, true)
    return .failure(reason)
  }
}
