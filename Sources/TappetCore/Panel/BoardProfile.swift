// The pins of a board's headers, from share/tappet/profiles, which contains one YAML file per board.

/// A board's headers, and the GPIO line of each pin.
package struct BoardProfile: Hashable, Sendable {
  /// The line that a pin is connected to.
  package enum PinLine: Hashable, Sendable {
    /// The pin carries power, ground or nothing.
    case none
    /// The line at this offset, on the chip with the first of these labels that exists.
    ///
    /// Boards that share a header differ only in the chip's label.
    case offset(labels: [String], offset: UInt32)
    /// The line with this kernel name, on any chip.
    case named(String)
  }

  /// One pin of a header.
  package struct Pin: Hashable, Sendable {
    /// The number used by `pin:` in the configuration.
    package var number: Int
    /// The name in the board's documentation: `GPIO17`, `3V3`.
    package var name: String
    /// The line that the pin is connected to.
    package var line: PinLine
    /// The pin's alternative function on the board: `I2C1 SDA`; empty if there is none.
    package var alternative: String
    /// The purpose for which the board itself uses the pin, so that it is reserved; `nil` if the pin is free.
    package var reservedFor: String?

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
    /// The title as printed on the board or in its documentation.
    package var title: String
    /// The pins in numeric order, without gaps; the number of pins is even.
    package var pins: [Pin]

    package init(title: String, pins: [Pin]) {
      self.title = title
      self.pins = pins
    }
  }

  /// The file's name without its extension.
  package var name: String
  /// The board's name for display.
  package var title: String
  /// Prefixes of the model in the device tree, by which such boards are recognized.
  package var models: [String] = []
  /// The board's headers; there is at least one.
  package var headers: [Header]

  package init(name: String, title: String, models: [String] = [], headers: [Header]) {
    self.name = name
    self.title = title
    self.models = models
    self.headers = headers
  }

  /// Returns the pin with the given number; `nil` if there is none.
  package func pin(_ number: Int) -> Pin? { first { $0.number == number } }

  /// Returns the pin that has the given name and is connected to a line; `nil` if there is none.
  package func pin(named name: String) -> Pin? { first { $0.line != .none && $0.name == name } }

  /// Returns the number of the pin at a line's address, where the profile alone determines it; otherwise `nil`.
  ///
  /// `chip` is the panel's chip, on which lines are looked up by name.
  @export(interface)
  package func pin(at address: LineAddress, chip: String?) -> Int? {
    first { pin in
      switch (address, pin.line) {
      case (.pin(let number), _): number == pin.number
      case (.name(let name), .offset(let labels, _)): name == pin.name && chip.map { labels.contains($0) } ?? true
      case (.name(let name), .named(let kernelName)): name == pin.name || name == kernelName
      case (.offset(let chip, let offset), .offset(let labels, let other)):
        offset == other && chip.map { labels.contains($0) } ?? (onlyChip != nil)
      case (.name, .none), (.offset, .none), (.offset, .named): false
      }
    }?.number
  }

  /// The highest pin number.
  package var lastPin: Int { headers.last?.pins.last?.number ?? 0 }

  /// The labels of the chip if all lines are on one chip; otherwise `nil`.
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
