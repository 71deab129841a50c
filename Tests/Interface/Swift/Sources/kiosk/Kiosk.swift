// A kiosk in Swift: the package's own layers, without C between.
// Usage: kiosk CONFIG KEY (64 digits).  Ends after a tap that was refused.

// The C library as Tappet's layers see it. Foundation brings it in another shape, and one file cannot have both.
import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

@main struct Kiosk {
  static func main() throws {
    let words = CommandLine.arguments
    guard words.count == 3, let key = SecretKey(hex: words[2]) else { exit(2) }
    guard case .loaded(let configuration) = ConfigFile.load(path: words[1]) else { exit(3) }
    let secret = TagSecret(
      id: "example", action: "garage", index: 0, key: key, createdUnixSeconds: Int64(time(nil)), label: nil)

    let runtime = try Runtime(configuration, ownSecrets: [secret])
    runtime.onLine = { _ in }
    runtime.onLight = { say("light \($0.name)") }
    runtime.onReport = { [unowned runtime] report, line in
      switch report {
      case .delivered(let entry, _): say("delivered \(entry.action)")
      case .refused:
        say("refused: \(line.sentence)")
        runtime.stop()
      default: break
      }
    }
    try runtime.start()
    try runtime.begin()
    while !runtime.isFinished { try runtime.dispatch(timeout: nil) }
    runtime.close()
    let counters = runtime.counts.counters
    say("counters accepted=\(counters.accepted) delivered=\(counters.delivered) refused=\(counters.refused)")
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
