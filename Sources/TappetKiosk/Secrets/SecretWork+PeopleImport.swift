// Import of a table of people. The control socket accepts only small messages, so the rows arrive in parts. The
// response to each part is the number of rows so far; the last part makes the change or, in a trial, reports the
// differences.

import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

/// The rows that a client has sent so far.
struct StagedRows {
  fileprivate var rows: [PeopleRow] = []
  fileprivate var pieceCount = 0
}

extension Runtime {
  /// Receives rows of an import; more rows follow.
  func stage(_ rows: [PeopleRow], for client: ControlServer.Client) {
    guard take(rows, from: client) else { return }
    client.send(.object(["rows": .number(Int64(client.stagedRows.rows.count))]))
  }

  /// Receives the last rows of an import; returns all rows, or `nil` if they were refused and the client was notified.
  func staged(_ rows: [PeopleRow], for client: ControlServer.Client) -> [PeopleRow]? {
    guard take(rows, from: client) else { return nil }
    defer { client.stagedRows = StagedRows() }
    return client.stagedRows.rows
  }

  private func take(_ rows: [PeopleRow], from client: ControlServer.Client) -> Bool {
    guard control.server?.isStaging(besides: client) != true else {
      client.send(.failure("another import of people is in progress; try again"))
      return false
    }
    client.stagedRows.rows += rows
    client.stagedRows.pieceCount += 1
    guard client.stagedRows.pieceCount <= Limits.importPiecesMax else {
      client.stagedRows = StagedRows()
      client.send(.failure("the table is too large; import it in parts"))
      return false
    }
    return true
  }
}

extension ControlServer.Client {
  /// Whether the client has an import in progress.
  var isStaging: Bool { stagedRows.pieceCount > 0 }
}

extension SecretWork {
  /// Imports all rows, or none; with `isTrial`, only reports the differences.
  func importPeople(_ rows: [PeopleRow], isTrial: Bool) throws(SecretStoreError) -> SecretAnswer {
    let differences = try secretStore.importPeople(
      rows, isTrial: isTrial, unixSeconds: SystemClock().now().unixSeconds,
      noting: auditEntry("people-imported", "")
    ) { SecretWork.counts($0).sentence }
    let counts = SecretWork.counts(differences)
    var answer = SecretAnswer(
      .object([
        "added": .number(counts.added), "changed": .number(counts.changed), "assigned": .number(counts.assigned),
        "differences": .array(differences.prefix(Limits.differencesPerAnswerMax).map { .string($0.sentence) }),
      ]))
    if isTrial { return answer }
    answer.logRecord = logRecord(.notice, "people-imported", "people were imported: " + counts.sentence)
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
  /// The difference, formatted as one line.
  fileprivate var sentence: String {
    switch self {
    case .added(let name): "+ \(name)"
    case .changed(let name, let columns): "~ \(name): \(columns.joined(separator: ", "))"
    case .assigned(let id, let action, let former, let name):
      "~ \(name): the tag \(id) of \(action)" + (former.map { ", formerly \($0)'s" } ?? "")
    }
  }
}
