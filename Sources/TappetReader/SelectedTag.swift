// From a selected tag to its memory: its kind, the code that reads it, and what is tried again.

import TappetCore
import TappetPlatform

extension SelectedTag {
  /// Speaks ISO-DEP: Type 4 (ISO/IEC 14443-3 §6.5.3.4, bit 6 of SAK).
  var isISODEP: Bool { sak & 0x20 != 0 }

  /// The NTAG and Ultralight family.
  ///
  /// The size of the UID says nothing.
  var isType2: Bool { sak == 0x00 && atqa == 0x0044 }

  /// The model as far as anti-collision reveals it.
  var model: TagModel {
    if isISODEP { return .type4 }
    if isType2 { return .type2 }
    // SAK 08, 18, 28, 38, 88: MIFARE Classic and what emulates it (AN10833 §3.2).
    return sak & 0x08 != 0 ? .mifareClassic : .other
  }

  /// An NTAG 424 has this ATQA, but so have many other Type 4 tags with a UID of seven bytes: ask it.
  var maybeNTAG424: Bool { isISODEP && atqa == 0x0344 }

  /// Two UIDs of one tag: the same, or both drawn at random at each select (ISO/IEC 14443-3 §6.5.4: 4 bytes, the first
  /// 08).
  func isSame(as other: SelectedTag) -> Bool {
    uid == other.uid || (hasRandomUID && other.hasRandomUID && sak == other.sak && atqa == other.atqa)
  }

  private var hasRandomUID: Bool { uid.bytes.count == 4 && uid.bytes[0] == 0x08 }
}

/// A tag's memory as far as a tap needs it, and what is known for its description.
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

  /// Asks a tag that was read for the rest; it may have left meanwhile.
  func describe(_ tag: SelectedTag, _ memory: TagMemory) throws(DeviceError) -> TagDescription {
    switch memory {
    case .type2(let reading):
      // The model last: a tag that does not know the question falls asleep.
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
        // The first FAST_READ is refused by half of all tags: no disturbance.
        if triedFastRead == .untried, reading.fastRead == .refused { continue }
        // The tag is there, for it was selected, and twice did not give the same page: protected against reading.
        if disturbedAt == reading.memory.count { throw .fault(.refusedToAnswer) }
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

  /// Throws `noAnswer` when the tag is gone.
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
