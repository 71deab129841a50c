// Reading the memory of a selected tag: the tag's type, how it is read, and which failures are retried.

import TappetTag
import TappetPlatform

extension SelectedTag {
  /// Whether the tag supports ISO-DEP: Type 4 (ISO/IEC 14443-3 §6.5.3.4, bit 6 of SAK).
  var isISODEP: Bool { sak & 0x20 != 0 }

  /// Whether the tag belongs to the NTAG and Ultralight family.
  ///
  /// The size of the UID is not sufficient to determine this.
  var isType2: Bool { sak == 0x00 && atqa == 0x0044 }

  /// The model as far as anti-collision reveals it.
  var model: TagModel {
    if isISODEP { return .type4 }
    if isType2 { return .type2 }
    // SAK 08, 18, 28, 38, 88: MIFARE Classic and its emulations (AN10833 §3.2).
    return sak & 0x08 != 0 ? .mifareClassic : .other
  }

  /// Whether the tag may be an NTAG 424: other Type 4 tags with a seven-byte UID share this ATQA, so it must be
  /// queried.
  var maybeNTAG424: Bool { isISODEP && atqa == 0x0344 }

  /// Whether both UIDs belong to the same tag: they are equal, or both are random and change with each select
  /// (ISO/IEC 14443-3 §6.5.4: 4 bytes, the first 08).
  func isSame(as other: SelectedTag) -> Bool {
    uid == other.uid || (hasRandomUID && other.hasRandomUID && sak == other.sak && atqa == other.atqa)
  }

  private var hasRandomUID: Bool { uid.bytes.count == 4 && uid.bytes[0] == 0x08 }
}

/// The part of a tag's memory that a tap needs, and the data for the tag's description.
enum TagMemory {
  case type2(Type2Reading)
  case type4([UInt8])

  var bytes: [UInt8] {
    switch self {
    case .type2(let reading): reading.memory
    case .type4(let bytes): bytes
    }
  }
}

extension NFCDevice {
  /// Reads a tag that was just selected.
  func read(_ tag: SelectedTag) throws(DeviceError) -> Result<TagMemory, TagFault> {
    let deadline = Instant.now() + Limits.readerPatienceMax
    do throws(ReadFailure) {
      switch tag.model.layout {
      case .type2: return .success(.type2(try readType2(tag, until: deadline)))
      case .type4: return .success(.type4(try readType4(tag, until: deadline)))
      case .unsupported: return .failure(.unsupportedModel)
      }
    } catch {
      switch error {
      case .device(let trouble): throw trouble
      case .fault(let fault): return .failure(fault)
      case .noAnswer: return .failure(.pulledAway)
      }
    }
  }

  /// Describes a tag that has been read, and queries the tag for missing details; it may have left in the meantime.
  func describe(_ tag: SelectedTag, _ memory: TagMemory) throws(DeviceError) -> TagDescription {
    switch memory {
    case .type2(let reading):
      // The model is queried last, because a tag that does not support the query halts.
      let header = try reading.header(self)
      return TagDescription(uid: tag.uid, model: try reading.identify(self), header: header)
    case .type4:
      guard tag.maybeNTAG424 else { return TagDescription(uid: tag.uid, model: .type4) }
      return TagDescription(uid: tag.uid, model: try Type4Reading.isNTAG424(self) ? .ntag424 : .type4)
    }
  }

  private func readType2(_ tag: SelectedTag, until deadline: Instant) throws(ReadFailure) -> Type2Reading {
    var reading = Type2Reading(of: tag.uid)
    var disturbedAt: Int?
    while true {
      let triedFastRead = reading.fastRead
      do throws(ReadFailure) {
        try reading.resume(self)
        return reading
      } catch {
        guard case .noAnswer = error, Instant.now() < deadline else { throw error }
        try selectAgainOrThrow(tag)
        // Half of all tags refuse the first FAST_READ; such a refusal does not count as a disturbance.
        if triedFastRead == .untried, reading.fastRead == .refused { continue }
        // The tag is present, because it could be selected, but failed twice at the same page.
        if disturbedAt == reading.memory.count {
          throw .fault(try reading.shortage(self, orElse: .refusedToAnswer))
        }
        disturbedAt = reading.memory.count
      }
    }
  }

  private func readType4(_ tag: SelectedTag, until deadline: Instant) throws(ReadFailure) -> [UInt8] {
    do throws(ReadFailure) {
      return try Type4Reading.read(self, until: deadline)
    } catch {
      guard case .noAnswer = error, Instant.now() < deadline else { throw error }
      try selectAgainOrThrow(tag)
      return try Type4Reading.read(self, until: deadline)
    }
  }

  /// Selects the tag again; throws `noAnswer` if it is gone.
  private func selectAgainOrThrow(_ tag: SelectedTag) throws(ReadFailure) {
    let found: SelectedTag?
    do throws(DeviceError) {
      found = try selectAgain(tag)
    } catch {
      throw .device(error)
    }
    guard let found, found.isSame(as: tag) else { throw .noAnswer }
  }
}
