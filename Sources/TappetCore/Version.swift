// The one place where the version stands.

/// Tappet's own version.
public enum Version {
  /// Semantic versioning.
  public static let text = "0.1.0"
}
