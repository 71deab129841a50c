// The import of a table of people. The control socket takes only small messages, so the rows come in pieces, each
// answered by the number of rows so far; the last piece makes the change, or says what it would be.
//
//     {"request":"person-import","rows":[[LINE,NAME,SUSPENDED,…],…],"more":true}
//     {"request":"person-import","rows":[…],"dry_run":false}

import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

/// The rows that a client has sent so far.
struct StagedRows {
  fileprivate var rows: [JSON] = []
  fileprivate var pieceCount = 0
}

extension Runtime {
  /// Takes a piece of an import; returns the request with all rows when it was the last one.
  func stage(_ request: JSON, for client: ControlServer.Client) -> JSON? {
    guard control.server?.isStaging(besides: client) != true else {
      client.send(.failure("another import of people is under way; try again"))
      return nil
    }
    client.stagedRows.rows += request["rows"]?.elements ?? []
    client.stagedRows.pieceCount += 1
    guard client.stagedRows.pieceCount <= Limits.importPiecesMax else {
      client.stagedRows = StagedRows()
      client.send(.failure("the table is too large; import it in parts"))
      return nil
    }
    if request["more"] == .bool(true) {
      client.send(.object(["rows": .number(Int64(client.stagedRows.rows.count))]))
      return nil
    }
    defer { client.stagedRows = StagedRows() }
    return .object([
      "request": .string(SecretRequest.Kind.importPeople.rawValue), "rows": .array(client.stagedRows.rows),
      "dry_run": request["dry_run"] ?? .null,
    ])
  }
}

extension ControlServer.Client {
  /// Whether it has sent a part of an import.
  var isStaging: Bool { stagedRows.pieceCount > 0 }
}

extension PeopleRow {
  /// The row in a request.
  package var json: JSON { .array([.number(Int64(line))] + fields.map { .optional($0) }) }

  fileprivate init?(_ json: JSON) {
    guard let elements = json.elements, let line = elements.first?.wholeNumber else { return nil }
    self.init(line: Int(clamping: line), fields: elements.dropFirst().map { $0.text })
  }
}

extension SecretService {
  /// Imports all rows, or none; with `dry_run` it only says what would be different.
  func importPeople(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let elements = request.json["rows"]?.elements ?? []
    let rows = elements.compactMap { PeopleRow($0) }
    guard rows.count == elements.count else {
      return .refused("a row of the request is not a list that begins with a line")
    }
    let isTrial = request.json["dry_run"] == .bool(true)
    let differences = try secretStore.importPeople(
      rows, isTrial: isTrial, unixSeconds: SystemClock().now().unixSeconds,
      noting: auditEntry("people-imported", "", request)
    ) { SecretService.counts($0).sentence }
    let counts = SecretService.counts(differences)
    var answer = SecretAnswer(
      json: .object([
        "added": .number(counts.added), "changed": .number(counts.changed), "assigned": .number(counts.assigned),
        "differences": .array(differences.prefix(Limits.differencesPerAnswerMax).map { .string($0.sentence) }),
      ]))
    if isTrial { return answer }
    answer.logRecord = logRecord(.notice, "people-imported", "people were imported: " + counts.sentence, request)
    answer.secrets = try secretStore.usableSecrets()
    return answer
  }

  private struct Counts {
    var added: Int64 = 0
    var changed: Int64 = 0
    var assigned: Int64 = 0
    var sentence: String { "\(added) added, \(changed) changed, \(assigned) tags assigned" }
  }

  private static func counts(_ differences: [PeopleDifference]) -> Counts {
    var counts = Counts()
    for difference in differences {
      switch difference {
      case .added: counts.added += 1
      case .changed: counts.changed += 1
      case .assigned: counts.assigned += 1
      }
    }
    return counts
  }
}

extension PeopleDifference {
  /// The difference as a line.
  fileprivate var sentence: String {
    switch self {
    case .added(let name): "+ \(name)"
    case .changed(let name, let columns): "~ \(name): \(columns.joined(separator: ", "))"
    case .assigned(let id, let action, let former, let name):
      "~ \(name): the tag \(id) of \(action)" + (former.map { ", formerly \($0)'s" } ?? "")
    }
  }
}
