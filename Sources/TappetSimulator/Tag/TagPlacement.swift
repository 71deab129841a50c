/// Creates a tag from a test's command: model, UID and content.

import TappetTag

/// The parameters of `place`.
package struct TagPlacement {
  /// The content of a tag.
  package enum Content: Equatable {
    /// As delivered by the factory: for an NTAG, formatted and empty.
    case factory
    /// Formatted, without a message.
    case empty
    /// No capability container, and empty user memory.
    case blank
    /// One URI record without an abbreviated prefix.
    case url(String)
    /// An NDEF message, stored unchanged.
    case message([UInt8])
    /// Type 2: memory from page 0. Type 4: the NDEF file, including its length.
    case memory([UInt8])
  }

  /// The reason why the tag cannot be created.
  package enum Fault: Error, Equatable {
    case unknownModel
    case uidSize
    case doesNotFit(size: Int, capacity: Int)
    /// The model does not support this content or option.
    case notPossible
  }

  /// The name of a model.
  package var model: String
  /// The UID, 4, 7 or 10 bytes depending on the model.
  package var uid: [UInt8]?
  /// The content of the tag.
  package var content: Content
  /// Whether the capability container denies write access.
  package var isReadOnly = false
  /// Whether all lock bits are set.
  package var isLocked = false
  /// Four-byte password required for writing.
  package var password: [UInt8]?
  /// Type 4: size of the NDEF file stated in the capability container, in bytes.
  package var fileSize: UInt16?
  /// Type 4: the capability container, stored unchanged.
  package var container: [UInt8]?
  /// Response delay of the tag in milliseconds.
  package var slowness = 0
  /// Number of exchanges after which the tag is removed; `nil` if it stays.
  package var stay: Int?

  /// Creates the parameters of a tag.
  package init(model: String, uid: [UInt8]? = nil, content: Content = .factory) {
    self.model = model
    self.uid = uid
    self.content = content
  }

  /// Creates the tag; `serial` is used to generate a UID if none is specified.
  package func makeTag(serial: UInt8) throws(Fault) -> VirtualTag {
    var tag = try makeUnhurriedTag(serial: serial)
    tag.answerDelay = Int64(slowness) * 1_000_000
    return tag
  }

  private func makeUnhurriedTag(serial: UInt8) throws(Fault) -> VirtualTag {
    guard fileSize == nil && container == nil || model == "type4" else { throw .notPossible }
    if let model = Type2Model.named(model) { return try makeType2(model, serial: serial) }
    switch model {
    case "type4": return try makeType4(serial: serial, isNTAG: false)
    case "ntag424": return try makeType4(serial: serial, isNTAG: true)
    case "desfire":
      let uid = try checkedUID(sizes: [7], default: [0x04, 0xDE, 0x5F, 0x19, 0xE0, serial, 0x80])
      guard !isReadOnly, !isLocked, password == nil, content == .factory else { throw .notPossible }
      let application = Type4Application(size: 0, maximumRead: 0, maximumWrite: 0, hasNDEF: false)
      let card = Type4Card(application: application, historicalBytes: [0x80])
      return VirtualTag(uid: uid, atqa: [0x44, 0x03], sak: 0x20, body: .type4(card))
    case "classic":
      guard !isReadOnly, !isLocked, password == nil else { throw .notPossible }
      let uid = try checkedUID(sizes: [4, 7], default: [0x5A, 0x17, 0x3C, serial])
      return VirtualTag(uid: uid, atqa: [uid.count == 4 ? 0x04 : 0x44, 0x00], sak: 0x08, body: .classic)
    default: throw .unknownModel
    }
  }

  private func checkedUID(sizes: [Int], default standard: [UInt8]) throws(Fault) -> [UInt8] {
    let chosen = uid ?? standard
    guard sizes.contains(chosen.count) else { throw .uidSize }
    return chosen
  }

  /// Returns a message with one URI record (identifier code 0x00); throws if the URI is too long to encode.
  private static func message(of url: String) throws(Fault) -> [UInt8] {
    let uri = Array(url.utf8)
    guard let message = NDEFMessage(records: [NDEFRecord(uri: uri)]).encode() else {
      throw .doesNotFit(size: uri.count, capacity: Limits.tagMemorySizeMax)
    }
    return message
  }

  // MARK: Type 2

  private func makeType2(_ model: Type2Model, serial: UInt8) throws(Fault) -> VirtualTag {
    var standard: [UInt8] = [0x04, 0xA1, 0xB2, 0xC3, 0xD4, serial, 0x80]
    if case .memory(let bytes) = content, bytes.count >= 8 { standard = Array(bytes[0..<3] + bytes[4..<8]) }
    let uid = try checkedUID(sizes: [7], default: standard)
    var chip = Type2Chip(model: model, uid: uid)
    switch content {
    case .factory: break
    case .empty: try chip.store(message: [])
    case .blank: chip.erase()
    case .url(let url): try chip.store(message: Self.message(of: url))
    case .message(let message): try chip.store(message: message)
    case .memory(let bytes): try chip.load(bytes)
    }
    if isReadOnly { chip.declareReadOnly() }
    if isLocked { chip.setAllLocks() }
    if let password, !chip.protect(with: password) { throw .notPossible }
    return VirtualTag(uid: uid, atqa: [0x44, 0x00], sak: 0x00, body: .type2(chip))
  }

  // MARK: Type 4

  private func makeType4(serial: UInt8, isNTAG: Bool) throws(Fault) -> VirtualTag {
    let uid = try checkedUID(
      sizes: isNTAG ? [7] : [4, 7, 10], default: [0x04, 0xE5, 0xD4, 0xC3, 0xB2, serial, isNTAG ? 0x90 : 0x70])
    // GetVersion: hardware, software, then UID, batch and date (NT4H2421Gx §10.5.2).
    let version: [[UInt8]] = [
      [0x04, 0x04, 0x02, 0x30, 0x00, 0x11, 0x05], [0x04, 0x04, 0x02, 0x01, 0x02, 0x11, 0x05],
      uid + [0xCF, 0x39, 0xD4, 0x49, 0x80, 0x34, 0x20],
    ]
    var application = Type4Application(
      size: isNTAG ? 256 : 2048, maximumRead: isNTAG ? 0x0100 : 0x00FB, maximumWrite: isNTAG ? 0x00FF : 0x00F9,
      versionFrames: isNTAG ? version : [])
    switch content {
    case .factory, .empty, .blank: break
    case .url(let url): try application.store(message: Self.message(of: url))
    case .message(let message): try application.store(message: message)
    case .memory(let bytes): try application.load(bytes)
    }
    guard !isLocked, password == nil else { throw .notPossible }
    if isReadOnly { application.close() }
    if let fileSize { application.claim(size: fileSize) }
    if let container { application.replace(container: container) }
    let card = Type4Card(application: application, historicalBytes: [0x80])
    let atqa: [UInt8] = isNTAG || uid.count == 7 ? [0x44, 0x03] : [UInt8(uid.count == 4 ? 0x04 : 0x84), 0x03]
    return VirtualTag(uid: uid, atqa: atqa, sak: 0x20, body: .type4(card))
  }
}
