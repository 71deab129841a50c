// The passphrase of a new backup, which the page checks before anything is recorded.

import TappetCore

extension SecretBytes {
  /// The reason why a new backup cannot be sealed under these bytes; `nil` if it can.
  package var backupPassphraseFault: String? {
    @export(interface) get {
      guard count >= Limits.passphraseSizeMin else {
        return "the passphrase is \(plural(count, "byte")) long; use at least \(Limits.passphraseSizeMin) bytes, "
          + "preferably several words"
      }
      // 'restore' reads one line.
      let isLine = withBytes { !$0.contains { $0 == 0x0A || $0 == 0x0D } }
      guard count <= Limits.passphraseSizeMax, isLine else {
        return "the passphrase must be one line of at most \(Limits.passphraseSizeMax) bytes"
      }
      return nil
    }
  }
}
