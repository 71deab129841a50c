/// Commands that find, select and release a tag (UM0701-02 §7.3.5, §7.3.10 to §7.3.13).

extension PN532Chip {
  /// Number of attempts before a search waits for a tag; waking a previously selected tag takes an extra attempt.
  private static let firstAttempts = 3

  /// Executes InListPassiveTarget (§7.3.5).
  mutating func listPassiveTargets(_ parameters: [UInt8]) -> Outcome {
    guard parameters.count >= 2, (1...2).contains(parameters[0]), parameters[1] <= 0x04 else { return .syntaxError }
    registers.prepare(modulation: parameters[1])
    let isEndless = retries.passiveActivation == 0xFF
    let attempts = isEndless ? Int.max : Int(retries.passiveActivation) + 1
    for _ in 0..<min(attempts, Self.firstAttempts) {
      if let found = attempt(list: parameters) { return .answer(found) }
    }
    guard attempts > Self.firstAttempts else { return .answer([0x00]) }
    let one = Duration.nanoseconds(pacing.emptyAttempt)
    return .search(
      .list(parameters), firstAttempt: field.tag == nil ? nil : one,
      lasts: isEndless ? nil : one * (attempts - Self.firstAttempts))
  }

  /// Makes one attempt of InListPassiveTarget; returns the response, or `nil` if no tag was found.
  mutating func attempt(list parameters: [UInt8]) -> [UInt8]? {
    guard parameters[1] == 0x00, let data = activate(uid: Array(parameters.dropFirst(2))) else {
      if parameters[1] != 0x00 { field.wait(pacing.emptyAttempt) }
      return nil
    }
    return [0x01, 0x01] + data
  }

  /// Executes InAutoPoll (§7.3.13); `parameters` are PollNr, Period in units of 150 ms, and the types.
  mutating func autoPoll(_ parameters: [UInt8]) -> Outcome {
    guard (3...17).contains(parameters.count), parameters[0] > 0, (1...15).contains(parameters[1]) else {
      return .syntaxError
    }
    let kind = Search.Kind.autoPoll(
      types: Array(parameters.dropFirst(2)), roundsLeft: parameters[0] == 0xFF ? nil : Int(parameters[0]),
      period: .milliseconds(150 * Int(parameters[1])))
    return .search(kind, firstAttempt: .zero)
  }

  /// Makes one round of InAutoPoll; type 0x20 means ISO-DEP, 0x10 MIFARE, and 0x00 any type A, and other types are not
  /// simulated.
  mutating func attempt(poll types: [UInt8]) -> [UInt8]? {
    registers.prepare(modulation: 0x00)
    for type in types {
      guard type == 0x00 || type == 0x10 || type == 0x20 else {
        field.wait(pacing.emptyAttempt)
        continue
      }
      // A tag already selected for the previous type goes to IDLE at the first request and responds to the second.
      guard let data = activate(uid: []) ?? activate(uid: []) else { continue }
      let isBlocks = targets.link != .plain
      guard type == 0x00 || isBlocks == (type == 0x20) else { continue }
      let target = [0x01] + data
      return [0x01, type, UInt8(truncatingIfNeeded: target.count)] + target
    }
    return nil
  }

  /// Wakes and selects a tag, with RATS if it supports ISO-DEP; returns SENS_RES, SEL_RES, UID length, UID and ATS.
  ///
  /// A non-empty `uid`, which includes the cascade tags, selects only the tag with that UID.
  private mutating func activate(uid wanted: [UInt8]) -> [UInt8]? {
    if targets.isSelected, case .blocks = targets.link {
      // A card in ISO-DEP ignores REQA, so the field is switched off briefly.
      field.power(false)
      field.wait(Pacing.fieldReset)
    }
    targets = PN532Targets()
    if power != .normal {
      field.wait(pacing.emptyAttempt)
      return nil
    }
    field.power(true)
    guard let found = selectTag(request: 0x26), wanted.isEmpty || found.cascade == wanted else {
      field.wait(pacing.emptyAttempt)
      return nil
    }
    targets.uid = found.uid
    targets.link = .plain
    targets.isSelected = true
    var data = [found.atqa[1], found.atqa[0], found.sak, UInt8(truncatingIfNeeded: found.uid.count)] + found.uid
    if found.sak & 0x20 != 0, parameters & 0x10 != 0 {
      guard let ats = requestATS() else {
        targets = PN532Targets()
        return nil
      }
      data += ats
    }
    field.countSelect()
    return data
  }

  private struct Found {
    var atqa: [UInt8]
    var sak: UInt8
    var uid: [UInt8]
    var cascade: [UInt8]
  }

  /// Selects a tag: request, then anti-collision and selection in up to three cascade levels (ISO/IEC 14443-3 §6.5).
  private mutating func selectTag(request: UInt8) -> Found? {
    guard let atqa = field.transmit(RFFrame([request], lastBits: 7), pacing), atqa.bytes.count == 2 else { return nil }
    var found = Found(atqa: atqa.bytes, sak: 0x04, uid: [], cascade: [])
    for command: UInt8 in [0x93, 0x95, 0x97] {
      guard let part = field.transmit(RFFrame([command, 0x20]), pacing)?.bytes, part.count == 5,
        part.reduce(0, ^) == 0,
        let sak = field.transmit(.withCRC([command, 0x70] + part), pacing)?.withoutCRC, sak.count == 1
      else { return nil }
      found.cascade += part.prefix(4)
      found.sak = sak[0]
      guard sak[0] & 0x04 != 0 else {
        found.uid += part.prefix(4)
        return found
      }
      found.uid += part[1..<4]
    }
    return nil
  }

  /// Sends RATS with FSDI 5 (the chip accepts frames of 64 bytes); returns the response with its length byte.
  private mutating func requestATS() -> [UInt8]? {
    guard let ats = field.transmit(.withCRC([0xE0, 0x50]), pacing)?.withoutCRC, ats.count >= 2 else { return nil }
    let sizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]
    targets.link = .blocks(number: 0, frameSizeMax: sizes[min(Int(ats[1] & 0x0F), sizes.count - 1)])
    return ats
  }

  /// Executes InDeselect and InRelease; target number 0 means all targets.
  mutating func deselect(_ parameters: [UInt8], forget: Bool) -> Outcome {
    guard parameters.count == 1 else { return .syntaxError }
    guard parameters[0] == 0 || (parameters[0] == 1 && targets.link != nil) else { return .answer([0x27]) }
    if targets.isSelected {
      switch targets.link {
      case .plain: _ = field.transmit(.withCRC([0x50, 0x00]), pacing)
      case .blocks: _ = field.transmit(.withCRC([0xC2]), pacing)
      case nil: break
      }
      targets.isSelected = false
    }
    if forget { targets = PN532Targets() }
    return .answer([0x00])
  }

  /// Executes InSelect: wakes a deselected target, which must still be the same tag.
  mutating func select(_ parameters: [UInt8]) -> Outcome {
    guard parameters.count == 1 else { return .syntaxError }
    guard parameters[0] == 1, let link = targets.link else { return .answer([0x27]) }
    if targets.isSelected { return .answer([0x00]) }
    guard let found = selectTag(request: 0x52), found.uid == targets.uid else {
      field.wait(retries.timeout)
      return .answer([0x01])
    }
    if link != .plain, requestATS() == nil { return .answer([0x01]) }
    targets.isSelected = true
    field.countSelect()
    return .answer([0x00])
  }
}
