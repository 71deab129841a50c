// Where keys must not be: planted ones are looked for in the kiosk's memory, in every command line and environment, in
// logs, database, backups, and in what crosses the control socket.

import Foundation
import TappetJSON
import Testing
import TestSupport

/// A key in the forms in which it could lie about.
private struct Planted {
  let digits: String

  var forms: [Data] {
    let raw = Data(stride(from: 0, to: 64, by: 2).map { UInt8(digits.utf8Byte(at: $0), radix: 16) ?? 0 })
    // Half of it is as good as all of it to somebody who looks, and finds what was torn apart.
    return [raw.prefix(16), raw.suffix(16)].map { Data($0) }
      + [digits.prefix(32), digits.suffix(32), digits.uppercased().prefix(32)].map { Data($0.utf8) }
  }

  /// Number of occurrences in `bytes`.
  func count(in bytes: Data) -> Int {
    var count = 0
    for form in forms {
      var rest = bytes.startIndex..<bytes.endIndex
      while let found = bytes.range(of: form, in: rest) {
        count += 1
        rest = found.upperBound..<bytes.endIndex
      }
    }
    return count
  }
}

extension String {
  fileprivate func utf8Byte(at offset: Int) -> String { String(dropFirst(offset).prefix(2)) }
}

/// All that a core dump could hold, and more: regions that are kept out of one too.
private func memory(of process: pid_t) throws -> Data {
  let file = open("/proc/\(process)/mem", O_RDONLY)
  guard file >= 0 else { throw TestFault("/proc/\(process)/mem: errno \(errno)") }
  defer { close(file) }
  var all = Data()
  for line in try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8).split(separator: "\n") {
    let words = line.split(separator: " ")
    let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
    guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
    var block = [UInt8](repeating: 0, count: Int(ends[1] - ends[0]))
    let count = pread(file, &block, block.count, off_t(ends[0]))
    if count > 0 { all.append(contentsOf: block.prefix(count)) }
  }
  return all
}

/// Stands between a tool and the kiosk, and writes down what crosses.
private final class Eavesdropper {
  private let service: Service
  private let log: String

  init(_ path: String, kiosk: String, log: String) throws {
    self.log = log
    let script = log + ".py"
    try """
    import os, select, socket, sys
    path, kiosk, log = sys.argv[1:]
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(8)
    print("ready", flush=True)
    while True:
      tool = listener.accept()[0]
      peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
      peer.connect(kiosk)
      ends = {tool: (peer, b"> "), peer: (tool, b"< ")}
      while ends:
        for end in select.select(list(ends), [], [])[0]:
          data = end.recv(1 << 17)
          if not data:
            tool.close(), peer.close()
            ends = {}
            break
          with open(log, "ab") as file: file.write(ends[end][1] + data + b"\\n")
          ends[end][0].send(data)
    """.write(toFile: script, atomically: true, encoding: .utf8)
    service = try Service(try Programs.installed("python3"), [script, path, kiosk, log], log: log + ".out")
    let started = service
    guard eventually({ started.text.contains("ready") }) else { throw TestFault(service.text) }
  }

  /// The messages that crossed since the last question, one per line.
  func take() -> [Data] {
    let data = Data(bytesSoFar(log))
    try? FileManager.default.removeItem(atPath: log)
    return data.split(separator: 0x0A).map { Data($0) }
  }
}

/// Looks at the command lines and environments of everything that this process has started, all the time.
private final class Onlooker: @unchecked Sendable {
  private let lock = NSLock()
  private var isOver = false
  private var seen: Set<Data> = []
  private let ended = DispatchSemaphore(value: 0)

  init() {
    Thread.detachNewThread { [self] in
      while !lock.withLock({ isOver }) {
        for process in Onlooker.children(of: getpid()) { look(process) }
        // The other tests need the processor, too.
        usleep(2000)
      }
      ended.signal()
    }
  }

  /// Its children and theirs, of all threads.
  private static func children(of process: pid_t) -> [pid_t] {
    let tasks = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    let own = threads.flatMap { textSoFar("\(tasks)/\($0)/children").split(separator: " ").compactMap { pid_t($0) } }
    return own + own.flatMap { children(of: $0) }
  }

  private func look(_ process: pid_t) {
    for file in ["cmdline", "environ"] {
      guard let data = FileManager.default.contents(atPath: "/proc/\(process)/\(file)"), !data.isEmpty else { continue }
      lock.withLock { _ = seen.insert(data) }
    }
  }

