// Events on the panel, as facts.

/// A part of the panel that can fail independently.
package enum PanelPart: Hashable, Sendable {
  /// A button's line, by the button's index.
  case input(Int)
  /// An LED or the buzzer, by the indicator's index.
  case indicator(Int)
  /// An output's line, by the output's index.
  case output(Int)
  /// The virtual panel.
  case simulator
}

/// The reason why a part is unavailable.
package enum PanelFault: Hashable, Sendable {
  /// The virtual panel cannot be reached; an errno, or 0 if it closed the connection.
  case simulatorAway(code: Int32)
  /// The kernel's LED cannot be used; an errno.
  case ledUnusable(code: Int32)
  /// The GPIO line is unavailable, or was lost.
  case line(GPIOFault)

  /// Whether the failure may be temporary.
  var mayPass: Bool { if case .line(let fault) = self { fault.mayPass } else { true } }
}

/// One event on the panel.
package enum PanelEvent: Sendable {
  /// A part is usable; for an input: whether it is active, and whether its edges are already debounced.
  case opened(PanelPart, isActive: Bool, debouncesItself: Bool)
  /// A part is unavailable, or was lost.
  case failed(PanelPart, PanelFault)
  /// All parts were released; events follow for the parts that are opened, or fail, again.
  case closed
  /// A button's contact changed; the timestamp is the kernel's.
  case edge(input: Int, isActive: Bool, at: Instant)
  /// A contact changed faster than it was read; `isActive` is its level at that time.
  case edgesLost(input: Int, isActive: Bool, at: Instant)
  /// All edges until this instant were reported; only until then is it known whether a contact was steady.
  case edgesRead(until: Instant)
  /// A key that acts as a button was pressed or released; it does not bounce.
  case key(button: Int, isDown: Bool, at: Instant)
  /// The embedding program requests an action on behalf of its own button.
  case asked(action: String)
  /// A person at the machine locks the buttons immediately.
  case lockAsked
}
