// The kinds of tag jobs that a person can request.

/// The work that a tag job does; the raw value is its name in requests and in the log.
package enum TagJobKind: String, Hashable, Sendable { case write, erase, lock, format }
