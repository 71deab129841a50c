/// Where the simulator is to be found.
struct SimulatorOptions {
  /// Made to point to the pseudo-terminal.
  var link: String
  /// The control socket.
  var control: String
  /// The virtual panel's socket.
  var panel: String?
  /// A file to which the line's bytes are appended.
  var trace: String?
  /// Whether transmission takes time.
  var isPaced = true
  /// Milliseconds of one try to find a tag; `nil` for the usual time.
  var tryMilliseconds: Int?
}
