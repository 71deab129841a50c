// Tappet's version; the Makefile reads it from this file.

/// Tappet's own version.
package enum Version {
  /// The semantic version, as static text for C.
  package static let staticText: StaticString = "0.1.0"

  /// The version as text.
  package static var text: String { "\(staticText)" }
}
