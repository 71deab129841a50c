// Log records about Home Assistant.

extension LogRecord {
  /// Creates the record for a published discovery message.
  package init(discoverySent topic: String) {
    self.init(
      .info, "discovery-sent", "the kiosk was announced to Home Assistant at '" + topic + "'", [("topic", topic)])
  }

  /// Creates the record for a broker that does not allow the kiosk to read Home Assistant's birth topic.
  package init(homeAssistantDenied topic: String) {
    self.init(
      .warning, "home-assistant-denied",
      "the broker does not allow this client to read '" + topic
        + "': the kiosk cannot detect when Home Assistant starts; allow the topic in the broker's access list",
      [("topic", topic)])
  }
}
