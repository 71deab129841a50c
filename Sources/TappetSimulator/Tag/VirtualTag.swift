/// An ISO/IEC 14443-3 type A tag: wakes up, sends its UID, is selected, halts. Once it is selected, its body responds.

/// One tag on the reader.
package struct VirtualTag {
  /// The part of a tag that responds after its activation.
  package enum Body {
    /// Pages of four bytes.
    case type2(Type2Chip)
    /// ISO-DEP with an NDEF application.
    case type4(Type4Card)
    /// MIFARE Classic: supports anti-collision, but rejects every authentication.
    case classic
  }

  /// The states of ISO/IEC 14443-3 §6.3.
  ///
  /// `woken` means that the tag left HALT, to which an error returns it (the states with an asterisk).
  enum Activation: Equatable {
    case idle
    case ready(level: Int, woken: Bool)
    case active(woken: Bool)
    /// Uses ISO-DEP (ISO/IEC 14443-4) and ignores all other frames.
    case inProtocol
    case halted
  }

  /// The UID, 4, 7 or 10 bytes long.
  package let uid: [UInt8]
  /// ATQA in transmission order, least significant byte first.
  let atqa: [UInt8]
  /// SAK of the last cascade level.
  let sak: UInt8
  /// The memory and the command set.
  package var body: Body
  /// Response delay in nanoseconds; applies even when pacing is off.
  var answerDelay: Int64 = 0
  private(set) var activation = Activation.idle

  /// Creates a tag that is not in a field yet.
  init(uid: [UInt8], atqa: [UInt8], sak: UInt8, body: Body) {
    self.uid = uid
    self.atqa = atqa
    self.sak = sak
    self.body = body
  }

  /// Resets all volatile state when the field is switched off.
  mutating func powerOff() {
    activation = .idle
    resetBody()
  }

  /// Responds to a frame; returns `nil` if the tag remains silent.
  mutating func answer(_ frame: RFFrame) -> RFFrame? {
    if activation == .inProtocol { return answerInProtocol(frame) }
    if frame.lastBits == 7, let byte = frame.bytes.first, byte == 0x26 || byte == 0x52 {
      return answerRequest(wakesHalted: byte == 0x52)
    }
    switch activation {
    case .idle, .halted, .inProtocol: return nil
    case .ready(let level, let woken): return answerAnticollision(frame, level: level, woken: woken)
    case .active(let woken): return answerActive(frame, woken: woken)
    }
  }

  // MARK: Activation

  /// Responds to REQA or WUPA; a tag in a later state falls back silently (§6.3.3 to §6.3.5).
  private mutating func answerRequest(wakesHalted: Bool) -> RFFrame? {
    switch activation {
    case .idle: activation = .ready(level: 0, woken: false)
    case .halted:
      guard wakesHalted else { return nil }
      activation = .ready(level: 0, woken: true)
    case .ready(_, let woken), .active(let woken):
      fallBack(woken: woken)
      return nil
    case .inProtocol: return nil
    }
    return RFFrame(atqa)
  }

  /// Returns the part of the UID at a cascade level: four bytes, starting with 0x88 (cascade tag) if more follow.
  private func cascade(_ level: Int) -> (bytes: [UInt8], isLast: Bool)? {
    switch (uid.count, level) {
    case (4, 0): (uid, true)
    case (7, 0), (10, 0): ([0x88] + uid[0..<3], false)
    case (7, 1): (Array(uid[3..<7]), true)
    case (10, 1): ([0x88] + uid[3..<6], false)
    case (10, 2): (Array(uid[6..<10]), true)
    default: nil
    }
  }

  /// Responds to SEL (93, 95, 97) with NVB and a prefix of the UID; supports whole bytes only, because single bits are
  /// needed only when two tags collide.
  private mutating func answerAnticollision(_ frame: RFFrame, level: Int, woken: Bool) -> RFFrame? {
    guard let part = cascade(level), frame.bytes.count >= 2,
      frame.bytes[0] == 0x93 &+ UInt8(truncatingIfNeeded: 2 * level)
    else {
      fallBack(woken: woken)
      return nil
    }
    let wanted = part.bytes + [part.bytes.reduce(0, ^)]
    let nvb = frame.bytes[1]
    if nvb == 0x70 {
      guard let body = frame.withoutCRC, body.count == 7, Array(body[2...]) == wanted else {
        fallBack(woken: woken)
        return nil
      }
      activation = part.isLast ? .active(woken: woken) : .ready(level: level + 1, woken: woken)
      return .withCRC([part.isLast ? sak : 0x04])
    }
    let known = Array(frame.bytes[2...])
    guard nvb & 0x0F == 0, Int(nvb >> 4) == known.count + 2, known.count < 5, Array(wanted.prefix(known.count)) == known
    else {
      fallBack(woken: woken)
      return nil
    }
    return RFFrame(Array(wanted[known.count...]))
  }

  /// Returns to the state before wake-up, after an error or a request for a different tag.
  private mutating func fallBack(woken: Bool) {
    activation = woken ? .halted : .idle
    resetBody()
  }

  private mutating func resetBody() {
    switch body {
    case .type2(var chip):
      chip.powerOff()
      body = .type2(chip)
    case .type4(var card):
      card.powerOff()
      body = .type4(card)
    case .classic: break
    }
  }

  // MARK: Selected

  private mutating func answerActive(_ frame: RFFrame, woken: Bool) -> RFFrame? {
    guard frame.lastBits == 0 else {
      // A frame with an incomplete byte cannot be a command.
      fallBack(woken: woken)
      return nil
    }
    let command = frame.withoutCRC
    if command == [0x50, 0x00] {
      // The tag does not respond to HLTA (§6.4.3).
      activation = .halted
      resetBody()
      return nil
    }
    switch body {
    case .type2(var chip):
      let answer = chip.answer(command)
      body = .type2(chip)
      return resolve(answer, woken: woken)
    case .type4(var card):
      guard let command, let ats = card.activate(command) else {
        fallBack(woken: woken)
        return nil
      }
      body = .type4(card)
      activation = .inProtocol
      return ats
    case .classic:
      // Without authentication, no block is readable (MF1S50 §10.3); the key exchange itself is not simulated.
      return resolve(.refused(code: 0x04), woken: woken)
    }
  }

  private mutating func resolve(_ answer: Type2Chip.Answer, woken: Bool) -> RFFrame? {
    switch answer {
    case .frame(let frame): return frame
    case .refused(let code):
      // After a refusal, the tag must be selected again (NTAG21x §9.3).
      fallBack(woken: woken)
      return .nibble(code)
    case .silent:
      fallBack(woken: woken)
      return nil
    }
  }

  private mutating func answerInProtocol(_ frame: RFFrame) -> RFFrame? {
    guard case .type4(var card) = body else { return nil }
    defer { body = .type4(card) }
    guard let block = frame.withoutCRC else { return nil }
    switch card.answer(block: block) {
    case .block(let bytes): return .withCRC(bytes)
    case .deselected(let bytes):
      activation = .halted
      return .withCRC(bytes)
    case .silent: return nil
    }
  }
}
