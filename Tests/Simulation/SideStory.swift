// The separate stories of each seed, which precede that of the whole kiosk.

/// A story about one part.
protocol SideStory: AnyObject {
  /// Its subject, for a person who reads that it ends badly.
  static var subject: String { get }
  static var stepCount: Int { get }
  init(seed: UInt64, isTold: Bool)
  /// Tells the story; returns the rule that was broken.
  func tell(stepCount: Int) -> String?
  /// The events of the story, for a person who follows it.
  var lines: [String] { get }
}

extension EditStory: SideStory {
  static let subject = "edits of messages in rooms"
  static let stepCount = 1500
}

extension ListenerStory: SideStory {
  static let subject = "a session in rooms"
  static let stepCount = 300
}

extension PageStory: SideStory {
  static let subject = "presses on the page"
  static let stepCount = 1000
}
