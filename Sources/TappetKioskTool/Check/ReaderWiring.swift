// The header pins that the reader is wired to. libnfc's connection string specifies the bus, the profile its pins.
//
//   pn532_i2c:/dev/i2c-1               I2C1 SDA, I2C1 SCL
//   pn532_spi:/dev/spidev0.0:500000    SPI0 MOSI, SPI0 MISO, SPI0 SCLK, SPI0 CE0
//   pn532_uart:/dev/ttyAMA0            UART TX, UART RX: a bus without a number has number 0

import TappetCommandLine
import TappetCore

enum ReaderWiring {
  /// Returns the reader's wires; empty for a USB reader, or for a bus that is not on the header.
  static func uses(device: String?, profile: BoardProfile) -> [HeaderUse] {
    guard let device, let bus = Bus(device: device) else { return [] }
    var uses: [HeaderUse] = []
    for header in profile.headers {
      for pin in header.pins {
        if let end = bus.readerEnd(of: pin.alternative) { uses.append(HeaderUse(pin: pin.number, label: end)) }
      }
    }
    return uses
  }

  /// One of the board's buses.
  private struct Bus {
    private enum Kind {
      case i2c, spi, uart
    }

    private let kind: Kind
    private let number: Int64
    /// Chip select number on an SPI bus.
    private var selected: Int64 = 0

    /// Parses a device's connection string; `nil` if the device is not connected through the header.
    init?(device: String) {
      let parts = device.utf8.split(separator: UInt8(ascii: ":")).map { String($0) ?? "" }
      guard parts.count > 1 else { return nil }
      if parts[0] == "pn532_i2c", let number = Bus.number(parts[1], after: "/dev/i2c-") {
        (kind, self.number) = (.i2c, number)
      } else if parts[0] == "pn532_spi", parts[1].begins(with: "/dev/spidev") {
        let places = parts[1].utf8.dropFirst("/dev/spidev".utf8.count).split(separator: UInt8(ascii: "."))
        guard places.count == 2, let number = Int64(decimal: places[0]), let place = Int64(decimal: places[1]) else {
          return nil
        }
        (kind, self.number, selected) = (.spi, number, place)
      } else if parts[0] == "pn532_uart" {
        let numbers = ["/dev/ttyAMA", "/dev/ttyS", "/dev/serial"].compactMap { Bus.number(parts[1], after: $0) }
        guard let number = numbers.first else { return nil }
        (kind, self.number) = (.uart, number)
      } else {
        return nil
      }
    }

    private static func number(_ path: String, after prefix: String) -> Int64? {
      path.begins(with: prefix) ? Int64(decimal: path.utf8.dropFirst(prefix.utf8.count)) : nil
    }

    /// Returns the reader's terminal for a pin function such as `SPI0 MOSI`; `nil` if the pin is not part of the bus.
    func readerEnd(of function: String) -> String? {
      let words = function.utf8.split(separator: UInt8(ascii: " ")).map { String($0) ?? "" }
      guard words.count == 2, isName(words[0]) else { return nil }
      switch (kind, words[1]) {
      case (.i2c, "SDA"): return "reader SDA"
      case (.i2c, "SCL"): return "reader SCL"
      // The board's TX is wired to the reader's RXD.
      case (.uart, "TX"): return "reader RXD"
      case (.uart, "RX"): return "reader TXD"
      case (.spi, "MOSI"), (.spi, "TX"), (.spi, "D1"): return "reader MOSI"
      case (.spi, "MISO"), (.spi, "RX"), (.spi, "D0"): return "reader MISO"
      case (.spi, "SCLK"), (.spi, "CLK"): return "reader SCK"
      case (.spi, "CE\(selected)"), (.spi, "CS\(selected)"): return "reader SS"
      case (.spi, "CS"): return selected == 0 ? "reader SS" : nil
      default: return nil
      }
    }

    private func isName(_ word: String) -> Bool {
      let name: String
      switch kind {
      case .i2c: name = "I2C"
      case .spi: name = "SPI"
      case .uart: name = "UART"
      }
      return word == "\(name)\(number)" || (number == 0 && word == name)
    }
  }
}
