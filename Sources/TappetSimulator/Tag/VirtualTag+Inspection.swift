/// Facts about a tag that a test may know and no reader could ask.

extension VirtualTag {
  /// Type 2: all pages as they read, which is without the password; Type 4: the NDEF file.
  package var memory: [UInt8] {
    switch body {
    case .type2(let chip): chip.visibleMemory
    case .type4(let card): card.application.ndefFile
    case .classic: []
    }
  }

  /// Pages or file parts written since it was made.
  package var writes: Int {
    switch body {
    case .type2(let chip): chip.writes
    case .type4(let card): card.application.writes
    case .classic: 0
    }
  }
}
