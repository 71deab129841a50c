// Limits of a site, whose doors share the same people.

extension Limits {
  /// Maximum size of a bundle, in bytes: enough for 10,000 people with a tag each, as a test shows.
  package static let siteBundleSizeMax = 2 * 1024 * 1024
  /// Maximum length of a site's name, in bytes; the name is part of a topic.
  package static let siteNameSizeMax = 64
  /// Maximum length of the id of a person or a tag in a bundle, in bytes; a UUID has 36.
  package static let siteIDSizeMax = 64
  /// Maximum number of bundles in memory: the one being applied, and those received in the meantime.
  package static let siteBundlesMax = 4
  /// Interval between two attempts to store a bundle.
  package static let siteRetryInterval: Duration = .seconds(60)
  /// Maximum time that 'tappet people push' waits for the broker's acknowledgement of a bundle over a slow line.
  package static let sitePushMax: Duration = .seconds(60)
  /// Maximum size of the data that a broker may send to a door of a site in one burst, in bytes.
  ///
  /// The limit is large enough to discard a far too large message from an unknown sender without closing the connection
  /// each time.
  package static let siteBytesMax: Int64 = 16 << 20
}
