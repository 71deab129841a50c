/// A Type 4 tag: the blocks of ISO/IEC 14443-4 and, in Type4Application, the commands of ISO/IEC 7816-4.

/// A selected ISO-DEP tag.
package struct Type4Card {
  /// The response to a block.
  enum Answer {
    case block([UInt8])
    case deselected([UInt8])
    case silent
  }

  /// The files and the commands on them.
  package var application: Type4Application
  /// ATS without its length byte: T0 (FSCI 7: frames of 128 bytes), TA, TB, TC, historical bytes.
  private let ats: [UInt8]
  /// FSD: the maximum frame size that the reader accepts, in bytes.
  private var frameSizeMax = 64
  private var blockNumber: UInt8 = 1
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []
  private var lastBlock: [UInt8] = []

  init(application: Type4Application, historicalBytes: [UInt8]) {
    self.application = application
    ats = [0x77, 0x77, 0x71, 0x02] + historicalBytes
  }

  /// Resets the ISO-DEP state and deselects the file when the field is switched off.
  mutating func powerOff() {
    blockNumber = 1
    incoming = []
    outgoing = []
    lastBlock = []
    application.deselect()
  }

  /// Responds to RATS: E0, FSDI and CID (§5.6.1); returns `nil` for anything else.
  mutating func activate(_ command: [UInt8]) -> RFFrame? {
    guard command.count == 2, command[0] == 0xE0 else { return nil }
    let sizes = [16, 24, 32, 40, 48, 64, 96, 128, 256]
    frameSizeMax = sizes[min(Int(command[1] >> 4), sizes.count - 1)]
    powerOff()
    return .withCRC([UInt8(truncatingIfNeeded: ats.count + 1)] + ats)
  }

  /// Responds to one block without its CRC.
  ///
  /// CID and NAD are not offered and therefore not supported (§7.1).
  mutating func answer(block: [UInt8]) -> Answer {
    guard let pcb = block.first else { return .silent }
    switch pcb & 0xF6 {
    case 0xC2 where block.count == 1:
      powerOff()
      return .deselected([0xC2])
    case 0xA2, 0xB2: return answerReceiveReady(pcb)
    default: break
    }
    guard pcb & 0xEE == 0x02 else { return .silent }
    return answerInformation(pcb, Array(block.dropFirst()))
  }

  /// Responds to an R-block.
  ///
  /// R(NAK) with the card's block number repeats the last block. With the other number, the card responds with R(ACK);
  /// readers use this as a presence check. R(ACK) requests the next part of a long response (§7.5.4.3, rules 11 to 13).
  private mutating func answerReceiveReady(_ pcb: UInt8) -> Answer {
    if pcb & 1 == blockNumber & 1 {
      return lastBlock.isEmpty ? .silent : .block(lastBlock)
    }
    if pcb & 0x10 != 0 { return .block([0xA2 | blockNumber & 1]) }
    guard !outgoing.isEmpty else { return .silent }
    blockNumber ^= 1
    return sendPart()
  }

  private mutating func answerInformation(_ pcb: UInt8, _ data: [UInt8]) -> Answer {
    blockNumber ^= 1
    guard incoming.count + data.count <= Type4Application.commandSizeMax else {
      incoming = []
      return .silent
    }
    incoming += data
    if pcb & 0x10 != 0 {
      lastBlock = [0xA2 | blockNumber & 1]
      return .block(lastBlock)
    }
    let command = incoming
    incoming = []
    outgoing = application.answer(command)
    return sendPart()
  }

  private mutating func sendPart() -> Answer {
    // PCB and CRC take up three bytes of the frame.
    let size = max(1, frameSizeMax - 3)
    let part = outgoing.prefix(size)
    outgoing = Array(outgoing.dropFirst(part.count))
    lastBlock = [0x02 | (outgoing.isEmpty ? 0x00 : 0x10) | blockNumber & 1] + part
    return .block(lastBlock)
  }
}
