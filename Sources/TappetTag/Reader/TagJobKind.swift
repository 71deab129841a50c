// The kinds of tag jobs that a user can request.

/// The kind of a tag job; the raw value is its name in requests and in the log.
package enum TagJobKind: String, Hashable, Sendable { case write, erase, lock, format }
