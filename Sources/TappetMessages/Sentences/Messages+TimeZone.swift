// Messages about the time zone. It is a property of the process; for an embedded kiosk, the embedding program sets it.

import TappetConfig

extension KioskConfiguration {
  /// Error message if the configuration of an embedded kiosk sets a time zone; otherwise `nil`.
  package var foreignZoneSentence: String? {
    guard let timeZone = calendar.timeZone else { return nil }
    return "'time_zone: \(timeZone)' cannot be applied inside another program; remove it, and set TZ for the program"
  }

  /// Message if the hours of actions and people cannot be checked; otherwise `nil`.
  @export(interface)
  package var unknownHoursSentence: String? {
    guard let timeZone = calendar.timeZone, !knowsHours else { return nil }
    return OldTimeZone.sentence(timeZone)
      + "; until the kiosk is restarted with it, everything with 'hours' or 'valid' is refused"
  }
}

/// Time zones under a name that newer systems have only in a separate package (IANA's file `backward`).
enum OldTimeZone {
  static func sentence(_ name: String) -> String {
    let common = "the time zone '\(name)' is not installed: "
    guard let modern = modernName(of: name) else {
      return common + "use the name of a file in /usr/share/zoneinfo, such as 'Europe/Berlin'; "
        + "old names are in the package tzdata-legacy"
    }
    return common + "use 'time_zone: \(modern)', its name today, or install the package tzdata-legacy"
  }

  /// Returns the present name of a zone; `nil` for one that is not common.
  static func modernName(of name: String) -> String? {
    for line in names {
      let place = line.utf8.firstIndex(of: UInt8(ascii: " ")) ?? line.utf8.endIndex
      if line.utf8[..<place].elementsEqual(name.utf8) { return String(Substring(line.utf8[place...].dropFirst())) }
    }
    return nil
  }

  private static let names = [
    "US/Alaska America/Anchorage", "US/Arizona America/Phoenix", "US/Central America/Chicago",
    "US/East-Indiana America/Indiana/Indianapolis", "US/Eastern America/New_York", "US/Hawaii Pacific/Honolulu",
    "US/Michigan America/Detroit", "US/Mountain America/Denver", "US/Pacific America/Los_Angeles",
    "Canada/Atlantic America/Halifax", "Canada/Central America/Winnipeg", "Canada/Eastern America/Toronto",
    "Canada/Mountain America/Edmonton", "Canada/Newfoundland America/St_Johns", "Canada/Pacific America/Vancouver",
    "EST America/Panama", "MST America/Phoenix", "HST Pacific/Honolulu", "EST5EDT America/New_York",
    "CST6CDT America/Chicago", "MST7MDT America/Denver", "PST8PDT America/Los_Angeles", "Navajo America/Denver",
    "CET Europe/Brussels", "MET Europe/Brussels", "EET Europe/Athens", "WET Europe/Lisbon", "GB Europe/London",
    "GB-Eire Europe/London", "Eire Europe/Dublin", "Poland Europe/Warsaw", "Portugal Europe/Lisbon",
    "Turkey Europe/Istanbul", "W-SU Europe/Moscow", "Iceland Atlantic/Reykjavik", "Europe/Kiev Europe/Kyiv",
    "Europe/Belfast Europe/London", "Japan Asia/Tokyo", "Singapore Asia/Singapore", "Hongkong Asia/Hong_Kong",
    "PRC Asia/Shanghai", "ROC Asia/Taipei", "ROK Asia/Seoul", "Israel Asia/Jerusalem", "Iran Asia/Tehran",
    "Asia/Calcutta Asia/Kolkata", "Asia/Saigon Asia/Ho_Chi_Minh", "Asia/Katmandu Asia/Kathmandu",
    "Asia/Rangoon Asia/Yangon", "Asia/Dacca Asia/Dhaka", "Egypt Africa/Cairo", "Libya Africa/Tripoli",
    "Cuba America/Havana", "Jamaica America/Jamaica", "Brazil/East America/Sao_Paulo",
    "Chile/Continental America/Santiago", "Mexico/General America/Mexico_City",
    "America/Buenos_Aires America/Argentina/Buenos_Aires", "America/Indianapolis America/Indiana/Indianapolis",
    "NZ Pacific/Auckland", "Australia/ACT Australia/Sydney", "Australia/NSW Australia/Sydney",
    "Australia/Victoria Australia/Melbourne", "Australia/Queensland Australia/Brisbane",
    "Australia/South Australia/Adelaide", "Australia/West Australia/Perth", "Australia/Tasmania Australia/Hobart",
    "UCT Etc/UTC", "UTC Etc/UTC", "Universal Etc/UTC", "Zulu Etc/UTC", "Greenwich Etc/GMT",
  ]
}
