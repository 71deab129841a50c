// The limits of tags that others wrote.

extension Limits {
  /// Tags that others wrote: a store room's boxes.
  package static let foreignTagsMax = 5000
  /// Bytes of a text or a URI by which a tag is learned: a label has a hundred, and a request has to fit it.
  package static let learnedContentSizeMax = 1024
}
