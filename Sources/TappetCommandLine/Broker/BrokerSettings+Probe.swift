// The settings of a connection that only tests the broker.

import TappetBroker
import TappetCore

extension BrokerSettings {
  /// Settings to connect as the kiosk does, last will included, without affecting other clients of the broker.
  package var forProbe: BrokerSettings {
    @export(interface) get {
      let ending = "-check"
      // A truncated character becomes U+FFFD, which is at most 2 bytes longer.
      let start = clientID.utf8.prefix(Limits.clientIDSizeMax - ending.utf8.count - 2)
      return forProbe(clientID: String(decoding: start, as: UTF8.self) + ending)
    }
  }

  /// Like `forProbe`, with the given client id.
  @export(interface)
  package func forProbe(clientID: String) -> BrokerSettings {
    var settings = self
    settings.clientID = clientID
    settings.announcesStatus = false
    settings.commandTopics = []
    settings.siteTopic = nil
    settings.will = settings.probeWill
    settings.needsQoS1 = true
    return settings
  }
}
