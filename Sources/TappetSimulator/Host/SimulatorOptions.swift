/// The paths and settings of the simulator.
struct SimulatorOptions {
  /// Path of the symbolic link to the pseudo-terminal.
  var link: String
  /// Path of the control socket.
  var control: String
  /// Path of the virtual panel's socket.
  var panel: String?
  /// Path of a file to which the bytes of the serial line are logged.
  var trace: String?
  /// Whether transmission takes time.
  var isPaced = true
  /// Duration of one unsuccessful attempt to find a tag, in milliseconds; `nil` for the default.
  var tryMilliseconds: Int?
}
