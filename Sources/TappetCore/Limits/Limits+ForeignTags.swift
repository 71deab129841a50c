// Limits of tags that were not written by Tappet.

extension Limits {
  /// Tags not written by Tappet: enough for the boxes of a store room.
  package static let foreignTagsMax = 5000
  /// Bytes of a text or URI by which a tag is learned; a label has a hundred, and the text has to fit in a request.
  package static let learnedContentSizeMax = 1024
}
