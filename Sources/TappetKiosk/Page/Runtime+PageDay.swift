// The tap log on the page: a span of time in parts, each of which the store thread reads between two commits, so that
// looking back does not delay a tap.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

extension Runtime {
  /// Sends the taps in the span, newest first.
  func sendTaps(_ span: PageSpan, to client: ControlServer.Client) {
    sendLog(to: client) { [configuration] store throws(SecretStoreError) in
      try store.taps(span, configuration)
    }
  }

  /// Sends the number of taps in each hour of the span.
  func sendHours(_ span: PageSpan, to client: ControlServer.Client) {
    sendLog(to: client) { store throws(SecretStoreError) in
      do throws(DatabaseError) { return try store.store.hours(span.times, before: span.before).json } catch {
        throw .store(error)
      }
    }
  }

  private func sendLog(
    to client: ControlServer.Client, _ read: @escaping @Sendable (SecretStore) throws(SecretStoreError) -> JSON
  ) {
    guard configuration.historyAge != nil else {
      return client.send(.failure("kiosk.yaml sets 'history: none', so no log is kept", code: "history-off"))
    }
    let number = client.number
    let isAsked = askStore(isRequired: false) { secrets in
      let answer: SecretAnswer
      do throws(SecretStoreError) { answer = SecretAnswer(try read(secrets.get())) } catch {
        answer = SecretAnswer(result: .failure(SecretFailure(error)))
      }
      return .answered(answer, for: .page(number))
    }
    if !isAsked { client.send(.failure(SharedSentence.tooManyRequests, code: "busy")) }
  }
}

extension SecretStore {
  fileprivate func taps(_ span: PageSpan, _ configuration: KioskConfiguration) throws(SecretStoreError) -> JSON {
    let names = try personNames()
    do throws(DatabaseError) {
      let found = try store.history(in: span.times, before: span.before, limit: Limits.pageTapsMax)
      return .object([
        "taps": .array(found.records.map { $0.pageJSON(configuration, person: $0.person.flatMap { names[$0] }) }),
        "next": .optional(found.next.map { String($0) }),
      ])
    } catch { throw .store(error) }
  }
}

extension TapRecord {
  fileprivate func pageJSON(_ configuration: KioskConfiguration, person: String?) -> JSON {
    let by = trigger == .inventory ? nil : by?.withoutKind ?? person
    return .object([
      "time": .number(unixMilliseconds), "result": .string(result.name), "trigger": .optional(trigger?.name),
      "title": .optional(configuration.actions.first { $0.name == action }?.title ?? action),
      "uid": .optional(uid.map { TagUID.masked(Hex.encode($0.bytes)) }), "tag": .optional(tag),
      "person": .optional(person), "gone": .bool(self.person != nil && person == nil), "code": .optional(code),
      "by": .optional(by), "id": .optional(entry?.hex),
      "count": .number(Int64(count)),
    ])
  }
}

extension String {
  /// The name of a button, a device, a topic or an input, without that word (`Originator.text`).
  fileprivate var withoutKind: String {
    guard let kind = ["button ", "page ", "topic ", "input "].first(where: { begins(with: $0) }) else { return self }
    return String(Substring(utf8.dropFirst(kind.utf8.count)))
  }
}

extension HistoryHours {
  fileprivate var json: JSON {
    .object([
      "hours": .array(hours.map { .array([.number($0.accepted), .number($0.refused)]) }),
      "delivered": .number(delivered), "next": .optional(next.map { String($0) }),
    ])
  }
}
