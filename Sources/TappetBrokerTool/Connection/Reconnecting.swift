// Reconnects after a connection is lost, for long-running commands.

import TappetCommandLine
import TappetCore
import TappetMessages
import TappetPlatform

extension BrokerClient {
  /// The result of the attempts to reconnect.
  enum Reconnection {
    case connected, timeOver, interrupted
  }

  /// Tries to reconnect until `end`, with the delays of `policy`; reports the reason and the delay before each attempt.
  func reconnect(after loss: LinkFailure, _ policy: inout ReconnectPolicy, until end: Instant?) -> Reconnection {
    var sentence = loss.sentence
    while true {
      let (rest, isStorm) = policy.lost(at: Instant.now())
      let why = isStorm ? " (more than \(Limits.lossStormMax) losses in a minute)" : ""
      Output.printError("\(sentence); reconnecting in \(rest.wholeMilliseconds / 1000) s\(why)")
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
