// The settings of a connection that only tests the broker.

import TappetBroker
import TappetCore

extension BrokerSettings {
  /// A copy of the settings, modified so that the connection does not affect other clients of the broker.
  package var forProbe: BrokerSettings {
    @export(interface) get {
      let ending = "-check"
      var settings = self
      // A truncated character becomes U+FFFD, which is at most 2 bytes longer.
      let start = clientID.utf8.prefix(Limits.clientIDSizeMax - ending.utf8.count - 2)
      settings.clientID = String(decoding: start, as: UTF8.self) + ending
      settings.announcesStatus = false
      settings.commandTopics = []
      settings.siteTopic = nil
      return settings
    }
  }
}
