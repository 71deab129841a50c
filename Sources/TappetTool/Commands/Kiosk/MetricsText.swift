// Prometheus' text format, 0.0.4, with names by the OpenMetrics rules: base units, and `_total` on counters.

import TappetCore

/// Metrics as text.
struct MetricsText {
  enum Kind: String {
    case gauge, counter
  }

  struct Label {
    var name: String
    var value: String

    init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value ?? ""
    }
  }

  struct Sample {
    var labels: [Label]
    /// A decimal number.
    var value: String

    init(_ labels: Label..., value: Int64) {
      self.labels = labels
      self.value = String(value)
    }

    init(_ labels: Label..., value: String) {
      self.labels = labels
      self.value = value
    }
  }

  /// The metrics, with the last line feed.
  private(set) var text = ""

  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ sample: Sample) {
    add(name, kind, help, [sample])
  }

  /// Adds a metric with its samples; without any it is left out.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
      text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(sample.value)\n"
    }
  }

  /// A label's value: the format knows three escapes.
  private static func escaped(_ value: String) -> String {
    var text = ""
    for character in value.unicodeScalars {
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
