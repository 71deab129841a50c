// The tap log: what the shipped kiosk keeps, what it costs the disk, and how it is read.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct HistoryTests {
  private func world(history: String = "90 d") throws -> KioskWorld {
    var configuration = KioskWorld.KioskConfiguration()
    configuration.more = "history: \(history)"
    return try KioskWorld(configuration)
  }

  private func rows(_ world: KioskWorld, _ words: String...) throws -> [[String: Any]] {
    let done = try Programs.run(
      try Programs.built("tappet"), ["history"] + words + ["--json", "--config", world.configPath])
    #expect(done.status == 0, "\(done.errors)")
    return try done.output.split(separator: "\n").map {
      let line = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return try #require(line?["data"] as? [String: Any])
    }
  }

  private func outcomes(_ rows: [[String: Any]]) -> [String] { rows.compactMap { $0["outcome"] as? String } }

  @Test func `accepted, delivered and refused taps are listed with their tags, and filters select them`() throws {
    let world = try world()
    try world.start()
    let uid = world.freshUID()
    _ = try world.tap("ntag213 uid=\(uid) url=\(try world.url(1))", until: "delivered-by-tag", messages: 1)
    _ = try world.tap("ntag213 uid=\(world.freshUID())", until: "refused")
    #expect(try eventually { try outcomes(rows(world)) == ["accepted", "delivered", "refused"] })
    let all = try rows(world)
    #expect(all.prefix(2).allSatisfy { $0["uid"] as? String == uid && $0["tag"] as? String == "Test" })
    #expect(all[0]["id"] as? String == world.received.first?.payload && all[2]["code"] as? String == "tag-empty")
    #expect(try outcomes(rows(world, "--outcome", "refused")) == ["refused"])
    #expect(try outcomes(rows(world, "--tag", uid, "--action", "light")) == ["accepted", "delivered"])
    #expect(try rows(world, "--since", "1h").count == 3 && rows(world, "--action", "garage").isEmpty)
    let top = try rows(world, "top")
    #expect(top.count == 1 && top[0]["uid"] as? String == uid && top[0]["count"] as? Int == 1)
    let csv = try world.tappet("history", "--csv").output.components(separatedBy: "\r\n")
    #expect(
      csv.count == 5 && csv[0] == "time,outcome,trigger,action,uid,tag,person,code,id,count,destination,input,output,by"
    )
    #expect(csv[1].contains(",accepted,tag,light,\(uid),Test,,"), "\(csv)")
    #expect(try world.tappet("history").output.contains("\(uid) (Test)"))
    for words in [["--since", "soon"], ["--outcome", "odd"], ["bottom"], ["top", "--follow"], ["--csv", "--json"]] {
      let done = try Programs.run(
        try Programs.built("tappet"), ["history"] + words + ["--config", world.configPath])
      #expect(done.status == 2, "\(words): \(done)")
    }
  }

  @Test func `the outcomes of a message and of the same tap's webhook are listed separately`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let server = try WebhookServer(in: folder.path)
    let world = try KioskWorld.withWebhooks([
      ("ring", "topic: home/ring, message: ring, \(try server.webhook("ok"))")
    ])
    let text = textSoFar(world.configPath) + "\nhistory: 90 d\n"
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    try world.start()
    try world.press()
    func destinations() throws -> [String] {
      try rows(world).map { ($0["outcome"] as? String ?? "") + " " + (($0["destination"] as? String) ?? "-") }.sorted()
    }
    let all = ["accepted -", "delivered broker", "delivered webhook"]
    #expect(try eventually { try destinations() == all })
    let lines = try world.tappet("history").output.split(separator: "\n")
    #expect(lines.count { $0.contains("delivered") } == 2 && lines.count { $0.hasSuffix("button GPIO5  webhook") } == 1)
    #expect(lines.count { $0.hasSuffix("button GPIO5  broker") } == 1, "\(lines)")
    for place in ["webhook", "broker"] { #expect(world.log.contains("delivered to the \(place): ring")) }
    let csv = try world.tappet("history", "--csv").output.components(separatedBy: "\r\n")
    #expect(
      csv.count { $0.hasSuffix(",1,webhook,,,button GPIO5") } == 1
        && csv.count { $0.hasSuffix(",1,broker,,,button GPIO5") } == 1, "\(csv)")
  }

  @Test func `a killed kiosk keeps the rows of accepted taps, and adds their outcomes later`() throws {
    let world = try world()
    try world.start()
    let before = world.lights.count
    world.broker.stop()
    try world.awaitLight("offline", after: before)
    let uid = world.freshUID()
    _ = try world.tap("ntag213 uid=\(uid) url=\(try world.url(1))", until: "queued")
    #expect(world.kiosk?.end(SIGKILL) == true)
    #expect(try outcomes(rows(world)) == ["accepted"])
    try world.restartBroker()
    try world.start()
    #expect(try eventually { try outcomes(rows(world)) == ["accepted", "delivered"] })
    #expect(try rows(world).allSatisfy { $0["uid"] as? String == uid })
  }

  @Test func `a person's taps of any outcome are found by name, and removed with --forget`() throws {
    let world = try world()
    try world.start()
    let secrets = try world.tappet("secret", "list", "--json").list("secrets")
    let id = try #require(secrets.first { $0["action"] as? String == "light" }?["id"] as? String)
    for words in [["add", "Ann Lee"], ["add", "Ben"], ["assign", "Ann Lee", id]] {
      let done = try Programs.run(
        try Programs.built("tappet"), ["person"] + words + ["--config", world.configPath])
      #expect(done.status == 0, "\(done)")
    }
    try world.goodTap()
    #expect(try world.tappet("person", "suspend", "Ann Lee").status == 0)
    _ = try world.tap("ntag213 uid=\(world.freshUID()) url=\(try world.url(1))", until: "refused")
    _ = try world.tap("ntag213 uid=\(world.freshUID())", until: "refused")
    #expect(try eventually { try rows(world).count == 4 })
    let hers = try rows(world, "--person", "Ann Lee")
    #expect(outcomes(hers) == ["accepted", "delivered", "refused"])
    #expect(hers.allSatisfy { $0["person"] as? String == "Ann Lee" && $0["tag"] as? String == "Test" })
    #expect(hers.last?["code"] as? String == "person-suspended")
    #expect(try rows(world, "top", "--person", "Ann Lee").first?["person"] as? String == "Ann Lee")
    #expect(try world.tappet("history", "--csv").output.contains(",Test,Ann Lee,"))
    #expect(try world.tappet("history").output.contains("(Test)  Ann Lee"))
    #expect(try rows(world, "--person", "Ben").isEmpty)
    #expect(try outcomes(rows(world, "--by", "Ann Lee")) == outcomes(hers) && rows(world, "--by", "Ann").isEmpty)
    #expect(hers.allSatisfy { $0["by"] as? String == "Ann Lee" })
    #expect(try world.tappet("history", "--person", "Cy").errors.contains("there is no person 'Cy'"))
    #expect(try world.tappet("person", "remove", "Ann Lee", "--forget", "--yes").status == 0)
    #expect(try rows(world).map { $0["code"] as? String } == ["tag-empty"])
  }

  @Test func `--follow shows each tap immediately`() throws {
    let world = try world()
    try world.start()
    let file = world.folder + "/followed"
    let follower = try Service(
      try Programs.built("tappet"), ["history", "--follow", "--config", world.configPath], log: file)
    defer { follower.end() }
    // It does not say when it has begun: a tap before that is none of its.
    let isShown = try eventually {
      try world.goodTap()
      return eventually(within: 5) { textSoFar(file).contains("delivered") && textSoFar(file).contains("accepted") }
    }
    #expect(isShown, "\(textSoFar(file))")
  }

  /// The syncs of a kiosk that accepts three taps and refuses three.
  private func syncs(history: String) throws -> Int {
    let world = try world(history: history)
    let file = world.folder + "/counts"
    try world.start(environment: try Faults.counting(to: file))
    for _ in 0..<3 {
      try world.goodTap()
      _ = try world.tap("ntag213 uid=\(world.freshUID())", until: "refused")
    }
    #expect(world.kiosk?.end(SIGTERM) == true)
    return try #require(Int(textSoFar(file).split(whereSeparator: \.isWhitespace).last ?? ""))
  }

  @Test func `the history causes no extra sync of the disk`() throws {
    var tries: [(without: Int, with: Int)] = []
    // How many removals share a commit depends on when they come: what costs a sync of its own costs it each time.
    repeat {
      tries.append((try syncs(history: "none"), try syncs(history: "90 d")))
      #expect(tries.last.map { $0.without > 6 } == true, "\(tries)")
    } while tries.count < 4 && !tries.contains(where: { $0.with <= $0.without })
    #expect(tries.contains { $0.with <= $0.without }, "\(tries)")
  }

  @Test func `with 'none' nothing is kept, and the command reports that`() throws {
    let world = try world(history: "none")
    try world.start()
    try world.goodTap()
    let done = try world.tappet("history")
    #expect(done.status == 1 && done.errors.contains("history: none"), "\(done.errors)")
  }
}
