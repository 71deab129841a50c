/// The registers of the contactless interface unit that the host can access, and the settings that they contain
/// (PN532/C1 data sheet §8.6.23).

/// The registers 0x6300 to 0x633F and the ports; all others read as zero and ignore writes.
struct PN532Registers {
  private static let first: UInt16 = 0x6300
  private static let txMode: UInt16 = 0x6302
  private static let rxMode: UInt16 = 0x6303
  private static let manualRCV: UInt16 = 0x630D
  private static let control: UInt16 = 0x633C
  private static let bitFraming: UInt16 = 0x633D

  private var values = [UInt8](repeating: 0, count: 0x40)
  private var ports = [UInt8](repeating: 0xFF, count: 0x100)

  init() {
    self[Self.txMode] = 0x80
    self[Self.rxMode] = 0x80
    self[0x6327] = 0x80  // CIU_Version
  }

  subscript(address: UInt16) -> UInt8 {
    get {
      if address >= 0xFF00 { return ports[Int(address & 0xFF)] }
      guard address >= Self.first, Int(address - Self.first) < values.count else { return 0 }
      return values[Int(address - Self.first)]
    }
    set {
      if address >= 0xFF00 { ports[Int(address & 0xFF)] = newValue }
      guard address >= Self.first, Int(address - Self.first) < values.count else { return }
      values[Int(address - Self.first)] = newValue
    }
  }

  /// Whether the chip appends a CRC when sending.
  var sendsCRC: Bool { self[Self.txMode] & 0x80 != 0 }
  /// Whether the chip checks and removes the CRC of received data.
  var checksCRC: Bool { self[Self.rxMode] & 0x80 != 0 }
  /// Whether both directions use type A at 106 kbit/s, the only mode that the simulated tags support.
  var isTypeA106: Bool { self[Self.txMode] & 0x73 == 0 && self[Self.rxMode] & 0x73 == 0 }
  /// Whether the host handles parity bits.
  var isParityDisabled: Bool { self[Self.manualRCV] & 0x10 != 0 }
  /// Number of bits of the last byte to send; 0 means all.
  var lastBitsToSend: UInt8 { self[Self.bitFraming] & 0x07 }
  /// Number of valid bits in the last byte received; 0 means all.
  var lastBitsReceived: UInt8 {
    get { self[Self.control] & 0x07 }
    set { self[Self.control] = self[Self.control] & 0xF8 | newValue & 0x07 }
  }

  /// Sets the registers as InListPassiveTarget does: enables the CRC, and sets speed and framing for the modulation.
  mutating func prepare(modulation: UInt8) {
    let mode: UInt8 =
      switch modulation {
      case 0x01: 0x92
      case 0x02: 0xA2
      case 0x03: 0x83
      default: 0x80
      }
    self[Self.txMode] = mode
    self[Self.rxMode] = mode
    self[Self.manualRCV] &= 0xEF
    self[Self.bitFraming] &= 0xF8
  }
}
