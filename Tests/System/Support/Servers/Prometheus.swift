// Metrics as the Python client of Prometheus reads them.

import Foundation
import TestSupport

enum Prometheus {
  private static let program = """
    import sys
    from prometheus_client.parser import text_string_to_metric_families
    for family in text_string_to_metric_families(sys.stdin.read()):
        assert family.documentation and family.type in ("gauge", "counter"), family
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            print(f"{sample.name}{{{labels}}}\\t{sample.value}")
    """

  /// The samples, by their names with their labels in braces.
  static func parse(_ text: String) throws -> [String: Double] {
    let done = try Programs.run(try Programs.python(), ["-c", program], input: text)
    guard done.status == 0 else { throw TestFault(done.errors) }
    var samples: [String: Double] = [:]
    for line in done.output.split(separator: "\n") {
      let words = line.split(separator: "\t")
      samples[String(words[0])] = Double(words[1])
    }
    return samples
  }
}
