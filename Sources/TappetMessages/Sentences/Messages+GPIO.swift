// Sentences for faults of the panel's GPIO lines: cause and remedy. Switches have no `default`, so that a new fault
// without a sentence does not compile.

import TappetConfig
import TappetCore
import TappetPlatform

extension GPIOFault {
  /// Returns one sentence without a full stop; `line` is the line's display name, such as `GPIO17` or `pin 11`.
  @export(interface)
  package func sentence(line: String) -> String {
    switch self {
    case .noChips:
      "\(line) is unavailable: this machine has no GPIO chip (/dev/gpiochip*); is the expander plugged in, "
        + "and is its driver loaded?"
    case .noChip(let name):
      "\(line) is unavailable: there is no GPIO chip '\(name)'; check that it is plugged in, or use 'gpiodetect' "
        + "to list the labels"
    case .ambiguousChip(let label, let count):
      "\(line) is unavailable: \(count) GPIO chips are labelled '\(label)'; specify the chip by its path"
    case .noSuchLine:
      "no GPIO line is named \(line); use 'gpioinfo' to list the names, set 'panel.profile', or specify a chip and an "
        + "offset"
    case .noSuchOffset(let chip, let offset, let count):
      "\(line): the chip \(chip) has no line \(offset); its lines are 0 to \(Int(count) - 1)"
    case .chipNotNamed: "\(line): an offset needs its chip; add 'chip:' with the chip's label"
    case .ambiguous(let count):
      "\(count) GPIO lines are named \(line); set 'panel.chip' to the label of the right chip"
    case .wrongPin(let fault): fault.sentence(line: line)
    case .listedTwice: "\(line) is already used by another button or light; each needs its own line"
    case .busy(let consumer):
      consumer.isEmpty
        ? "\(line) is in use by the kernel or another program; stop that program, or choose another line"
        : "\(line) is in use by '\(consumer)'; stop that program, or choose another line"
    case .noPermission(let path):
      "\(line) is unavailable: this user is not allowed to open \(path); add the user to the group gpio and install "
        + "60-tappet.rules"
    case .noEdges:
      "\(line) cannot be a button: its chip has no interrupt that reports changes; connect the chip's INT, "
        + "or choose another line"
    case .notSupported: "\(line): the chip's driver does not support these settings; leave out bias, drive or debounce"
    case .chipGone: "\(line) is lost: its GPIO chip was removed; the line is used again when the chip is back"
    case .system(let code): "\(line) failed: \(SystemError(call: "ioctl", code: code).text)"
    }
  }
}

extension GPIOFault.PinFault {
  fileprivate func sentence(line: String) -> String {
    switch self {
    case .noProfile: "\(line): pin numbers require a profile; set 'panel.profile', or specify the line by name"
    case .beyondHeader(let last): "\(line): the header has no such pin; its last pin is \(last)"
    case .notALine(let name): "\(line) is \(name), not a GPIO line; count the pins again"
    case .reserved(let purpose): "\(line) is needed by the board for \(purpose); choose another pin"
    }
  }
}

extension BoardProfileError {
  /// Human-readable messages, one sentence for each error.
  package var sentences: [String] {
    @export(interface) get {
      switch self {
      case .unknown(let name, let nearest, let known):
        [
          "there is no profile '\(name)'" + (nearest.map { " (did you mean '\($0)'?)" } ?? "") + "; available: "
            + (known.isEmpty ? "none, because Tappet is not completely installed" : known.joined(separator: ", "))
        ]
      case .refused(let problems): problems.map { $0.sentence }
      }
    }
  }
}
