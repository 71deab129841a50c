// Limits of people, and of the hours at which they may act.

extension Limits {
  /// People of one kiosk, each with a tag of the largest `max_secrets`.
  package static let peopleMax = 10_000
  /// Bytes of a table of people.
  package static let peopleTableSizeMax = 8 * 1024 * 1024
  /// Bytes of the fields of one row, up to six times as many when escaped in JSON; the longest hours have 800.
  package static let peopleRowSizeMax = 1200
  /// Bytes of the rows in one request, which fit `controlRequestSizeMax` with the rest of it.
  package static let peoplePieceSizeMax = 8 * 1024 - 256
  /// Requests that together form one import of people, each of at most `controlRequestSizeMax`.
  package static let importPiecesMax = 2000
  /// Differences in the answer to an import; more than a person reads.
  package static let differencesPerAnswerMax = 100
  /// Bytes of a sealed value that is not a tag's secret: the longest is a person with the longest name and all hours.
  package static let sealedValueSizeMax = 2048

  /// Periods in the hours of one action or person: several a day, different for each day.
  package static let hoursMax = 32
  /// Uses of a ticket: a tap a minute for two years.
  package static let ticketUsesMax: Int64 = 1_000_000
  /// Holidays of some years ahead.
  package static let holidaysMax = 400
  /// Bytes of a time zone's name; the longest of tzdata has 32.
  package static let timeZoneSizeMax = 64
}
