// The tap log on the page: a span of time in parts, each of which the store thread reads between two commits, so that
// looking back does not delay a tap.
//
//     {"request":"web-taps","from":1796000000000,"until":1796086400000,"before":0}
//     {"taps":[…],"next":"1883242496000000000"}      newest first; null: there are no more

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// A part of the tap log that a page asks for.
package struct PageSpan: Sendable {
  /// The span, in milliseconds since 1970.
  package var times: Range<Int64>
  /// Number of the row before which to continue; a number of 64 bits is a text in JSON.
  package var before: Int64

  package init(_ times: Range<Int64>, before: Int64 = .max) {
    self.times = times
    self.before = before
  }

  var facts: KeyValuePairs<String, JSON> {
    ["from": .number(times.lowerBound), "until": .number(times.upperBound), "before": .string(String(before))]
  }

  init(_ request: RequestMembers) throws(KioskRequestError) {
    let (from, until) = (request.number("from"), request.number("until"))
    guard from >= 0, from < until, until - from <= Limits.pageSpanMax.wholeMilliseconds else {
      throw KioskRequestError("'from' and 'until' must be the start and the end of a day, in milliseconds since 1970")
    }
    self.init(from..<until, before: Int64(request.text("before")) ?? .max)
  }
}

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
    .object([
      "time": .number(unixMilliseconds), "result": .string(result.name), "trigger": .optional(trigger?.name),
      "title": .optional(configuration.actions.first { $0.name == action }?.title ?? action),
      "uid": .optional(uid.map { TagUID.masked(Hex.encode($0.bytes)) }), "tag": .optional(tag),
      "person": .optional(person), "gone": .bool(self.person != nil && person == nil), "code": .optional(code),
      "id": .optional(entry?.hex),
      "count": .number(Int64(count)),
    ])
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
