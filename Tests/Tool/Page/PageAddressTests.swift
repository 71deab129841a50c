// The output of 'tappet web pair': an address that can be reached, and a QR code that can be read.

import TappetJSON
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
}
