// A backup that the page asks for: a browser receives the sealed file in parts. Each message of the kiosk means that it
// has received one.
//
//     {"size":5031}, {"part":"5441…"} for each,
//     {"result":{"summary":"3 secrets","size":5031,"missing":["the tap log (…)"]}}

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
    guard try send(made.file, report) else { return nil }
    return .object([
      "summary": .string(made.summary), "size": .number(Int64(made.file.count)),
      "missing": .array((made.missing + made.absentFiles).map { .string($0) }),
    ])
  }

  /// Sends the file as fast as the browser receives it; returns false if the kiosk has closed the socket.
  static func send(_ file: [UInt8], _ report: PageReport) throws(CommandFailure) -> Bool {
    report.send(["size": .number(Int64(file.count))])
    var rest = file[...]
    var (places, earliest) = (Limits.pageBackupWindow, Instant.now())
    while !rest.isEmpty {
      guard try waitForPlace(report.parent, &places, until: earliest) else { return false }
      guard report.send(["part": .string(Hex.encode(Array(rest.prefix(Limits.pageBackupPartSize))))]) else {
        throw .failed("the kiosk is busy; try again")
      }
      rest = rest.dropFirst(Limits.pageBackupPartSize)
      places -= 1
      earliest = Instant.now() + Limits.pageBackupPause
    }
    return true
  }

  /// Waits for the time of the next part, and until there is a place for it; returns false if the kiosk has closed the
  /// socket.
  private static func waitForPlace(
    _ parent: UnixSocket, _ places: inout Int, until earliest: Instant
  ) throws(CommandFailure) -> Bool {
    let limit = Instant.now() + Limits.pageBackupStall
    while true {
      switch parent.receive(sizeMax: Limits.controlRequestSizeMax) {
      case .closed: return false
      case .message: places += 1
      case .nothing:
        let now = Instant.now()
        if places > 0, now >= earliest { return true }
        if now >= limit { throw .failed("the browser has stopped receiving the backup; try again") }
        _ = Poll.wait(parent.fileDescriptor, for: .readable, limit: (places > 0 ? earliest : limit) - now)
      }
    }
  }
}
