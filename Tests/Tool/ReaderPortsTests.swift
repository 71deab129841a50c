// A reader's device by its path, as people type it.

import Testing

@testable import TappetKioskTool

@Suite struct ReaderPortsTests {
  @Test(arguments: [
    ("/dev/ttyUSB0", "pn532_uart:/dev/ttyUSB0"),
    ("/dev/serial/by-id/usb-1a86-if00-port0", "pn532_uart:/dev/serial/by-id/usb-1a86-if00-port0"),
    ("/dev/i2c-1", "pn532_i2c:/dev/i2c-1"), ("/dev/spidev0.0", "pn532_spi:/dev/spidev0.0"),
    ("pn532_uart:/dev/ttyUSB0", "pn532_uart:/dev/ttyUSB0"), ("acr122_usb", "acr122_usb"),
  ]) func `a device's path becomes libnfc's connection string`(_ pair: (String, String)) {
    #expect(ReaderPorts.connection(pair.0) == pair.1)
  }
}
