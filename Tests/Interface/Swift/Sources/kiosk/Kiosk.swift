// A kiosk in Swift, with the package's own product: no C in between.
// Usage: kiosk CONFIG KEY (64 digits).  Ends after a refused tap.

// The C library as Tappet's modules see it. Glibc and Foundation import it in another form; a file can use only one.
import CPlatform
import Tappet

@main struct Example {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { exit(2) }
    let kiosk = try Kiosk(configurationAt: arguments[1], secrets: [(action: "garage", key: arguments[2])])
    kiosk.onLight = { say("light \($0)") }
    kiosk.onEvent = { [unowned kiosk] event in
      switch event.name {
      case "delivered": say("delivered \(event.fields.first { $0.key == "action" }?.value ?? "")")
      case "tap-refused":
        say("refused: \(event.sentence)")
        kiosk.stop()
      default: break
      }
    }
    try kiosk.run()
    let counts = kiosk.counts
    say("counters accepted=\(counts.accepted) delivered=\(counts.delivered) refused=\(counts.refused)")
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
