// Limits of a site, whose doors share the same people.

extension Limits {
  /// Bytes of a bundle: enough for 10,000 people with a tag each, as a test shows.
  package static let siteBundleSizeMax = 2 * 1024 * 1024
  /// Bytes of a site's name, which is a part of a topic.
  package static let siteNameSizeMax = 64
  /// Bytes of the id of a person or a tag in a bundle; a UUID has 36.
  package static let siteIDSizeMax = 64
  /// Bundles in memory: the one that is being applied, and those received since.
  package static let siteBundlesMax = 4
  /// Interval between two attempts to store a bundle.
  package static let siteRetryInterval: Duration = .seconds(60)
  /// Time that 'tappet people push' waits for the broker's acknowledgement of a bundle over a slow line.
  package static let sitePushMax: Duration = .seconds(60)
  /// Bytes that a broker may send to a door of a site in one burst.
  ///
  /// A far too large message from an unknown sender is discarded without closing the connection each time.
  package static let siteBytesMax: Int64 = 16 << 20
}
