// A connection that is made again after a loss, for commands that outlive it.

import TappetCommandLine
import TappetCore
import TappetMessages
import TappetPlatform

extension BrokerClient {
  /// How the attempts after a loss ended.
  enum Reconnection {
    case connected, timeOver, interrupted
  }

  /// Connects again, with the pauses of `policy`, until it is `end`; says each time why and when.
  func reconnect(after loss: LinkFailure, _ policy: inout ReconnectPolicy, until end: Instant?) -> Reconnection {
    var sentence = loss.sentence
    while true {
      let (rest, isStorm) = policy.lost(at: Instant.now())
      let why = isStorm ? " (more than \(Limits.lossStormMax) losses in a minute)" : ""
      Output.printError("\(sentence); connecting again in \(rest.wholeMilliseconds / 1000) s\(why)")
      if pause(end.map { min(rest, max(.zero, $0 - Instant.now())) } ?? rest) { return .interrupted }
      if let end, end <= Instant.now() { return .timeOver }
      do throws(CommandFailure) {
        _ = try connectToAny()
        policy.connected()
        return .connected
      } catch {
        if error.code == FailureCode.cancelled { return .interrupted }
        sentence = error.sentence ?? ""
      }
    }
  }
}
