// The state of commands from the broker: validation, pending replies, and pending steps of the ESP32 firmware's role.

struct CommandIntake: Sendable {
  var gate: CommandValidator
  var waitingReplies = PendingReplies()
  var firmware = FirmwarePublisher()
}
