/// Why a helper, tappet-webhook or tappet-inventory, does not run although it should.
package enum HelperLoss: Hashable, Sendable {
  case ended(ProcessEnd)
  case silent
  case malformed
  /// It could not be started; an errno.
  case notStarted(code: Int32)
}
