/// The NDEF application of a Type 4 tag: SELECT, READ BINARY and UPDATE BINARY for its capability container and NDEF
/// file (NFC Forum Type 4 Tag 1.1), and GetVersion of NTAG 424 DNA (NT4H2421Gx §10.5.2).

/// The files of a Type 4 tag and the commands on them.
package struct Type4Application {
  private enum Selected {
    case nothing
    case application
    case capability
    case ndef
  }

  /// Maximum size of a command including its header, in bytes; extended lengths are not supported.
  static let commandSizeMax = 261

  /// NLEN followed by the message.
  package internal(set) var ndefFile: [UInt8]
  private var capability: [UInt8]
  private let hasNDEF: Bool
  private let versionFrames: [[UInt8]]
  private var nextVersionFrame: Int?
  private var selected = Selected.nothing
  /// Number of UPDATE BINARY commands that wrote data.
  package private(set) var writes = 0

  /// Creates an application with an empty NDEF file of `size` bytes.
  ///
  /// `versionFrames` contains the parts of the response to GetVersion.
  init(size: Int, maximumRead: UInt16, maximumWrite: UInt16, versionFrames: [[UInt8]] = [], hasNDEF: Bool = true) {
    self.hasNDEF = hasNDEF
    ndefFile = [UInt8](repeating: 0, count: size)
    self.versionFrames = versionFrames
    let isNTAG = !versionFrames.isEmpty
    var container: [UInt8] = [0x00, isNTAG ? 0x17 : 0x0F, 0x20]
    container += Self.bytes(maximumRead) + Self.bytes(maximumWrite)
    container += [0x04, 0x06, 0xE1, 0x04] + Self.bytes(UInt16(truncatingIfNeeded: size)) + [0x00, 0x00]
    // The proprietary file of NTAG 424 DNA (§8.2.3.2).
    if isNTAG { container += [0x05, 0x06, 0xE1, 0x05, 0x00, 0x80, 0x82, 0x83] }
    capability = container
  }

  private static func bytes(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }

  /// Deselects the application and its files.
  mutating func deselect() {
    selected = .nothing
    nextVersionFrame = nil
  }

  /// Sets the file size stated in the capability container, regardless of the actual size.
  mutating func claim(size: UInt16) { capability.replaceSubrange(11..<13, with: Self.bytes(size)) }

  /// Stores a message in the file; returns false if it does not fit.
  mutating func store(_ message: [UInt8]) -> Bool {
    guard message.count + 2 <= ndefFile.count else { return false }
    ndefFile = [UInt8](repeating: 0, count: ndefFile.count)
    ndefFile.replaceSubrange(
      0..<message.count + 2, with: Self.bytes(UInt16(truncatingIfNeeded: message.count)) + message)
    return true
  }

  /// Replaces the capability container; a container of mapping version 1 also selects the commands of that version.
  mutating func replace(container: [UInt8]) { capability = container }

  /// Whether the tag uses mapping version 1, in which the application has a different name, and files are selected with
  /// P2 00 only (NFC Forum Type 4 Tag 1.0 §5.4).
  private var isVersion1: Bool { capability.count > 2 && capability[2] >> 4 == 1 }

  private static let writeAccessOffset = 14

  /// Disables write access.
  mutating func close() { capability[Self.writeAccessOffset] = 0xFF }

  /// Executes a command; returns the response including its status words.
  mutating func answer(_ command: [UInt8]) -> [UInt8] {
    guard command.count >= 4 else { return [0x67, 0x00] }
    switch (command[0], command[1]) {
    case (0x00, 0xA4): return select(command)
    case (0x00, 0xB0): return readBinary(command)
    case (0x00, 0xD6): return updateBinary(command)
    case (0x90, 0x60) where !versionFrames.isEmpty:
      nextVersionFrame = 0
      return versionPart()
    case (0x90, 0xAF) where nextVersionFrame != nil: return versionPart()
    default: return command[0] == 0x00 || command[0] == 0x90 ? [0x6D, 0x00] : [0x6E, 0x00]
    }
  }

  private mutating func versionPart() -> [UInt8] {
    guard let index = nextVersionFrame, index < versionFrames.count else { return [0x91, 0x1C] }
    let isLast = index + 1 == versionFrames.count
    nextVersionFrame = isLast ? nil : index + 1
    return versionFrames[index] + [0x91, isLast ? 0x00 : 0xAF]
  }

  private mutating func select(_ command: [UInt8]) -> [UInt8] {
    guard command.count >= 5, command.count >= 5 + Int(command[4]) else { return [0x67, 0x00] }
    let name = Array(command[5..<5 + Int(command[4])])
    switch (command[2], name) {
    case (0x04, [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, isVersion1 ? 0x00 : 0x01]) where hasNDEF: selected = .application
    case (0x00, _) where isVersion1 && command[3] != 0x00: return [0x6A, 0x86]
    case (0x00, [0xE1, 0x03]) where isOpen: selected = .capability
    case (0x00, [0xE1, 0x04]) where isOpen: selected = .ndef
    default: return [0x6A, 0x82]
    }
    return [0x90, 0x00]
  }

  private var isOpen: Bool {
    if case .nothing = selected { return false }
    return true
  }

  private var selectedFile: [UInt8]? {
    switch selected {
    case .nothing, .application: nil
    case .capability: capability
    case .ndef: ndefFile
    }
  }

  private func readBinary(_ command: [UInt8]) -> [UInt8] {
    guard command.count == 5 else { return [0x67, 0x00] }
    guard let file = selectedFile else { return [0x69, 0x86] }
    let offset = Int(command[2]) << 8 | Int(command[3])
    guard offset < file.count else { return [0x6B, 0x00] }
    let count = command[4] == 0 ? 256 : Int(command[4])
    return file[offset..<min(file.count, offset + count)] + [0x90, 0x00]
  }

  private mutating func updateBinary(_ command: [UInt8]) -> [UInt8] {
    guard command.count >= 6, command.count == 5 + Int(command[4]) else { return [0x67, 0x00] }
    let offset = Int(command[2]) << 8 | Int(command[3])
    // NTAG 424 requires its key to write the container; other cards allow it (NFC Forum Type 4 Tag 1.2 §5.1.2).
    if case .capability = selected, versionFrames.isEmpty, command[5...] == [0xFF], offset == Self.writeAccessOffset {
      close()
      writes += 1
      return [0x90, 0x00]
    }
    guard case .ndef = selected, capability[Self.writeAccessOffset] == 0x00 else { return [0x69, 0x82] }
    guard offset + Int(command[4]) <= ndefFile.count else { return [0x6A, 0x84] }
    ndefFile.replaceSubrange(offset..<offset + Int(command[4]), with: command[5...])
    writes += 1
    return [0x90, 0x00]
  }
}
