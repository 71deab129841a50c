// The output of 'tappet web pair': an address that can be reached, and a QR code that can be read.

import TappetJSON
import TappetQR
import Testing

@testable import TappetKioskTool

@Suite struct PageAddressTests {
  private func place(_ port: Int64?, isLocal: Bool = false) -> PageAddress {
    PageAddress(
      .object(["port": port.map { .number($0) } ?? .null, "local": .bool(isLocal)]), host: "door.example")
  }

  @Test func `the address has a port unless it is 443, and is unknown before the first browser`() {
    #expect(place(443).address == "https://door.example" && place(8443).address == "https://door.example:8443")
    #expect(place(nil).address == nil && place(nil).way == "Type this code into the kiosk's page")
  }

  @Test func `a page on this machine only is reached with ssh, also at a port below 1024`() {
    #expect(place(8080, isLocal: true).address == nil)
    #expect(place(8080, isLocal: true).way.contains("'ssh -L 8080:localhost:8080 USER@door.example'"))
    #expect(place(443, isLocal: true).way.contains("'ssh -L 8443:localhost:443 USER@door.example'"))
    #expect(place(443, isLocal: true).way.contains("https://localhost:8443/pair"))
  }

  @Test func `without colours, the QR code is drawn by its light modules`() throws {
    let code = try QRCode(Array("https://door.example/pair#12345678".utf8))
    let (plain, ink) = (code.screenLines(hasColours: false), code.screenLines(hasColours: true))
    #expect(ink.allSatisfy { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") } && plain.allSatisfy { !$0.contains("\u{1B}") })
    // The quiet zone is light.
    #expect(plain[0] == String(repeating: "█", count: code.width) && code.lines()[0].allSatisfy { $0 == " " })
    let opposite: [Character: Character] = ["█": " ", " ": "█", "▀": "▄", "▄": "▀"]
    #expect(zip(plain, code.lines()).allSatisfy { $0 == String($1.map { opposite[$0] ?? $0 }) })
  }
}
