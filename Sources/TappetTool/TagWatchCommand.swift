// tappet tag watch: each tag that is shown, until Ctrl-C.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum TagWatchCommand {
  static func run(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "tag watch", options: [.config, .json]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      if isatty(2) == 1 { Output.complain("Hold tags to the reader, one after the other; Ctrl-C ends it.") }
      do throws(SightingsEnd) {
        switch TagSightings.open(configuration, onlyNext: false, limit: nil) {
        case .failure(let end): throw end
        case .success(let sightings):
          while let sighting = try sightings.next() {
            _ = TagReadCommand.show(sighting, configuration, asJSON: arguments.has("json"), command: "tag watch")
            if !arguments.has("json") { Output.print("") }
          }
          return .success
        }
      } catch {
        Output.complain("tappet tag watch: \(error.sentence)")
        return .failure
      }
    }
  }
}
