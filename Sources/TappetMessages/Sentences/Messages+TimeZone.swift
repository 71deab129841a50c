// A time zone belongs to a process; in a program of somebody else's it is that program's.

import TappetConfig

extension KioskConfiguration {
  /// The mistake that its zone is for a kiosk inside another program; `nil` if it names none.
  package var foreignZoneSentence: String? {
    guard let timeZone else { return nil }
    return "'time_zone: \(timeZone)' cannot be obeyed inside another program; remove it, and set TZ for the program"
  }
}
