// A backup that the page asks for: a browser receives the sealed file in parts.
//
//     {"part":"5441…"} for each, {"result":{"summary":"3 secrets","size":5031,"missing":["the tap log (…)"]}}

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetKiosk
import TappetPlatform

/// Makes backups for the page.
package enum PageBackup {
  /// Reports the backup's file; returns what is in it, or `nil` if the kiosk has closed the socket.
  @export(interface)
  package static func make(
    _ passphrase: SecretBytes, configuration path: String, _ report: PageReport
  ) throws(CommandFailure) -> JSON? {
    let configuration = try KioskAccess.load(try Arguments.parse(["--config", path], for: .status))
    let made = try Backup.make(passphrase, configuration, from: path)
    var rest = made.file[...]
    while !rest.isEmpty {
      guard report.send(["part": .string(Hex.encode(Array(rest.prefix(Limits.pageBackupPartSize))))]) else {
        throw .failed("the kiosk is busy; try again")
      }
      rest = rest.dropFirst(Limits.pageBackupPartSize)
      // As fast as browsers can receive it.
      if !Poll.wait(report.parent.fileDescriptor, limit: Limits.pageBackupPause).isEmpty { return nil }
    }
    return .object([
      "summary": .string(made.summary), "size": .number(Int64(made.file.count)),
      "missing": .array((made.missing + made.absentFiles).map { .string($0) }),
    ])
  }
}
