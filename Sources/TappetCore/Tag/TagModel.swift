// What kind of tag it is, as far as the reader could tell.

/// A tag's model.
///
/// Raw values are the reader's wire format (`ReaderMessage`): append, never reuse.
public enum TagModel: UInt8, CaseIterable, Hashable, Sendable {
  /// Answers as a Type 2 tag; the model was not asked for or not told.
  case type2 = 1
  case ultralight = 2
  case ultralightEV1Small = 3
  case ultralightEV1Large = 4
  case ntag203 = 5
  case ntag210 = 6
  case ntag212 = 7
  case ntag213 = 8
  case ntag215 = 9
  case ntag216 = 10
  case ntagI2C1K = 11
  case ntagI2C2K = 12
  /// ISO-DEP with the NDEF application.
  case type4 = 20
  case ntag424 = 21
  /// A MIFARE Classic: has no NDEF that every phone can read; refused.
  case mifareClassic = 40
  /// Anything else that answered.
  case other = 41

  /// How its memory is laid out.
  public enum Layout: Hashable, Sendable {
    /// Pages of 4 bytes, TLV blocks from page 4 (NFC Forum Type 2 Tag).
    case type2
    /// An NDEF file in a file system (NFC Forum Type 4 Tag).
    case type4
    /// Not read by Tappet.
    case unsupported
  }

  /// How its memory is laid out.
  public var layout: Layout {
    switch self {
    case .type2, .ultralight, .ultralightEV1Small, .ultralightEV1Large, .ntag203, .ntag210, .ntag212, .ntag213,
      .ntag215, .ntag216, .ntagI2C1K, .ntagI2C2K:
      .type2
    case .type4, .ntag424: .type4
    case .mifareClassic, .other: .unsupported
    }
  }

  /// What people call it.
  public var name: String {
    switch self {
    case .type2: "Type 2 tag"
    case .ultralight: "MIFARE Ultralight"
    case .ultralightEV1Small: "MIFARE Ultralight EV1 (48 bytes)"
    case .ultralightEV1Large: "MIFARE Ultralight EV1 (128 bytes)"
    case .ntag203: "NTAG203"
    case .ntag210: "NTAG210"
    case .ntag212: "NTAG212"
    case .ntag213: "NTAG213"
    case .ntag215: "NTAG215"
    case .ntag216: "NTAG216"
    case .ntagI2C1K: "NTAG I2C 1K"
    case .ntagI2C2K: "NTAG I2C 2K"
    case .type4: "Type 4 tag"
    case .ntag424: "NTAG 424 DNA"
    case .mifareClassic: "MIFARE Classic"
    case .other: "unknown tag"
    }
  }
}

/// A tag's identifier as it answers to anti-collision: 4, 7 or 10 bytes.
///
/// No proof of anything: it can be copied.
public struct TagUID: Hashable, Sendable {
  /// 1 to 10 bytes.
  public let bytes: [UInt8]

  /// Nil for anything but 1 to 10 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard (1...10).contains(bytes.count) else { return nil }
    self.bytes = Array(bytes)
  }
}

/// A tag's memory as the reader read it; what it means is decided in the core.
public struct TagReading: Hashable, Sendable {
  /// Which tag.
  public var uid: TagUID
  /// Its model, which says how `bytes` are laid out.
  public var model: TagModel
  /// Type 2: the memory from page 0 as far as it was read.
  ///
  /// Type 4: the NDEF file's content behind its length field.
  public var bytes: [UInt8]

  /// A reading of the tag `uid`.
  public init(uid: TagUID, model: TagModel, bytes: [UInt8]) {
    self.uid = uid
    self.model = model
    self.bytes = bytes
  }
}

/// Why a tag that was seen could not be read.
///
/// Raw values are the reader's wire format: append, never reuse.
public enum TagFault: UInt8, CaseIterable, Error, Hashable, Sendable {
  /// It left, or moved, while it was read, and did so again when tried once more.
  case pulledAway = 1
  /// A model that Tappet does not read.
  case unsupportedModel = 2
  /// It refused a command that it must answer (a read-protected page, no NDEF application).
  case refusedToAnswer = 3
  /// It answered against the specification.
  case malformedAnswer = 4
  /// Its message is larger than `Limits.tagMemorySizeMax`.
  case tooLarge = 5
  /// A smart card without NDEF application.
  case noApplication = 6
}

/// Why the reader (the device, not the tag) cannot be used.
///
/// Raw values are the reader's wire format: append, never reuse.
public enum ReaderFault: UInt8, CaseIterable, Hashable, Sendable {
  /// No such device, or libnfc found none.
  case notFound = 1
  /// The device is there but does not answer.
  case silent = 2
  /// The line broke: unplugged.
  case ioError = 3
  /// Another program has the device.
  case busy = 4
  /// The device may not be opened by this user.
  case permissionDenied = 5
  /// It answers, but as no reader that can be used does (a half-finished handshake, no ISO 14443-A).
  case unusable = 6
}
