// Log records about Home Assistant.

extension LogRecord {
  /// Creates the record of a published discovery message.
  package init(discoverySent topic: String) {
    self.init(
      .info, "discovery-sent", "the kiosk was announced to Home Assistant at '" + topic + "'", [("topic", topic)])
  }

  /// Creates the record of a broker that does not let the kiosk read Home Assistant's birth topic.
  package init(homeAssistantDenied topic: String) {
    self.init(
      .warning, "home-assistant-denied",
      "the broker does not let this client read '" + topic
        + "': the kiosk cannot detect when Home Assistant starts; allow the topic in the broker's access list",
      [("topic", topic)])
  }
}
