/// The state of a tag that tests can inspect, but readers cannot.

extension VirtualTag {
  /// Type 2: all pages as returned by READ, without the password; Type 4: the NDEF file.
  package var memory: [UInt8] {
    switch body {
    case .type2(let chip): chip.visibleMemory
    case .type4(let card): card.application.ndefFile
    case .classic: []
    }
  }

  /// Number of pages or file parts written since the tag was created.
  package var writes: Int {
    switch body {
    case .type2(let chip): chip.writes
    case .type4(let card): card.application.writes
    case .classic: 0
    }
  }
}
