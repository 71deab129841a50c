// A kiosk with a virtual panel whose buttons are played by the simulator: it keeps the times, whatever the tests do.

import Foundation
import TestSupport

extension KioskWorld {
  /// With a panel of two LEDs, a buzzer and three buttons; `third` is more about the last one, which asks for
  /// `confirm`.
  ///
  /// Gestures and questions have all the time that a busy machine may need.
  static func withPanel(
    _ more: String = "", host: String = "localhost", ca: String = "ca.pem", third: String = "",
    confirm: String = "60 s"
  ) throws -> KioskWorld {
    try KioskWorld(
      KioskWorld.KioskConfiguration(
        host: host, ca: ca,
        more: """
            - {name: key, topic: home/key, message: used, unlock: true}
            - {name: alarm, topic: home/alarm, message: armed, confirm: \(confirm)}
          panel:
            simulator: panel
            leds: {status: GPIO17, result: GPIO27}
            buzzer: GPIO22
            buttons:
              - {line: GPIO5, press: light}
              - {name: side door, line: GPIO6, press: bell, hold: {action: light, after: 3 s},
                 double: {action: alarm, within: 3 s}}
              - {line: GPIO13, press: alarm\(third)}
          \(more)
          """))
  }

  /// The levels that the virtual panel saw since they were cleared, by the kiosk's own times.
  func levels() throws -> [(output: String, isOn: Bool, time: Int64)] {
    try tell("levels").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 4, let time = Int64(words[3]) else { return nil }
      return (String(words[0]), words[1] == "1", time)
    }
  }

  /// A press, and a rest after it: what comes before that would be a bounce.
  func play(_ button: String, milliseconds: [Int] = [60, 200]) throws {
    try tell("play \(milliseconds.map { "\($0)" }.joined(separator: ",")) \(button)")
  }
}
