// The one place where errno is read.

import CPlatform

/// A system call that failed: which one, and its errno.
public struct SystemError: Error, Hashable, Sendable {
  /// The call's name, as in its manual page.
  public var call: String
  /// The errno.
  public var code: Int32

  /// A failure of `call` with `code`.
  public init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// EADDRINUSE: somebody else has it.
  public var isAddressInUse: Bool { code == EADDRINUSE }

  /// Where a file should be there is a pipe, a device or a socket.
  static let notAFile = SystemError(call: "read", code: ESPIPE)

  /// What the C library says about the code.
  public var text: String {
    if self == .notAFile { return "it is not a regular file" }
    guard let message = strerror(code) else { return "error \(code)" }
    return String(cString: message)
  }
}

/// Runs `body`, a system call that answers -1 on failure; again when a signal interrupted it.
@discardableResult
public func checked<Result: SignedInteger>(_ call: String, _ body: () -> Result) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    let code = tp_errno()
    if code != EINTR { throw SystemError(call: call, code: code) }
  }
}
