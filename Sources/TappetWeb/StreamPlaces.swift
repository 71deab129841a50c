// The places of streams: none is kept from those who may do more by those who may do less, or have many. Pure.

import TappetBase

/// The owner of a stream.
struct Visitor: Equatable {
  /// Name of the paired device; `nil` for any other browser.
  var device: String?
  var network: String
}

enum StreamPlaces {
  /// The decision about a new stream.
  enum Decision: Equatable {
    case accepted
    /// Accepted in the place of the stream at this index, which must be ended.
    case replacing(Int)
    case refused
  }

  /// Decides about a new stream beside the open ones, which are ordered from the oldest.
  ///
  /// If all places are taken, a device takes that of a browser that is not paired, or else of the device that has the
  /// most, if these are more than its own would be.
  static func decide(about new: Visitor, _ open: [Visitor]) -> Decision {
    let own = open.count { $0.device == new.device }
    guard let device = new.device else {
      let isRefused =
        open.count >= Limits.webStreamsMax || own >= Limits.webStrangersMax
        || open.count { $0.device == nil && $0.network == new.network } >= Limits.webStrangersPerNetwork
      return isRefused ? .refused : .accepted
    }
    guard own < Limits.webStreamsPerDevice else { return .refused }
    guard open.count >= Limits.webStreamsMax else { return .accepted }
    if let stranger = open.firstIndex(where: { $0.device == nil }) { return .replacing(stranger) }
    var counts: [String: Int] = [:]
    for visitor in open { counts[visitor.device ?? device, default: 0] += 1 }
    guard let most = counts.values.max(), most > own + 1 else { return .refused }
    return open.firstIndex { counts[$0.device ?? device] == most }.map { .replacing($0) } ?? .refused
  }
}
