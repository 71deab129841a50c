// Prometheus' text format, 0.0.4, with names that follow the OpenMetrics rules: base units, and `_total` on counters.

import TappetCore
import TappetPlatform

/// Builds metrics as text.
package struct MetricsText {
  package enum Kind: String {
    case gauge, counter
  }

  package struct Label {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value ?? ""
    }
  }

  package struct Sample {
    package var labels: [Label]
    /// A decimal number.
    package var value: String

    package init(_ labels: Label..., value: Int64) {
      self.labels = labels
      self.value = String(value)
    }

    package init(_ labels: Label..., value: String) {
      self.labels = labels
      self.value = value
    }
  }

  /// The metrics, with a trailing line feed.
  package private(set) var text = ""

  package init() {}

  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ sample: Sample) {
    add(name, kind, help, [sample])
  }

  /// Adds a metric with its samples; omits a metric without samples.
  @export(interface)
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
      text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(sample.value)\n"
    }
  }

  /// Escapes a label's value: the format defines three escapes, and control characters are escaped for terminals.
  private static func escaped(_ value: String) -> String {
    var text = ""
    for character in value.escapedLines.unicodeScalars {
      switch character {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}

// MARK: - Command line

extension MetricsText {
  /// Returns an error message about a combination of --prometheus, --output and --json.
  package static func usageError(_ arguments: Arguments) -> String? {
    guard arguments.has("prometheus") else {
      return arguments.has("output") ? "--output requires --prometheus" : nil
    }
    return arguments.has("json") ? "--prometheus and --json cannot be combined" : nil
  }

  /// Writes metrics atomically to the file specified with --output, or to standard output.
  @export(interface)
  package static func write(_ text: String, _ arguments: Arguments) throws(CommandFailure) {
    guard let path = arguments.value("output") else { return Output.write(text) }
    let files = AtomicFiles()
    do throws(AtomicFilesError) {
      try files.add(path, Array(text.utf8), mode: 0o644)
      try files.commit()
    } catch { throw error.failure }
  }
}
