// The serial line's frames: what the chip finds in the bytes that a host sends, and what it makes of garbage.

import TappetCore
import TestSupport
import Testing

@testable import TappetSimulator

@Suite struct SimulatorFrameTests {
  private let firmware = PN532Frame.encode(direction: 0xD4, [0x02])

  private func events(_ chunks: [[UInt8]]) -> [PN532FrameParser.Event] {
    var parser = PN532FrameParser()
    var events: [PN532FrameParser.Event] = []
    for chunk in chunks {
      parser.append(chunk)
      while let event = parser.next() { events.append(event) }
    }
    return events
  }

  /// UM0701-02 §7.2.2 prints this frame.
  @Test func `GetFirmwareVersion is framed as the manual prints it`() {
    #expect(firmware == [0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD4, 0x02, 0x2A, 0x00])
  }

  @Test func `a frame that arrives byte by byte is found`() {
    #expect(events(firmware.map { [$0] }) == [.command([0x02])])
  }

  @Test func `garbage before and between frames is skipped`() {
    let line = [0x55, 0x55, 0x00, 0x00, 0xFF, 0x13, 0x00] + firmware + [0xAA, 0x00, 0x00] + firmware
    #expect(events([line]) == [.command([0x02]), .command([0x02])])
  }

  @Test func `ACK and NACK are distinguished`() {
    #expect(events([[0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00], [0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00]]) == [.ack, .nack])
  }

  @Test(arguments: [1, 254, 255, 264]) func `normal and extended frames carry their payload`(size: Int) {
    let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let frame = PN532Frame.encode(direction: 0xD4, payload)
    #expect((frame[3] == 0xFF && frame[4] == 0xFF) == (size >= 255))
    #expect(events([frame]) == [.command(payload)])
  }

  @Test(arguments: 0..<9) func `a frame with a wrong bit is not taken for a command`(place: Int) {
    var frame = firmware
    frame[place] ^= 0x10
    let found = events([frame])
    // The first 00 and the postamble carry nothing.
    #expect(found == (place == 0 || place == 8 ? [.command([0x02])] : []))
  }

  @Test func `the frame after a broken one is found`() {
    var broken = firmware
    broken[7] ^= 0x01
    #expect(events([broken, firmware]) == [.command([0x02])])
  }

  @Test func `random bytes never stop the parser`() {
    var random = SeededGenerator(seed: 0x5EED)
    var parser = PN532FrameParser()
    for _ in 0..<2_000 {
      let alphabet: [UInt8] = [0x00, 0xFF, 0xD4, 0x01, 0xFE, UInt8.random(in: 0...255, using: &random)]
      parser.append(
        (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 })
      while parser.next() != nil {}
    }
    parser.reset()
    parser.append(firmware)
    #expect(parser.next() == .command([0x02]))
  }
}
