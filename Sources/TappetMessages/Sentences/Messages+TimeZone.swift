// The time zone is a property of the process; in an embedding program, that program sets it.

import TappetConfig

extension KioskConfiguration {
  /// The error that the configuration of an embedded kiosk sets a time zone; `nil` if it sets none.
  package var foreignZoneSentence: String? {
    guard let timeZone else { return nil }
    return "'time_zone: \(timeZone)' cannot be applied inside another program; remove it, and set TZ for the program"
  }
}
