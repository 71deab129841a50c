// Metrics whose labels others chose.

import Testing

@testable import TappetCommandLine

@Suite struct MetricsTextTests {
  @Test(arguments: [
    ("front door", "front door"), ("a\"b\\c\nd", "a\\\"b\\\\c\\nd"), ("\u{1b}[2J\r", "\\\\u{1b}[2J\\\\u{d}"),
    ("\u{9b}\u{202e}", "\\\\u{9b}\\\\u{202e}"), ("Groß", "Groß"),
  ])
  func `a label cannot control a terminal`(_ value: String, _ written: String) {
    var metrics = MetricsText()
    metrics.add("m", .gauge, "Help.", MetricsText.Sample(MetricsText.Label("l", value), value: 1))
    #expect(metrics.text == "# HELP m Help.\n# TYPE m gauge\nm{l=\"\(written)\"} 1\n")
  }
}
