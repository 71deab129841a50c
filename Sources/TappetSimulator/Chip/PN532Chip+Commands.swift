/// The commands that do not involve a tag, and the dispatch table of all commands (UM0701-02 §7.2, §7.3.1).

extension PN532Chip {
  /// Executes a command; `field` accumulates the time spent on the air.
  mutating func execute(_ code: UInt8, _ parameters: [UInt8]) -> Outcome {
    switch code {
    case 0x00: diagnose(parameters)
    case 0x02: .answer([0x32, 0x01, 0x06, 0x07])  // PN532, firmware 1.6, types A, B and ISO 18092
    case 0x04: .answer(generalStatus)
    case 0x06: readRegisters(parameters)
    case 0x08: writeRegisters(parameters)
    case 0x0C: .answer([registers[0xFFB0], registers[0xFFF7], 0x00])
    case 0x0E: writePorts(parameters)
    case 0x10: setBaudRate(parameters)
    case 0x12: setParameters(parameters)
    case 0x14: configureSAM(parameters)
    case 0x16: powerDown(parameters)
    case 0x32: configureRF(parameters)
    case 0x40: exchangeData(parameters)
    case 0x42: communicateThrough(parameters)
    case 0x44: deselect(parameters, forget: false)
    case 0x4A: listPassiveTargets(parameters)
    case 0x4E: .answer([targets.link != nil && targets.link != .plain ? 0x00 : 0x27])
    case 0x52: deselect(parameters, forget: true)
    case 0x54: select(parameters)
    case 0x60: autoPoll(parameters)
    // Target mode (§7.3.14 to §7.3.21): the external field of another reader never appears.
    case 0x8C: .search(.forever, firstAttempt: nil)
    case 0x86, 0x88, 0x8E, 0x90, 0x92, 0x94: .answer([0x27])
    case 0x8A: .answer([0x00, 0x00])
    default: .syntaxError
    }
  }

  // MARK: Miscellaneous

  /// Executes Diagnose (§7.2.1).
  private mutating func diagnose(_ parameters: [UInt8]) -> Outcome {
    switch parameters.first {
    case 0x00: .answer(parameters)
    case 0x01, 0x02, 0x07: .answer([0x00])
    case 0x04: .answer([0x80])
    case 0x05: .search(.forever, firstAttempt: nil)
    case 0x06: .answer([attentionStatus()])
    default: .syntaxError
    }
  }

  /// The response to GetGeneralStatus (§7.2.3): last error, external field, targets, SAM.
  private var generalStatus: [UInt8] {
    let target: [UInt8] = targets.link == nil ? [0x00] : [0x01, 0x01, 0x00, 0x00, 0x00]
    return [lastError, 0x00] + target + [0x80]
  }

  /// Executes ReadRegister (§7.2.4); `parameters` consists of two address bytes per register.
  private func readRegisters(_ parameters: [UInt8]) -> Outcome {
    guard !parameters.isEmpty, parameters.count.isMultiple(of: 2) else { return .syntaxError }
    var values: [UInt8] = []
    for index in stride(from: 0, to: parameters.count, by: 2) {
      values.append(registers[UInt16(parameters[index]) << 8 | UInt16(parameters[index + 1])])
    }
    return .answer(values)
  }

  /// Executes WriteRegister (§7.2.5); `parameters` consists of two address bytes and a value per register.
  private mutating func writeRegisters(_ parameters: [UInt8]) -> Outcome {
    guard !parameters.isEmpty, parameters.count.isMultiple(of: 3) else { return .syntaxError }
    for index in stride(from: 0, to: parameters.count, by: 3) {
      registers[UInt16(parameters[index]) << 8 | UInt16(parameters[index + 1])] = parameters[index + 2]
    }
    return .answer([])
  }

  /// Executes WriteGPIO (§7.2.7): bit 7 marks a port to be written.
  private mutating func writePorts(_ parameters: [UInt8]) -> Outcome {
    guard parameters.count == 2 else { return .syntaxError }
    if parameters[0] & 0x80 != 0 { registers[0xFFB0] = parameters[0] & 0x3F }
    if parameters[1] & 0x80 != 0 { registers[0xFFF7] = parameters[1] & 0x06 }
    return .answer([])
  }

  /// Executes SetSerialBaudRate (§7.2.8), which takes effect once the host has acknowledged the response.
  private mutating func setBaudRate(_ parameters: [UInt8]) -> Outcome {
    let rates: [Int64] = [9_600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_288_000]
    guard parameters.count == 1, Int(parameters[0]) < rates.count else { return .syntaxError }
    pendingBaudRate = rates[Int(parameters[0])]
    return .answer([])
  }

  /// Executes SetParameters (§7.2.9).
  private mutating func setParameters(_ parameters: [UInt8]) -> Outcome {
    guard parameters.count == 1 else { return .syntaxError }
    self.parameters = parameters[0]
    return .answer([])
  }

  /// Executes SAMConfiguration (§7.2.10), which activates the contactless side after power-up.
  private mutating func configureSAM(_ parameters: [UInt8]) -> Outcome {
    guard (1...3).contains(parameters.count), (1...4).contains(parameters[0]) else { return .syntaxError }
    samMode = parameters[0]
    power = .normal
    return .answer([])
  }

  /// Executes PowerDown (§7.2.11): the chip sends the status, then sleeps.
  private mutating func powerDown(_ parameters: [UInt8]) -> Outcome {
    guard (1...2).contains(parameters.count) else { return .syntaxError }
    field.power(false)
    targets = PN532Targets()
    return .answer([0x00])
  }

  /// Executes RFConfiguration (§7.3.1).
  private mutating func configureRF(_ parameters: [UInt8]) -> Outcome {
    switch (parameters.first, parameters.count) {
    case (0x01, 2):
      field.power(parameters[1] & 0x01 != 0)
      if parameters[1] & 0x01 == 0 { targets.isSelected = false }
    case (0x02, 4): retries.timeoutCode = parameters[3]
    case (0x04, 2): retries.exchange = parameters[1]
    case (0x05, 4): retries.passiveActivation = parameters[3]
    case (0x0A, 12), (0x0B, 9), (0x0C, 4), (0x0D, 10): break  // analogue settings, which have no effect here
    default: return .syntaxError
    }
    return .answer([])
  }
}
