// Limits of tags that were not written by Tappet.

extension Limits {
  /// Maximum number of tags not written by Tappet: enough for the boxes of a store room.
  package static let foreignTagsMax = 5000
  /// Maximum length of a text or URI by which a tag is learned, in bytes.
  ///
  /// A label has a hundred, and the text has to fit in a request.
  package static let learnedContentSizeMax = 1024
}
