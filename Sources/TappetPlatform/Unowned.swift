// Callbacks into an object that owns what calls them: the owner's lifetime bounds the caller's, so that no reference
// back is counted. The only file with `unowned(unsafe)`: Embedded Swift has no other reference that does not keep its
// object alive.

/// Returns a callback that calls `body` with `owner`, without keeping `owner` alive.
///
/// `owner` must own the object that holds the callback, so that the callback cannot be called after `owner` has gone.
package func calling<Owner: AnyObject>(_ owner: Owner, _ body: @escaping (Owner) -> Void) -> () -> Void {
  { [unowned(unsafe) owner] in body(owner) }
}

/// As `calling(_:_:)`, for a callback with an argument.
package func calling<Owner: AnyObject, Argument, Result>(
  _ owner: Owner, _ body: @escaping (Owner, Argument) -> Result
) -> (Argument) -> Result {
  { [unowned(unsafe) owner] in body(owner, $0) }
}

/// As `calling(_:_:)`, for a callback with two arguments.
package func calling<Owner: AnyObject, First, Second, Result>(
  _ owner: Owner, _ body: @escaping (Owner, First, Second) -> Result
) -> (First, Second) -> Result {
  { [unowned(unsafe) owner] in body(owner, $0, $1) }
}
