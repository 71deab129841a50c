// Callbacks into an object that owns their caller: the caller cannot outlive its owner, so no counted back reference is
// needed. The only file with `unowned(unsafe)`: Embedded Swift has no other kind of reference that does not keep its
// object alive.

/// Returns a callback that calls `body` with `owner`, without keeping `owner` alive.
///
/// `owner` must own the object that holds the callback, so that the callback cannot be called after `owner` was
/// released.
package func calling<Owner: AnyObject>(_ owner: Owner, _ body: @escaping (Owner) -> Void) -> () -> Void {
  { [unowned(unsafe) owner] in body(owner) }
}

/// Returns a callback with an argument; otherwise the same as `calling(_:_:)`.
package func calling<Owner: AnyObject, Argument, Result>(
  _ owner: Owner, _ body: @escaping (Owner, Argument) -> Result
) -> (Argument) -> Result {
  { [unowned(unsafe) owner] in body(owner, $0) }
}

/// Returns a callback with two arguments; otherwise the same as `calling(_:_:)`.
package func calling<Owner: AnyObject, First, Second, Result>(
  _ owner: Owner, _ body: @escaping (Owner, First, Second) -> Result
) -> (First, Second) -> Result {
  { [unowned(unsafe) owner] in body(owner, $0, $1) }
}
