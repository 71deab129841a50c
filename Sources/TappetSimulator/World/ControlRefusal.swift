/// The reasons for refusing a test's command, as sentences.

/// The reason for refusing a command.
enum ControlRefusal: Error, Equatable {
  case emptyLine
  case lineTooLong
  case unknownCommand
  case notACount
  case notHexadecimal
  case placement(TagPlacement.Fault)
  case noTag
  case isPlugged
  case isUnplugged
  case noPanel
  /// The kiosk has only these buttons.
  case noButton([String])
  case isPlaying
  case lightNotSeen

  /// The text after `error`.
  var sentence: String {
    switch self {
    case .emptyLine: "no command"
    case .lineTooLong: "the line is too long"
    case .unknownCommand: "unknown command or arguments; see tappet-sim --help"
    case .notACount: "a whole number was expected"
    case .notHexadecimal: "hexadecimal digits, two per byte, were expected"
    case .placement(.unknownModel): "unknown tag model"
    case .placement(.uidSize): "the model does not support a UID of that size"
    case .placement(.notPossible): "the model does not support these options"
    case .placement(.doesNotFit(let size, let capacity)): "\(size) bytes are needed, but the tag has \(capacity)"
    case .noTag: "there is no tag"
    case .isPlugged: "already plugged"
    case .isUnplugged: "already unplugged"
    case .noPanel: "no kiosk is connected to the panel"
    case .noButton(let buttons):
      "the kiosk has no such button; its buttons are: "
        + (buttons.isEmpty ? "none" : buttons.joined(separator: ", "))
    case .isPlaying: "a button is already being played"
    case .lightNotSeen: "the light was not shown in time"
    }
  }
}
