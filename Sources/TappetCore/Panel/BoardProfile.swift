// The pins of a board's headers, from share/tappet/profiles, which contains one YAML file per board.

/// A board's headers, and the GPIO line of each pin.
package struct BoardProfile: Hashable, Sendable {
  /// The line that a pin is connected to.
  package enum PinLine: Hashable, Sendable {
    /// The pin carries power, ground or nothing.
    case none
    /// A line of the chip that has the first existing one of these labels.
    ///
    /// Boards that share a header differ only in the chip's label.
    case offset(labels: [String], offset: UInt32)
    /// The line with this kernel name, on any chip.
    case named(String)
  }

  /// One pin of a header.
  package struct Pin: Hashable, Sendable {
    /// The number that `pin:` in the configuration uses.
    package var number: Int
    /// The name in the board's documents: `GPIO17`, `3V3`.
    package var name: String
    /// The line that the pin is connected to.
    package var line: PinLine
    /// The pin's alternative function on the board: `I2C1 SDA`; empty when there is none.
    package var alternative: String
    /// The board's own use of the pin, which reserves it; `nil` when there is none.
    package var reservedFor: String?

    /// A pin with these properties.
    package init(number: Int, name: String, line: PinLine, alternative: String, reservedFor: String? = nil) {
      self.number = number
      self.name = name
      self.line = line
      self.alternative = alternative
      self.reservedFor = reservedFor
    }
  }

  /// A header with two columns of pins, odd numbers on the left.
  package struct Header: Hashable, Sendable {
    /// The title as printed on the board or in its documents.
    package var title: String
    /// The pins in order, without gaps; their number is even.
    package var pins: [Pin]

    /// A header with these pins.
    package init(title: String, pins: [Pin]) {
      self.title = title
      self.pins = pins
    }
  }

  /// The file's name without its extension.
  package var name: String
  /// Title for display.
  package var title: String
  /// Prefixes of the device tree's model on such boards.
  package var models: [String] = []
  /// The headers, at least one.
  package var headers: [Header]

  /// A profile with these headers.
  package init(name: String, title: String, models: [String] = [], headers: [Header]) {
    self.name = name
    self.title = title
    self.models = models
    self.headers = headers
  }

  /// Returns the pin with this number; `nil` when there is none.
  package func pin(_ number: Int) -> Pin? { first { $0.number == number } }

  /// Returns the pin with this name that is connected to a line; `nil` when there is none.
  package func pin(named name: String) -> Pin? { first { $0.line != .none && $0.name == name } }

  /// The highest pin number.
  package var lastPin: Int { headers.last?.pins.last?.number ?? 0 }

  /// The labels of the chip if all pins are on one chip; otherwise `nil`.
  package var onlyChip: [String]? {
    @export(interface) get {
      var only: [String]?
      for header in headers {
        for case .offset(let labels, _) in header.pins.map({ $0.line }) {
          guard only == nil || only == labels else { return nil }
          only = labels
        }
      }
      return only
    }
  }

  private func first(where isMeant: (Pin) -> Bool) -> Pin? {
    for header in headers {
      if let pin = header.pins.first(where: isMeant) { return pin }
    }
    return nil
  }
}
