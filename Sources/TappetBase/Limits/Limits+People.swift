// Limits of people, and of the hours at which they may act.

extension Limits {
  /// Maximum number of people on one kiosk, so that each can have a tag within the largest `max_secrets`.
  package static let peopleMax = 10_000
  /// Maximum size of a table of people, in bytes.
  package static let peopleTableSizeMax = 8 * 1024 * 1024
  /// Maximum number of rows of such a table: three tags for each person.
  package static let peopleRowsMax = 3 * peopleMax
  /// Maximum total length of the fields of one row, in bytes; the longest hours take 800.
  ///
  /// Escaping in JSON makes a row up to six times as long.
  package static let peopleRowSizeMax = 1200
  /// Maximum total size of the rows in one request, in bytes, so that the whole request fits `controlRequestSizeMax`.
  package static let peoplePieceSizeMax = 8 * 1024 - 256
  /// Maximum number of requests that together form one import of people, each of at most `controlRequestSizeMax`.
  package static let importPiecesMax = 2000
  /// Maximum number of differences in the response to an import; more than a person reads.
  package static let differencesPerAnswerMax = 100
  /// Maximum size of a sealed value other than a secret, in bytes: a person with the longest name and all hours.
  package static let sealedValueSizeMax = 2048

  /// Maximum number of periods in the hours of one action or person: several a day, different for each day.
  package static let hoursMax = 32
  /// Maximum number of uses of a ticket: a tap a minute for two years.
  package static let ticketUsesMax: Int64 = 1_000_000
  /// Maximum number of holidays: enough for several years ahead.
  package static let holidaysMax = 400
  /// Maximum length of a time zone's name, in bytes; the longest in tzdata has 32.
  package static let timeZoneSizeMax = 64
}
