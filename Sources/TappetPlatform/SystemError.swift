// Errors of system calls; the only file that reads errno.

import CPlatform

/// A system call that failed, and its errno.
package struct SystemError: Error, Hashable, Sendable {
  /// The call's name, as in its manual page.
  package var call: String
  /// The value of errno after the call.
  package var code: Int32

  /// Creates an error of `call` with `code`.
  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// Returns the error of `call`, which has just failed, for calls that do not return -1 on failure.
  package static func last(_ call: String) -> SystemError { SystemError(call: call, code: tp_errno()) }

  /// Whether the address is already in use (EADDRINUSE).
  package var isAddressInUse: Bool { code == EADDRINUSE }

  /// Whether the process or the machine has run out of descriptors or memory, an error that is not specific to a file.
  package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }

  /// Error for a pipe, a device or a socket where a regular file is expected.
  static let notAFile = SystemError(call: "read", code: ESPIPE)

  /// The C library's text for the code.
  package var text: String {
    if self == .notAFile { return "it is not a regular file" }
    guard let message = strerror(code) else { return "error \(code)" }
    return String(cString: message)
  }
}

/// Runs `body`, a system call that returns -1 on failure; retries it if a signal interrupted it.
@discardableResult
package func checked<Result: SignedInteger>(_ call: String, _ body: () -> Result) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    let code = tp_errno()
    if code != EINTR { throw SystemError(call: call, code: code) }
  }
}
