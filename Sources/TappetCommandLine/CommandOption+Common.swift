// Options shared by several commands.

extension CommandOption {
  package static func timeout(_ seconds: Int) -> Self {
    Self("timeout", "SECONDS", .seconds(1...3600), "how long to wait for a tag (\(seconds))")
  }
  package static let yes = Self("yes", "do not ask for confirmation")
  package static let json = Self("json", "print JSON")
  package static let encoding = Self(
    "encoding", "NAME", .word(["WINDOWS-1252", "MACINTOSH", "IBM850", "UTF-16LE"]),
    "encoding of the file, as listed by 'iconv -l' (UTF-8)")
  package static let excel = Self("excel", "start with a byte order mark, so that Excel detects UTF-8")
  package static let certificate = CommandOption(
    "certificate", "FILE", .file, "certificate file (default: the configuration's)")
  package static let privateKey = CommandOption(
    "private-key", "FILE", .file, "private key file (default: the configuration's)")
  package static let force = CommandOption("force", "replace existing files without confirmation")
  package static let keyFile = CommandOption(
    "key-file", "FILE", .file, "file containing the timestamp key (mode 0600)")
  package static func prometheus(_ summary: String) -> CommandOption { CommandOption("prometheus", summary) }
  package static let metricsFile = CommandOption(
    "output", "FILE", .file, "with --prometheus: write the metrics to this file, for node_exporter")
}
