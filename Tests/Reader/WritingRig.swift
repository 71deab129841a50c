// A kiosk's side of writing tags: its configuration, its secrets, and the jobs that order the reader.

import Foundation
import TappetConfig
import TappetCore
import TappetKiosk
import TappetStore
import TestSupport
import Testing

/// A kiosk's state in the rig's folder, and jobs for the tag that lies there.
final class WritingRig {
  let rig: ReaderRig
  var configuration: KioskConfiguration
  let secretStore: SecretStore

  init() throws {
    rig = try ReaderRig()
    let file = rig.folder.appendingPathComponent("kiosk.yaml")
    try """
    broker: {url: "mqtt://127.0.0.1:1", client_id: k}
    state: \(rig.folder.path)/state
    actions:
      - {name: garage, topic: t, message: m}
    """.write(to: file, atomically: true, encoding: .utf8)
    guard case .loaded(let configuration) = ConfigurationParser.load(path: file.path) else {
      throw TestFault("the configuration")
    }
    self.configuration = configuration
    secretStore = try SecretStore.open(folder: configuration.stateFolder)
    try rig.startReady()
  }

  func request(_ kind: TagJobKind = .write, protects: Bool = false, carriesKey: Bool = false) -> TagJobRequest {
    var request = TagJobRequest(kind)
    if kind == .write { request.action = "garage" }
    request.protects = protects
    request.carriesKey = carriesKey
    return request
  }

  func run(_ request: TagJobRequest) throws -> TagJobRunner {
    let rig = rig
    return try TagJobRunner(
      request, configuration, by: .current(), unixSeconds: 1_800_000_000, send: { rig.reader?.send($0) ?? false },
      tell: { _ in })
  }

  /// The job for the tag that is on the reader and was read already, up to its end or up to the tag's leaving.
  func perform(_ request: TagJobRequest, on uid: TagUID) throws -> (TagJobRunner, OrderOutcome?) {
    let run = try run(request)
    run.tagIsThere(uid)
    var last: OrderOutcome?
    while run.isWorking {
      guard case .message(let message) = try rig.nextEvent() else { throw TestFault("the order's outcome") }
      if case .orderDone(let outcome) = message { last = outcome }
      run.heard(message)
    }
    return (run, last)
  }

  /// Places a tag, in the place of another if there is one, and reads it.
  @discardableResult
  func place(_ words: String) throws -> TagReading {
    try rig.tell(words)
    while true {
      switch try rig.nextEvent() {
      case .message(.tagLeft), .message(.tagArrived): break
      case .message(.tagRead(let reading)): return reading
      case let other: throw TestFault("tagRead; there was \(other)")
      }
    }
  }

  /// The tag's content, as another reader would find it.
  func content(of reading: TagReading) throws -> TagReading {
    var reading = reading
    reading.bytes = try rig.memory()
    if reading.model.layout == .type4 {
      let size = Int(reading.bytes[0]) << 8 | Int(reading.bytes[1])
      reading.bytes = Array(reading.bytes[2..<2 + size])
    }
    return reading
  }

  func works(_ reading: TagReading) throws -> Bool {
    if case .success = KioskSettings(configuration).judge(reading, secrets: try secretStore.usableSecrets()) {
      return true
    }
    return false
  }

  func forgetSecrets() throws {
    for secret in try secretStore.usableSecrets() { _ = try secretStore.remove(id: secret.id) }
  }
}
