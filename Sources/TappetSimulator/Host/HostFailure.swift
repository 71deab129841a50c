/// A system call that failed, and the one place where errno is read.

import CPlatform

/// Which call, and why.
struct HostFailure: Error {
  /// The call's name, as in its manual page.
  var call: String
  /// errno.
  var code: Int32

  /// What the C library says about it.
  var sentence: String {
    guard let text = strerror(code) else { return call + ": error \(code)" }
    return call + ": " + String(cString: text)
  }

  /// Runs a call that answers -1 on failure; again when a signal interrupted it.
  @discardableResult
  static func check(_ call: String, _ body: () -> Int32) throws(HostFailure) -> Int32 {
    while true {
      let result = body()
      if result != -1 { return result }
      let code = tp_errno()
      if code != EINTR { throw HostFailure(call: call, code: code) }
    }
  }
}
