/// The chip's memory of the tag that it activated.

/// The one target; the chip could hold two, but only one tag lies here at a time.
struct PN532Targets {
  /// How the chip talks to it.
  enum Link: Equatable {
    /// Commands of the MIFARE family go out as they are.
    case plain
    /// ISO-DEP: the number of our next block, and how much of a frame the card takes (FSC).
    case blocks(number: UInt8, frameSizeMax: Int)
  }

  /// `nil` means no target.
  var link: Link?
  /// InDeselect halts the tag, but it stays known.
  var isSelected = false
  /// The identity that anti-collision found.
  var uid: [UInt8] = []
  /// The rest of an answer that did not fit one host frame.
  var unread: [UInt8] = []
  /// The beginning of a command whose end the host still has to send (bit 6 of Tg).
  var unsent: [UInt8] = []
}
