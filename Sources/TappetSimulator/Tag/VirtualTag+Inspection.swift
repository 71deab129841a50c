/// What a test may know of a tag that no reader could ask.

extension VirtualTag {
  /// Type 2: all pages as they read, which is without the password; Type 4: the NDEF file.
  public var memory: [UInt8] {
    switch body {
    case .type2(let chip): chip.visibleMemory
    case .type4(let card): card.application.ndefFile
    case .classic: []
    }
  }

  /// Pages or file parts written since it was made.
  public var writes: Int {
    switch body {
    case .type2(let chip): chip.writes
    case .type4(let card): card.application.writes
    case .classic: 0
    }
  }
}
