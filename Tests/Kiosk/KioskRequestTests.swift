import TappetCore
import TappetJSON
import TappetStore
import Testing

@testable import TappetKiosk

@Suite struct KioskRequestTests {
  static let payload = Array("smpshare://secret".utf8).withUnsafeBytes { SecretBytes(copying: $0) }

  static let requests: [KioskRequest] = {
    var limits = LimitWords()
    (limits.from, limits.until, limits.hours, limits.uses) = ("2026-12-24", "2026-12-31", ["Mo-Fr 07:00-19:30"], 3)
    limits.replacesAll = true
    var job = TagJobRequest(.write)
    (job.action, job.label, job.person, job.text) = ("garage", "Ring", "Ada", "b-1")
    (job.carriesKey, job.protects, job.limit) = (true, true, .seconds(9))
    let rows = [PeopleRow(line: 2, fields: ["Ada", nil, "yes"])]
    let secrets: [SecretRequest] = [
      .listSecrets(from: 7), .makeSecret(action: "garage", label: "Ring"), .makeSecret(action: "garage", label: nil),
      .addSecret(shareURL: payload, action: "garage", label: nil), .shareSecret(id: "a1", isForBackup: true),
      .shareSecret(id: "a1", isForBackup: false), .renameSecret(id: "a1", label: nil), .removeSecret(id: "a1"),
      .renameAction("garage", to: "gate"), .rekey, .keepTimestampKey(payload), .keepBrokerPassword(payload),
      .keepPagePassword(payload),
      .listValues, .revealValue("timestamp-key"), .listAudit(after: 4), .verifyAudit, .reload, .listPeople(from: 1),
      .addPerson("Ada"), .renamePerson("Ada", to: "Ada L."), .suspendPerson("Ada"), .resumePerson("Ada"),
      .allowPerson("Ada", limits), .allowPerson("Ada", LimitWords()), .removePerson("Ada", forgetsTaps: true),
      .assignSecret(id: "a1", person: ""), .importPeople(rows, isTrial: true), .listLearnedTags(from: 0),
      .learnTag(.text("box 7"), action: "bell", label: "Card"), .forgetTag("04a1b2c3"),
      .listPageDevices, .removePageDevice("Hall"),
    ]
    let stock: [StockRequest] = [
      .find("m4"), .show(id: "a1"), .list, .move(id: "a1", to: "Rack"), .takeBack(id: "a1", from: ""),
      .lend(id: "a1", to: "Ben", until: CalendarDay("2026-12-31")), .lend(id: "a1", to: "Ben", until: nil),
      .adjust(id: "a1", pieces: -3, ticket: 7), .undo(number: 4),
    ]
    let tools: [ToolRequest] = [
      .test, .listen(filter: "home/#"), .publish(topic: "home/x", text: "on", isRetained: true),
      .backup(passphrase: payload), .fleet,
    ]
    var entry = PageEntry(from: "192.0.2.7", of: "192.0.2.7", host: "front-door.local", token: payload)
    entry.place.certificate = Array(repeating: "AB", count: 32).joined(separator: ":")
    (entry.place.certificateEnd, entry.place.port, entry.place.isLocal) = (1_800_000_000, 8443, true)
    let lamp = PagePress.Target.output(OutputOrder(output: "lamp", request: .on))
    let page: [PageRequest] =
      [
        .enter(entry), .enter(PageEntry(from: "?", of: "", host: "", token: nil)),
        .pair(code: payload), .state, .watch, .press(PagePress(.action("garage"), id: "7d1f", milliseconds: 9)),
        .press(PagePress(lamp, id: "7d1f", milliseconds: 9, isForm: true)),
        .confirm(question: 4, milliseconds: 7, isForm: true),
        .cancel(question: 5), .taps(PageSpan(0..<3_600_000)), .hours(PageSpan(5..<9, before: 1 << 62)),
        .again(password: payload), .log, .received, .actions, .watchSetup, .answerSetup(number: 3, payload),
        .writeTag(action: "garage", label: "Ring", person: nil),
      ] + stock.map { .stock($0) } + tools.map { .tool($0) }
    return [
      .status, .watch, .lockPanel, .listOutputs, .switchOutput("gate", .pulse),
      .testCommand(topic: "c/signed", .action("3")), .testCommand(topic: "c/signed", .output("gate", operation: "on")),
      .dropEntries(nil), .dropEntries(EntryID(hex: "00112233445566778899aabbccddeeff")),
      .retryEntries(nil), .retryEntries(EntryID(hex: "00112233445566778899aabbccddeeff")), .reloadSession,
      .nextTag, .watchTags, .beginTagJob(job), .cancelTagJob, .stagePeople(rows),
      .offerPairing(name: "Hall", level: .press),
    ] + secrets.map { .secrets($0) } + page.map { .page($0) }
  }()

  @Test(arguments: requests)
  func `a request round-trips over the socket`(_ request: KioskRequest) throws {
    let sent = request.message
    let bytes = ControlMessage.encode(sent.json, enclosing: sent.secretPayload)
    let message = try #require(bytes.withUnsafeBytes { ControlMessage($0) })
    let received = try KioskRequest(message)
    #expect(received.message.json == sent.json)
    #expect(received.message.secretPayload?.withBytes { Array($0) } == sent.secretPayload?.withBytes { Array($0) })
  }

  @Test(arguments: [
    (#"{}"#, "the request does not contain 'request'"), (#"{"request":"person"}"#, "unknown request 'person'"),
    (#"{"request":"output","output":"gate","do":"blow"}"#, "'on' or 'off'"),
    (#"{"request":"outbox-drop"}"#, "32 hex digits"), (#"{"request":"tag-job","kind":"burn"}"#, "'kind' is unknown"),
    (#"{"request":"value-keep","name":"check"}"#, "only the timestamp key"),
    (#"{"request":"tag-learn","action":"bell"}"#, "specifies no tag"),
    (#"{"request":"press","action":"bell","at":1}"#, "needs an 'id'"),
    (#"{"request":"web-taps","from":9,"until":9}"#, "start and the end of a day"),
    (#"{"request":"stock-lend","until":"soon"}"#, "such as 2026-12-31"),
    (#"{"request":"stock-adjust","id":"a1","pieces":1}"#, "a 'ticket' of its own"),
    (#"{"request":"stock-adjust","id":"a1","ticket":1}"#, "needs 'pieces'"),
    (#"{"request":"broker-listen","filter":"\#(String(repeating: "a", count: 257))"}"#, "256 bytes long at most"),
    (#"{"request":"web-hours","from":0,"until":90000001}"#, "start and the end of a day"),
    ("{\"request\":\"web-backup\"}\0short", "the passphrase is 5 bytes long"),
    ("{\"request\":\"web-backup\"}\0two\nlines of it", "must be one line"),
    (#"{"request":"web-pair","name":"Hall","level":"all"}"#, "'look', 'press' or 'manage'"),
    (#"{"request":"person-import","rows":[["Ada"]]}"#, "starts with a line number"),
  ])
  func `a message that is not a request is refused with its reason`(_ text: String, _ reason: String) throws {
    let message = try #require(Array(text.utf8).withUnsafeBytes { ControlMessage($0) })
    let error = #expect(throws: KioskRequestError.self) { try KioskRequest(message) }
    #expect(error?.sentence.contains(reason) == true, "\(String(describing: error))")
  }
}
