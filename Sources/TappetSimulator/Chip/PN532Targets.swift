/// The chip's record of the tag that it activated.

/// The single target; the chip supports two, but only one tag is activated here at a time.
struct PN532Targets {
  /// The protocol between chip and target.
  enum Link: Equatable {
    /// Commands of the MIFARE family, sent unchanged.
    case plain
    /// ISO-DEP, with the number of the chip's next block and the card's maximum frame size (FSC).
    case blocks(number: UInt8, frameSizeMax: Int)
  }

  /// Protocol of the current target; `nil` if there is no target.
  var link: Link?
  /// Whether the tag is selected; InDeselect halts it, but the target remains known.
  var isSelected = false
  /// The UID found by anti-collision.
  var uid: [UInt8] = []
  /// The remainder of a response that did not fit in one host frame.
  var unread: [UInt8] = []
  /// The start of a command that the host has not sent completely (bit 6 of Tg).
  var unsent: [UInt8] = []
}
