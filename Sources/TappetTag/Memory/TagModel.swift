// The kinds of tags that the reader distinguishes, their readings, and the faults of tags and readers.

/// A tag's model.
///
/// Raw values are the reader's wire format (`ReaderMessage`): append, never reuse.
package enum TagModel: UInt8, CaseIterable, Hashable, Sendable {
  /// A Type 2 tag that was not asked for its model, or did not report it.
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
  /// An ISO-DEP tag with the NDEF application.
  case type4 = 20
  case ntag424 = 21
  /// A MIFARE Classic, rejected because not every phone can read its NDEF content.
  case mifareClassic = 40
  /// Any other tag that responded.
  case other = 41

  /// The layout of a tag's memory.
  package enum Layout: Hashable, Sendable {
    /// Pages of 4 bytes, TLV blocks from page 4 (NFC Forum Type 2 Tag).
    case type2
    /// An NDEF file in a file system (NFC Forum Type 4 Tag).
    case type4
    /// A layout that Tappet does not read.
    case unsupported
  }

  /// The layout of the model's memory.
  package var layout: Layout {
    @export(interface) get {
      switch self {
      case .type2, .ultralight, .ultralightEV1Small, .ultralightEV1Large, .ntag203, .ntag210, .ntag212, .ntag213,
        .ntag215, .ntag216, .ntagI2C1K, .ntagI2C2K:
        .type2
      case .type4, .ntag424: .type4
      case .mifareClassic, .other: .unsupported
      }
    }
  }

  /// The common name of the model.
  package var name: String {
    @export(interface) get {
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
}

/// The UID that a tag sends during anti-collision: 4, 7 or 10 bytes.
///
/// A UID can be copied, and so does not authenticate the tag.
package struct TagUID: Hashable, Sendable {
  /// The UID's 1 to 10 bytes.
  package let bytes: [UInt8]

  /// Creates a UID from its bytes; `nil` unless there are 1 to 10.
  package init?(_ bytes: some Collection<UInt8>) {
    guard (1...10).contains(bytes.count) else { return nil }
    self.bytes = Array(bytes)
  }

  /// Whether the tag generates a new random UID each time: four bytes that start with 08 (ISO/IEC 14443-3 §6.5.4).
  package var isRandom: Bool { bytes.count == 4 && bytes[0] == 0x08 }
}

/// A tag's memory, as read by the reader and interpreted by the core.
package struct TagReading: Hashable, Sendable {
  /// The tag that was read.
  package var uid: TagUID
  /// The tag's model, which defines the layout of `bytes`.
  package var model: TagModel
  /// The bytes that were read.
  ///
  /// Type 2: the memory from page 0 up to the last byte read; the lock bits in page 2 may still be zeros, see
  /// `TagDescription`. Type 4: the NDEF file's content after its length field.
  package var bytes: [UInt8]

  /// Creates a reading of the tag `uid`.
  package init(uid: TagUID, model: TagModel, bytes: [UInt8]) {
    self.uid = uid
    self.model = model
    self.bytes = bytes
  }
}

/// Details of a tag that taps do not need; the reader therefore requests them after the reading.
package struct TagDescription: Hashable, Sendable {
  /// The tag that was read.
  package var uid: TagUID
  /// The tag's exact model, as far as it can be determined.
  package var model: TagModel
  /// The 12 bytes of pages 0 to 2 of a Type 2 tag, which contain its lock bits; empty if already read or unreadable.
  package var header: [UInt8]

  package static let headerSize = 12

  package init(uid: TagUID, model: TagModel, header: [UInt8] = []) {
    self.uid = uid
    self.model = model
    self.header = header
  }
}

extension TagReading {
  /// Returns the reading, supplemented with its description.
  @export(interface)
  package func described(by description: TagDescription) -> TagReading {
    var whole = self
    whole.model = description.model
    let header = description.header
    if header.count == TagDescription.headerSize, bytes.count >= header.count {
      whole.bytes.replaceSubrange(..<header.count, with: header)
    }
    return whole
  }
}

/// The reason why a detected tag could not be read.
///
/// Raw values are the reader's wire format: append, never reuse.
package enum TagFault: UInt8, CaseIterable, Error, Hashable, Sendable {
  /// The tag was removed or moved during the read, and again during the second attempt.
  case pulledAway = 1
  /// The model is not supported.
  case unsupportedModel = 2
  /// The tag refused a mandatory command (a read-protected page, no NDEF application).
  case refusedToAnswer = 3
  /// The tag's response violates the specification.
  case malformedAnswer = 4
  /// The tag's message is larger than `Limits.tagMemorySizeMax`.
  case tooLarge = 5
  /// The tag is a smart card without an NDEF application.
  case noApplication = 6
  /// The tag's capability container forbids reading.
  case readProtected = 7
  /// The tag's capability container does not specify a file.
  case malformedContainer = 8
  /// Pages of the data area can be read only with a password (NTAG213/215/216 §8.5.7: AUTH0 and PROT).
  case passwordProtected = 9
}

/// The reason why the reader (the device, not the tag) cannot be used.
///
/// Raw values are the reader's wire format: append, never reuse.
package enum ReaderFault: UInt8, CaseIterable, Hashable, Sendable {
  /// The device does not exist, or libnfc found no device.
  case notFound = 1
  /// The device is present but does not respond.
  case silent = 2
  /// The connection failed: the device was unplugged.
  case ioError = 3
  /// The device is in use by a different program.
  case busy = 4
  /// The kiosk's user is not permitted to open the device.
  case permissionDenied = 5
  /// The device responds, but not like a usable reader (an incomplete handshake, no ISO 14443-A).
  case unusable = 6
}
