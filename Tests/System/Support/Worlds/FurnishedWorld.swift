// A world with something to lose, for the commands that change it and fail half-way.

import Foundation
import TestSupport

/// A command, the file that it makes, and which of its writes or changes are tried.
struct FaultCommand {
  var words: [String]
  var made: String?
  var trials: (Int) -> [Int]
}

private func every(_ step: Int) -> (Int) -> [Int] { { Array(stride(from: 1, through: $0, by: step)) + [$0] } }

/// A world with two secrets, a certificate of its own and a backup, which is had again after each trial.
struct FurnishedWorld {
  let world: KioskWorld
  let commands: [FaultCommand]
  let listed: String
  private let state: FolderCopy
  private let own: [String: Data]
  private let names: Set<String>

  init(withBroker: Bool) throws {
    world = try KioskWorld(withBroker: withBroker)
    let folder = world.folder
    let pass = folder + "/pass"
    try "correct horse battery\n".write(toFile: pass, atomically: true, encoding: .utf8)
    chmod(pass, 0o600)
    var own: [String: Data] = [:]
    for name in ["pem", "key"] {
      own["own." + name] = try Data(contentsOf: URL(fileURLWithPath: try Certificates.path("client." + name)))
    }
    self.own = own
    let made = try world.tappet("backup", folder + "/before", "--passphrase-file", pass)
    guard made.status == 0 else { throw TestFault(made.errors) }
    listed = try world.tappet("secret", "list").output
    state = try FolderCopy(folder + "/state")
    commands = [
      FaultCommand(words: ["secret", "rekey"], trials: every(4)),
      FaultCommand(words: ["secret", "new", "bell"], trials: every(8)),
      FaultCommand(
        words: ["secret", "share", String(listed.prefix { $0 != " " }), "--out", folder + "/code.svg"],
        made: "code.svg", trials: every(12)),
      FaultCommand(
        words: ["backup", folder + "/backup", "--passphrase-file", pass], made: "backup",
        trials: { [$0 - 2, $0 - 1, $0] }),
      FaultCommand(
        words: ["restore", folder + "/before", "--passphrase-file", pass, "--yes"], trials: { [$0 / 2, $0 - 1] }),
      FaultCommand(
        words: [
          "cert", "import", try Certificates.path("second-client.pem"), try Certificates.path("second-client.key"),
          "--force", "--certificate", folder + "/own.pem", "--private-key", folder + "/own.key",
        ], trials: every(2)),
    ].map {
      var command = $0
      command.words += ["--config", folder + "/kiosk.yaml"]
      return command
    }
    names = Set(try FileManager.default.contentsOfDirectory(atPath: folder)).union(own.keys)
  }

  func bringBack() throws {
    try state.bringBack()
    for (name, bytes) in own { try bytes.write(to: URL(fileURLWithPath: world.folder + "/" + name)) }
    for name in try news() { try FileManager.default.removeItem(atPath: world.folder + "/" + name) }
  }

  /// The files that are new.
  func news() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: world.folder)).subtracting(names)
  }

  var ownIsThere: Bool {
    own.allSatisfy { FileManager.default.contents(atPath: world.folder + "/" + $0.key) == $0.value }
  }

  /// Whether the state folder has what belongs there, and for its owner only.
  var stateIsTidy: Bool {
    let modes = (try? FolderCopy.modes(state.path)) ?? [:]
    // A restore takes the kiosk's lock.
    let usual: Set = ["tappet.db", "tappet.db-wal", "tappet.db-shm", "tappet.key", "secrets.db", "kiosk.lock"]
    return Set(modes.keys).isSubset(of: usual) && Set(modes.values) == [0o600]
  }
}