  /// Whether it has seen this text.
  func sees(_ text: String) -> Bool {
    lock.withLock { seen.contains { $0.range(of: Data(text.utf8)) != nil } }
  }

  /// Everything that was seen.
  func end() -> Set<Data> {
    lock.withLock { isOver = true }
    ended.wait()
    return seen
  }
}

@Suite(.serialized) struct SecretLeakTests {
  private func id(_ output: String) -> String { String(output.prefix { $0 != " " }) }

  @Test(.enabled(if: geteuid() == 0, "only root may read the memory of a process that keeps no cores"))
  func `a removed key is erased from the kiosk's memory, and a used key is only where needed`() throws {
    let world = try KioskWorld()
    try world.start()
    let pid = try #require(world.kiosk?.pid)
    let (kept, removed, shared) = (
      Planted(digits: world.keys[1]), Planted(digits: Signing.key()), Planted(digits: Signing.key())
    )
    // A kiosk that keeps no core dump: what follows needs root.
    #expect(try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8).contains("Uid:"))
    let ids = try [removed, shared].map { try world.importSecret(index: 1, key: $0.digits) }
    for key in [removed, shared] {
      let url = try Signing.url(index: "1", key: key.digits)
      _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(url)", until: "delivered-by-tag", messages: 1)
    }
    #expect(try world.tappet("secret", "share", ids[1], "--url").output.contains(shared.digits))
    #expect(try world.tappet("secret", "rekey").status == 0)
    // The search finds what is there: both halves of 32 bytes, once; and no digits.
    let during = try memory(of: pid)
    for key in [kept, removed, shared] {
      #expect(key.count(in: during) == 2)
      #expect(during.range(of: Data(key.digits.prefix(32).utf8)) == nil)
    }
    #expect(during.range(of: Data("smpshare://secret?idx=1&key=".utf8)) == nil)
    for id in ids { #expect(try world.tappet("secret", "remove", id).status == 0) }
    let after = try memory(of: pid)
    #expect(removed.count(in: after) == 0 && shared.count(in: after) == 0)
    #expect(kept.count(in: after) == 2)
    try world.goodTap()
    // The sealing key is in memory only while it is needed.
    let sealing = try Data(contentsOf: URL(fileURLWithPath: world.folder + "/state/tappet.key"))
    let digits = sealing.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(Planted(digits: digits).count(in: try memory(of: pid)) == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root may read the memory of a process that keeps no cores"))
  func `a key imported from a tag is erased from the kiosk's memory with its secret`() throws {
    let world = try KioskWorld()
    try world.start()
    let pid = try #require(world.kiosk?.pid)
    let key = Planted(digits: Signing.key())
    let url = try Signing.url(index: "2", key: key.digits, carriesKey: true)
    let asking = try Service(
      try Programs.built("tappet"),
      ["secret", "import", "--tag", "--timeout", "120", "--config", world.configPath], log: world.folder + "/asked")
    #expect(
      try eventually {
        guard asking.isRunning else { return true }
        _ = try world.tap("ntag215 uid=\(world.freshUID()) url=\(url)", until: "refused")
        return !asking.isRunning
      })
    #expect(asking.status == 0, "\(asking.text)")
    _ = try world.tap("ntag215 uid=\(world.freshUID()) url=\(url)", until: "delivered-by-tag", messages: 1)
    #expect(try world.tappet("secret", "remove", id(asking.text)).status == 0)
    let after = try memory(of: pid)
    #expect(key.count(in: after) == 0)
    // As the hexadecimal text of the tag's memory.
    let hex = key.digits.utf8.map { String($0, radix: 16) }.joined()
    #expect(after.range(of: Data(hex.prefix(64).utf8)) == nil)
  }

  @Test func `no log, database, backup, command line or environment shows a key`() throws {
    let world = try KioskWorld()
    try world.start()
    let onlooker = Onlooker()
    var planted = world.keys.map { Planted(digits: $0) }
    let imported = Signing.key()
    planted.append(Planted(digits: imported))
    planted.append(Planted(digits: world.timestampKey + world.timestampKey))
    let first = try world.importSecret(index: 2, key: imported)
    let made = id(try world.tappet("secret", "new", "bell").output)
    let url = try world.tappet("secret", "share", made, "--url").output
    planted.append(Planted(digits: String(url.drop { $0 != "&" }.dropFirst(5).prefix(64))))
    #expect(planted.last?.digits.utf8.count == 64)
    let (pass, backup) = (world.folder + "/pass", world.folder + "/backup")
    let passphrase = Planted(digits: Signing.key())
    try passphrase.digits.write(toFile: pass, atomically: true, encoding: .utf8)
    chmod(pass, 0o600)
    #expect(try world.tappet("backup", backup, "--passphrase-file", pass).status == 0)
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(0))", until: "delivered-by-tag", messages: 1)
    // A tag that carries its key, too, stays out of the log.
    let carrying = try Signing.url(index: "1", key: world.keys[1], carriesKey: true)
    _ = try world.tap("ntag215 uid=\(world.freshUID()) url=\(carrying)", until: "delivered-by-tag", messages: 1)
    #expect(try world.tappet("secret", "import", input: "smpshare://secret?idx=9&key=\(imported)").status == 1)
    #expect(try world.tappet("secret", "rename", first, "new").status == 0)
    #expect(try world.tappet("secret", "remove", first).status == 0)
    // One that waits for its input is there until it was seen.
    let waiting = try TestProcess(
      try Programs.built("tappet"), ["secret", "import", "--config", world.configPath], input: .typed)
    #expect(eventually { onlooker.sees("secret\0import") }, "the onlooker saw nothing")
    waiting.endTyping()
    #expect(waiting.ends())
    let words = onlooker.end()
    for key in planted + [passphrase] {
      // The simulator gets a tag, and openssl signs, by command lines of the tests' own.
      for seen in words where seen.range(of: Data("hexkey:".utf8)) == nil {
        #expect(key.count(in: seen) == 0, "\(String(decoding: seen.prefix(300), as: UTF8.self))")
      }
    }
    let state = try FileManager.default.contentsOfDirectory(atPath: world.folder + "/state").map { "state/" + $0 }
    for name in state + ["kiosk.log", "lights", "backup"] {
      guard let data = FileManager.default.contents(atPath: world.folder + "/" + name) else { continue }
      for key in planted + [passphrase] { #expect(key.count(in: data) == 0, "\(name)") }
    }
    #expect(state.contains("state/tappet.db-wal"))
    let list = try world.tappet("secret", "list").output + world.tappet("audit").output + world.tappet("status").output
    for key in planted { #expect(key.count(in: Data(list.utf8)) == 0) }
  }

  @Test func `a key crosses the control socket only for an import or a share, and only outside the JSON`() throws {
    let world = try KioskWorld()
    let original = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try world.start()
    // The tool's configuration is the kiosk's but for the socket.
    let ear = try Eavesdropper(
      world.folder + "/ear", kiosk: world.folder + "/state/control", log: world.folder + "/traffic")
    try (original + "control: \(world.folder)/ear\n").write(
      toFile: world.configPath, atomically: true, encoding: .utf8)
    let imported = Planted(digits: Signing.key())
    let url = "smpshare://secret?idx=2&key=\(imported.digits)"
    let first = try world.importSecret(index: 2, key: imported.digits)
    let importing = ear.take()
    #expect(importing.count == 2 && imported.count(in: importing[1]) == 0)
    #expect(
      importing.first.map { Array($0.split(separator: 0)) }?.last.map { Data($0) }?.starts(with: Data(url.utf8)) == true
    )
    #expect(importing.first?.split(separator: 0).first.map { imported.count(in: Data($0)) } == 0)

    let made = id(try world.tappet("secret", "new", "bell").output)
    let making = ear.take()
    let shared = try world.tappet("secret", "share", made, "--url").output
    let sharing = ear.take()
    let key = Planted(digits: String(shared.drop { $0 != "&" }.dropFirst(5).prefix(64)))
    #expect(making.count == 2 && making.allSatisfy { key.count(in: $0) == 0 })
    #expect(sharing.count == 2 && key.count(in: sharing[0]) == 0 && key.count(in: sharing[1]) == 2)
    #expect(sharing.last?.split(separator: 0).first.map { key.count(in: Data($0)) } == 0)

    try world.tappet("secret", "list")
    try world.tappet("secret", "rename", first, "x")
    try world.tappet("secret", "remove", first)
    try world.tappet("secret", "rekey")
    try world.tappet("audit")
    try world.tappet("status")
    let rest = ear.take()
    #expect(rest.count >= 12)
    for message in rest {
      for secret in [imported, key] + world.keys.map({ Planted(digits: $0) }) {
        #expect(secret.count(in: message) == 0, "\(String(decoding: message, as: UTF8.self))")
      }
    }
  }
}
