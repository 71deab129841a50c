// Events on the panel.

/// A part of the panel that can fail independently.
package enum PanelPart: Hashable, Sendable {
  /// The line of the button with this index; a contact that bounces endlessly is counted after the buttons.
  case input(Int)
  /// The LED or buzzer with this index among the indicators.
  case indicator(Int)
  /// The line of the output with this index.
  case output(Int)
  /// The virtual panel.
  case simulator
  /// The record of the safe levels, from which a killed kiosk's outputs are set.
  case record
  /// The line of the contact or exit with this index among the inputs whose level is a state.
  case contact(Int)
}

/// The reason why a part is unavailable.
package enum PanelFault: Hashable, Sendable {
  /// The virtual panel cannot be reached; `code` is an errno, or 0 if the panel closed the connection.
  case simulatorAway(code: Int32)
  /// The kernel's LED cannot be used; `code` is an errno.
  case ledUnusable(code: Int32)
  /// The GPIO line is unavailable, or was lost.
  case line(GPIOFault)
  /// The safe levels cannot be recorded; `code` is an errno.
  case unrecorded(code: Int32)

  /// Whether the failure may be temporary.
  var mayPass: Bool { if case .line(let fault) = self { fault.mayPass } else { true } }
}

/// One event on the panel.
package enum PanelEvent: Sendable {
  /// A part is usable; for an input, the values are its state, and whether its edges are already debounced.
  case opened(PanelPart, isActive: Bool, debouncesItself: Bool)
  /// A part is unavailable, or was lost.
  case failed(PanelPart, PanelFault)
  /// All parts were released; `opened` or `failed` follows for each part that is opened again.
  case closed
  /// A button's contact changed; the timestamp is the kernel's.
  case edge(input: Int, isActive: Bool, at: Instant)
  /// A contact changed faster than its edges were read; `isActive` is its level at that time.
  case edgesLost(input: Int, isActive: Bool, at: Instant)
  /// A contact whose level is a state has changed, or has this level after edges that were lost.
  case contact(Int, isOpen: Bool, at: Instant)
  /// All edges up to this instant were reported, so the state of every contact is known up to then.
  case edgesRead(until: Instant)
  /// A key that acts as a button was pressed or released; it does not bounce.
  case key(button: Int, isDown: Bool, at: Instant)
  /// The embedding program requested an action at this time, on behalf of its own button.
  case asked(action: String, by: PressCaller = .program, at: Instant? = nil)
  /// The caller cancels the question that its press caused.
  case cancelAsked(by: PressCaller)
  /// A user at the machine requests that the buttons be locked immediately.
  case lockAsked
}

/// A program or connection that requests presses: a question that one of them caused cannot be answered by another.
package struct PressCaller: Hashable, Sendable {
  private let number: UInt64
  /// The name of the page's device; `nil` for a program.
  private let device: String?

  /// The program in whose process the kiosk runs.
  package static let program = PressCaller(number: 0)

  package init(number: UInt64, device: String? = nil) { (self.number, self.device) = (number, device) }

  /// The originator of its presses.
  package var by: Originator { device.map { .page(device: $0) } ?? .program }
}

/// The origin of a press.
enum PressOrigin: Hashable, Sendable {
  /// The buttons that were pressed.
  case buttons([Int])
  case caller(PressCaller)
}
