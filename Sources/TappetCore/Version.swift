// The one place where the version stands.

/// Tappet's own version.
public enum Version {
  /// Semantic versioning; as static text for C.
  public static let staticText: StaticString = "0.1.0"

  /// The same.
  public static var text: String { "\(staticText)" }
}
