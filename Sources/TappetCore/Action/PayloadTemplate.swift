// A message as it stands in the configuration, with places for a timestamp token and an id (formats.md, "%T").

/// A payload with at most one `%T` and one `%I` to be filled in when it is sent.
public struct PayloadTemplate: Hashable, Sendable {
  /// As written.
  public let text: String

  /// Any text is a template: what is not `%T` or `%I` stands for itself, as in the app.
  public init(_ text: String) { self.text = text }

  /// Whether `%T` occurs.
  public var usesTimestamp: Bool { false }
}
