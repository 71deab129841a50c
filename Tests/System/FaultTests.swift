// Provisioning when the disk fills up at any of its writes, and when it is killed at any of its changes: what was there
// before is whole and works, what is new is whole or not there at all.

import Foundation
import TappetTLS
import TestSupport
import Testing

@Suite(.serialized) struct FaultTests {
  /// A command, the file that it makes, and which of its writes or changes are tried.
  private struct Command {
    var words: [String]
    var made: String?
    var trials: (Int) -> [Int]
  }

  private static func every(_ step: Int) -> (Int) -> [Int] { { Array(stride(from: 1, through: $0, by: step)) + [$0] } }

  /// A world with two secrets, a certificate of its own and a backup, which is had again after each trial.
  private struct Furnished {
    let world: KioskWorld
    let commands: [Command]
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
        Command(words: ["secret", "rekey"], trials: FaultTests.every(4)),
        Command(words: ["secret", "new", "bell"], trials: FaultTests.every(8)),
        Command(
          words: ["secret", "share", String(listed.prefix { $0 != " " }), "--out", folder + "/code.svg"],
          made: "code.svg", trials: FaultTests.every(12)),
        Command(
          words: ["backup", folder + "/backup", "--passphrase-file", pass], made: "backup",
          trials: { [$0 - 2, $0 - 1, $0] }),
        Command(
          words: ["restore", folder + "/before", "--passphrase-file", pass, "--yes"], trials: { [$0 / 2, $0 - 1] }),
        Command(
          words: [
            "cert", "import", try Certificates.path("second-client.pem"), try Certificates.path("second-client.key"),
            "--force", "--certificate", folder + "/own.pem", "--private-key", folder + "/own.key",
          ], trials: FaultTests.every(2)),
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
      let usual: Set = ["tappet.db", "tappet.db-wal", "tappet.db-shm", "tappet.key", "secrets.db"]
      return Set(modes.keys).isSubset(of: usual) && Set(modes.values) == [0o600]
    }
  }

  @Test func `a disk that is full at any of its writes has its sentence, and everything is as before`() throws {
    let home = try Furnished(withBroker: true)
    for command in home.commands {
      try home.bringBack()
      let count = try Faults.count(command.words).writes
      var refusals = 0
      for number in command.trials(count) {
        try home.bringBack()
        let done = try Faults.run(command.words, .fullDisk(number))
        // The copy of the secrets may be late: the change itself is in the database.
        if done.status == 0 { continue }
        refusals += 1
        let place = "\(command.words) \(number) of \(count): \(done)"
        #expect(done.status == 4, "\(place)")
        #expect(done.errors.contains("no space is left") || done.errors.contains("No space left"), "\(place)")
        #expect(try home.news().isEmpty && home.ownIsThere, "\(place)")
        let list = try home.world.tappet("secret", "list")
        #expect(list.status == 0 && list.output == home.listed && list.errors.isEmpty, "\(place) \(list)")
        #expect(home.stateIsTidy, "\(place)")
      }
      #expect(refusals > 0, "\(command.words)")
    }
    try home.world.start()
    try home.world.goodTap()
  }

  @Test func `killed before any of its changes it leaves what was or what was to be, and works the next time`() throws {
    let home = try Furnished(withBroker: false)
    for command in home.commands {
      try home.bringBack()
      let count = try Faults.count(command.words).changes
      for number in command.trials(count) {
        try home.bringBack()
        let done = try Faults.run(command.words, .kill(number))
        let place = "\(command.words) \(number) of \(count): \(done)"
        #expect(done.status == 128 + SIGKILL, "\(place)")
        let list = try home.world.tappet("secret", "list")
        #expect(list.status == 0 && list.output.contains(home.listed) && list.errors.isEmpty, "\(place) \(list)")
        // A file with the final name is whole.
        for name in try home.news() where !name.contains(".tappet-") {
          #expect(name == command.made, "\(place)")
          guard name == "backup" else { continue }
          let path = home.world.folder + "/backup"
          let restored = try home.world.tappet(
            "restore", path, "--passphrase-file", home.world.folder + "/pass", "--yes")
          #expect(restored.status == 0, "\(place) \(restored)")
        }
      }
      let again = try Faults.run(command.words, .none)
      let isThere = again.errors.contains("is there already") || again.errors.contains("already exists")
      #expect(again.status == 0 || isThere, "\(command.words) \(again)")
      #expect(home.stateIsTidy, "\(command.words)")
    }
  }
}
