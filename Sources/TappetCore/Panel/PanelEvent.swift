// Events on the panel, as facts.

/// A part of the panel that can fail by itself.
package enum PanelPart: Hashable, Sendable {
  /// A button's line, by the button's index.
  case input(Int)
  /// An LED or the buzzer, by its place among them.
  case indicator(Int)
  /// An output's line, by the output's index.
  case output(Int)
  /// The virtual panel.
  case simulator
}

/// Why a part is unavailable.
package enum PanelFault: Hashable, Sendable {
  /// The virtual panel cannot be reached; an errno, or 0 when it hung up.
  case simulatorAway(code: Int32)
  /// The kernel's LED cannot be used; an errno.
  case ledUnusable(code: Int32)
  /// The GPIO line is unavailable, or was lost.
  case line(GPIOFault)

  /// Whether the failure can pass by itself.
  var mayPass: Bool { if case .line(let fault) = self { fault.mayPass } else { true } }
}

/// One event on the panel.
package enum PanelEvent: Sendable {
  /// A part can be used; for an input: whether it is active now, and whether its edges are already debounced.
  case opened(PanelPart, isActive: Bool, debouncesItself: Bool)
  /// A part is unavailable, or was lost.
  case failed(PanelPart, PanelFault)
  /// All parts were released; the parts that follow are opened, or fail, again.
  case closed
  /// A button's contact moved; the time is the kernel's.
  case edge(input: Int, isActive: Bool, at: Instant)
  /// A contact moved faster than it was read; its level at that time.
  case edgesLost(input: Int, isActive: Bool, at: Instant)
  /// All edges until this instant were reported; only until then is a contact known to rest.
  case edgesRead(until: Instant)
  /// A key that acts as a button was pressed or released; it does not bounce.
  case key(button: Int, isDown: Bool, at: Instant)
  /// The embedding program requests an action on behalf of a button of its own.
  case asked(action: String)
  /// A person at the machine locks the buttons at once.
  case lockAsked
}
