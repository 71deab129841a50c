// Options shared by several commands.

extension CommandOption {
  package static func timeout(_ seconds: Int) -> Self {
    Self("timeout", "SECONDS", .seconds(1...3600), "how long to wait for a tag (\(seconds))")
  }
  package static let yes = Self("yes", "do not ask")
  package static let json = Self("json", "print JSON")
  package static let excel = Self("excel", "begin with a byte order mark, by which Excel knows UTF-8")
  package static let certificate = CommandOption(
    "certificate", "FILE", .file, "the certificate's file, in place of the configuration's")
  package static let privateKey = CommandOption(
    "private-key", "FILE", .file, "the key's file, in place of the configuration's")
  package static let force = CommandOption("force", "replace existing files without a question")
  package static let keyFile = CommandOption(
    "key-file", "FILE", .file, "the timestamp key; only its owner may read it")
  package static func prometheus(_ summary: String) -> CommandOption { CommandOption("prometheus", summary) }
  package static let metricsFile = CommandOption(
    "output", "FILE", .file, "with --prometheus: replace this file, for node_exporter")
}
