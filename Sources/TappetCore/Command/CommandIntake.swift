// Commands from the broker: who may give one, what is still to be answered, and what the ESP32 firmware would do later.

struct CommandIntake: Sendable {
  var gate: CommandValidator
  var waitingReplies = PendingReplies()
  var firmware = FirmwarePublisher()
}
