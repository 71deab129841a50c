// docs/boards.md shows what `tappet check` draws, and its table of buses has the profiles' own pins.

import Foundation
import TappetConfig
import TappetCore
import Testing
import TestSupport

@testable import TappetKioskTool

@Suite struct BoardsPageTests {
  private let page: String

  init() throws { page = try String(contentsOfFile: Repository.path("docs/boards.md"), encoding: .utf8) }

  private func pins(_ device: String, _ profile: String) throws -> [Int] {
    ReaderWiring.uses(device: device, profile: try Headers.profile(profile)).map { $0.pin }
  }

  @Test func `each drawing on the page matches the program's drawing for the configuration above it`() throws {
    let pattern = /```yaml\nreader: {device: "(.*?)"}\npanel: {profile: (.*?)}\n```\n\n```console\n(.*?)\n```/
    let found = page.matches(of: pattern.dotMatchesNewlines())
    #expect(found.count == 3)
    for match in found {
      let profile = try Headers.profile(String(match.2))
      let uses = ReaderWiring.uses(device: String(match.1), profile: profile)
      let drawing = HeaderDrawing.lines(profile: profile, uses: uses, colour: false).joined(separator: "\n")
      #expect(String(match.3) == drawing, "\(match.1): the page should have\n\(drawing)")
    }
  }

  @Test func `the table of buses has a row for each profile, with its pins`() throws {
    for name in Headers.names {
      let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") }, "\(name)")
      let cells = row.matches(of: /`(\/dev\/[a-zA-Z0-9.-]+)` \(([0-9, ]+)\)/)
      #expect(cells.count == 3, "\(row)")
      for cell in cells {
        let expected = cell.2.split(separator: ", ").compactMap { Int($0) }
        #expect(try pins(ReaderPorts.connection(String(cell.1)), name) == expected, "\(name) \(cell.1)")
      }
    }
  }

  @Test func `the reader's terminals are labelled as on the reader, and UART lines cross`() throws {
    let profile = try Headers.profile("raspberry-pi")
    let ends = { (device: String) in
      ReaderWiring.uses(device: device, profile: profile).map { "\($0.pin) \($0.label)" }
    }
    #expect(ends("pn532_uart:/dev/serial0:115200") == ["8 reader RXD", "10 reader TXD"])
    #expect(ends("pn532_i2c:/dev/i2c-1") == ["3 reader SDA", "5 reader SCL"])
    let bus = ["19 reader MOSI", "21 reader MISO", "23 reader SCK"]
    #expect(ends("pn532_spi:/dev/spidev0.0:500000") == bus + ["24 reader SS"])
    #expect(ends("pn532_spi:/dev/spidev0.1") == bus + ["26 reader SS"])
  }

  @Test(arguments: [
    "acr122_usb", "pn53x_usb", "pn532_uart:/dev/ttyUSB0", "pn532_i2c:/dev/i2c-0", "pn532_i2c:/dev/i2c-", "pn532_uart",
    "pn532_spi:/dev/spidev0", "pn532_spi:/dev/spidev1.0", "pn532_uart:/dev/ttyAMA99999999999999999999", ":", "",
  ]) func `a reader that is not on the header has no wires there`(_ device: String) throws {
    #expect(try pins(device, "raspberry-pi") == [])
  }
}
