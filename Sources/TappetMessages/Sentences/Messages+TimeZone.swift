// The time zone is a property of the process; for an embedded kiosk, the embedding program sets it.

import TappetConfig

extension KioskConfiguration {
  /// Error message if the configuration of an embedded kiosk sets a time zone; otherwise `nil`.
  package var foreignZoneSentence: String? {
    guard let timeZone else { return nil }
    return "'time_zone: \(timeZone)' cannot be applied inside another program; remove it, and set TZ for the program"
  }
}
