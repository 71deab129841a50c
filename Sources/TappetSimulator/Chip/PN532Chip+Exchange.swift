/// Communication with a selected tag: InDataExchange, in which the chip handles the protocol, and InCommunicateThru, in
/// which the host does (UM0701-02 §7.3.8, §7.3.9). Status bytes are defined in §7.1.

extension PN532Chip {
  /// The status bytes at the start of a response.
  enum Status {
    static let timeout: UInt8 = 0x01
    static let crc: UInt8 = 0x02
    static let bufferTooSmall: UInt8 = 0x07
    static let format: UInt8 = 0x13
    static let authentication: UInt8 = 0x14
    static let wrongContext: UInt8 = 0x27
    static let moreInformation: UInt8 = 0x40
  }

  /// Maximum size of a response after its status byte, in bytes: an extended frame minus TFI, code and status.
  private static let answerSizeMax = PN532Frame.extendedSizeMax - 3

  // MARK: InCommunicateThru

  /// Sends the bytes unchanged; the registers specify whether to append a CRC and the number of bits of the last byte.
  mutating func communicateThrough(_ data: [UInt8]) -> Outcome {
    let frame =
      registers.sendsCRC ? RFFrame.withCRC(data) : RFFrame(data, lastBits: data.isEmpty ? 0 : registers.lastBitsToSend)
    let isHeard = power == .normal && registers.isTypeA106 && !registers.isParityDisabled && !data.isEmpty
    guard isHeard, let answer = field.exchange(frame, pacing) else {
      field.wait(retries.timeout)
      return status(Status.timeout)
    }
    registers.lastBitsReceived = answer.lastBits
    guard registers.checksCRC else { return status(0x00, answer.bytes) }
    guard let bytes = answer.withoutCRC else { return status(Status.crc) }
    return bytes.count > Self.answerSizeMax ? status(Status.bufferTooSmall) : status(0x00, bytes)
  }

  private mutating func status(_ code: UInt8, _ bytes: [UInt8] = []) -> Outcome {
    lastError = code & 0x3F
    return .answer([code] + bytes)
  }

  // MARK: InDataExchange

  mutating func exchangeData(_ parameters: [UInt8]) -> Outcome {
    guard let tg = parameters.first else { return .syntaxError }
    guard tg & 0x3F == 1, let link = targets.link else { return status(Status.wrongContext) }
    let data = Array(parameters.dropFirst())
    switch link {
    case .plain: return exchangePlain(data)
    case .blocks(let number, let frameSizeMax):
      if data.isEmpty, !targets.unread.isEmpty { return giveUnread() }
      targets.unsent += data
      if tg & 0x40 != 0 { return status(0x00) }
      let command = targets.unsent
      targets.unsent = []
      return exchangeBlocks(command, number: number, frameSizeMax: frameSizeMax)
    }
  }

  /// Accepts only MIFARE commands of the correct length; any other command results in an error frame.
  private mutating func exchangePlain(_ data: [UInt8]) -> Outcome {
    switch (data.first, data.count) {
    case (0x30, 2): return finishPlain(exchangeFrame(data), refusal: Status.format)
    case (0xA2, 6): return finishPlain(exchangeFrame(data), refusal: Status.authentication)
    case (0xA0, 18), (0xC0, 6), (0xC1, 6), (0xC2, 6):
      let first = finishPlain(exchangeFrame(Array(data.prefix(2))), refusal: Status.authentication)
      guard case .answer([0x00]) = first else { return first }
      return finishPlain(exchangeFrame(Array(data.dropFirst(2))), refusal: Status.authentication)
    case (0xB0, 2): return finishPlain(exchangeFrame(data), refusal: Status.authentication)
    case (0x60, 12), (0x61, 12):
      // Only the first frame of the key exchange is sent, because no tag simulates the later frames.
      return finishPlain(exchangeFrame(Array(data.prefix(2))), refusal: Status.authentication)
    default: return .syntaxError
    }
  }

  /// Sends a frame; if there is no response, retries up to MaxRtyCOM times.
  private mutating func exchangeFrame(_ data: [UInt8]) -> RFFrame? {
    for _ in 0...Int(min(retries.exchange, 10)) {
      if power == .normal, let answer = field.exchange(.withCRC(data), pacing) { return answer }
      field.wait(retries.timeout)
    }
    return nil
  }

  private mutating func finishPlain(_ answer: RFFrame?, refusal: UInt8) -> Outcome {
    guard let answer else { return status(Status.timeout) }
    if answer.lastBits == 4 { return status(answer.bytes == [0x0A] ? 0x00 : refusal) }
    guard let bytes = answer.withoutCRC else { return status(Status.crc) }
    return status(0x00, bytes)
  }

  // MARK: ISO-DEP

  /// Sends a command in one or more I-blocks, and receives the response in the same way (ISO/IEC 14443-4 §7.5).
  private mutating func exchangeBlocks(_ command: [UInt8], number first: UInt8, frameSizeMax: Int) -> Outcome {
    var number = first
    defer { targets.link = .blocks(number: number, frameSizeMax: frameSizeMax) }
    let partSize = max(1, frameSizeMax - 3)
    var rest = command[...]
    while rest.count > partSize {
      let part = rest.prefix(partSize)
      rest = rest.dropFirst(partSize)
      switch exchangeBlock([0x12 | number] + part) {
      case .failure(let code): return status(code)
      case .block(let block):
        guard block == [0xA2 | number] else { return status(Status.format) }
      }
      number ^= 1
    }
    var block = [0x02 | number] + rest
    var answer: [UInt8] = []
    while answer.count <= Self.responseSizeMax {
      switch exchangeBlock(block) {
      case .failure(let code): return status(code)
      case .block(let received):
        guard let pcb = received.first, pcb & 0xEF == 0x02 | number else { return status(Status.format) }
        number ^= 1
        answer += received.dropFirst()
        if pcb & 0x10 == 0 {
          targets.unread = answer
          return giveUnread()
        }
        block = [0xA2 | number]
      }
    }
    return status(Status.bufferTooSmall)
  }

  private enum BlockResult {
    case block([UInt8])
    case failure(UInt8)
  }

  private mutating func exchangeBlock(_ block: [UInt8]) -> BlockResult {
    guard let answer = exchangeFrame(block) else { return .failure(Status.timeout) }
    guard let bytes = answer.withoutCRC else { return .failure(Status.crc) }
    return .block(bytes)
  }

  /// Returns as much of a response as fits in one frame; bit 6 of the status signals that more data follows.
  private mutating func giveUnread() -> Outcome {
    let part = Array(targets.unread.prefix(Self.answerSizeMax))
    targets.unread = Array(targets.unread.dropFirst(part.count))
    return status(targets.unread.isEmpty ? 0x00 : Status.moreInformation, part)
  }

  /// Maximum size of an APDU response that the chip assembles, in bytes.
  private static let responseSizeMax = 1024

  /// Executes Diagnose 6: tests whether the card is still present.
  mutating func attentionStatus() -> UInt8 {
    guard case .blocks(let number, _) = targets.link else { return Status.wrongContext }
    return exchangeFrame([0xB2 | number]) == nil ? Status.timeout : 0x00
  }
}
