// A span of the tap log in a request of the page, and the place in it at which to continue.
//
//     {"request":"web-taps","from":1796000000000,"until":1796086400000,"before":0}
//     {"taps":[…],"next":"1883242496000000000"}      newest first; null: there are no more

import TappetCore
import TappetJSON

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
